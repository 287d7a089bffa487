/** A new game with everything that its creator decides. */
import { Board } from "../board/board.js";
import { catalogue } from "../core/catalogue.js";
import { Refusal } from "../core/client.js";
import { announce, button, set as change, dialog, h } from "../core/dom.js";
import { FRIEND, guestName, HERE, NEXT, opponent, start, USUAL_BOT } from "../core/start.js";
import { read } from "../core/storage.js";
import { Boards } from "../game/boards.js";
import { say } from "../words.js";
import { botField, field, form, gameFields, select, settingFields } from "./forms.js";

/** @import {Client} from "../core/client.js" */
/** @import {SettingLine} from "../protocol.d.ts" */
/** @import {Side} from "../core/start.js" */

const SIDES = /** @type {Side[]} */ (["first", "second", "random", "none"]);
/** What is asked for at once; other settings stand below. */
const FIRST = ["clock", "visibility"];

/**
 * Ask for all that there is to decide, then begin. Other pages call it to play on: with the game and the
 * moves that lead to their position.
 * @param {Client} client @param {{game?: string, moves?: string[], side?: Side}} [given]
 * @returns {Promise<HTMLDialogElement>}
 */
export async function newGame(client, { game: name, moves: begun = [], side: chosenSide = "first" } = {}) {
  const known = await catalogue(client);
  const { games, bots, settings } = known;
  const whom = opponent(known);
  const boards = new Boards(client);
  const game = gameFields(client, games, name ?? read("game") ?? "", {
    choose: () => {
      // Another game has other moves.
      moves.input.value = "";
      look();
    },
    type: look,
  });
  const side = field(
    say("page.new.side"),
    select(
      SIDES.map(one => [one, say(`page.new.sides.${one}`)]),
      chosenSide,
    ),
  );
  const usual = whom === NEXT ? FRIEND : whom;
  const bot = botField(
    say("page.lobby.against"),
    bots,
    [
      [FRIEND, say("page.lobby.friend")],
      [HERE, say("page.lobby.guest")],
    ],
    usual,
    say("page.new.friend_joins"),
  );
  const guest = field(
    say("page.new.guest"),
    h("input", { value: guestName(), autocomplete: "off", maxlength: 200 }),
    say("page.new.guest_how"),
  );
  const other = botField(say("page.new.second_seat"), bots, [], usual || USUAL_BOT);
  const set = settingFields(settings, known);
  const moves = field(
    say("page.new.from_moves"),
    h("input", {
      value: begun.join(" "),
      autocomplete: "off",
      autocapitalize: "none",
      spellcheck: "false",
      maxlength: 4000,
    }),
    say("page.new.moves_how"),
  );
  /** The moves of the position that the board shows. @type {string[]} */
  let played = [];
  const board = new Board({ onmove: move => setMoves([...played, move]) });
  const undo = button(say("page.new.undo"), () => setMoves(played.slice(0, -1)));
  const clear = button(say("page.new.clear"), () => setMoves([]));
  const setup = h("div", { class: "setup stack" }, board.element, h("div", { class: "row" }, undo, clear));
  const ofBots = h("div", { class: "fields" }, [set.elements(line => line.bots_only)]);
  const people = [...bot.input.querySelectorAll("option")].filter(one => [FRIEND, HERE].includes(one.value));

  function show() {
    const watch = side.input.value === "none";
    other.element.hidden = ofBots.hidden = !watch;
    for (const one of people) one.disabled = watch;
    if (watch && !bot.isBot()) {
      bot.input.value = other.input.value;
      bot.input.dispatchEvent(new Event("input"));
    }
    guest.element.hidden = bot.input.value !== HERE;
    if (bot.input.value === HERE) bot.note("");
    /** @type {HTMLElement} */ (bot.element.querySelector("label")).textContent = watch
      ? say("page.new.first_seat")
      : say("page.lobby.against");
  }

  /** Begin after these moves. @param {string[]} list */
  function setMoves(list) {
    moves.input.value = list.join(" ");
    moves.wrong("");
    announce(list.at(-1) ?? say("page.table.beginning"));
    if (document.activeElement === undo || document.activeElement === clear) board.focus();
    return look();
  }

  /** Show the position that the game would begin with, where one plays on to it; palely, where there is none.
   *  Nothing else moves: a click may be under way. */
  async function look() {
    const words = moves.input.value.trim();
    const of = game.chosen();
    const asked = () => words === moves.input.value.trim() && of === game.chosen();
    try {
      const found = await boards.after(of, words ? [words] : []);
      if (!asked()) return;
      played = found.moves;
      board.show(found.position, { yours: !found.winner });
      change(undo, { disabled: !played.length });
      change(clear, { disabled: !played.length });
      setup.classList.remove("none");
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (asked()) setup.classList.add("none");
    }
  }
  moves.input.addEventListener("input", look);
  side.input.addEventListener("input", show);
  bot.input.addEventListener("input", show);
  show();
  look();
  const more = (/** @type {SettingLine} */ line) => !line.bots_only && !FIRST.includes(line.name);
  const fields = new Map([
    ["game", game.fault],
    ["bot", bot],
    ["other", other],
    ["guest", guest],
    ["moves", moves],
    ...set.fields,
  ]);
  const box = dialog(say("page.lobby.new_game"), close => [
    form(fields, {
      label: say("page.play"),
      cancel: close,
      run: async () => {
        await start(client, {
          game: game.chosen(),
          settings: set.chosen(),
          moves: moves.value(),
          side: /** @type {Side} */ (side.input.value),
          bot: bot.value(),
          other: other.value(),
          guest: guest.element.hidden ? undefined : guest.value(),
        });
        close();
      },
      children: [
        h("div", { class: "fields" }, game.elements),
        h("div", { class: "fields" }, side.element, bot.element, other.element, guest.element),
        ofBots,
        h("div", { class: "fields" }, [set.elements(line => FIRST.includes(line.name))]),
        h("details", { open: begun.length > 0 }, [
          h("summary", null, say("page.new.from_position")),
          setup,
          moves.element,
        ]),
        h("details", null, [
          h("summary", null, say("page.new.more_settings")),
          h("div", { class: "fields" }, set.elements(more)),
        ]),
      ],
    }),
  ]);
  box.classList.add("wide");
  return box;
}
