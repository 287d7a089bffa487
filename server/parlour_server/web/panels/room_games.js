/** The games that were played in a room, to look back on. */
import { dialog, h } from "../core/dom.js";
import { ROOM_GAMES } from "../lists.js";
import { say } from "../words.js";
import { item } from "./list.js";

/** @import {Client} from "../core/client.js" */
/** @import {PastGame} from "../protocol.d.ts" */

/** @param {Client} client @param {string} code */
export async function showGames(client, code) {
  /** @type {PastGame[]} */
  const all = [];
  for (let more = true; more; ) {
    const part = await client.ask("room_games", { room: code, after: all.length });
    all.push(...part.history.games);
    more = part.more;
  }
  const games = all
    .reverse()
    .map(game => h("li", null, h("a", { href: `/review#${code}/${game.number}` }, item(ROOM_GAMES, game))));
  dialog(say("action.games.label"), () => [h("ol", { class: "stack" }, games)]);
}
