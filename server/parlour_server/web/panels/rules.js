/** How a game is played, on one screen: each point of its rules with a position that shows it. */
import { Board } from "../board/board.js";
import { nameOf, sideOf, texts } from "../board/position.js";
import { dialog, h, set, styled } from "../core/dom.js";
import { retry } from "../core/retry.js";
import { say, translated } from "../words.js";

/** @import {Client} from "../core/client.js" */
/** @import {BoardView, RulePoint} from "../protocol.d.ts" */

/** Rejects with a `Refusal`. @param {Client} client @param {string} game */
export async function showRules(client, game) {
  const [{ title, title_said, points }] = await Promise.all([
    retry(() => client.ask("rules", { game })),
    styled("rules", "./rules.css", import.meta.url),
  ]);
  const box = dialog(say("page.rules.title", { game: translated(title_said, title) }), () => [
    // It has the focus, so that one reads from its top, and arrows scroll.
    h("div", { class: "rules", tabindex: 0, autofocus: true }, points.map(point)),
  ]);
  box.classList.add("wide");
  box.scrollTo(0, 0);
}

/** @param {RulePoint} one */
function point({ text, text_said, position, marked = [] }) {
  const words = h("p", null, translated(text_said, text));
  if (!position) return words;
  const board = new Board({ label: described(position, marked) });
  board.show(position, { marked });
  set(board.grid, { role: "img" });
  return h("figure", null, h("div", { class: "mini" }, board.element), h("figcaption", null, words));
}

/** A position for those who don't see it. @param {BoardView} position @param {number[]} marked */
function described(position, marked) {
  const all = texts(position);
  /** @param {number[]} cells */
  const names = cells => cells.map(cell => nameOf(position, cell)).join("; ");
  const sides = position.marks.map(([mark], side) => {
    const cells = all.map((_, cell) => cell).filter(cell => sideOf(position, all[cell]) === side);
    return cells.length && `${mark}: ${names(cells)}.`;
  });
  const said = [...sides, marked.length && say("page.rules.marked", { cells: names(marked) })]
    .filter(Boolean)
    .join(" ");
  // On some boards nothing is a side's: seeds, dots.
  return said || say("page.board");
}
