/** A game's moves with its variations, as text. */
import { button, h, put, reveal } from "../core/dom.js";
import { branch, cut, printed, promote } from "../game/lines.js";
import * as text from "../text.js";

/** @import {Node} from "../game/lines.js" */

/** @param {(node: Node) => void} onchoose @param {(plies: number) => void} onstep */
export function variations(onchoose, onstep) {
  const list = h("div", { class: "moves numbers" });
  const promoted = button(text.PROMOTE, () => { promote(here); onchoose(here); }, { class: "plain" }), removed = button(text.CUT, () => onchoose(cut(here)), { class: "plain" });
  /** @type {[string, string, number][]} */
  const STEPS = [["«", text.STEPS.first, -1e9], ["‹", text.STEPS.back, -1], ["›", text.STEPS.forward, 1], ["»", text.LAST_POSITION, 1e9]];
  const element = h("section", { class: "panel", "aria-label": text.MOVES }, h("h2", null, text.MOVES), list, h("div", { class: "row" },
    STEPS.map(([sign, label, plies]) => button(sign, () => onstep(plies), { "aria-label": label, title: label, class: "plain" })), promoted, removed));
  /** @type {Node} */
  let here;

  /** @param {Node} root @param {Node} node the position that is shown */
  function update(root, node) {
    here = node;
    const focused = list.contains(document.activeElement);
    let depth = 0;
    put(list, printed(root).map(one => {
      if (one === ")") depth--;
      const element = typeof one === "string" ? h("span", { class: "past" }, one)
        : button(text.moveNumber(one.ply, one.move), () => onchoose(one), { class: depth ? "past" : null, "aria-current": one === node ? "step" : null });
      if (one === "(") depth++;
      return element;
    }));
    promoted.hidden = !branch(node);
    removed.hidden = !node.parent;
    reveal(list);
    if (focused) /** @type {HTMLElement | null} */ (list.querySelector("[aria-current]"))?.focus({ preventScroll: true });
  }
  return { element, update };
}
