/** What begins a game without a question, and ends what nobody wants any more. */
import { go } from "../core/router.js";
import { read, write } from "../core/storage.js";

/** @import {Catalogue} from "../core/catalogue.js" */
/** @import {Client, Room} from "../core/client.js" */
/** @typedef {"first" | "second" | "random" | "none"} Side */
/** @typedef {{game: string, settings?: object, moves?: string, side?: Side, bot?: string, other?: string}} Wanted */

export const USUAL_BOT = "medium", FRIEND = "", NEXT = "*";

/** Whom one would play: the one chosen last, where the server still has it. @param {Catalogue} known */
export function opponent({ bots }) {
  const last = read("opponent"), names = bots.map(bot => bot.name);
  return last !== null && [FRIEND, NEXT, ...names].includes(last) ? last : names.includes(USUAL_BOT) ? USUAL_BOT : names[0] ?? FRIEND;
}

/**
 * Make a room, have the seats taken, and go there. With `side` none two bots play. Rejects with a `Refusal`; then no
 * room stays behind.
 * @param {Client} client @param {Wanted} wanted
 */
export async function start(client, { game, settings = {}, moves = "", side = "first", bot, other }) {
  const { room: code } = await client.ask("create", { game, settings, moves }), room = client.open(code);
  const seat = side === "second" || side === "random" && Math.random() < 0.5 ? 1 : 0;
  const bots = side === "none" ? [[0, bot, "bot"], [1, other, "other"]] : bot ? [[1 - seat, bot, "bot"]] : [];
  try {
    // Not one after the other: each answer takes its time.
    const asked = bots.map(([at, name, of]) => room.ask("add_bot", { bot: name, seat: at }).catch(error => {
      if (error.refused?.field === "bot") error.refused.field = of;
      throw error;
    }));
    if (side !== "none") asked.push(room.ask("sit", { seat }));
    const failed = (await Promise.allSettled(asked)).find(one => one.status === "rejected");
    if (failed) throw failed.reason;
  } catch (error) {
    withdraw(room);
    throw error;
  }
  write("game", game);
  go(`/${code}`);
}

/** Leave no room behind where nobody waits, and keep no opponent waiting. @param {Room} room */
export async function withdraw(room) {
  // Where somebody has just come the room is theirs, too, and can't be closed: they see us leave it.
  for (const step of /** @type {const} */ (["close", "abort", "leave"])) {
    const done = await room.ask(step).then(() => true, () => false);
    if (done && step === "close") break;
  }
  room.close();
}
