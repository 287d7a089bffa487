/** What a server offers: its games, its bots, the settings of a room and of a tournament. Asked for once in each connection. */
import { say, translated } from "../words.js";

/** @import {Client} from "./client.js" */
/** @import {BotLine, GameLine, SettingLine, Welcome} from "../protocol.d.ts" */
/** @typedef {{games: GameLine[], settings: SettingLine[], tournament: SettingLine[], bots: BotLine[]}} Catalogue */

/** @type {WeakMap<Welcome | Client, Promise<Catalogue>>} */
const asked = new WeakMap();

/** Rejects with a `Refusal`. @param {Client} client @returns {Promise<Catalogue>} */
export function catalogue(client) {
  const key = client.welcome ?? client;
  const there = asked.get(key);
  if (there) return there;
  const asking = Promise.all([client.ask("games", {}), client.ask("bots", {})]).then(
    ([{ games, settings, of_tournament }, { bots }]) => ({
      games,
      settings,
      tournament: of_tournament,
      bots,
    }),
  );
  asked.set(key, asking);
  asking.catch(() => asked.delete(key));
  return asking;
}

/** What to call a game; a variant has only the name that is typed. Behind an @ stands a position.
 *  @param {Catalogue | null} known @param {string} game @returns {string} */
export function titleOf(known, game) {
  const at = game.indexOf("@");
  if (at >= 0) return say("position.title", { game: titleOf(known, game.slice(0, at)) });
  const line = known?.games.find(one => one.name === game);
  return line ? translated(line.title_said, line.title) : game;
}
