/** What was said in one's channel, and what happened in the room. It is read aloud by `announce`, and not twice. */
import { h, put } from "../core/dom.js";
import * as text from "../text.js";

/** @param {(words: string) => Promise<unknown>} say resolves to null where it was refused */
export function chatPanel(say) {
  const list = h("div", { class: "lines", role: "log", "aria-live": "off", "aria-label": text.TALK, tabIndex: 0 });
  const input = h("input", { maxlength: 300, autocomplete: "off", enterkeyhint: "send" });
  const form = h("form", { onsubmit: async (/** @type {Event} */ event) => {
    event.preventDefault();
    const words = input.value.trim();
    if (!words) return;
    input.value = "";
    // What was refused is not lost.
    if (await say(words) === null) input.value ||= words;
  } }, input, h("button", null, text.SEND));
  const element = h("section", { class: "panel chat", "aria-label": text.TALK }, h("h2", null, text.TALK), list, form);
  /** @param {HTMLElement} line */
  const add = line => {
    const atEnd = list.scrollTop + list.clientHeight > list.scrollHeight - 30;
    list.append(line);
    while (list.children.length > 300) list.firstElementChild?.remove();
    if (atEnd) list.scrollTop = list.scrollHeight;
  };
  return {
    element, input,
    /** Somebody said something. @param {string} name @param {string} words */
    said: (name, words) => add(h("p", null, h("strong", null, h("bdi", null, name)), ": ", h("bdi", null, words))),
    /** Something happened. @param {string} sentence */
    news: sentence => add(h("p", { class: "news" }, sentence)),
    clear: () => { put(list); },
    /** @param {boolean} may @param {boolean} player */
    update(may, player) {
      form.hidden = !may;
      input.placeholder = text.SAY_SOMETHING;
      input.setAttribute("aria-label", player ? text.TALK_TO.players : text.TALK_TO.spectators);
    },
  };
}
