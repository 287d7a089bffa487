/** Which game, and which position in it: chosen from a list, typed, or read from a file. */

import { attempt } from "../core/attempt.js";
import { catalogue, titleOf } from "../core/catalogue.js";
import { button, dialog, h, put, toast } from "../core/dom.js";
import { retry } from "../core/retry.js";
import { fromFile, Unreadable } from "../game/files.js";
import { say } from "../words.js";
import { field, gameFields } from "./forms.js";

/** @import {Client} from "../core/client.js" */
/** @import {Given} from "../game/games.js" */
/** @import {Catalogue} from "../core/catalogue.js" */

/** @param {Client} client
 *  @param {HTMLElement} root where files may be dropped @param {(given: Given) => void} onchoose */
export function chooser(client, root, onchoose) {
  const place = h("div", { class: "stack" });
  const moves = h("input", { autocomplete: "off", spellcheck: "false", autocapitalize: "off" });
  const file = h("input", {
    type: "file",
    accept: ".json,.jsonl,.pgn,application/json",
    hidden: true,
    onchange: () => {
      if (file.files?.[0]) read(file.files[0]);
      file.value = "";
    },
  });
  const element = h(
    "form",
    {
      class: "panel stack",
      "aria-label": say("page.analysis.position"),
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        onchoose({ game: fields?.chosen() ?? shown.game, moves: moves.value });
      },
    },
    [
      h("h2", null, say("page.analysis.position")),
      place,
      field(say("page.analysis.moves"), moves).element,
      h("div", { class: "row" }, [
        h("button", null, say("page.analysis.show")),
        button(say("page.analysis.open_file"), () => file.click()),
        button(say("setup.title"), () => attempt(setUp)),
        file,
      ]),
    ],
  );
  /** @type {Catalogue | null} */
  let known = null;
  /** @type {ReturnType<typeof gameFields> | null} */
  let fields = null;
  let shown = { game: "", moves: /** @type {string[]} */ ([]) };

  /** All that is known of the games, once the server has said so. */
  const listed = catalogue(client).then(found => {
    known = found;
    const made = gameFields(client, found.games, shown.game, {
      choose: () => onchoose({ game: made.chosen(), moves: "" }),
    });
    fields = made;
    put(place, made.elements);
    return found.games;
  });
  listed.catch(() => {});

  async function setUp() {
    const { game } = shown;
    const answer = await retry(() => client.ask("board", { game, moves: shown.moves.join(" ") }));
    const { setUp } = await import("./setup.js");
    setUp(client, game, answer, found => onchoose({ game: found, moves: "" }));
  }

  /** @param {File} file */
  async function read(file) {
    try {
      const found = await fromFile(file);
      if (found.length === 1) return onchoose(found[0]);
      dialog(say("page.analysis.which_game"), close => [
        h("div", { class: "stack" }, [
          found.map((one, at) =>
            button(
              gameOfFile(one, at + 1),
              () => {
                close();
                onchoose(one);
              },
              { class: "choice" },
            ),
          ),
        ]),
      ]);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      toast(error.message, "refusal");
    }
  }

  const over = (/** @type {DragEvent} */ event) => {
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
  };
  const dropped = (/** @type {DragEvent} */ event) => {
    const one = event.dataTransfer?.files[0];
    if (!one) return;
    event.preventDefault();
    read(one);
  };
  root.addEventListener("dragover", over);
  root.addEventListener("drop", dropped);
  return {
    element,
    listed,
    /** What a game is called. @param {string} game */
    titleOf: game => titleOf(known, game),
    /** Say what is shown. @param {string} game @param {string[]} played */
    update(game, played) {
      shown = { game, moves: played };
      fields?.show(game);
      if (document.activeElement !== moves) moves.value = played.join(" ");
    },
    close() {
      root.removeEventListener("dragover", over);
      root.removeEventListener("drop", dropped);
    },
  };
}

/** @param {{game: string, names?: [string, string], number?: number}} one @param {number} at */
const gameOfFile = ({ game, names, number }, at) =>
  `${number ?? at}. ${game}${names ? `: ${say("table.against", { first: names[0], last: names[1] })}` : ""}`;
