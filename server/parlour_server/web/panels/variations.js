/** A game's moves with its variations, as text. */
import { button, h, render, reveal } from "../core/dom.js";
import * as text from "../game/board_text.js";
import { branch, cut, printed, promote } from "../game/lines.js";
import { say } from "../words.js";
import { steppedPanel } from "./moves.js";

/** @import {Node} from "../game/lines.js" */

/** @param {(node: Node) => void} onchoose @param {(plies: number) => void} onstep */
export function variations(onchoose, onstep) {
  const list = h("div", { class: "moves numbers" });
  const promoted = button(
    say("page.analysis.promote"),
    () => {
      promote(here);
      onchoose(here);
    },
    { class: "plain" },
  );
  const removed = button(say("page.analysis.cut"), () => onchoose(cut(here)), { class: "plain" });
  const element = steppedPanel(list, say("page.table.last"), onstep, promoted, removed);
  /** @type {Node} */
  let here;

  /** @param {Node} root @param {Node} node the position that is shown */
  function update(root, node) {
    here = node;
    let depth = 0;
    render(
      list,
      printed(root).map(one => {
        if (one === "(") depth++;
        if (one === ")") depth--;
        if (typeof one === "string") return h("span", { class: "past" }, one);
        const how = { class: depth ? "past" : null, "aria-current": one === node ? "step" : null };
        return button(text.moveNumber(one.ply, one.move), () => onchoose(one), how);
      }),
    );
    promoted.hidden = !branch(node);
    removed.hidden = !node.parent;
    reveal(list);
  }
  return { element, update };
}
