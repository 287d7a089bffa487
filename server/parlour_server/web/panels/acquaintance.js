/** What is known of the two at a table beyond this game: how their games ended, and their ratings. */
import * as text from "../game/room_text.js";
import { say } from "../words.js";

/** @import {Room} from "../core/client.js" */

const TRIES = 5;
const PAUSE_MS = 2000;

/** How all games against the other player have ended; empty where there are none. @param {Room} room */
export async function met(room) {
  const { you, seats } = room.view ?? {};
  if (!seats || you === undefined || seats[you].shared || seats[1 - you].kind !== "human") return "";
  const { wins, draws, losses } = (await room.ask("head_to_head")).tally;
  if (!(wins + draws + losses)) return "";
  return say("outcome.head_to_head", { name: seats[1 - you].name, wins, draws, losses });
}

/** How both are rated. After a rated game it asks again until that is counted, perhaps at another node.
 *  @param {Room} room @param {(shown: (string | undefined)[], changed: string) => void} show */
export async function rate(room, show, tries = TRIES) {
  const { ratings } = await room.ask("room_ratings");
  const { view } = room;
  if (!view) return;
  const shown = ratings.map(one => (one ? `${one.rating}${one.provisional ? "?" : ""}` : undefined));
  const players = ratings.flatMap((one, seat) =>
    one?.change
      ? [
          `${text.nameOf(view, seat ? 1 : 0)} ${say("rated.changed", { rating: shown[seat] ?? "", change: one.change })}`,
        ]
      : [],
  );
  show(shown, players.length ? say("rated.now", { players }) : "");
  if (!players.length && tries && view.phase === "finished" && !view.result?.unrated)
    setTimeout(() => rate(room, show, tries - 1).catch(() => {}), PAUSE_MS / tries);
}
