/** A quick match: the next person who wants the same game, or after a while a bot. */
import { catalogue, titleOf } from "../core/catalogue.js";
import { Refusal } from "../core/client.js";
import { button, dialog, h, put } from "../core/dom.js";
import { go } from "../core/router.js";
import { opponent, USUAL_BOT, withdraw } from "../core/start.js";
import { read } from "../core/storage.js";
import { botName } from "../game/room_text.js";
import { span } from "../text.js";
import { say } from "../words.js";
import { botField, form, gameFields, numberField, settingFields } from "./forms.js";

/** @import {Client, Room} from "../core/client.js" */
/** @import {RoomLine} from "../protocol.d.ts" */

const AFTER = 30;
const TICK_MS = 200;
/** Somebody came in the same moment: all the better. */
const CAME = new Set(["room_full", "seat_taken"]);

/**
 * Ask which game and clock, then wait. `others` are the rooms in which others wait.
 * @param {Client} client @param {{game?: string, others: () => RoomLine[]}} given
 */
export async function match(client, { game: name, others }) {
  const known = await catalogue(client);
  const whom = opponent(known);
  const isBot = known.bots.some(bot => bot.name === whom);
  const waiting = h("p", { class: "past", role: "status" });
  const game = gameFields(client, known.games, name ?? read("game") ?? "", { choose: look, type: look });
  const set = settingFields(
    known.settings.filter(line => line.name === "clock"),
    known,
  );
  const bot = botField(
    say("page.new.if_none_comes"),
    known.bots,
    [["", say("page.new.wait_on")]],
    isBot ? whom : USUAL_BOT,
  );
  const after = numberField(say("page.new.after"), { least: 0, greatest: 3600, whole: true }, "", {
    value: AFTER,
    required: true,
  });
  const show = () => {
    after.element.hidden = after.input.disabled = !bot.isBot();
  };
  bot.input.addEventListener("input", show);
  show();
  function look() {
    const said = othersWait(others().filter(line => line.game === game.chosen()));
    if (waiting.textContent !== said) waiting.textContent = said;
  }
  look();
  const ends = client.on("lobby", look);
  const box = dialog(
    say("page.lobby.match"),
    close => [
      form(new Map([["game", game.fault], ["bot", bot], ...set.fields]), {
        label: say("page.new.seek"),
        cancel: close,
        run: async () => {
          const asked = game.chosen();
          const settings = set.chosen();
          const who = bot.value();
          const wanted = who ? { bot: who, bot_after: after.value() ?? AFTER } : {};
          const { room: code } = await client.ask("quick", { game: asked, settings, ...wanted });
          const room = client.open(code);
          if (!box.open) return withdraw(room);
          close();
          wait(
            room,
            say("page.new.looking", {
              game: [titleOf(known, asked), settings.clock].filter(Boolean).join(", "),
            }),
            who,
          );
        },
        children: [
          h("div", { class: "fields" }, game.elements),
          waiting,
          h("div", { class: "fields" }, [set.elements(() => true)]),
          h("div", { class: "fields" }, bot.element, after.element),
        ],
      }),
    ],
    ends,
  );
  return box;
}

/** Wait in a seat until somebody comes.
 *  @param {Room} room @param {string} sought @param {string | undefined} bot */
function wait(room, sought, bot) {
  let found = false;
  const countdown = h("p", { role: "timer", class: "countdown numbers" });
  const problem = h("p", { class: "refusal", role: "alert" });
  const box = dialog(
    say("page.lobby.match"),
    close => [
      h("p", { role: "status" }, sought),
      countdown,
      problem,
      h("div", { class: "buttons" }, [
        button(say("page.cancel"), close),
        bot && button(say("page.new.bot_now", { bot: botName(bot) }), () => callBot(bot), { class: "main" }),
      ]),
    ],
    ended,
  );
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

  function tick() {
    const view = room.view;
    const awaited = view?.awaited;
    const named = { bot: awaited ? botName(awaited.bot) : "" };
    const left = awaited && view ? Math.ceil((awaited.at - view.at) / 1000) : 0;
    const said = !awaited
      ? ""
      : left > 0
        ? say("page.new.bot_comes_in", { ...named, span: span(left) })
        : say("page.new.bot_comes_now", named);
    if (countdown.textContent !== said) countdown.textContent = said;
  }

  /** @param {string} name */
  async function callBot(name) {
    put(problem);
    try {
      await room.ask("add_bot", { bot: name });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (!CAME.has(error.code)) put(problem, error.message);
    }
  }

  function ended() {
    clearInterval(timer);
    if (found) return;
    room.onchange = () => {};
    withdraw(room);
  }
}

/** How many wait for this game, and with which clocks. @param {RoomLine[]} rooms */
function othersWait(rooms) {
  /** @type {Record<string, number>} */
  const clocks = {};
  for (const { clock = "" } of rooms) clocks[clock] = (clocks[clock] ?? 0) + 1;
  const which = Object.entries(clocks).map(([clock, count]) =>
    clock ? say("table.others_with", { count, clock }) : say("table.others_without", { count }),
  );
  return which.length
    ? say("table.others_waiting", { clocks: which.join(", ") })
    : say("page.new.none_waiting");
}
