/** Moving pieces by dragging them. */
import { set } from "../core/dom.js";

/** @import {Board} from "./board.js" */

/** Pixels: a pointer that goes less far has clicked. */
const DRAG_FROM = 6;

/** Have a board's pieces follow the pointer. @param {Board} board */
export function listenToDrags(board) {
  const { grid, drawing } = board;
  /** Where a piece's cell was pressed; and is the piece on its way with the pointer?
   *  @type {{cell: number, x: number, y: number, moving: boolean} | null} */
  let held = null;
  /** @param {number} cell @param {number} x @param {number} y */
  const carry = (cell, x, y) => {
    const scale = drawing.lie.width / grid.clientWidth;
    const there = drawing.places[cell].firstElementChild;
    if (there) set(there, { transform: x || y ? `translate(${x * scale} ${y * scale})` : null });
  };

  grid.addEventListener("pointerdown", event => {
    const cell = board.cellOf(event.target);
    board.dropped = held = null;
    if (event.isPrimary && !event.button && cell !== null && board.movable(cell))
      held = { cell, x: event.clientX, y: event.clientY, moving: false };
  });

  grid.addEventListener("pointermove", event => {
    if (!held || !event.isPrimary || !board.movable(held.cell)) return;
    const x = event.clientX - held.x;
    const y = event.clientY - held.y;
    if (!held.moving) {
      if (Math.hypot(x, y) < DRAG_FROM) return;
      held.moving = true;
      // The pointer may leave the board; and no click follows.
      grid.setPointerCapture(event.pointerId);
      drawing.layers.pieces.append(drawing.places[held.cell]);
      board.pick([held.cell]);
    }
    const over = board.cellOf(document.elementFromPoint(event.clientX, event.clientY));
    if (over !== null) board.pass(over);
    carry(held.cell, x, y);
  });

  /** @param {PointerEvent} event */
  const drop = event => {
    if (!held) return;
    const { cell, moving } = held;
    const under = document.elementFromPoint(event.clientX, event.clientY);
    const up = event.type === "pointerup" ? board.cellOf(under) : null;
    held = null;
    if (!moving) return;
    carry(cell, 0, 0);
    if (up === null) board.pick([]);
    else if (up !== cell) {
      board.dropped = up;
      board.drop(cell, up);
    }
  };
  grid.addEventListener("pointerup", drop);
  grid.addEventListener("pointercancel", drop);
}
