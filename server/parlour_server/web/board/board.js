/**
 * A board as the server describes it: a drawing with a button over each cell, on which moves are chosen. It
 * knows no
 * game.
 */
import { announce, button, h, render, set, still } from "../core/dom.js";
import { say, sayOr } from "../words.js";
import { Cells } from "./cells.js";
import { Drawing } from "./drawing.js";
import { lacks } from "./places.js";
import {
  choose,
  doneAt,
  isVoid,
  landing,
  moves,
  movesAt,
  openCells,
  sideOf,
  slides,
  texts,
} from "./position.js";

/** @import {BoardView, Report} from "../protocol.d.ts" */

/** @import {Places} from "./places.js" */

/**
 * What is shown beside the position.
 * @typedef {object} Shown
 * @property {boolean} [yours] may moves be made here?
 * @property {boolean} [animate] was it a move that led here?
 * @property {Report | null} [report] the worth of each move, drawn on its cell
 * @property {string | null} [sent] a move that is on its way
 * @property {number[]} [marked] cells that something is said of
 * @property {boolean} [plans] may an answer be chosen before one's turn?
 * @property {number[] | null} [planned] the cell of that answer, behind that of its piece where pieces move
 * @property {Mark[]} [marks] moves to come, or better ones: a label on the cell that each goes to
 */
/**
 * @typedef {{cell: number, from: number | null, label: string, text: string, side: 0 | 1 | null}} Mark
 *     `text`: the piece that would stand there
 */

/** Pixels: in cells below that a finger hits the one beside as often. */
const SMALL = 32;

/** @type {typeof import("./animation.js") | null} */
let animation = null;

export class Board {
  /** @type {BoardView | null} */
  #position = null;
  /** @type {Shown} */
  #shown = {};
  /** What was chosen of a move by now: a piece, say. @type {number[]} */
  #picked = [];
  /** The moves that a click could mean, where there are several, or one that is to be confirmed.
   *  @type {string[] | null} */
  #meant = null;
  /** The piece that is to answer, before one's turn. @type {number | null} */
  #answering = null;
  /** The small cell that a finger chose: another touch plays there. @type {number | null} */
  #aimed = null;
  /** What is to be shown as soon as it can be drawn. @type {BoardView | null} */
  #wanted = null;
  /** The cell on which a piece was dropped: it is there already. @type {number | null} */
  dropped = null;
  /** Can pieces be dragged, as far as this board needs it? */
  #drags = false;

  /** @param {{onmove?: (move: string) => void, onplan?: (cells: number[]) => void, label?: string,
   *     labels?: boolean}} [how] */
  constructor({ onmove, onplan, label = say("page.board"), labels = true } = {}) {
    this.onmove = onmove;
    this.onplan = onplan;
    this.drawing = new Drawing(labels);
    this.cells = new Cells(label, Boolean(onmove));
    this.grid = this.cells.grid;
    this.loose = h("div", { class: "loose" });
    this.square = h("div", { class: "square" }, this.drawing.svg, this.grid);
    this.element = h("div", { class: "board" }, [this.square, this.loose]);
    if (onmove) this.#listen();
  }

  /** Draw a position. @param {BoardView} position @param {Shown} [shown] */
  show(position, shown = {}) {
    this.#wanted = position;
    const loading = lacks(position.layout);
    if (loading) return void loading.then(() => this.#wanted === position && this.show(position, shown));
    const before = this.#position;
    const frame = this.drawing.show(position);
    this.#position = position;
    this.#shown = shown;
    if (frame || (this.#picked.length && !openCells(position, this.#picked).size)) this.#picked = [];
    if (before !== position) this.#meant = this.#aimed = null;
    if (!shown.plans) this.#answering = null;
    if (frame) this.#build(position, frame);
    this.#draw();
    if (shown.animate && !frame && !still()) {
      animation?.animate(this.drawing, before, this.dropped);
      if (before !== position) this.dropped = null;
    }
    this.#equip();
  }

  /** Get what only some boards need, now that this one stands: it works without, too. */
  #equip() {
    if (!animation && this.#shown.animate !== undefined)
      import("./animation.js").then(found => (animation = found)).catch(() => {});
    if (this.#drags || !this.onmove || !this.#position || !slides(this.#position)) return;
    this.#drags = true;
    import("./drag.js").then(({ listenToDrags }) => listenToDrags(this)).catch(() => {});
  }

  /** @param {BoardView} position
   *  @param {{inset: string, ratio: number, large: boolean, lie: Places}} frame */
  #build(position, { inset, ratio, large, lie }) {
    const rows = position.rows.length;
    const columns = position.columns.length;
    set(this.element, {
      style: { "--ratio": String(ratio), "--columns": String(columns), "--rows": String(rows) },
    });
    set(this.element, { class: ["board", position.layout, large && "large"] });
    set(this.grid, { style: { inset } });
    this.cells.build(rows, columns, lie);
  }

  /** All but the pieces. */
  #draw() {
    const position = this.#position;
    const yours = this.#yours;
    const open = this.#open;
    if (!position) return;
    const aimed = this.#aimed === null ? null : this.#meant?.[0];
    const answering = this.#answering === null ? this.#picked : [this.#answering];
    this.drawing.showOver({ ...this.#shown, sent: this.#shown.sent ?? aimed }, answering, open);
    const picked = [...this.#picked, this.#aimed, this.#answering].filter(cell => cell !== null);
    this.cells.label(position, this.drawing.texts, picked, open, yours, this.#plannable);
    const loose = this.#meant ?? doneAt(position, this.#picked).map(one => one.move);
    render(
      this.loose,
      yours &&
        loose.map(move =>
          button(
            aimed ? say("page.play_move", { move }) : sayOr(`game.unplaced.${move}`, {}, move),
            () => this.#play(move),
            {
              key: move,
              class: aimed && "main",
            },
          ),
        ),
    );
  }

  /** May a move be made now? */
  get #yours() {
    return Boolean(this.#shown.yours && !this.#shown.sent);
  }

  /** The cells where an answer may be chosen before one's turn: where pieces move, one's own, and then any.
   *  @returns {Set<number>} */
  get #plannable() {
    const position = this.#position;
    const { plans, planned } = this.#shown;
    if (!position || !plans) return new Set();
    const may = !moves(position)
      ? (/** @type {number} */ cell) => landing(position, cell) !== null
      : (/** @type {number} */ cell) =>
          this.#answering !== null || cell === planned?.at(-1) || this.#answers(position, cell);
    return new Set(texts(position).flatMap((text, cell) => (!isVoid(text) && may(cell) ? cell : [])));
  }

  /** Does a piece of theirs stand there who move next? @param {BoardView} position @param {number} cell */
  #answers(position, cell) {
    return sideOf(position, texts(position)[cell]) === 1 - (position.to_move ?? 0);
  }

  /** Choose an answer before one's turn, or its piece. @param {number} cell */
  #plan(cell) {
    const position = /** @type {BoardView} */ (this.#position);
    const from = this.#answering;
    const piece = moves(position) && this.#answers(position, cell);
    this.#answering = piece && cell !== from ? cell : null;
    if (piece) return this.#draw();
    const { planned } = this.#shown;
    if (cell === planned?.at(-1) && from === null) this.onplan?.(planned);
    else this.onplan?.(from === null ? [cell] : [from, cell]);
  }

  /** The legal moves' cells that may be chosen now. @returns {Set<number>} */
  get #open() {
    return this.#position && this.#yours ? openCells(this.#position, this.#picked) : new Set();
  }

  // ------------------------------------------------------------ choosing a move

  #listen() {
    this.grid.addEventListener("click", event => {
      const cell = this.cellOf(event.target);
      // Keys hit what they are to hit.
      if (cell === null) return;
      // The second of two quick clicks was meant for the move before.
      if (event.detail < 2 && this.#plannable.has(cell)) this.#plan(cell);
      else this.choose(cell, Boolean(event.detail) && this.#small);
    });
    this.grid.addEventListener("pointerover", event => this.#hover(this.cellOf(event.target)));
    this.grid.addEventListener("pointerleave", () => this.#hover(null));
    /** @param {KeyboardEvent} event */
    const back = event => {
      if (event.key !== "Escape" || !(this.#picked.length || this.#meant)) return;
      // What was asked is not meant; else the last choice is not.
      this.pick(this.#meant ? this.#picked : this.#picked.slice(0, -1));
      this.focus();
      event.stopPropagation();
    };
    this.grid.addEventListener("keydown", back);
    this.loose.addEventListener("keydown", back);
  }

  /** @param {EventTarget | null} target @returns {number | null} */
  cellOf(target) {
    return this.cells.of(target);
  }

  /** Is there a piece that may be moved now? @param {number} cell */
  movable(cell) {
    const position = this.#yours ? this.#position : null;
    return position !== null && slides(position) && openCells(position).has(cell);
  }

  /** @param {number[]} chosen what of a move is chosen: a piece's cell, say */
  pick(chosen) {
    this.#picked = chosen;
    this.#meant = this.#aimed = null;
    this.#draw();
  }

  /** A piece is dragged over a cell: does its way lead there, and on? @param {number} cell */
  pass(cell) {
    const position = this.#position;
    if (!position || this.#picked.includes(cell)) return;
    const on = [...this.#picked, cell];
    if (openCells(position, on).size) this.pick(on);
  }

  /** A piece is dropped on a cell: there its way goes on, or all that it passed was none of it.
   *  @param {number} start @param {number} cell */
  drop(start, cell) {
    const position = this.#position;
    if (!position || (this.#picked.length > 1 && this.#picked.at(-1) === cell)) return;
    const goes = [this.#picked, [start]].find(chosen => {
      const on = choose(position, chosen, cell);
      return on.moves.length || on.chosen.length > chosen.length;
    });
    this.pick(goes ?? []);
    if (goes) this.choose(cell);
  }

  /** Show palely what would stand there. @param {number | null} cell */
  #hover(cell) {
    const position = this.#yours && !this.#shown.report ? this.#position : null;
    this.drawing.showHover(position && cell !== null ? movesAt(position, cell, this.#picked)[0] : undefined);
  }

  /** Are the cells too small for a finger that is all there is to point with? */
  get #small() {
    const { width } = this.grid.getBoundingClientRect();
    const { lie } = this.drawing;
    return matchMedia("(pointer: coarse)").matches && width * lie.touch < SMALL * lie.width;
  }

  /** What a click on a cell means: a piece to move, or a move. @param {number} cell
   *  @param {boolean} [aims] is a move to be confirmed, by another click or by its button? */
  choose(cell, aims = this.#small) {
    const position = this.#position;
    if (!position || !this.#yours) return;
    const { chosen, moves } = choose(position, this.#picked, cell);
    const again = this.#aimed === cell;
    this.#aimed = moves.length === 1 && aims && !again ? cell : null;
    this.#meant = moves.length > 1 || this.#aimed !== null ? moves : null;
    if (this.#aimed !== null) {
      announce(say("page.play_move", { move: moves[0] }));
      return this.#draw();
    }
    if (moves.length === 1) return this.#play(moves[0]);
    if (!moves.length) return this.pick(chosen);
    this.#draw();
    /** @type {HTMLElement | null} */ (this.loose.firstElementChild)?.focus();
  }

  /** @param {string} move */
  #play(move) {
    this.#picked = [];
    this.#aimed = this.#meant = null;
    this.onmove?.(move);
  }

  /** Put the keyboard's focus on the board. */
  focus() {
    this.cells.focus();
  }
}
