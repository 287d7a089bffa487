/** A game's moves with its variations, as text. */
import { button, h, put, reveal } from "../core/dom.js";
import { branch, cut, printed, promote } from "../game/lines.js";
import * as text from "../text.js";
import { say } from "../words.js";

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
  /** @type {[string, string, number][]} */
  const STEPS = [
    ["«", say("page.table.first"), -1e9],
    ["‹", say("page.table.back"), -1],
    ["›", say("page.table.forward"), 1],
    ["»", say("page.table.last"), 1e9],
  ];
  const element = h("section", { class: "panel", "aria-label": say("page.table.moves") }, [
    h("h2", null, say("page.table.moves")),
    list,
    h("div", { class: "row" }, [
      STEPS.map(([sign, label, plies]) =>
        button(sign, () => onstep(plies), { "aria-label": label, title: label, class: "plain" }),
      ),
      promoted,
      removed,
    ]),
  ]);
  /** @type {Node} */
  let here;

  /** @param {Node} root @param {Node} node the position that is shown */
  function update(root, node) {
    here = node;
    const focused = list.contains(document.activeElement);
    let depth = 0;
    put(list, [
      printed(root).map(one => {
        if (one === ")") depth--;
        const element =
          typeof one === "string"
            ? h("span", { class: "past" }, one)
            : button(text.moveNumber(one.ply, one.move), () => onchoose(one), {
                class: depth ? "past" : null,
                "aria-current": one === node ? "step" : null,
              });
        if (one === "(") depth++;
        return element;
      }),
    ]);
    promoted.hidden = !branch(node);
    removed.hidden = !node.parent;
    reveal(list);
    if (focused)
      /** @type {HTMLElement | null} */ (list.querySelector("[aria-current]"))?.focus({
        preventScroll: true,
      });
  }
  return { element, update };
}
