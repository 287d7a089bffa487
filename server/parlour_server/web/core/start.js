/** What begins a game without a question, and ends what nobody wants any more. */

import { go } from "../core/router.js";
import { read, write } from "../core/storage.js";
import { say } from "../words.js";
import { Refusal } from "./client.js";

/** @import {Catalogue} from "../core/catalogue.js" */
/** @import {Client, Room} from "../core/client.js" */
/** @import {CreateRoom} from "../protocol.d.ts" */
/** @typedef {NonNullable<CreateRoom["seats"]>[0]} SeatChoice */
/** @typedef {"first" | "second" | "random" | "none"} Side */
/** `guest` names the one in the other seat, where both play at this device.
 *  @typedef {{game: string, settings?: object, moves?: string, side?: Side, bot?: string, other?: string,
 *    guest?: string}} Wanted */

export const USUAL_BOT = "medium";
export const FRIEND = "";
export const NEXT = "*";
export const HERE = "here";

/** Who played at this device last. */
export const guestName = () => read("guest") ?? say("seat.guest");

/** Whom one would play: the one chosen last, where the server still has it. @param {Catalogue} known */
export function opponent({ bots }) {
  const last = read("opponent");
  const names = bots.map(bot => bot.name);
  return last !== null && [FRIEND, HERE, NEXT, ...names].includes(last)
    ? last
    : names.includes(USUAL_BOT)
      ? USUAL_BOT
      : (names[0] ?? FRIEND);
}

/**
 * Make a room with all who sit in it, and go there. With `side` none two bots play. Rejects with a `Refusal`;
 * then there is no room.
 * @param {Client} client @param {Wanted} wanted
 */
export async function start(client, { game, settings = {}, moves = "", side = "first", bot, other, guest }) {
  /** @param {string | undefined} name @returns {SeatChoice} */
  const seated = name => (name === HERE ? { guest: guest ?? guestName() } : name ? { bot: name } : "open");
  const second = side === "second" || (side === "random" && Math.random() < 0.5);
  /** @type {CreateRoom["seats"]} */
  const seats =
    side === "none" ? [seated(bot), seated(other)] : second ? [seated(bot), "me"] : ["me", seated(bot)];
  try {
    const { room: code } = await client.ask("create", { game, settings, moves, seats });
    client.open(code);
    write("game", game);
    if (guest) write("guest", guest);
    go(`/${code}`);
  } catch (error) {
    // The form has its own names for its fields.
    const refused = error instanceof Refusal ? error.refused : null;
    if (refused?.field?.endsWith(".guest")) refused.field = "guest";
    else if (refused?.field?.startsWith("seats."))
      refused.field = side === "none" && refused.field.startsWith("seats.1") ? "other" : "bot";
    throw error;
  }
}

/** Leave no room behind where nobody waits, and keep no opponent waiting. @param {Room} room */
export async function withdraw(room) {
  // Where somebody has just come the room is theirs, too, and can't be closed: they see us leave it.
  for (const step of /** @type {const} */ (["close", "abort", "leave"])) {
    const done = await room.ask(step).then(
      () => true,
      () => false,
    );
    if (done && step === "close") break;
  }
  room.close();
}
