/**
 * A board as the server describes it: drawn as SVG, with a button over each cell for mouse, touch, keyboard
 * and screen readers. It knows no game.
 */
import { button, h, keyed, put, s, set, still } from "../core/dom.js";
import { heat, look } from "../game/scores.js";
import * as text from "../text.js";
import { say } from "../words.js";
import { piece } from "./pieces.js";
import {
  choices,
  difference,
  falls,
  isSource,
  movesAt,
  nameOf,
  placed,
  sideOf,
  texts,
  unplaced,
} from "./position.js";

/** @import {BoardView, Report} from "../protocol.d.ts" */

const CELL = 100;
const EDGE = 14;
const FALL_MS = 55;
const LONGEST_FALL_MS = 380;
const FLIP_MS = 320;
const SLIDE_MS = 180;
const POP_MS = 130;
const DRAG_FROM = 6;
let patterns = 0;

/**
 * What is shown beside the position.
 * @typedef {object} Shown
 * @property {boolean} [yours] may moves be made here?
 * @property {boolean} [animate] was it a move that led here?
 * @property {Report | null} [report] the worth of each move, drawn on its cell
 * @property {string | null} [sent] a move that is on its way
 * @property {Mark[]} [marks] moves to come, or better ones: a label on the cell that each goes to
 */
/** @typedef {{cell: number, from: number | null, label: string, text: string, side: 0 | 1 | null}} Mark
 *  `text`: the piece that would stand there */

export class Board {
  /** @param {{onmove?: (move: string) => void, label?: string, labels?: boolean}} [how] */
  constructor({ onmove, label = say("page.board"), labels = true } = {}) {
    this.onmove = onmove;
    this.labels = labels;
    /** @type {BoardView | null} */
    this.position = null;
    /** @type {Shown} */
    this.shown = {};
    /** @type {number | null} the cell of a piece that was chosen to be moved */
    this.picked = null;
    /** @type {string[] | null} the moves that a click could mean, where there are several */
    this.meant = null;
    /** @type {number | null} the cell on which a piece was dropped: it is there already */
    this.dropped = null;
    this.shape = "";
    this.focused = 0;
    this.chequered = false;
    /** The cells that say what a move there is worth. @type {Set<number>} */
    this.heated = new Set();
    this.texts = /** @type {string[]} */ ([]);
    this.hatch = `hatch${++patterns}`;
    this.svg = s("svg", { "aria-hidden": "true", focusable: "false" });
    this.grid = h("div", { class: "cells", role: onmove ? "grid" : "group", "aria-label": label });
    this.loose = h("div", { class: "loose" });
    this.element = h("div", { class: "board" }, [
      h("div", { class: "square" }, this.svg, this.grid),
      this.loose,
    ]);
    if (onmove) this.#listen();
  }

  /** Draw a position. @param {BoardView} position @param {Shown} [shown] */
  show(position, shown = {}) {
    const before = this.position;
    this.position = position;
    this.shown = shown;
    if ((position.sources ?? []).length) this.chequered = true;
    const shape = JSON.stringify([
      position.rows,
      position.columns,
      position.groups?.width,
      position.groups?.height,
      this.chequered,
    ]);
    const anew = shape !== this.shape;
    if (anew) this.#build(shape);
    if (this.picked !== null && !isSource(position, this.picked)) this.picked = null;
    if (before !== position) this.meant = null;
    const now = texts(position);
    now.forEach((one, cell) => {
      if (anew || one !== this.texts[cell]) this.#drawCell(cell, one);
    });
    this.texts = now;
    this.#drawOver();
    if (shown.animate && !anew && !still()) this.#animate(before, position);
  }

  /** The legal moves' cells that may be chosen now. */
  get #open() {
    const { position, picked, shown } = this;
    const open = new Set();
    if (!position || !shown.yours || shown.sent) return open;
    for (const one of choices(position)) {
      if (picked !== null && one.source === picked) open.add(one.target);
      else if (picked === null) open.add(one.source < 0 ? one.target : one.source);
    }
    return open;
  }

  // ------------------------------------------------------------ drawing

  /** @param {string} shape */
  #build(shape) {
    const position = /** @type {BoardView} */ (this.position);
    this.shape = shape;
    this.picked = null;
    const columns = position.columns.length;
    const rows = position.rows.length;
    const large = Math.max(columns, rows) > 9;
    const LABEL = large ? 66 : 44;
    const left = this.labels && position.rows.some(Boolean) ? LABEL : EDGE;
    const below = this.labels && position.columns.some(Boolean) ? LABEL : EDGE;
    const width = columns * CELL + left + EDGE;
    const height = rows * CELL + below + EDGE;
    set(this.svg, { viewBox: `${-left} ${-EDGE} ${width} ${height}` });
    this.element.style.setProperty("--ratio", String(width / height));
    this.element.style.setProperty("--columns", String(columns));
    this.element.style.setProperty("--rows", String(rows));
    set(this.grid, {
      style: {
        inset: `${(EDGE / height) * 100}% ${(EDGE / width) * 100}% ${(below / height) * 100}% ${(left / width) * 100}%`,
        "grid-template-columns": `repeat(${columns}, 1fr)`,
        "grid-template-rows": `repeat(${rows}, 1fr)`,
      },
    });
    const tray = falls(position);
    this.element.classList.toggle("tray", tray);
    this.element.classList.toggle("large", large);
    this.layers = Object.fromEntries(
      ["ground", "groups", "heat", "over", "pieces", "top", "labels"].map(name => [
        name,
        s("g", { class: name }),
      ]),
    );
    put(this.svg, [
      s("defs", null, [
        s(
          "pattern",
          {
            id: this.hatch,
            width: 12,
            height: 12,
            patternUnits: "userSpaceOnUse",
            patternTransform: "rotate(45)",
          },
          [s("rect", { width: 4, height: 12, class: "hatching" })],
        ),
        s("pattern", { id: `${this.hatch}d`, width: 14, height: 14, patternUnits: "userSpaceOnUse" }, [
          s("circle", { cx: 7, cy: 7, r: 2.2, class: "hatching" }),
        ]),
      ]),
      Object.values(this.layers),
    ]);
    const { ground, labels } = this.layers;
    ground.append(
      s("rect", {
        class: "frame",
        x: -6,
        y: -6,
        width: columns * CELL + 12,
        height: rows * CELL + 12,
        rx: tray ? 26 : 8,
      }),
    );
    this.cells = Array.from({ length: columns * rows }, (_, cell) => {
      const [x, y] = this.#middle(cell);
      const row = Math.floor(cell / columns);
      ground.append(
        tray
          ? s("circle", { class: "well", cx: x, cy: y, r: 42 })
          : s("rect", {
              class: this.chequered && (row + (cell % columns)) % 2 ? "cell odd" : "cell",
              x: x - 50,
              y: y - 50,
              width: CELL,
              height: CELL,
            }),
      );
      const place = s("g", { transform: `translate(${x} ${y})` });
      this.layers?.pieces.append(place);
      return place;
    });
    if (this.labels) {
      position.columns.forEach((name, at) =>
        labels.append(s("text", { x: at * CELL + 50, y: rows * CELL + (large ? 54 : 34) }, name)),
      );
      position.rows.forEach((name, at) =>
        labels.append(s("text", { x: large ? -38 : -26, y: at * CELL + 50, dy: "0.35em" }, name)),
      );
    }
    this.#buildButtons(rows, columns);
  }

  /** @param {number} cell @returns {[number, number]} its middle */
  #middle(cell) {
    const columns = /** @type {BoardView} */ (this.position).columns.length;
    return [(cell % columns) * CELL + 50, Math.floor(cell / columns) * CELL + 50];
  }

  /** @param {number} cell @param {string} one */
  #drawCell(cell, one) {
    const position = /** @type {BoardView} */ (this.position);
    put(/** @type {Element[]} */ (this.cells)[cell], [
      one !== (position.empty ?? ".") && piece(one, sideOf(position, one)),
    ]);
  }

  /** All that lies under and over the pieces. */
  #drawOver() {
    const position = /** @type {BoardView} */ (this.position);
    const { layers, shown, picked } = this;
    if (!layers) return;
    const open = this.#open;
    const mark = (/** @type {number} */ cell, /** @type {string} */ name, inset = 5) => {
      const [x, y] = this.#middle(cell);
      return s("rect", {
        class: name,
        x: x - 50 + inset,
        y: y - 50 + inset,
        width: CELL - 2 * inset,
        height: CELL - 2 * inset,
        rx: 10,
      });
    };
    const free = this.texts.filter(one => one === (position.empty ?? ".")).length;
    const sparse = picked !== null || (open.size < free && !falls(position));
    this.heated.clear();
    put(layers.heat, shown.report ? this.#heat(shown.report) : []);
    put(layers.over, [
      (position.last ?? []).map(cell => mark(cell, "last")),
      picked !== null && mark(picked, "picked"),
      sparse &&
        !shown.report &&
        [...open]
          .filter(cell => cell >= 0)
          .map(cell => {
            const [x, y] = this.#middle(/** @type {number} */ (cell));
            return isSource(position, cell) && picked === null
              ? mark(cell, "movable")
              : s("path", { class: "legal", d: `M${x - 13} ${y}h26M${x} ${y - 13}v26` });
          }),
    ]);
    put(layers.top, [
      this.#line(position),
      shown.sent && this.#ghost(shown.sent),
      (shown.marks ?? []).map(one => this.#mark(one)),
    ]);
    this.#drawGroups(position);
    this.#labelButtons(open);
    const loose = this.meant ?? unplaced(position).map(one => one.move);
    keyed(
      this.loose,
      shown.yours && !shown.sent ? loose : [],
      move => move,
      move =>
        button(move, () => {
          this.picked = null;
          this.onmove?.(move);
        }),
    );
  }

  /** @param {BoardView} position */
  #line(position) {
    const line = position.line ?? [];
    if (!line.length) return null;
    return s("polyline", {
      class: "winning",
      points: line.map(cell => this.#middle(cell).join(",")).join(" "),
    });
  }

  /** A move that was sent and is not played yet. @param {string} move */
  #ghost(move) {
    const position = /** @type {BoardView} */ (this.position);
    const one = choices(position).find(one => one.move === move);
    if (!one || one.target < 0) return null;
    const moving = placed(position, one);
    const [x, y] = this.#middle(one.target);
    return s("g", { class: "ghost", transform: `translate(${x} ${y})` }, [
      moving !== null && piece(moving, sideOf(position, moving)),
      s("circle", { class: "way", r: 46 }),
    ]);
  }

  /** A move that may come: its piece palely, where it goes, and a label in the corner. @param {Mark} one */
  #mark({ cell, from, label, text: standing, side }) {
    const [x, y] = this.#middle(cell);
    const start = from === null ? null : this.#middle(from);
    const kind = side === 0 ? "first" : side === 1 ? "second" : "";
    return s("g", { class: `mark ${kind}` }, [
      start && s("path", { class: "arrow", d: `M${start}L${x} ${y}` }),
      from === null &&
        this.texts[cell] === (this.position?.empty ?? ".") &&
        !this.heated.has(cell) &&
        s("g", { class: "pale", transform: `translate(${x} ${y})` }, piece(standing, side)),
      s("g", { class: "badge", transform: `translate(${x + 30} ${y - 30})` }, [
        s("circle", { r: 17 }),
        s("text", { dy: "0.36em" }, label),
      ]),
    ]);
  }

  /** What each move is worth, on its cell. @param {Report} report */
  #heat(report) {
    const position = /** @type {BoardView} */ (this.position);
    const best = new Map();
    for (const one of choices(position)) {
      const candidate = report.candidates.find(candidate => candidate.move === one.move);
      // Several moves may lead to one cell: it shows the best of them.
      if (
        candidate &&
        one.target >= 0 &&
        (!best.has(one.target) || candidate.score.points > best.get(one.target).score.points)
      )
        best.set(one.target, candidate);
    }
    this.heated = new Set(best.keys());
    return [...best].map(([cell, candidate]) => {
      const [x, y] = this.#middle(cell);
      const { ground, ink } = heat(candidate.score);
      const kind = look(candidate.score);
      const box = { x: x - 47, y: y - 47, width: 94, height: 94, rx: 10 };
      const label = text.cellScore(candidate.score) + (candidate.move === report.best ? "*" : "");
      return s("g", { class: `score ${kind}` }, [
        s("rect", { ...box, fill: ground }),
        kind !== "exact" &&
          s("rect", { ...box, fill: `url(#${this.hatch}${kind === "estimate" ? "" : "d"})` }),
        s(
          "text",
          {
            x,
            y,
            dy: "0.35em",
            style: {
              "--ink": ink,
              "--ground": ground,
              "--size": `${label.length > 3 ? 29 : label.length > 2 ? 37 : 44}px`,
            },
          },
          [label],
        ),
      ]);
    });
  }

  /** @param {BoardView} position */
  #drawGroups(position) {
    const { groups } = position;
    const { layers } = this;
    if (!groups || !layers) return;
    const across = position.columns.length / groups.width;
    const width = groups.width * CELL;
    const height = groups.height * CELL;
    const owners = groups.owners.flatMap(row => [...row]);
    put(layers.groups, [
      owners.map((owner, at) => {
        const x = (at % across) * width;
        const y = Math.floor(at / across) * height;
        const active = groups.active.includes(at);
        const open = owner === (position.empty ?? ".");
        return s("g", { class: `group${active ? " active" : ""}${open ? "" : " owned"}` }, [
          s("rect", { x: x + 3, y: y + 3, width: width - 6, height: height - 6, rx: 10 }),
        ]);
      }),
    ]);
    layers.top.append(
      ...owners.flatMap((owner, at) =>
        owner === (position.empty ?? ".")
          ? []
          : [
              s(
                "g",
                {
                  class: "owner",
                  transform: `translate(${(at % across) * width + width / 2} ${Math.floor(at / across) * height + height / 2}) scale(${Math.min(width, height) / 110})`,
                },
                [piece(owner, sideOf(position, owner))],
              ),
            ],
      ),
    );
  }

  // ------------------------------------------------------------ moving

  /** @param {BoardView | null} before @param {BoardView} now */
  #animate(before, now) {
    const { come, gone, turned, from, to } = difference(before, now);
    const cells = /** @type {SVGElement[]} */ (this.cells);
    const at = (/** @type {number} */ cell) =>
      /** @type {SVGElement | null} */ (cells[cell].firstElementChild);
    if (gone.length && from === null) return;
    if (from !== null && to !== null && to !== this.dropped) {
      const [x, y] = this.#middle(from);
      const [endX, endY] = this.#middle(to);
      at(to)?.animate([{ transform: `translate(${x - endX}px, ${y - endY}px)` }, { transform: "none" }], {
        duration: SLIDE_MS,
        easing: "ease-out",
      });
    }
    for (const cell of come) {
      const row = Math.floor(cell / now.columns.length);
      if (falls(now))
        at(cell)?.animate([{ transform: `translateY(${-(row + 1) * CELL}px)` }, { transform: "none" }], {
          duration: Math.min(LONGEST_FALL_MS, FALL_MS * (row + 2)),
          easing: "cubic-bezier(.5,0,.9,.6)",
        });
      else
        at(cell)?.animate(
          [
            { transform: "scale(.5)", opacity: 0.3 },
            { transform: "none", opacity: 1 },
          ],
          { duration: POP_MS, easing: "ease-out" },
        );
    }
    for (const cell of turned)
      at(cell)?.animate(
        [{ transform: "scaleX(-.1)" }, { transform: "scaleX(.1)", offset: 0.3 }, { transform: "none" }],
        { duration: FLIP_MS, easing: "ease-out" },
      );
    if ((now.line ?? []).length)
      this.layers?.top
        .querySelector(".winning")
        ?.animate([{ strokeDashoffset: 1 }, { strokeDashoffset: 0 }], {
          duration: 400,
          delay: 150,
          fill: "backwards",
        });
  }

  // ------------------------------------------------------------ buttons and moves

  /** @param {number} rows @param {number} columns */
  #buildButtons(rows, columns) {
    /** @type {HTMLElement[]} */
    this.buttons = [];
    if (!this.onmove) return void put(this.grid);
    const lines = Array.from({ length: rows }, (_, row) =>
      h("div", { role: "row" }, [
        Array.from({ length: columns }, (_, column) => {
          const one = h("button", {
            type: "button",
            role: "gridcell",
            tabindex: -1,
            "data-cell": row * columns + column,
          });
          this.buttons?.push(one);
          return one;
        }),
      ]),
    );
    put(this.grid, lines);
    this.focused = Math.min(this.focused, rows * columns - 1);
  }

  /** Say of each cell what stands there, and whether one may play there. @param {Set<number>} open */
  #labelButtons(open) {
    const position = /** @type {BoardView} */ (this.position);
    const { buttons, picked } = this;
    if (!buttons?.length) return;
    const tray = falls(position);
    const columns = position.columns.length;
    const openColumns = tray ? new Set([...open].map(cell => cell % columns)) : null;
    if (
      !open.has(this.focused) &&
      open.size &&
      document.activeElement?.parentElement?.parentElement !== this.grid
    )
      this.focused = [...open][0];
    buttons.forEach((one, cell) => {
      const source = this.#movable(cell);
      const may = source || open.has(cell) || openColumns?.has(cell % columns);
      set(one, {
        "aria-label": text.cell(
          nameOf(position, cell),
          this.texts[cell] === (position.empty ?? ".") ? "" : this.texts[cell],
          {
            may: open.has(cell),
            moves: source && cell !== picked,
            last: (position.last ?? []).includes(cell),
            line: (position.line ?? []).includes(cell),
          },
        ),
        "aria-selected": picked === cell ? "true" : null,
        "aria-disabled": may ? null : "true",
        tabindex: cell === this.focused ? 0 : -1,
        class: source ? "open source" : may ? "open" : null,
      });
    });
  }

  #listen() {
    const cellOf = (/** @type {EventTarget | null} */ target) => {
      const one = /** @type {HTMLElement | null} */ (
        target instanceof Element ? target.closest("[data-cell]") : null
      );
      return one && this.grid.contains(one) ? Number(one.dataset.cell) : null;
    };
    this.grid.addEventListener("click", event => {
      const cell = cellOf(event.target);
      if (cell !== null) this.choose(cell);
    });
    this.#listenToDrags(cellOf);
    this.grid.addEventListener("pointerover", event => this.#hover(cellOf(event.target)));
    this.grid.addEventListener("pointerleave", () => this.#hover(null));
    this.grid.addEventListener("focusin", event => {
      const cell = cellOf(event.target);
      if (cell !== null) this.#focus(cell, false);
    });
    this.grid.addEventListener("keydown", event => {
      const position = this.position;
      const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
      if (event.key === "Escape" && this.picked !== null) {
        this.#pick(null);
        event.stopPropagation();
      }
      if (!step || !position || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      const columns = position.columns.length;
      const rows = position.rows.length;
      const row = Math.floor(this.focused / columns) + step[0];
      const column = (this.focused % columns) + step[1];
      if (row >= 0 && row < rows && column >= 0 && column < columns)
        this.#focus(row * columns + column, true);
    });
  }

  /** Pieces are moved by a drag, too. @param {(target: EventTarget | null) => number | null} cellOf */
  #listenToDrags(cellOf) {
    /** Where a piece's cell was pressed; and is the piece on its way with the pointer?
     *  @type {{cell: number, x: number, y: number, moving: boolean} | null} */
    let held = null;
    const carry = (/** @type {number} */ cell, /** @type {number} */ x, /** @type {number} */ y) => {
      const scale = (CELL * /** @type {BoardView} */ (this.position).columns.length) / this.grid.clientWidth;
      const there = this.cells?.[cell].firstElementChild;
      if (there) set(there, { transform: x || y ? `translate(${x * scale} ${y * scale})` : null });
    };
    this.grid.addEventListener("pointerdown", event => {
      const cell = cellOf(event.target);
      this.dropped = held = null;
      if (event.isPrimary && !event.button && cell !== null && this.#movable(cell))
        held = { cell, x: event.clientX, y: event.clientY, moving: false };
    });
    this.grid.addEventListener("pointermove", event => {
      if (!held || !event.isPrimary || !this.#movable(held.cell)) return;
      const x = event.clientX - held.x;
      const y = event.clientY - held.y;
      if (!held.moving) {
        if (Math.hypot(x, y) < DRAG_FROM) return;
        held.moving = true;
        // The pointer may leave the board; and no click follows.
        this.grid.setPointerCapture(event.pointerId);
        this.layers?.pieces.append(/** @type {SVGElement[]} */ (this.cells)[held.cell]);
        this.#pick(held.cell);
      }
      carry(held.cell, x, y);
    });
    const drop = (/** @type {PointerEvent} */ event) => {
      if (!held) return;
      const { cell, moving } = held;
      const up =
        event.type === "pointerup" ? cellOf(document.elementFromPoint(event.clientX, event.clientY)) : null;
      held = null;
      if (!moving) return;
      carry(cell, 0, 0);
      if (up === null) this.#pick(null);
      else if (up !== cell) {
        this.dropped = up;
        this.choose(up);
      }
    };
    this.grid.addEventListener("pointerup", drop);
    this.grid.addEventListener("pointercancel", drop);
  }

  /** Is there a piece that may be moved now? @param {number} cell */
  #movable(cell) {
    const { position, shown } = this;
    return Boolean(position && shown.yours && !shown.sent && isSource(position, cell));
  }

  /** @param {number | null} cell that of a piece to be moved */
  #pick(cell) {
    this.picked = cell;
    this.#drawOver();
  }

  /** @param {number} cell @param {boolean} move have the browser's focus go there */
  #focus(cell, move) {
    const { buttons } = this;
    if (!buttons) return;
    buttons[this.focused]?.setAttribute("tabindex", "-1");
    this.focused = cell;
    buttons[cell]?.setAttribute("tabindex", "0");
    if (move) buttons[cell]?.focus();
  }

  /** Show palely what would stand there. @param {number | null} cell */
  #hover(cell) {
    const { layers, position, shown } = this;
    layers?.top.querySelector(".hover")?.remove();
    if (cell === null || !position || !shown.yours || shown.sent || shown.report) return;
    const one = movesAt(position, cell, this.picked)[0];
    const moving = one ? placed(position, one) : null;
    if (moving === null) return;
    const [x, y] = this.#middle(one.target);
    layers?.top.append(
      s("g", { class: "hover", transform: `translate(${x} ${y})` }, piece(moving, sideOf(position, moving))),
    );
  }

  /** What a click on a cell means: a piece to move, or a move. @param {number} cell */
  choose(cell) {
    const { position, shown } = this;
    if (!position || !shown.yours || shown.sent) return;
    const moves = movesAt(position, cell, this.picked);
    this.meant = null;
    if (moves.length === 1) {
      this.picked = null;
      this.onmove?.(moves[0].move);
    } else if (moves.length > 1) this.#ask(moves.map(({ move }) => move));
    else this.#pick(this.picked !== cell && isSource(position, cell) ? cell : null);
  }

  /** Several moves lead there. @param {string[]} moves */
  #ask(moves) {
    this.meant = moves;
    this.#drawOver();
    /** @type {HTMLElement | null} */ (this.loose.firstElementChild)?.focus();
  }

  /** Put the keyboard's focus on the board. */
  focus() {
    this.buttons?.[this.focused]?.focus();
  }
}
