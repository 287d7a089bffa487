/** A quick match: the next person who wants the same game, or after a while a bot. */
import { catalogue, titleOf } from "../core/catalogue.js";
import { Refusal } from "../core/client.js";
import { button, dialog, h, put } from "../core/dom.js";
import { go } from "../core/router.js";
import { USUAL_BOT, opponent, withdraw } from "../core/start.js";
import { botField, form, numberField } from "./forms.js";
import { gameFields, settingFields } from "./new_game.js";
import * as text from "../text.js";

/** @import {Client, Room} from "../core/client.js" */
/** @import {RoomLine} from "../protocol.d.ts" */

const AFTER = 30, TICK_MS = 200;
/** Somebody came in the same moment: all the better. */
const CAME = new Set(["room_full", "seat_taken"]);

/**
 * Ask which game and clock, then wait. `others` are the rooms in which others wait.
 * @param {Client} client @param {{game?: string, others: () => RoomLine[]}} given
 */
export async function match(client, { game: name, others }) {
  const known = await catalogue(client), whom = opponent(known), isBot = known.bots.some(bot => bot.name === whom);
  const waiting = h("p", { class: "past", role: "status" });
  const game = gameFields(known.games, name, look), set = settingFields(known.settings.filter(line => line.name === "clock"), known);
  const bot = botField(text.IF_NOBODY, known.bots, [["", text.WAIT_ON]], isBot ? whom : USUAL_BOT);
  const after = numberField(text.AFTER, { least: 0, greatest: 3600, whole: true }, "", { value: AFTER, required: true });
  const show = () => { after.element.hidden = after.input.disabled = !bot.isBot(); };
  bot.input.addEventListener("input", show);
  show();
  function look() {
    const said = text.othersWait(others().filter(line => line.game === game.chosen()));
    if (waiting.textContent !== said) waiting.textContent = said;
  }
  look();
  const ends = client.on("lobby", look);
  const box = dialog(text.MATCH, close => [form(new Map([["game", game.fault], ["bot", bot], ...set.fields]), {
    label: text.SEEK, cancel: close,
    run: async () => {
      const asked = game.chosen(), settings = set.chosen(), who = bot.value();
      // Long before it is to sit down.
      if (who) await client.ask("check_bot", { bot: who, game: asked });
      const { room: code } = await client.ask("quick", { game: asked, settings }), room = client.open(code);
      if (!box.open) return withdraw(room);
      close();
      wait(room, text.lookingFor(titleOf(known, asked), settings.clock), who, after.value() ?? AFTER);
    },
    children: [h("div", { class: "fields" }, game.elements), waiting, h("div", { class: "fields" }, set.elements(() => true)),
      h("div", { class: "fields" }, bot.element, after.element)],
  })], ends);
  return box;
}

/** Wait in a seat until somebody comes. @param {Room} room @param {string} sought @param {string | undefined} bot @param {number} after in seconds */
function wait(room, sought, bot, after) {
  let comes = performance.now() + 1000 * after, called = false, found = false;
  const countdown = h("p", { role: "timer", class: "countdown numbers" }), problem = h("p", { class: "refusal", role: "alert" });
  const box = dialog(text.MATCH, close => [h("p", { role: "status" }, sought), countdown, problem,
    h("div", { class: "buttons" }, button(text.CANCEL, close), bot && button(text.botNow(bot), () => { comes = 0; called = false; tick(); }, { class: "main" }))], ended);
  const timer = setInterval(tick, TICK_MS);
  room.onchange = look;
  look();
  tick();

  function look() {
    if (room.refused) put(problem, room.refused.message);
    if (found || !room.view || room.view.phase === "waiting") return;
    found = true;
    box.close();
    go(`/${room.code}`);
  }

  async function tick() {
    const left = Math.ceil((comes - performance.now()) / 1000);
    if (!bot || called || room.refused) return;
    const said = text.botComes(bot, left);
    if (countdown.textContent !== said) countdown.textContent = said;
    if (left > 0 || !room.view) return;
    called = true;
    put(problem);
    try {
      await room.ask("add_bot", { bot });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (!CAME.has(error.code)) put(problem, error.message);
      put(countdown);
    }
  }

  function ended() {
    clearInterval(timer);
    if (found) return;
    room.onchange = () => {};
    withdraw(room);
  }
}
