/** How pieces come to where they stand now: they fall, slide, turn over, or appear. */
import { difference, isEmpty, sideOf, texts } from "./position.js";

/** @import {BoardView} from "../protocol.d.ts" */
/** @import {Drawing} from "./drawing.js" */

const FALL_MS = 55;
const LONGEST_FALL_MS = 380;
const FLIP_MS = 320;
const SLIDE_MS = 180;
const POP_MS = 130;
const SOW_MS = 70;

/**
 * Have the pieces move that moved since another position.
 * @param {Drawing} drawing @param {BoardView | null} before
 * @param {number | null} dropped the cell on which a person has dropped a piece: it is there already
 */
export function animate(drawing, before, dropped) {
  const { position } = drawing;
  const { come, gone, turned, way } = difference(before, position);
  /** @param {number} cell @param {Keyframe[]} frames @param {number} duration @param {string} [easing] */
  const move = (cell, frames, duration, easing = "ease-out") =>
    drawing.places[cell].firstElementChild?.animate(frames, { duration, easing });
  if (before && position.layout === "pits") return sow(drawing, before, gone, [...gone, ...come, ...turned]);
  const to = way.at(-1) ?? null;
  const slide = SLIDE_MS * (way.length - 1);
  if (to !== null && to !== dropped) {
    const [endX, endY] = drawing.middle(to);
    drawing.layers.pieces.append(drawing.places[to]);
    const steps = way.map(cell => {
      const [x, y] = drawing.middle(cell);
      return { transform: `translate(${x - endX}px, ${y - endY}px)` };
    });
    move(to, steps, slide);
  }
  // What is taken goes while the piece is on its way, also from where it comes to lie.
  const taken = to !== null && to !== way[0] ? [...gone, to] : gone;
  if (before) for (const cell of taken) vanish(drawing, before, cell, Math.max(FLIP_MS, slide));
  const pop = [
    { transform: "scale(.5)", opacity: 0.3 },
    { transform: "none", opacity: 1 },
  ];
  for (const cell of come) {
    const row = Math.floor(cell / position.columns.length);
    const high = -drawing.middle(cell)[1] - drawing.middle(0)[1];
    if (position.layout !== "tray") move(cell, pop, POP_MS);
    else
      move(
        cell,
        [{ transform: `translateY(${high}px)` }, { transform: "none" }],
        Math.min(LONGEST_FALL_MS, FALL_MS * (row + 2)),
        "cubic-bezier(.5,0,.9,.6)",
      );
  }
  const turn = [
    { transform: "scaleX(-.1)" },
    { transform: "scaleX(.1)", offset: 0.3 },
    { transform: "none" },
  ];
  for (const cell of turned) move(cell, turn, FLIP_MS);
  for (const line of drawing.layers.top.querySelectorAll(".winning polyline"))
    line.animate([{ strokeDashoffset: 1 }, { strokeDashoffset: 0 }], {
      duration: 400,
      delay: 150,
      fill: "backwards",
    });
}

/** Seeds come to one pit after the other: to side 0's from left to right, then to side 1's above, back.
 *  @param {Drawing} drawing @param {BoardView} before @param {number[]} gone @param {number[]} changed */
function sow({ places }, before, gone, changed) {
  const across = before.columns.length;
  /** @param {number} cell */
  const along = cell => (cell < across ? 2 * across - 1 - cell : cell - across);
  const start = along(gone.find(cell => cell < across === (before.to_move === 1)) ?? 0);
  for (const cell of changed) {
    const delay = SOW_MS * ((along(cell) - start + 2 * across) % (2 * across));
    const frames = [{ transform: "none" }, { transform: "scale(1.3)" }, { transform: "none" }];
    places[cell].firstElementChild?.animate(frames, { duration: 3 * SOW_MS, delay });
  }
}

/** What was taken away goes, where it stood. @param {Drawing} drawing @param {BoardView} before
 *  @param {number} cell @param {number} duration */
function vanish(drawing, before, cell, duration) {
  const text = texts(before)[cell];
  const piece = isEmpty(before, text) ? null : drawing.lie.piece(text, sideOf(before, text), cell);
  if (!piece) return;
  drawing.places[cell].prepend(piece);
  const frames = [
    { transform: "none", opacity: 1 },
    { transform: "scale(.3)", opacity: 0 },
  ];
  piece.animate(frames, { duration, easing: "ease-in" }).onfinish = () => piece.remove();
}
