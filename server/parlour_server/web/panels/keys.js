/** What keys do on each page. */
import { dialog, h } from "../core/dom.js";
import { say, sayOr } from "../words.js";

/**
 * Keys, by their names in the browser, and the end of the id of what they do; `within`: where the focus has to
 * be for that.
 * @typedef {{keys: string[], does: string, within?: string}} Keys
 */

const ARROWS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"];
/** @type {Keys[]} */
const CELLS = [
  { keys: ARROWS, does: "cells", within: "[role=grid] [tabindex='0']" },
  { keys: ["Enter", " "], does: "play", within: "[role=grid] [tabindex='0']" },
];
/** @type {Keys[]} */
const STEPS = [
  { keys: ["ArrowLeft", "["], does: "back" },
  { keys: ["ArrowRight", "]"], does: "forward" },
  { keys: ["Home", "End"], does: "ends" },
];
/** @type {Record<string, Keys[]>} */
const PAGES = {
  "/": [
    { keys: ARROWS, does: "games", within: ".card h3 button" },
    { keys: ["Enter"], does: "begin", within: ".card h3 button" },
  ],
  "/CODE": [...CELLS, ...STEPS, { keys: ["Escape"], does: "stop" }],
  "/analysis": [...CELLS, ...STEPS, { keys: ["Escape"], does: "stop" }],
  "/review": STEPS,
  "/puzzle": CELLS,
  "/lab": STEPS,
  "/learn": [
    { keys: ["ArrowLeft", "PageUp"], does: "back" },
    { keys: ["ArrowRight", "PageDown"], does: "forward" },
    { keys: ["Home", "End"], does: "ends" },
    { keys: [" "], does: "run" },
    { keys: ["Escape"], does: "leave" },
    { keys: ARROWS, does: "nodes", within: "[role=tree] [tabindex='0']" },
    { keys: ["Enter"], does: "open", within: "[role=tree] [tabindex='0']" },
  ],
};
/** @type {Keys[]} */
const ANYWHERE = [
  { keys: ["Tab"], does: "next" },
  { keys: ["?"], does: "keys" },
];
/** @type {Record<string, string>} */
const SIGNS = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", " ": "␣", Escape: "Esc" };

/** @param {string} path of the page that is shown */
export function showKeys(path) {
  const rows = [...(PAGES[path] ?? []), ...ANYWHERE].map(({ keys, does, within }) =>
    h("tr", { "data-within": within }, [
      h("th", { scope: "row" }, [keys.map(key => [h("kbd", { "data-key": key }, SIGNS[key] ?? key), " "])]),
      h("td", null, sayOr(`page.keys.${does}`, {})),
    ]),
  );
  dialog(say("page.settings.keys"), () => [h("table", { class: "keys" }, h("tbody", null, rows))]);
}
