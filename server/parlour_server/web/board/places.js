/** Where a board's cells lie, and how they look: as squares here, in other ways in a module of its own, which few
 *  games need. */
import { s } from "../core/dom.js";
import { piece } from "./pieces.js";

/** @import {BoardView} from "../protocol.d.ts" */

/**
 * @typedef {object} Places
 * @property {number} width of all cells together
 * @property {number} height
 * @property {number[]} beyond how much more there is to see above, right, below and left of them
 * @property {number} touch the side of a square as large as what a finger hits of a cell
 * @property {(cell: number) => [number, number]} middle
 * @property {(cell: number, inset: number) => SVGElement} outline
 * @property {(row: number) => number} left where a row begins
 * @property {() => (SVGElement | false | undefined)[]} ground
 * @property {(text: string, side: 0 | 1 | null, cell: number) => SVGElement | null} piece
 * @property {(position: BoardView) => SVGElement[]} [beside] what changes beside the cells
 * @property {[string, string]} grid the tracks that hold the buttons: columns and rows
 * @property {(cell: number) => string} area where one lies in them
 */

export const CELL = 100;

/** @type {typeof import("./layouts.js") | null} */
let others = null;

const AGAIN_MS = 2000;
/** @type {Promise<unknown> | null} */
let loading = null;

/** Once the server gives it, which may be away. @returns {Promise<unknown>} */
const load = () =>
  import("./layouts.js").then(
    found => (others = found),
    () => new Promise(resolve => setTimeout(resolve, AGAIN_MS)).then(load),
  );

/** Get what draws such a layout; null where it is here. @param {BoardView["layout"]} layout */
export const lacks = layout => (!layout || layout === "tray" || others ? null : (loading ??= load()));

/** @param {BoardView} position @param {boolean} chequered @returns {Places} */
export function placesOf(position, chequered) {
  const { layout } = position;
  const squares = squaresOf(position, chequered);
  return !layout || layout === "tray" || !others ? squares : others.LAYOUTS[layout](position, squares);
}

/** @param {BoardView} position @param {boolean} chequered @returns {Places} */
function squaresOf({ rows, columns, layout }, chequered) {
  const across = columns.length;
  const [width, height] = [across * CELL, rows.length * CELL];
  const tray = layout === "tray";
  /** @param {number} cell @returns {[number, number]} */
  const middle = cell => [(cell % across) * CELL + 50, Math.floor(cell / across) * CELL + 50];
  /** @param {number} cell @param {number} inset */
  const outline = (cell, inset) => {
    const [x, y] = middle(cell);
    const size = CELL - 2 * inset;
    return s("rect", { x: x + inset - 50, y: y + inset - 50, width: size, height: size, rx: inset && 10 });
  };
  return {
    width,
    height,
    beyond: [0, 0, 0, 0],
    touch: CELL,
    middle,
    outline,
    left: () => 0,
    ground: () => [
      s("rect", { class: "frame", x: -6, y: -6, width: width + 12, height: height + 12, rx: tray ? 26 : 8 }),
      ...Array.from({ length: across * rows.length }, (_, cell) => {
        const [cx, cy] = middle(cell);
        if (tray) return s("circle", { class: "well", cx, cy, r: 42 });
        const odd = chequered && (Math.floor(cell / across) + (cell % across)) % 2;
        const one = outline(cell, 0);
        one.classList.add("cell", ...(odd ? ["odd"] : []));
        return one;
      }),
    ],
    piece,
    grid: [`repeat(${across}, 1fr)`, `repeat(${rows.length}, 1fr)`],
    area: cell => `${Math.floor(cell / across) + 1} / ${(cell % across) + 1}`,
  };
}
