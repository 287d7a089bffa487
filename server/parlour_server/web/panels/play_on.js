/** A game from a position on, asked for where that is looked at: who changes their mind is still there. */
import { attempt } from "../core/attempt.js";
import { button } from "../core/dom.js";
import { say } from "../words.js";

/** @import {Client} from "../core/client.js" */

/** @param {Client} client @param {() => {game: string, moves: string[]}} here */
export const playOn = (client, here) =>
  button(say("action.play_on.label"), () =>
    attempt(async () => (await import("./new_game.js")).newGame(client, here())),
  );
