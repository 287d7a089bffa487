/** What may be done at a table now, as buttons: by the room's `may`, and by nothing else. */
import { attempt } from "../core/attempt.js";
import { button, dialog, h, render } from "../core/dom.js";
import { offersOf, openActions } from "../core/room.js";
import { say } from "../words.js";

/** @import {Room} from "../core/client.js" */
/** @import {ShownView} from "../core/room.js" */
/** @import {Action as ActionName} from "../protocol.d.ts" */
/** @typedef {{name: string, label: string, main?: boolean, run: () => unknown}} Action */

/** What the board, the chat and the buttons that answer an offer do. All else has a button, in the order of
 *  `may`. */
const ELSEWHERE = /** @type {const} */ (["play", "say", "decline"]);
/** @typedef {Exclude<ActionName, typeof ELSEWHERE[number]>} Named */
const CLAIMS = /** @type {const} */ (["win", "draw", "bot"]);
const MAIN = new Set(["sit", "agree", "rematch"]);
const ASK_FIRST = new Map([
  ["resign", say("question.resign")],
  ["close", say("question.close")],
]);

/** @param {Room} room
 *  @param {() => void} leave puts the focus elsewhere, where the button that had it is gone */
export function actionsPanel(room, leave) {
  const element = h("div", { class: "actions", role: "group" });

  /** @param {ShownView} view @param {Action[]} more what the page does by itself */
  function update(view, more = []) {
    const open = openActions(view);
    /** @type {Action[]} */
    const actions = [];
    for (const [offer, by] of open.has("decline") ? offersOf(view) : []) {
      const own = by === view.you;
      if (!own && open.has(offer))
        actions.push({
          name: `agree_${offer}`,
          label: say("action.agree.label"),
          main: true,
          run: () => room.ask(offer),
        });
      actions.push({
        name: `decline_${offer}`,
        label: own ? say("action.withdraw.label") : say("action.decline.label"),
        run: () => room.ask("decline", { offer }),
      });
      open.delete(offer);
    }
    const claimFrom = view.you === undefined ? null : view.claim_from[view.you];
    if (claimFrom === null || claimFrom > view.at) open.delete("claim");
    for (const name of ELSEWHERE) open.delete(name);
    for (const name of /** @type {Set<Named>} */ (open))
      if (!more.some(one => one.name === name))
        actions.push({
          name,
          label: say(`action.${name}.label`),
          main: MAIN.has(name),
          run: () => run(name),
        });
    const focused = /** @type {HTMLElement | null} */ (
      element.contains(document.activeElement) ? document.activeElement : null
    );
    render(
      element,
      [...actions, ...more].map(({ name, label, main, run }) =>
        button(label, () => attempt(async () => run()), { key: name, class: main && "main" }),
      ),
    );
    if (focused && !focused.isConnected) leave();
  }

  /** @param {Named} name */
  async function run(name) {
    const question = ASK_FIRST.get(name);
    if (question) return confirm(question, () => attempt(() => room.ask(name)));
    if (name === "add_bot") return (await import("./call_bot.js")).callBot(room);
    if (name === "claim") return claim();
    return room.ask(name);
  }

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
  return { element, update };
}

/** Ask before something that can't be undone.
 *  @param {string} question @param {() => void} then @param {() => void} [closed] */
export function confirm(question, then, closed) {
  dialog(
    question,
    close => [
      h("div", { class: "buttons" }, [
        button(say("page.no"), close),
        button(
          say("page.yes"),
          () => {
            close();
            then();
          },
          { class: "main" },
        ),
      ]),
    ],
    closed,
  );
}
