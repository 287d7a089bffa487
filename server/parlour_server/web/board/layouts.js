/** Boards whose cells are no squares: six-sided ones, points, pits, and edges between boxes. */
import { s, styled } from "../core/dom.js";
import { piece } from "./pieces.js";
import { CELL } from "./places.js";
import { isVoid, texts } from "./position.js";

/** @import {BoardView} from "../protocol.d.ts" */
/** @import {Places} from "./places.js" */

styled("layouts", "./layouts.css", import.meta.url);

/** From one row of six-sided cells to the next, and how far they reach above and below their middles. */
const [PITCH, REACH] = [86.6, 57.7];
/** Half the way from dot to dot, as large as what one hits of an edge; and how wide that is drawn. */
const [HALF, THIN] = [62, 24];
/** A pit is higher than wide, so that two rows of them fill a screen; below its seeds stands their number. */
const [PIT, STORE] = [280, 120];

/** @type {Record<"hex" | "points" | "pits" | "edges", (position: BoardView, squares: Places) => Places>} */
export const LAYOUTS = { hex, points, pits, edges };

/** @param {number} count @param {(at: number) => SVGElement | false} make */
const each = (count, make) => Array.from({ length: count }, (_, at) => make(at));
/** @param {string} kind @param {SVGElement} element */
const as = (kind, element) => {
  element.classList.add(...kind.split(" "));
  return element;
};

/** @param {BoardView} position @param {Places} squares @returns {Places} */
function hex({ rows, columns, goals, marks }, squares) {
  const [down, across] = [rows.length, columns.length];
  const width = across * CELL + (down - 1) * 50;
  const height = (down - 1) * PITCH + 2 * REACH;
  /** @param {number} cell @returns {[number, number]} */
  const middle = cell => {
    const row = Math.floor(cell / across);
    return [(cell % across) * CELL + 50 * (row + 1), row * PITCH + REACH];
  };
  /** A corner of a cell, counted from the upper left one. @param {number} cell @param {number} at */
  const corner = (cell, at, inset = 0) => {
    const [x, y] = middle(cell);
    const angle = ((at - 2.5) * Math.PI) / 3;
    const reach = REACH - inset * 1.15;
    return [x + reach * Math.cos(angle), y + reach * Math.sin(angle)].map(one => one.toFixed(1)).join();
  };
  const last = (down - 1) * across;
  /** The corners along each edge of the board. @type {Record<string, string[]>} */
  const sides = {
    n: each2(across, at => [corner(at, 0), corner(at, 1), corner(at, 2)]),
    s: each2(across, at => [corner(last + at, 5), corner(last + at, 4), corner(last + at, 3)]),
    w: each2(down, at => [corner(at * across, 0), corner(at * across, 5), corner(at * across, 4)]),
    e: each2(down, at => [1, 2, 3].map(one => corner(at * across + across - 1, one))),
  };
  /** Where the mark of whose edge it is stands. @type {Record<string, [number, number]>} */
  const beside = {
    n: [across * 50, -34],
    s: [width - across * 50, height + 34],
    w: [(down - 1) * 25 - 96, height / 2],
    e: [width - (down - 1) * 25 + 34, height / 2],
  };
  /** @param {number} side */
  const goal = side =>
    [...(goals?.[side] ?? "")].map(edge => [
      s("polyline", { class: `goal ${side ? "second" : "first"}`, points: sides[edge].join(" ") }),
      s("g", { transform: `translate(${beside[edge]}) scale(.5)` }, piece(marks[side][0], side ? 1 : 0)),
    ]);
  return {
    ...squares,
    width,
    height,
    beyond: goals ? [54, 20, 54, 20] : [0, 0, 0, 0],
    touch: PITCH,
    middle,
    outline: (cell, inset) => s("polygon", { points: each2(6, at => [corner(cell, at, inset)]).join(" ") }),
    left: row => row * 50,
    ground: () => [
      ...each(down * across, at =>
        as("cell", s("polygon", { points: each2(6, one => [corner(at, one)]).join(" ") })),
      ),
      ...[0, 1].flatMap(goal).flat(),
    ],
    grid: [
      `repeat(${2 * across + down - 1}, 1fr)`,
      `${REACH - PITCH / 2}fr repeat(${down}, ${PITCH}fr) ${REACH - PITCH / 2}fr`,
    ],
    area: cell => {
      const row = Math.floor(cell / across);
      return `${row + 2} / ${2 * (cell % across) + row + 1} / span 1 / span 2`;
    },
  };
}

/** @param {number} count @param {(at: number) => string[]} make */
const each2 = (count, make) => Array.from({ length: count }, (_, at) => make(at)).flat();

/** @param {BoardView} position @param {Places} squares @returns {Places} */
function points(position, squares) {
  const all = texts(position);
  const { width, height, middle } = squares;
  return {
    ...squares,
    outline: (cell, inset) => {
      const [cx, cy] = middle(cell);
      return s("circle", { cx, cy, r: 49 - inset });
    },
    ground: () => [
      as("frame", s("rect", { x: -6, y: -6, width: width + 12, height: height + 12, rx: 8 })),
      as("cell", s("rect", { width, height, rx: 6 })),
      ...(position.joins ?? []).map(line =>
        as("join", s("polyline", { points: line.map(middle).join(" ") })),
      ),
      ...each(all.length, cell => {
        const [cx, cy] = middle(cell);
        return !isVoid(all[cell]) && s("circle", { class: "point", cx, cy, r: 9 });
      }),
    ],
  };
}

/** @param {BoardView} position @param {Places} squares @returns {Places} */
function pits({ columns, marks }, squares) {
  const across = columns.length;
  const [width, height] = [across * CELL, 2 * PIT];
  /** @param {number} cell */
  const sideAt = cell => (cell < across ? 1 : 0);
  /** @param {number} cell @returns {[number, number]} */
  const middle = cell => [(cell % across) * CELL + 50, Math.floor(cell / across) * PIT + PIT / 2];
  /** @param {number} cell @param {number} inset */
  const outline = (cell, inset) => {
    const [x, y] = middle(cell);
    return s("rect", {
      x: x - 50 + inset,
      y: y - PIT / 2 + inset,
      width: CELL - 2 * inset,
      height: PIT - 2 * inset,
      rx: 44 - inset,
    });
  };
  const store = [width + STORE / 2 + 4, -STORE / 2 - 4];
  return {
    ...squares,
    width,
    height,
    beyond: [0, STORE + 8, 0, STORE + 8],
    middle,
    outline,
    left: () => -STORE - 8,
    ground: () => [
      s("rect", {
        class: "tray-of-pits",
        x: -STORE - 14,
        y: -6,
        width: width + 2 * STORE + 28,
        height: height + 12,
        rx: 50,
      }),
      ...each(2 * across, cell => as(`pit ${sideAt(cell) ? "second" : "first"}`, outline(cell, 7))),
      ...store.flatMap((x, side) => [
        s("rect", {
          class: `pit ${side ? "second" : "first"}`,
          x: x - STORE / 2 + 4,
          y: 7,
          width: STORE - 8,
          height: height - 14,
          rx: 46,
        }),
        s("g", { transform: `translate(${x} 52) scale(.55)` }, piece(marks[side][0], side ? 1 : 0)),
      ]),
    ],
    piece: text => seeds(Number(text), 3, -26, 98, 56),
    beside: ({ counts }) =>
      store.map((x, side) =>
        s(
          "g",
          { transform: `translate(${x} ${height / 2})` },
          seeds(counts?.[0]?.of[side] ?? 0, 4, 10, 232, 68),
        ),
      ),
  };
}

/** Seeds as dots, and below them how many they are.
 *  @param {number} count @param {number} wide @param {number} y their middle @param {number} below the
 *  number's @param {number} size */
function seeds(count, wide, y, below, size) {
  const shown = Math.min(count, wide * (wide === 3 ? 6 : 14));
  const rows = Math.ceil(shown / wide);
  return s("g", { class: "piece nobody" }, [
    each(shown, at => {
      const row = Math.floor(at / wide);
      const inRow = Math.min(wide, shown - row * wide);
      return s("circle", {
        class: "seed",
        cx: ((at % wide) - (inRow - 1) / 2) * 26,
        cy: y + (row - (rows - 1) / 2) * 26,
        r: 10.5,
      });
    }),
    s("text", { class: "letters", y: below, dy: "0.35em", style: { "font-size": `${size}px` } }, count),
  ]);
}

/** @param {BoardView} position @param {Places} squares @returns {Places} */
function edges({ rows, columns }, squares) {
  const across = columns.length;
  /** @param {number} cell */
  const tracks = cell => [cell % across, Math.floor(cell / across)];
  /** @param {number} cell @returns {[number, number]} */
  const middle = cell => [((cell % across) + 0.5) * HALF, (Math.floor(cell / across) + 0.5) * HALF];
  /** @param {number} cell */
  const sizes = cell => tracks(cell).map(track => (track % 2 ? 2 * HALF - THIN : THIN));
  /** @param {number} cell */
  const isEdge = cell => (tracks(cell)[0] + tracks(cell)[1]) % 2 === 1;
  /** @param {number} cell @param {number} inset */
  const outline = (cell, inset) => {
    const [x, y] = middle(cell);
    const [width, height] = sizes(cell).map(size => size - (isEdge(cell) ? 0 : 2 * inset));
    return s("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: 10 });
  };
  const all = across * rows.length;
  return {
    ...squares,
    width: across * HALF,
    height: rows.length * HALF,
    touch: HALF * Math.SQRT2,
    middle,
    outline,
    ground: () => [
      ...each(all, cell => isEdge(cell) && as("edge", outline(cell, 0))),
      ...each(all, cell => {
        const [cx, cy] = middle(cell);
        return !tracks(cell).some(track => track % 2) && s("circle", { class: "dot", cx, cy, r: 15 });
      }),
    ],
    piece: (text, side, cell) => {
      if (!isEdge(cell)) return side === null ? null : piece(text, side);
      const [width, height] = sizes(cell).map(size => size - 10);
      return s(
        "g",
        { class: "piece" },
        s("rect", { class: "drawn", width, height, x: -width / 2, y: -height / 2, rx: 7 }),
      );
    },
  };
}
