/** Which sentence is said of a room, of those at its table, and of its games. */
import { shares } from "../core/room.js";
import { span } from "../text.js";
import { say, translated } from "../words.js";

/** @import {PastGame, PastRoom, ResultView, RoomView, SeatView} from "../protocol.d.ts" */

/** @param {string} name */
export const botName = name => say("seat.bot", { name });
/** A player's name; a bot is always marked as one. @param {SeatView} seat */
export const seatName = seat =>
  seat.kind === "open"
    ? say("seat.free")
    : seat.kind === "bot" || seat.program
      ? botName(seat.name)
      : seat.name;
/** @param {RoomView} view @param {number} seat */
export const nameOf = (view, seat) => seatName(view.seats[seat]);
/** @param {RoomView} view @param {number} seat */
export function mover(view, seat) {
  const name = nameOf(view, seat);
  const bot = view.seats[seat].stand_in;
  return bot ? say("seat.stand_in", { bot, name }) : name;
}
/** @param {SeatView[]} seats */
export const against = ([first, last]) =>
  say("table.against", { first: seatName(first), last: seatName(last) });
/** @param {RoomView} view @param {number} seat */
export const markOf = (view, seat) => view.position?.marks[seat === view.starter ? 0 : 1][0] ?? "";
/** @param {number} ms */
export const awayFor = ms =>
  ms < 1000 ? say("presence.away") : say("presence.away_for", { span: span(ms / 1000) });
/** From when on the viewer may claim the game. @param {RoomView & {at: number}} view */
export function claimIn(view) {
  const from = view.you === undefined ? null : view.claim_from[view.you];
  if (from === null || view.phase !== "playing") return "";
  return from > view.at
    ? say("presence.claim_in", { span: span((from - view.at) / 1000) })
    : say("presence.claim_now");
}
/** @param {RoomView} view */
export function status(view) {
  if (view.phase === "closed") return say("table.closed");
  if (view.phase === "waiting")
    return view.you !== undefined
      ? say("table.waiting_for_friend")
      : say("table.waiting", { count: view.seats.filter(seat => seat.kind === "open").length });
  if (view.result) {
    const { unrated } = view.result;
    const said = ended(view.result, view.seats, view.you);
    // Of an aborted game one knows.
    if (!unrated || unrated === "aborted") return said;
    return `${said} ${say("outcome.unrated", { why: say(`unrated.${unrated}`) })}`;
  }
  if (!view.turn) return "";
  const { seat } = view.turn;
  if (shares(view) && view.moves.length > (view.started_with ?? 0))
    return say("table.hand_over", { name: nameOf(view, seat) });
  return seat === view.you ? say("table.your_turn") : say("table.to_move", { name: mover(view, seat) });
}
/** @param {ResultView} result @param {SeatView[]} seats @param {number | undefined} [you] */
export function ended({ termination, winner, ...result }, seats, you) {
  if (termination === "agreement") return say("outcome.agreement");
  const reason = translated(result.reason_said, result.reason).replace(/\.$/, "");
  if (termination === "aborted")
    return (result.reason_said?.id ?? "game.reason.aborted") === "game.reason.aborted"
      ? say("outcome.aborted")
      : say("outcome.aborted_because", { reason });
  if (winner === undefined)
    return !reason || reason.toLowerCase() === "draw"
      ? say("outcome.draw")
      : say("outcome.draw_because", { reason });
  if (winner === you) return reason ? say("outcome.you_win_because", { reason }) : say("outcome.you_win");
  const name = seatName(seats[winner]);
  return reason ? say("outcome.wins_because", { name, reason }) : say("outcome.wins", { name });
}
/** The score of a room's games.
 *  @param {[number, number]} wins @param {number} draws @param {boolean} fact one of several */
export function score([first, second], draws, fact = false) {
  if (first + second + draws < 1) return "";
  if (!draws) return say(fact ? "table.fact.score" : "table.score", { first, second });
  return say(fact ? "table.fact.score_drawn" : "table.score_drawn", {
    first,
    second,
    drawn: say("count.drawn", { count: draws }),
  });
}
/** @param {RoomView} view */
export const series = view =>
  view.series
    ? say("table.series", view.series)
    : view.game_number > 1
      ? say("table.game_number", { number: view.game_number })
      : "";
/** How a game of a room ended, or that it goes on. @param {PastGame} game */
export const gameResult = ({ result, seats, you, goes_on: goesOn }) =>
  result ? ended(result, seats, you) : say(goesOn ? "outcome.playing" : "outcome.not_over");
/** How a game stands for its player, and its class. @param {PastRoom} past @returns {[string, string]} */
export function stood({ phase, result, seats, you, your_turn: yours }) {
  if (yours) return [say("stood.your_turn"), "notice"];
  if (phase === "waiting") return [say("stood.waiting"), "notice"];
  if (phase === "playing") return [say("stood.playing"), "notice"];
  if (!result || result.termination === "aborted") return [say("stood.called_off"), "past"];
  if (result.winner === undefined) return [say("stood.drawn"), "draw"];
  if (you === undefined) return [say("stood.won_by", { name: seatName(seats[result.winner]) }), "past"];
  return result.winner === you ? [say("stood.won"), "win"] : [say("stood.lost"), "loss"];
}
