/** How a room's game stands, as far as somebody has thought about it: the twin of `standing` in the Python SDK's
 *  `state.py`. */

/** @import {RoomState} from "../core/room.js" */
/** @import {Candidate, Score} from "../protocol.d.ts" */

/**
 * How good the game is for a seat, as the freshest report has it: the best move, while a bot thinks, else the one
 * that it chose last; null: nothing is known.
 * @param {RoomState} state @returns {{seat: 0 | 1, score: Score} | null}
 */
export function standing({ view, thinking }) {
  const of = (/** @type {0 | 1} */ seat, /** @type {Candidate | undefined} */ one) =>
    one ? { seat, score: one.score } : null;
  if (thinking?.report.candidates.length) return of(thinking.seat, thinking.report.candidates[0]);
  const { report, turn, seats } = view;
  const plays = seats.map(seat => seat.kind === "bot" || Boolean(seat.stand_in || seat.program));
  const last = turn && plays[1 - turn.seat] ? 1 - turn.seat : plays.indexOf(true);
  if (!report || last < 0) return null;
  return of(
    /** @type {0 | 1} */ (last),
    report.candidates.find(one => one.move === report.best),
  );
}
