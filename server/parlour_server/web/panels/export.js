/** A game to keep: as data, as text, or as pictures, each a file that the server writes. */
import { attempt } from "../core/attempt.js";
import { button, dialog, h } from "../core/dom.js";
import { retry } from "../core/retry.js";
import { recordOf } from "../game/record.js";
import { say } from "../words.js";

/** @import {Client} from "../core/client.js" */
/** @import {AskExport} from "../protocol.d.ts" */

/**
 * A game, and the position in it that is shown; one that a room has also with its players and its times.
 * @typedef {{game: string, moves: string[], shown: string[], room?: string, number?: number}} Kept
 */

const TYPES = {
  json: "application/json",
  pgn: "text/plain",
  svg: "image/svg+xml",
  png: "image/png",
  gif: "image/gif",
};

/** Let a person choose in which form. @param {Client} client @param {Kept} kept */
export function exportGame(client, kept) {
  const { game, room, number } = kept;
  const all = { game, moves: kept.moves.join(" ") };
  const shown = { game, moves: kept.shown.join(" ") };
  /** @param {"pgn" | "svg" | "png" | "gif"} format @param {Partial<AskExport>} what */
  const written = async (format, what) => {
    const { data } = await retry(() => client.ask("export", { ...what, format }));
    return Uint8Array.from(atob(data), one => one.charCodeAt(0));
  };
  /** @type {[keyof typeof TYPES, () => Promise<BlobPart>][]} */
  const ways = [
    ["png", () => written("png", shown)],
    ["svg", () => written("svg", shown)],
    ["gif", () => written("gif", all)],
    ["pgn", () => written("pgn", room ? { room, number } : all)],
  ];
  if (room) ways.push(["json", async () => `${JSON.stringify(await recordOf(client, room, number))}\n`]);
  const name = [game, room, number ?? kept.shown.length].filter(one => one !== undefined).join("-");
  dialog(say("action.export.label"), close => {
    const choices = ways.map(([format, write]) =>
      button(
        say(`page.export.${format}`),
        async () => {
          for (const one of choices) one.disabled = true;
          await attempt(async () =>
            save(`${name}.${format}`, new Blob([await write()], { type: TYPES[format] })),
          );
          close();
        },
        { class: "choice" },
      ),
    );
    return [h("div", { class: "stack" }, choices)];
  });
}

/** Hand a file to the browser. @param {string} name @param {Blob} file */
export function save(name, file) {
  const url = URL.createObjectURL(file);
  h("a", { href: url, download: name.toLowerCase().replace(/[^a-z0-9.]+/g, "-") }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
