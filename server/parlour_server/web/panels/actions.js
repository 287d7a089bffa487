/** What may be done at a table now, as buttons: by the room's `may`, and by nothing else. */
import { attempt } from "../core/attempt.js";
import { button, dialog, h, render, set } from "../core/dom.js";
import { acting, offers, offersOf, openActions, shares } from "../core/room.js";
import { nameOf } from "../game/room_text.js";
import { say } from "../words.js";
import { confirm } from "./confirm.js";

/** @import {Room} from "../core/client.js" */
/** @import {ShownView} from "../core/room.js" */
/** @import {Action as ActionName} from "../protocol.d.ts" */
/** One that `answers` what is said beside the board stands there.
 *  @typedef {{name: string, label: string, main?: boolean, answers?: boolean, run: () => unknown}} Action */

/** What the board, the chat and the buttons that answer an offer do. All else has a button, in the order of
 *  `may`. */
const ELSEWHERE = /** @type {const} */ (["play", "say", "decline"]);
/** @typedef {Exclude<ActionName, typeof ELSEWHERE[number]>} Named */
const CLAIMS = /** @type {const} */ (["win", "draw", "bot"]);
/** Buttons that stand where another one stood. @type {Record<string, string>} */
const SLOTS = { abort: "resign" };
/** A player's, which come and go while a game is played: each has its place from the start, in this order. */
const RESERVED = /** @type {const} */ (["draw", "takeback", "resign"]);
const MAIN = new Set(["sit", "agree", "rematch"]);
const ASK_FIRST = new Map([
  ["resign", say("question.resign")],
  ["abort", say("question.abort")],
  ["close", say("question.close")],
]);

/** @param {Room} room
 *  @param {() => void} leave puts the focus elsewhere, where the button that had it is gone */
export function actionsPanel(room, leave) {
  const element = h("div", { class: "actions", role: "group" });
  const answers = h("div", { class: "actions" });
  /** While a game is played: all its buttons so far, which keep their places. @type {Map<string, Action>} */
  let kept = new Map();
  let game = "";

  /** @param {ShownView} view @param {Action[]} more what the page does by itself */
  function update(view, more = []) {
    const open = openActions(view);
    /** @type {Action[]} */
    const actions = [];
    for (const [offer, by] of open.has("decline") ? offersOf(view) : []) {
      const own = offers(view, offer, by);
      // The owner alone answers a spectator.
      if (!own && !open.has(offer)) continue;
      if (!own)
        actions.push({
          name: `agree_${offer}`,
          label: say("action.agree.label"),
          main: true,
          answers: true,
          run: () => room.ask(offer),
        });
      actions.push({
        name: `decline_${offer}`,
        label: own ? say("action.withdraw.label") : say("action.decline.label"),
        answers: true,
        run: () => room.ask("decline", { offer }),
      });
      open.delete(offer);
    }
    const claimFrom = view.you === undefined ? null : view.claim_from[view.you];
    if (claimFrom === null || claimFrom > view.at) open.delete("claim");
    // Who may still abort need not resign, nor need the owner ask, who decides.
    if (open.has("abort")) open.delete("resign");
    if (open.has("take_over")) open.delete("seat");
    for (const name of ELSEWHERE) open.delete(name);
    for (const name of /** @type {Set<Named>} */ (open))
      if (!more.some(one => one.name === name))
        actions.push({
          name,
          label: say(`action.${name}.label`),
          main: MAIN.has(name),
          run: () => run(name),
        });
    const focused = [element, answers].some(one => one.contains(document.activeElement))
      ? /** @type {HTMLButtonElement} */ (document.activeElement)
      : null;
    const all = [...actions, ...more];
    const now = new Map(all.filter(one => !one.answers).map(one => [SLOTS[one.name] ?? one.name, one]));
    const mine = `${view.phase} ${view.game_number} ${view.you}`;
    if (mine !== game) kept = new Map();
    game = mine;
    /** @type {[string, Action][]} */
    const reserved =
      view.phase === "playing" && view.you !== undefined
        ? RESERVED.map(name => [name, { name, label: say(`action.${name}.label`), run() {} }])
        : [];
    const shown = new Map([...reserved, ...kept, ...now]);
    // A claim is open only while the other is away.
    if (view.phase === "playing") kept = new Map([...shown].filter(([slot]) => slot !== "claim"));
    /** @param {Action} one @param {boolean} [disabled] */
    const shownAs = ({ name, label, main, run }, disabled = false) =>
      button(label, event => begin(/** @type {Element} */ (event.currentTarget), run), {
        key: name,
        class: main && "main",
        disabled,
      });
    render(
      element,
      [...shown].map(([slot, one]) => shownAs(one, !now.has(slot))),
    );
    render(
      answers,
      all.filter(one => one.answers).map(one => shownAs(one)),
    );
    if (focused && (!focused.isConnected || focused.disabled)) leave();
  }

  /** Do it, and show that it is on its way, which may be long: another press does nothing.
   *  @param {Element} pressed @param {() => unknown} does */
  async function begin(pressed, does) {
    if (pressed.hasAttribute("aria-busy")) return;
    set(pressed, { "aria-busy": "true" });
    await attempt(async () => does()).finally(() => set(pressed, { "aria-busy": null }));
  }

  /** @param {Named} name */
  async function run(name) {
    const question = (room.view && shares(room.view) && ofTwo(name, room.view)) || ASK_FIRST.get(name);
    if (question) return confirm(question, () => attempt(() => room.ask(name)));
    if (name === "add_bot") return (await import("./call_bot.js")).callBot(room);
    if (name === "claim") return claim();
    return room.ask(name);
  }

  /** What is asked first where two play at one device. @param {Named} name @param {ShownView} view */
  const ofTwo = (name, view) =>
    name === "draw"
      ? say("question.draw")
      : name === "resign" && say("question.resign_of", { name: nameOf(view, acting(view) ?? 0) });

  function claim() {
    dialog(say("question.claim"), close => [
      h("div", { class: "stack" }, [
        CLAIMS.map(what =>
          button(say(`claim.${what}`), () => {
            close();
            attempt(() => room.ask("claim", { what }));
          }),
        ),
      ]),
    ]);
  }
  return { element, answers, update };
}
