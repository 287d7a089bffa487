/** Calls a bot to a table. */
import { catalogue } from "../core/catalogue.js";
import { dialog } from "../core/dom.js";
import { USUAL_BOT } from "../core/start.js";
import { say } from "../words.js";
import { botField, form } from "./forms.js";

/** @import {Room} from "../core/client.js" */

/** Choose one for the free seat, with its settings. @param {Room} room */
export async function callBot(room) {
  const { bots } = await catalogue(room.client);
  const bot = botField(say("page.lobby.against"), bots, [], USUAL_BOT);
  dialog(say("question.call_bot"), close => [
    form(new Map([["bot", bot]]), {
      label: say("action.add_bot.label"),
      cancel: close,
      children: [bot.element],
      run: async () => {
        await room.ask("add_bot", { bot: bot.value() });
        close();
      },
    }),
  ]);
}
