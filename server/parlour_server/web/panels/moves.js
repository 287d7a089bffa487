/** The moves of a game, to step through. */
import { button, h, render, reveal } from "../core/dom.js";
import * as text from "../game/board_text.js";
import { say } from "../words.js";

/**
 * A panel with moves, and buttons to step through them.
 * @param {HTMLElement} list @param {string} last what the button to the last one says
 * @param {(plies: number) => void} onstep called with how many plies to go on, or with a minus back
 * @param {...HTMLElement} more buttons
 */
export function steppedPanel(list, last, onstep, ...more) {
  /** @param {string} sign @param {string} label @param {number} plies */
  const step = (sign, label, plies) =>
    button(sign, () => onstep(plies), { "aria-label": label, title: label, class: "plain" });
  const steps = [
    step("«", say("page.table.first"), -1e9),
    step("‹", say("page.table.back"), -1),
    step("›", say("page.table.forward"), 1),
    step("»", last, 1e9),
  ];
  const title = say("page.table.moves");
  return h("section", { class: "panel", "aria-label": title }, [
    h("h2", null, title),
    list,
    h("div", { class: "row" }, steps, more),
  ]);
}

/** @param {(ply: number) => void} onstep called with the number of moves that are to be on the board */
export function movesPanel(onstep) {
  const list = h("ol", { class: "moves numbers" });
  const element = steppedPanel(list, say("page.table.present"), plies =>
    onstep(Math.min(Math.max(0, shown + plies), count)),
  );
  let shown = 0;
  let count = 0;

  /**
   * @param {string[]} moves @param {number} ply
   * @param {(at: number) => {name: string, sign: string, label: string} | null} [mark]
   *     how good each move was: a class, a sign behind it, and in words
   */
  function update(moves, ply, mark = () => null) {
    const grown = moves.length !== count || ply !== shown;
    [shown, count] = [ply, moves.length];
    render(
      list,
      moves.map((move, at) => {
        const one = mark(at);
        const now = at + 1 === ply ? "step" : null;
        const how = {
          "aria-current": now,
          class: one?.name,
          "data-sign": one?.sign || null,
          "aria-label": one?.label,
        };
        return h("li", null, [button(text.moveNumber(at + 1, move), () => onstep(at + 1), how)]);
      }),
    );
    if (grown) reveal(list);
    element.hidden = !count;
  }
  return { element, update };
}

/**
 * Steps by keys, where nothing is being typed.
 * @param {() => [number, number]} where the ply that is shown, and the last one
 * @param {(ply: number) => void} onstep
 * @param {() => void} [onescape]
 */
export function stepKeys(where, onstep, onescape) {
  /** @param {KeyboardEvent} event */
  const listen = event => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.key === "Escape" && !document.querySelector("dialog[open]")) onescape?.();
    if (event.altKey || event.ctrlKey || event.metaKey || target.closest?.("input, textarea, select, dialog"))
      return;
    if (event.key.startsWith("Arrow") && target.closest?.("[role=grid]")) return;
    const [ply, last] = where();
    const to = { ArrowLeft: ply - 1, ArrowRight: ply + 1, Home: 0, End: last, "[": ply - 1, "]": ply + 1 }[
      event.key
    ];
    if (to === undefined || to < 0 || to > last) return;
    event.preventDefault();
    onstep(to);
  };
  addEventListener("keydown", listen);
  return () => removeEventListener("keydown", listen);
}
