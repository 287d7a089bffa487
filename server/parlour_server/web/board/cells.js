/** The buttons over a board's cells, for mouse, touch, keyboard and screen readers; and which of them has the
 *  focus. */
import { h, put, set } from "../core/dom.js";
import * as text from "../text.js";
import { isEmpty, nameOf, openCells } from "./position.js";

/** @import {BoardView} from "../protocol.d.ts" */

const ARROWS = /** @type {Record<string, [number, number]>} */ ({
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
});

export class Cells {
  /** @type {HTMLButtonElement[]} */
  #buttons = [];
  #focused = 0;
  #columns = 0;

  /** @param {string} label
   *  @param {boolean} played may moves be made here at all? Else there are no buttons. */
  constructor(label, played) {
    this.played = played;
    this.grid = h("div", { class: "cells", role: played ? "grid" : "group", "aria-label": label });
    this.grid.addEventListener("focusin", event => {
      const cell = this.of(event.target);
      if (cell !== null) this.focus(cell, false);
    });
    this.grid.addEventListener("keydown", event => this.#key(event));
  }

  /** Make them anew. @param {number} rows @param {number} columns */
  build(rows, columns) {
    const style = {
      "grid-template-columns": `repeat(${columns}, 1fr)`,
      "grid-template-rows": `repeat(${rows}, 1fr)`,
    };
    set(this.grid, { style });
    if (!this.played) return;
    this.#columns = columns;
    this.#focused = Math.min(this.#focused, rows * columns - 1);
    this.#buttons = Array.from({ length: rows * columns }, (_, cell) =>
      h("button", { type: "button", role: "gridcell", tabindex: -1, "data-cell": cell }),
    );
    put(this.grid, [
      Array.from({ length: rows }, (_, row) =>
        h("div", { role: "row" }, this.#buttons.slice(row * columns, (row + 1) * columns)),
      ),
    ]);
  }

  /** The cell of a button, or of what is in it.
   *  @param {EventTarget | null} target @returns {number | null} */
  of(target) {
    const one = target instanceof Element ? target.closest("[data-cell]") : null;
    return one && this.grid.contains(one) ? Number(one.getAttribute("data-cell")) : null;
  }

  /**
   * Say of each cell what stands there, and whether one may play there.
   * @param {BoardView} position @param {string[]} texts @param {number[]} picked
   * @param {Set<number>} open @param {boolean} yours may pieces be moved now?
   * @param {Set<number>} plannable where an answer may be chosen before one's turn
   */
  label(position, texts, picked, open, yours, plannable) {
    const columns = new Set(position.layout === "tray" ? [...open].map(cell => cell % this.#columns) : []);
    if (open.size && !open.has(this.#focused) && !this.grid.contains(document.activeElement))
      this.#focused = [...open][0];
    const first = openCells(position);
    this.#buttons.forEach((one, cell) => {
      const source = yours && first.has(cell) && !isEmpty(position, texts[cell]);
      const may = source || open.has(cell) || columns.has(cell % this.#columns);
      const how = {
        may: open.has(cell),
        moves: source && !picked.includes(cell),
        last: position.last.includes(cell),
        line: position.line.includes(cell),
      };
      set(one, {
        "aria-label": text.cell(
          nameOf(position, cell),
          isEmpty(position, texts[cell]) ? "" : texts[cell],
          how,
        ),
        "aria-selected": picked.includes(cell) ? "true" : null,
        "aria-disabled": may || plannable.has(cell) ? null : "true",
        tabindex: cell === this.#focused ? 0 : -1,
        class: source ? "open source" : may || plannable.has(cell) ? "open" : null,
      });
    });
  }

  /** @param {number} [cell] @param {boolean} [move] have the browser's focus go there */
  focus(cell = this.#focused, move = true) {
    this.#buttons[this.#focused]?.setAttribute("tabindex", "-1");
    this.#focused = cell;
    this.#buttons[cell]?.setAttribute("tabindex", "0");
    if (move) this.#buttons[cell]?.focus();
  }

  /** Arrows go from cell to cell. @param {KeyboardEvent} event */
  #key(event) {
    const step = ARROWS[event.key];
    const columns = this.#columns;
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const row = Math.floor(this.#focused / columns) + step[0];
    const column = (this.#focused % columns) + step[1];
    const within = column >= 0 && column < columns && row >= 0 && row < this.#buttons.length / columns;
    if (within) this.focus(row * columns + column);
  }
}
