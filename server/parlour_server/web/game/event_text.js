/** Which sentence is said of what happens in a room. */
import { offers, shares } from "../core/room.js";
import { say, sayOr, translated } from "../words.js";
import { botName, ended, mover, nameOf, seatName } from "./room_text.js";

/** @import {Argument} from "../sentences.d.ts" */
/** @import {Event, Offer, RoomView} from "../protocol.d.ts" */

/** Who has gone or come back, to others.
 *  @param {RoomView} before @param {RoomView} now @returns {string[]} */
export const cameAndWent = (before, now) =>
  now.seats.flatMap((seat, at) =>
    seat.kind !== "human" ||
    at === now.you ||
    shares(now) ||
    (before.away_since[at] === null) === (now.away_since[at] === null)
      ? []
      : [
          say(now.away_since[at] === null ? "presence.is_back" : "presence.is_away", {
            name: seatName(seat),
          }),
        ],
  );
/** Who offers what, as the viewer is to read it.
 *  @param {RoomView} view @param {Offer} offer @param {number} seat */
export const offered = (view, offer, seat) =>
  say(`offer.${offer}.made_${offers(view, offer, seat) ? "you" : "them"}`, {
    name: (offer === "seat" && view.asker) || nameOf(view, seat),
    count: view.takes_back ?? 1,
  });
/** Who writes in the chat; empty where no one does. @param {string[]} names */
export function typing(names) {
  if (names.length === 1) return say("notice.typing", { name: names[0] });
  return names.length ? say("notice.several_typing", { count: names.length }) : "";
}
/** The sentence of a room's notice that has one: its fields stand in it, and a seat's player.
 *  @param {RoomView} view @param {{type: string, seat?: number}} notice */
export const noticed = (view, notice) =>
  notice.type === "typing"
    ? ""
    : sayOr(
        `notice.${notice.type}`,
        /** @type {Record<string, Argument>} */ ({
          ...notice,
          ...(notice.seat !== undefined && { name: nameOf(view, notice.seat) }),
        }),
        "",
      );
/**
 * What happened, in a sentence; empty where there is nothing to say.
 * @param {RoomView} before @param {RoomView} now @param {Event["event"]} event @returns {string}
 */
export function happened(before, now, event) {
  switch (event.kind) {
    case "seat_taken":
    case "stand_in_seated":
    case "stand_in_left":
      return seatTaken(before, now, event.seat);
    case "bot_awaited":
      return say("event.bot_awaited", { name: botName(event.bot) });
    case "seat_renamed":
      return say(`event.seat_renamed.${event.seat === now.you ? "you" : "them"}`, {
        before: nameOf(before, event.seat),
        name: event.name,
      });
    case "seat_left":
      return say("event.seat_left", { name: nameOf(before, event.seat) });
    case "game_started":
      return say(`event.game_started.${now.starter === now.you ? "you" : "them"}`, {
        number: now.game_number,
        name: nameOf(now, now.starter),
      });
    case "move_played":
      return say(
        `event.move_played.${event.seat === now.you && !now.seats[event.seat].stand_in ? "you" : "them"}`,
        { name: mover(now, event.seat), move: event.move },
      );
    case "moves_taken_back":
      return say(`event.moves_taken_back.${event.seat === now.you ? "you" : "them"}`, {
        name: nameOf(now, event.seat),
        count: event.plies,
      });
    case "game_finished":
      return now.result ? ended(now.result, now.seats, now.you) : "";
    case "offer_made":
      return offered(now, event.offer, event.seat);
    case "offer_declined": {
      const { offer, seat } = event;
      return say(`offer.${offer}.${before.offers[offer] === seat ? "withdrawn" : "declined"}`);
    }
    case "clocks_resumed":
      return say("event.clocks_resumed");
    case "clocks_stopped":
      return say("event.clocks_stopped");
    case "room_closed":
      return say("table.closed_because", { reason: translated(event.reason_said, event.reason) });
    default:
      return "";
  }
}
/** That a move has left no offer where one stood. @param {RoomView} before @param {RoomView} now */
export const lapsed = (before, now) =>
  now.phase === "playing" && Object.keys(before.offers).some(offer => !(offer in now.offers))
    ? say("event.offer_lapsed")
    : "";
/** @param {RoomView} before @param {RoomView} now @param {number} seat */
function seatTaken(before, now, seat) {
  const was = before.seats[seat];
  const { kind, stand_in: bot } = now.seats[seat];
  const name = nameOf(now, seat);
  const own = seat === now.you ? "you" : "them";
  if (was.kind === "human" && kind === "human")
    return bot ? say("event.stand_in.begins", { bot, name }) : say(`event.stand_in.ends_${own}`, { name });
  if (was.kind === "bot")
    return say("event.seat_taken.from_bot", { name: now.seats[seat].name, bot: seatName(was) });
  return say(`event.seat_taken.${own}`, { name });
}
