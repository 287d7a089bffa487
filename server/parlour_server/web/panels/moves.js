/** The moves of a game, to step through. */
import { button, h, keyed, reveal, set } from "../core/dom.js";
import * as text from "../text.js";
import { say } from "../words.js";

/** @param {(ply: number) => void} onstep called with the number of moves that are to be on the board */
export function movesPanel(onstep) {
  const list = h("ol", { class: "moves numbers" });
  const steps = h("div", { class: "row" });
  const element = h("section", { class: "panel", "aria-label": say("page.table.moves") }, [
    h("h2", null, say("page.table.moves")),
    list,
    steps,
  ]);
  let shown = 0;
  let count = 0;
  /** @type {[string, string, () => number][]} */
  const STEPS = [
    ["«", say("page.table.first"), () => 0],
    ["‹", say("page.table.back"), () => shown - 1],
    ["›", say("page.table.forward"), () => shown + 1],
    ["»", say("page.table.present"), () => count],
  ];
  steps.append(
    ...STEPS.map(([sign, label, to]) =>
      button(sign, () => onstep(Math.min(Math.max(0, to()), count)), {
        "aria-label": label,
        title: label,
        class: "plain",
      }),
    ),
  );

  /**
   * @param {string[]} moves @param {number} ply
   * @param {(at: number) => {name: string, sign: string, label: string} | null} [mark] how good each move
   * was: a class, a sign behind it, and in words
   */
  function update(moves, ply, mark = () => null) {
    const grown = moves.length !== count || ply !== shown;
    [shown, count] = [ply, moves.length];
    keyed(
      list,
      moves.map((move, at) => ({ move, at })),
      ({ move, at }) => `${at} ${move}`,
      ({ move, at }) => h("li", null, [button(text.moveNumber(at + 1, move), () => onstep(at + 1))]),
      (item, { at }) => {
        const one = mark(at);
        const now = at + 1 === ply ? "step" : null;
        set(item.firstElementChild, {
          "aria-current": now,
          class: one?.name,
          "data-sign": one?.sign || null,
          "aria-label": one?.label,
        });
      },
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
