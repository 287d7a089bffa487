/** Which game, and which position in it: chosen from a list, typed, or read from a file. */
import { button, dialog, h, put, toast } from "../core/dom.js";
import { Unreadable, fromFile } from "../core/games.js";
import * as text from "../text.js";

/** @import {Client} from "../core/client.js" */
/** @import {Given} from "../core/games.js" */
/** @import {GameLine} from "../protocol.d.ts" */

/** @param {Client} client @param {HTMLElement} root where files may be dropped @param {(given: Given) => void} onchoose */
export function chooser(client, root, onchoose) {
  const games = h("select", { onchange: () => onchoose({ game: games.value, moves: "" }) });
  const variant = h("input", { autocomplete: "off", spellcheck: "false" }), moves = h("input", { autocomplete: "off", spellcheck: "false", autocapitalize: "off" }), how = h("small");
  const variants = h("label", { class: "field", hidden: true }, text.VARIANT, variant, how);
  const file = h("input", { type: "file", accept: ".json,.jsonl,application/json", hidden: true, onchange: () => { if (file.files?.[0]) read(file.files[0]); file.value = ""; } });
  const element = h("form", { class: "panel stack", "aria-label": text.POSITION, onsubmit: (/** @type {Event} */ event) => {
    event.preventDefault();
    onchoose({ game: variant.value.trim() || games.value, moves: moves.value });
  } }, h("h2", null, text.POSITION), h("label", { class: "field" }, text.GAME, games), variants, h("label", { class: "field" }, text.ITS_MOVES, moves),
  h("div", { class: "row" }, h("button", null, text.SHOW_POSITION), button(text.OPEN_FILE, () => file.click()), file));
  /** @type {GameLine[]} */
  let known = [], shown = { game: "", moves: /** @type {string[]} */ ([]) };

  /** All that is known of the games, once the server has said so. */
  const listed = client.ask("games", {}).then(answer => {
    known = answer.games;
    put(games, known.map(one => h("option", { value: one.name }, one.title)));
    draw();
    return known;
  });
  listed.catch(() => {});

  function draw() {
    const base = shown.game.split(":")[0], line = known.find(one => one.name === base);
    if (base) games.value = base;
    variants.hidden = !line?.variants;
    how.textContent = line?.variants ?? "";
    variant.value = line?.variants ? shown.game : "";
    if (document.activeElement !== moves) moves.value = shown.moves.join(" ");
  }

  /** @param {File} file */
  async function read(file) {
    try {
      const found = await fromFile(file);
      if (found.length === 1) return onchoose(found[0]);
      dialog(text.WHICH_GAME, close => [h("div", { class: "stack" }, found.map((one, at) => button(text.gameOfFile(one, at + 1), () => { close(); onchoose(one); }, { class: "choice" })))]);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      toast(error.message, "refusal");
    }
  }

  const over = (/** @type {DragEvent} */ event) => { if (event.dataTransfer?.types.includes("Files")) event.preventDefault(); };
  const dropped = (/** @type {DragEvent} */ event) => {
    const one = event.dataTransfer?.files[0];
    if (!one) return;
    event.preventDefault();
    read(one);
  };
  root.addEventListener("dragover", over);
  root.addEventListener("drop", dropped);
  return {
    element, listed,
    /** What a game is called. @param {string} game */
    titleOf: game => known.find(one => one.name === game)?.title ?? game,
    /** Say what is shown. @param {string} game @param {string[]} played */
    update(game, played) { shown = { game, moves: played }; draw(); },
    close() {
      root.removeEventListener("dragover", over);
      root.removeEventListener("drop", dropped);
    },
  };
}
