/** The buttons over a board's cells, for mouse, touch, keyboard and screen readers; and which of them has the
 *  focus. */
import { h, put, set } from "../core/dom.js";
import * as text from "../game/board_text.js";
import { isEmpty, isVoid, nameOf, openCells } from "./position.js";

/** @import {BoardView} from "../protocol.d.ts" */
/** @import {Places} from "./places.js" */

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
  /** Do arrows lead around corners, too: from an edge to those of the box ahead? */
  #around = false;
  /** Do cells lie as squares do, with others at their corners? */
  #squares = true;
  /** Do clicks play? Where a position is set up, no label says so. */
  plays = true;

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

  /** Make them anew. @param {number} rows @param {number} columns @param {Places} lie */
  build(rows, columns, { grid, area }) {
    set(this.grid, { style: { "grid-template-columns": grid[0], "grid-template-rows": grid[1] } });
    if (!this.played) return;
    this.#columns = columns;
    this.#focused = Math.min(this.#focused, rows * columns - 1);
    this.#buttons = Array.from({ length: rows * columns }, (_, cell) =>
      h("button", {
        type: "button",
        role: "gridcell",
        tabindex: -1,
        "data-cell": cell,
        style: { "grid-area": area(cell) },
      }),
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
    // Of a board with edges the dots are nothing to stand on.
    const edges = position.layout === "edges";
    this.#around = edges;
    this.#squares = !position.layout;
    this.#buttons.forEach((one, cell) => {
      const dot = edges && !(Math.floor(cell / this.#columns) % 2 || (cell % this.#columns) % 2);
      const source = this.plays && yours && first.has(cell) && !isEmpty(position, texts[cell]);
      // What was chosen is let go there, or confirmed.
      const may = source || open.has(cell) || columns.has(cell % this.#columns) || picked.includes(cell);
      const how = {
        may: this.plays && open.has(cell),
        moves: source && !picked.includes(cell),
        last: position.last.includes(cell),
        line: position.line.includes(cell),
      };
      set(one, {
        "aria-label": text.cell(
          nameOf(position, cell),
          isEmpty(position, texts[cell]) ? "" : text.pieceName(position, texts[cell]),
          how,
        ),
        "aria-selected": picked.includes(cell) ? "true" : null,
        "aria-disabled": may || plannable.has(cell) ? null : "true",
        hidden: dot || isVoid(texts[cell]),
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
    const row = Math.floor(this.#focused / columns);
    const column = this.#focused % columns;
    /** @param {number} down @param {number} across @returns {number | null} */
    const at = (down, across) => {
      const one = across < 0 || across >= columns ? null : this.#buttons[down * columns + across];
      return one && !one.hidden ? down * columns + across : null;
    };
    const [down, across] = step;
    // In turn to the left and to the right, so that one stays in a column of dark squares alone.
    const asides = row % 2 ? [1, -1] : [-1, 1];
    const corners = asides.map(aside => at(row + (down || aside), column + (across || aside)));
    const ahead = Array.from({ length: this.#buttons.length }, (_, far) =>
      at(row + down * (far + 1), column + across * (far + 1)),
    );
    const dot = !((row + down) % 2 || (column + across) % 2);
    const beside = this.#around || (this.#squares && down) ? corners : [];
    const ways = this.#around && dot ? [...ahead, ...corners] : [ahead[0], ...beside, ...ahead];
    const next = ways.find(one => one !== null);
    if (next !== undefined && next !== null) this.focus(next);
  }
}
