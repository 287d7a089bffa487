/** Calls a bot to a table. */
import { catalogue } from "../core/catalogue.js";
import { dialog } from "../core/dom.js";
import { USUAL_BOT } from "../core/start.js";
import { botField, form } from "./forms.js";
import * as text from "../text.js";

/** @import {Room} from "../core/client.js" */

/** Choose one for the free seat, with its settings. @param {Room} room */
export async function callBot(room) {
  const { bots } = await catalogue(room.client), bot = botField(text.OPPONENT, bots, [], USUAL_BOT);
  dialog(text.CALL_WHOM, close => [form(new Map([["bot", bot]]), { label: text.ACTIONS.add_bot, cancel: close, children: [bot.element],
    run: async () => { await room.ask("add_bot", { bot: bot.value() }); close(); } })]);
}
