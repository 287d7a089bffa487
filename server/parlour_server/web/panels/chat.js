/** What was said in one's channel, and what happened in the room. It is read aloud by `announce`, and not
 *  twice. */
import { button, h, put, still } from "../core/dom.js";
import { QUICK_WORDS } from "../core/messages.js";
import { recall, remember } from "../core/storage.js";
import { say } from "../words.js";
import { nudge } from "./nudge.js";

/** @import {Say} from "../protocol.d.ts" */

/** What is said by a touch, as it stands. */
const FACES = ["👍", "😄", "😮", "👏"];
/** Lines of what happened that are still there when the page is loaded anew. */
const KEPT = 60;
/** Letters of what was said that are shown where the chat is out of sight. */
const LONGEST = 60;

/** @param {(said: {text: string} | {quick: Say["quick"]}) => Promise<unknown>} post resolves to null where it was
 *     refused
 *  @param {() => void} writes called while something is written
 *  @param {string} room @param {() => number} now the server's time */
export function chatPanel(post, writes, room, now) {
  const list = h("div", {
    class: "lines",
    role: "log",
    "aria-live": "off",
    "aria-label": say("page.table.talk"),
    tabIndex: 0,
  });
  const oninput = () => input.value.trim() && writes();
  const input = h("input", { maxlength: 300, autocomplete: "off", enterkeyhint: "send", oninput });
  const typing = h("span", { class: "news" });
  const form = h(
    "form",
    {
      onsubmit: async (/** @type {Event} */ event) => {
        event.preventDefault();
        const words = input.value.trim();
        if (!words) return;
        input.value = "";
        // What was refused is not lost.
        if ((await post({ text: words })) === null) input.value ||= words;
      },
    },
    [input, h("button", null, say("page.table.send"))],
  );
  const quick = h("div", { class: "quick", role: "group", "aria-label": say("page.table.quick") }, [
    QUICK_WORDS.map(word => button(say(`quick.${word}`), () => post({ quick: word }))),
    FACES.map(face => button(face, () => post({ text: face }))),
  ]);
  const readers = h("p", { class: "past" });
  const element = h("section", { class: "panel chat", "aria-label": say("page.table.talk") }, [
    h("h2", null, say("page.table.talk"), " ", typing),
    readers,
    list,
    quick,
    form,
  ]);
  /** What was said while the chat is out of sight. @type {HTMLElement | null} */
  let unread = null;
  let seen = false;
  const watched = new IntersectionObserver(([{ isIntersecting }]) => {
    seen = isIntersecting;
    if (seen) unread?.remove();
  });
  watched.observe(list);
  const show = () => {
    element.scrollIntoView({ block: "nearest", behavior: still() ? "instant" : "smooth" });
    list.focus({ preventScroll: true });
  };

  /** A line, and what is said in it. @typedef {{at: number, words: string, name?: string}} Line */
  /** What happened, of which the server sends no list. @type {Line[]} */
  let happened = JSON.parse(recall(`news.${room}`) ?? "[]");

  /** @param {string} words @param {string} [name] whose they are; else they say what happened */
  const add = (words, name) => {
    const line = name
      ? h("p", null, h("strong", null, h("bdi", null, name)), ": ", h("bdi", null, words))
      : h("p", { class: "news" }, words);
    const atEnd = list.scrollTop + list.clientHeight > list.scrollHeight - 30;
    list.append(line);
    while (list.children.length > 300) list.firstElementChild?.remove();
    if (atEnd) list.scrollTop = list.scrollHeight;
  };
  return {
    element,
    input,
    /** Somebody said something. @param {string} name @param {string} words */
    said: (name, words) => add(words, name),
    /** All that was said, with what happened meanwhile. @param {Line[]} lines */
    fill(lines) {
      put(list);
      for (const one of [...lines, ...happened].sort((one, other) => one.at - other.at))
        add(one.words, one.name);
    },
    /** It has just been said, by somebody else. @param {string} name @param {string} words */
    call(name, words) {
      const short = words.length > LONGEST ? `${words.slice(0, LONGEST)}…` : words;
      if (!seen) unread = nudge(`${name}: ${short}`, [[say("page.table.read"), show]]);
    },
    /** Something happened. @param {string} words */
    news(words) {
      happened = [...happened, { at: now(), words }].slice(-KEPT);
      remember(`news.${room}`, JSON.stringify(happened));
      add(words);
    },
    /** Who writes. @param {string} sentence */
    typing: sentence => put(typing, sentence),
    close: () => watched.disconnect(),
    /** @param {boolean} may @param {boolean} player */
    update(may, player) {
      form.hidden = quick.hidden = !may;
      element.hidden = !may && !list.hasChildNodes();
      readers.hidden = !may;
      readers.textContent = say(player ? "chat.read_by_players" : "chat.read_by_spectators");
      input.placeholder = say("page.table.say");
      input.setAttribute(
        "aria-label",
        player ? say("page.table.say_players") : say("page.table.say_spectators"),
      );
    },
  };
}
