/** What tells how a game is played: beside each table, and wherever a game is chosen. */
import { attempt } from "../core/attempt.js";
import { button } from "../core/dom.js";
import { say } from "../words.js";

/** @import {Client} from "../core/client.js" */

/** @param {Client} client @param {() => string} game */
export const rulesButton = (client, game) =>
  button("?", () => attempt(async () => (await import("./rules.js")).showRules(client, game())), {
    class: "ask",
    "aria-label": say("page.rules.button"),
    title: say("page.rules.button"),
  });
