/** How a game stands, as a bar beside its board, which takes no room from it. Proven, bounded and guessed never
 *  look alike. */
import { h, set } from "../core/dom.js";
import { acting } from "../core/room.js";
import * as text from "../game/board_text.js";
import { nameOf } from "../game/room_text.js";
import { fraction, look } from "../game/scores.js";
import { standing } from "../game/standing.js";
import { say } from "../words.js";

/** @import {Board} from "../board/board.js" */
/** @import {RoomState} from "../core/room.js" */
/** @import {Report, Score} from "../protocol.d.ts" */
/** A score, the side that it is of, 0 being the first to move, and how that is called.
 *  @typedef {{score: Score, side: number, name: string}} Standing */

/** @param {Board} board */
export function evaluationBar(board) {
  const share = h("i");
  const element = h("div", { role: "img", hidden: true }, share);
  board.square.append(element);

  /** @param {Standing | null | undefined} standing @param {number} [below] the side whose share stands below */
  function update(standing, below = 1 - (board.drawing.position.above ?? 1)) {
    element.hidden = !standing;
    if (!standing) return;
    const { score, side, name } = standing;
    const sentence = say("score.evaluation", { name, outlook: text.outlook(score) });
    const part = side === below ? fraction(score) : 1 - fraction(score);
    set(element, {
      class: ["evaluation", look(score), score.result, below && "turned"].filter(Boolean).join(" "),
      title: sentence,
      "aria-label": sentence,
    });
    set(share, { style: { "--share": `${100 * part}%` } });
  }
  return { update };
}

/** A game that is over. @param {0 | 1 | null} winner the side @param {string[]} names @returns {Standing} */
export const decided = (winner, names) => ({
  score: { points: winner === null ? 0 : 100, kind: "exact", result: winner === null ? "draw" : "win" },
  side: winner ?? 0,
  name: names[winner ?? 0],
});

/** A room's game, as far as somebody has thought about it. @param {RoomState} state
 *  @param {Report | null} [hint] what its player's moves are worth */
export function inRoom(state, hint) {
  const { view } = state;
  const found = hint?.candidates.length
    ? { seat: acting(view) ?? 0, score: hint.candidates[0].score }
    : standing(state);
  if (!found) return null;
  const names = [view.starter, 1 - view.starter].map(seat => nameOf(view, seat));
  const sideOf = (/** @type {number} */ seat) => (seat === view.starter ? 0 : 1);
  const { result } = view;
  if (result) return decided(result.winner === undefined ? null : sideOf(result.winner), names);
  const side = sideOf(found.seat);
  return { ...found, side, name: names[side] };
}
