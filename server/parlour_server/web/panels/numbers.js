/** A tree of numbers that is made by hand: its nodes are changed by clicks. */
import { button, h, put, toast } from "../core/dom.js";
import { LARGEST, TEXTBOOK } from "../game/numbers.js";
import { NUMBERS } from "../game/search.js";
import { say } from "../words.js";

/** @import {Node} from "../game/search.js" */
/** @typedef {number | Tree[]} Tree a leaf, or branches */

/** @param {string} text as the server reads it @returns {Tree[]} */
const parsed = text =>
  JSON.parse(`[${text.replaceAll(")(", "),(").replaceAll("(", "[").replaceAll(")", "]")}]`);
/** @param {Tree} tree @returns {string} */
const written = tree =>
  typeof tree === "number" ? String(tree) : `(${tree.map(written).join()})`.replaceAll("),(", ")(");

/** @param {(game: string) => void} onchange called with the tree as the name of a game */
export function numbersEditor(onchange) {
  const element = h("div", { class: "row numbers", hidden: true });
  /** @type {Tree[]} */
  let tree = [];
  const named = () => `${NUMBERS}:${written(tree).slice(1, -1)}`;

  /** @param {string} game the tree that is shown */
  function update(game) {
    element.hidden = !game.startsWith(NUMBERS);
    if (element.hidden) return;
    try {
      tree = parsed(game.slice(NUMBERS.length + 1) || TEXTBOOK);
    } catch {
      // The server says what is wrong with it.
      tree = [];
    }
    put(element, h("span", { class: "past" }, say("numbers.edit")));
  }

  /** Offer what can be changed of a node. @param {Node} node @returns {boolean} is there a tree to change? */
  function choose({ path }) {
    if (element.hidden || !tree.length) return false;
    const way = path.map(move => Number(move.replace(/\D/g, "")) - 1);
    const last = /** @type {number} */ (way.pop());
    const above = way.reduce((all, at) => /** @type {Tree[]} */ (all[at]), tree);
    const here = last === undefined ? tree : above[last];
    const changed = (/** @type {() => void} */ change) => () => {
      change();
      onchange(named());
      choose(/** @type {Node} */ ({ path }));
    };
    const set = (/** @type {number} */ value) =>
      changed(() => {
        above[last] = Math.min(LARGEST, Math.max(-LARGEST, Math.round(value)));
        if (Math.abs(value) > LARGEST) toast(say("numbers.limit", { most: LARGEST }), "refusal");
      })();
    const removed =
      last !== undefined &&
      above.length > 1 &&
      button(say("numbers.remove"), () => {
        above.splice(last, 1);
        update(named());
        onchange(named());
      });
    if (typeof here !== "number")
      put(element, [
        button(
          say("numbers.add_leaf"),
          changed(() => here.push(0)),
        ),
        removed,
      ]);
    else {
      const typed = h("input", {
        type: "number",
        min: -LARGEST,
        max: LARGEST,
        value: here,
        "aria-label": say("numbers.value_of", { move: path.join(" → ") }),
        title: say("numbers.limit", { most: LARGEST }),
        onchange: () => set(Number(typed.value)),
      });
      put(element, [
        h("span", { class: "code" }, path.at(-1)),
        button("−", () => set(here - 1), { "aria-label": say("numbers.less") }),
        typed,
        button("+", () => set(here + 1), { "aria-label": say("numbers.more") }),
        button(
          say("numbers.split"),
          changed(() => {
            above[last] = [here, 0];
          }),
        ),
        removed,
      ]);
    }
    return true;
  }

  return {
    element,
    update,
    /** What is clicked can be typed at once. @param {Node} node */
    choose(node) {
      const chosen = choose(node);
      if (chosen) element.querySelector("input")?.select();
      return chosen;
    },
  };
}
