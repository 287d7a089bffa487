/** A board's picture as SVG: its cells and pieces, and what lies under and over them. It knows no game. */
import { put, s, set } from "../core/dom.js";
import * as text from "../game/board_text.js";
import { heat, look } from "../game/scores.js";
import { piece } from "./pieces.js";
import { CELL, placesOf } from "./places.js";
import {
  firstAt,
  isEmpty,
  isVoid,
  landing,
  placed,
  sideOf,
  slides,
  stepOf,
  texts,
  ways,
} from "./position.js";

/** @import {BoardView, Groups, Report, Score} from "../protocol.d.ts" */
/** @import {Mark, Shown} from "./board.js" */
/** @import {Places} from "./places.js" */
/** @import {Way} from "./position.js" */

const EDGE = 14;
const LAYERS = /** @type {const} */ (["ground", "groups", "heat", "over", "pieces", "top", "labels"]);
let patterns = 0;

export class Drawing {
  /** The position that is drawn. */
  position = /** @type {BoardView} */ ({});
  /** What stands in each cell. @type {string[]} */
  texts = [];
  /** Where each cell's piece is drawn. @type {SVGGElement[]} */
  places = [];
  /** Where the cells lie. */
  lie = /** @type {Places} */ ({});
  /** The cells that say what a move there is worth. @type {Set<number>} */
  #heated = new Set();
  #shape = "";
  #chequered = false;
  #hatch = `hatch${++patterns}`;
  layers = /** @type {Record<typeof LAYERS[number], SVGGElement>} */ (
    Object.fromEntries(LAYERS.map(name => [name, s("g", { class: name })]))
  );
  svg = s("svg", { "aria-hidden": "true", focusable: "false" }, this.#patterns(), Object.values(this.layers));

  /** @param {boolean} labels are rows and columns named beside the board? */
  constructor(labels) {
    this.labels = labels;
  }

  /**
   * Draw the cells and their pieces.
   * @param {BoardView} position
   * @returns {{inset: string, ratio: number, large: boolean, lie: Places} | null} where the cells stand in the
   * picture, where that is new
   */
  show(position) {
    if (slides(position)) this.#chequered = true;
    const { rows, columns, groups, layout, joins } = position;
    const shape = JSON.stringify([
      [rows, columns, groups?.width, groups?.height, layout, joins],
      this.#chequered,
    ]);
    const anew = shape !== this.#shape;
    const now = texts(position);
    this.position = position;
    this.#shape = shape;
    const frame = anew ? this.#build() : null;
    now.forEach((one, cell) => {
      if (anew || one !== this.texts[cell]) put(this.places[cell], this.#piece(one, cell));
    });
    this.texts = now;
    if (this.lie.beside) put(this.layers.groups, this.lie.beside(position));
    return frame;
  }

  #build() {
    const {
      position: { rows, columns },
      layers: { ground, groups, pieces, labels },
    } = this;
    const across = columns.length;
    const lie = placesOf(this.position, this.#chequered);
    this.lie = lie;
    const large = Math.max(lie.width, lie.height) > 9 * CELL;
    const label = large ? 66 : 44;
    const [top, right, bottom, before] = lie.beyond;
    const left = before + (this.labels && rows.some(Boolean) ? label : EDGE);
    const below = bottom + (this.labels && columns.some(Boolean) ? label : EDGE);
    const above = top + EDGE;
    const width = lie.width + left + right + EDGE;
    const height = lie.height + below + above;
    set(this.svg, { viewBox: `${-left} ${-above} ${width} ${height}` });
    put(ground, lie.ground());
    put(groups);
    put(pieces);
    this.places = Array.from({ length: across * rows.length }, (_, cell) => {
      const place = s("g", { transform: `translate(${this.middle(cell)})` });
      pieces.append(place);
      return place;
    });
    const last = (rows.length - 1) * across;
    put(labels, [
      this.labels && [
        ...columns.map((name, at) =>
          s("text", { x: this.middle(last + at)[0], y: lie.height + bottom + (large ? 54 : 34) }, name),
        ),
        ...rows.map((name, at) =>
          s(
            "text",
            { x: lie.left(at) - (large ? 38 : 26), y: this.middle(at * across)[1], dy: "0.35em" },
            name,
          ),
        ),
      ],
    ]);
    const parts = [above / height, (right + EDGE) / width, below / height, left / width];
    return { inset: parts.map(part => `${part * 100}%`).join(" "), ratio: width / height, large, lie };
  }

  /** The middle of a cell. @param {number} cell */
  middle(cell) {
    return this.lie.middle(cell);
  }

  /** What is drawn of a text. @param {string} text @param {number} cell */
  #piece(text, cell) {
    const { position, lie } = this;
    if (isVoid(text) || (isEmpty(position, text) && position.layout !== "pits")) return null;
    return lie.piece(text, sideOf(position, text), cell);
  }

  /** The middle of the small board that a cell is in.
   *  @param {Groups} groups @param {number} cell */
  #middleOf({ width, height }, cell) {
    const across = this.position.columns.length;
    const [column, row] = [cell % across, Math.floor(cell / across)];
    const left = column - (column % width);
    return [(left + width / 2) * CELL, (row - (row % height) + height / 2) * CELL];
  }

  /**
   * Draw all that lies under and over the pieces.
   * @param {Shown} shown @param {number[]} picked what was chosen of a move by now
   * @param {Set<number>} open
   */
  showOver(shown, picked, open) {
    const { position, layers, lie } = this;
    const { report } = shown;
    const sparse =
      picked.length > 0 ||
      (open.size < this.texts.filter(one => isEmpty(position, one)).length && position.layout !== "tray") ||
      position.layout === "pits";
    this.#heated.clear();
    const worths = report ? this.#heat(report, picked, new Set(shown.marks?.map(one => one.cell))) : [];
    put(layers.heat, worths);
    // Of what stands there the worth hides nothing: it is said in the corner.
    const corners = worths.flatMap(one => [...one.querySelectorAll(".corner")]);
    const goes = picked.length > 0 ? stepOf(position, picked) : { from: null, to: null };
    const on = goes.to !== null && isEmpty(position, this.texts[goes.to]) ? goes : null;
    this.places.forEach((place, cell) => {
      place.classList.toggle("pale", cell === on?.from);
    });
    put(layers.over, [
      position.last.map(cell => this.#box(cell, "last")),
      picked.map(cell => this.#box(cell, "picked")),
      shown.marked?.map(cell => this.#box(cell, "marked")),
      picked.length > 1 &&
        s("polyline", { class: "way", points: picked.map(one => lie.middle(one)).join(" ") }),
      sparse && !report && [...open].map(cell => this.#legal(cell, picked.length > 0)),
    ]);
    put(layers.top, [
      this.#line(),
      on?.to !== undefined && on.to !== null && this.#standing("ghost", on.to, placed(position, picked)),
      corners,
      shown.sent && this.#ghost(shown.sent),
      this.#plan(shown.planned ?? []),
      shown.marks?.map(one => this.#mark(one)),
      this.#groups(),
    ]);
  }

  /** @param {number} cell @param {string} kind @param {number} [inset] */
  #box(cell, kind, inset = 5) {
    return set(this.lie.outline(cell, inset), { class: kind });
  }

  /** What may be played on a cell: a piece that may be moved, or a place to go.
   *  @param {number} cell @param {boolean} picked was a piece chosen? */
  #legal(cell, picked) {
    if (!picked && !isEmpty(this.position, this.texts[cell])) return this.#box(cell, "movable");
    const [x, y] = this.middle(cell);
    return s("path", { class: "legal", d: `M${x - 13} ${y}h26M${x} ${y - 13}v26` });
  }

  /** Through the cells that won, or the middles of the small boards that they fill. */
  #line() {
    const { line, groups } = this.position;
    const points = line.map(cell => (groups ? this.#middleOf(groups, cell) : this.middle(cell))).join(" ");
    // With an edge, so that it is seen on pieces of its own colour.
    return points && s("g", { class: "winning" }, s("polyline", { points }), s("polyline", { points }));
  }

  /** What stands on a cell, or would; null: nothing to be seen.
   *  @param {string} kind @param {number} cell @param {string | null} one */
  #standing(kind, cell, one) {
    const drawn = one !== null && this.lie.piece(one, sideOf(this.position, one), cell);
    return s("g", { class: kind, transform: `translate(${this.middle(cell)})` }, drawn);
  }

  /** A move that was sent and is not played yet. @param {string} move */
  #ghost(move) {
    const path = ways(this.position).find(one => one.move === move)?.path ?? [];
    const { to } = stepOf(this.position, path);
    if (to === null) return null;
    const ghost = this.#standing("ghost", to, placed(this.position, path));
    return [ghost, this.#box(to, "way")];
  }

  /** An answer that was chosen before one's turn. @param {number[]} chosen */
  #plan(chosen) {
    const { position } = this;
    const from = chosen.length > 1 ? chosen[0] : null;
    const cell = from === null && chosen.length ? landing(position, chosen[0]) : (chosen[1] ?? null);
    if (cell === null) return null;
    const text = from === null ? position.marks[1 - (position.to_move ?? 0)][0] : this.texts[from];
    return s("g", { class: "planned" }, [
      this.#standing("ghost", cell, text),
      this.#box(cell, "way"),
      from !== null && this.#box(from, "way"),
    ]);
  }

  /** Show palely what a move would put on its cell. @param {Way | undefined} one */
  showHover(one) {
    this.layers.top.querySelector(".hover")?.remove();
    const { to } = stepOf(this.position, one?.path ?? []);
    const moving = one ? placed(this.position, one.path) : null;
    if (to !== null && moving !== null) this.layers.top.append(this.#standing("hover", to, moving));
  }

  /** A move that may come: where it goes, and a label on its pale piece; in the corner of a cell that shows
   *  something. @param {Mark} one */
  #mark({ cell, from, label, text: standing, side }) {
    const [x, y] = this.middle(cell);
    const pale = from === null && isEmpty(this.position, this.texts[cell]) && !this.#heated.has(cell);
    const place = pale ? `${x} ${y}) scale(1.3` : `${x + 33} ${y - 33}) scale(0.85`;
    return s("g", { class: `mark ${side === null ? "" : side ? "second" : "first"}` }, [
      from !== null && s("path", { class: "arrow", d: `M${this.middle(from)}L${x} ${y}` }),
      pale && this.#standing("pale", cell, standing),
      s("g", { class: "badge", transform: `translate(${place})` }, [
        s("circle", { r: 17 }),
        s("text", { dy: "0.36em" }, label),
      ]),
    ]);
  }

  /** What each move is worth, on its cell. @param {Report} report @param {number[]} picked
   *  @param {Set<number>} marked cells with a mark in their corner, which the worth leaves free */
  #heat(report, picked, marked) {
    const scores = new Map(report.candidates.map(one => [one.move, one.score]));
    const best = firstAt(this.position, [...scores.keys()], picked);
    this.#heated = new Set(best.keys());
    const { layout } = this.position;
    const cells = [...best.keys()];
    /** @param {string} move */
    const labelOf = move =>
      text.cellScore(/** @type {Score} */ (scores.get(move))) + (move === report.best ? "*" : "");
    /** @param {number} cell */
    const holds = cell => this.places[cell].hasChildNodes();
    // One size for all, which the longest one needs.
    const longest = Math.max(...[...best.values()].map(move => labelOf(move).length));
    const small =
      cells.some(holds) || layout === "edges" ? 0.75 : cells.some(one => marked.has(one)) ? 0.8 : 1;
    const size = `${(longest > 3 ? 29 : longest > 2 ? 37 : 44) * small}px`;
    return [...best].map(([cell, move]) => {
      const score = /** @type {Score} */ (scores.get(move));
      const [x, y] = this.middle(cell);
      const { ground, ink } = heat(score);
      const kind = look(score);
      const held = holds(cell);
      const beside = marked.has(cell);
      // Below a piece; above the seeds of a pit, whose number stands below them.
      const below = layout === "pits" ? -114 : 34;
      const worth = s(
        "text",
        {
          x,
          y: held ? y + below : beside ? y + 17 : y,
          dy: "0.35em",
          style: { "--ink": ink, "--ground": ground, "--size": size },
        },
        labelOf(move),
      );
      return s("g", { class: `score ${kind}` }, [
        // The number of a pit keeps its ground.
        layout !== "pits" && set(this.lie.outline(cell, 3), { fill: ground }),
        layout !== "pits" &&
          kind !== "exact" &&
          set(this.lie.outline(cell, 3), { fill: `url(#${this.#hatch}${kind === "estimate" ? "" : "d"})` }),
        held
          ? s("g", { class: `score corner ${kind}` }, [
              s("rect", { x: x - 40, y: y + below - 17, width: 80, height: 34, rx: 9, fill: ground }),
              worth,
            ])
          : worth,
      ]);
    });
  }

  /** Small boards within the board: their frames; gives the large marks of those that were won. */
  #groups() {
    const { position, layers } = this;
    const { groups } = position;
    if (!groups) return [];
    const across = position.columns.length / groups.width;
    const width = groups.width * CELL;
    const height = groups.height * CELL;
    const owners = groups.owners
      .flatMap(row => [...row])
      .map((owner, at) => ({
        owner,
        at,
        x: (at % across) * width,
        y: Math.floor(at / across) * height,
        won: !isEmpty(position, owner),
      }));
    put(layers.groups, [
      owners.map(({ at, x, y, won }) =>
        s("g", { class: `group${groups.active.includes(at) ? " active" : ""}${won ? " owned" : ""}` }, [
          s("rect", { x: x + 3, y: y + 3, width: width - 6, height: height - 6, rx: 10 }),
        ]),
      ),
    ]);
    const scale = Math.min(width, height) / 110;
    return owners
      .filter(({ won }) => won)
      .map(({ owner, x, y }) => {
        const transform = `translate(${x + width / 2} ${y + height / 2}) scale(${scale})`;
        return s("g", { class: "owner", transform }, piece(owner, sideOf(position, owner)));
      });
  }

  /** How a guess and a bound are hatched. */
  #patterns() {
    const shared = { patternUnits: "userSpaceOnUse" };
    const lines = s("rect", { width: 4, height: 12, class: "hatching" });
    const dots = s("circle", { cx: 7, cy: 7, r: 2.2, class: "hatching" });
    return s("defs", null, [
      s("pattern", { id: this.#hatch, width: 12, height: 12, patternTransform: "rotate(45)", ...shared }, [
        lines,
      ]),
      s("pattern", { id: `${this.#hatch}d`, width: 14, height: 14, ...shared }, dots),
    ]);
  }
}
