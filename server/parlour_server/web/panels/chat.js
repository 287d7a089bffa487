/** What was said in one's channel, and what happened in the room. It is read aloud by `announce`, and not
 *  twice. */
import { h, put } from "../core/dom.js";
import { say } from "../words.js";

/** @param {(words: string) => Promise<unknown>} post resolves to null where it was refused
 *  @param {() => void} writes called while something is written */
export function chatPanel(post, writes) {
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
        if ((await post(words)) === null) input.value ||= words;
      },
    },
    [input, h("button", null, say("page.table.send"))],
  );
  const element = h("section", { class: "panel chat", "aria-label": say("page.table.talk") }, [
    h("h2", null, say("page.table.talk"), " ", typing),
    list,
    form,
  ]);
  /** @param {HTMLElement} line */
  const add = line => {
    const atEnd = list.scrollTop + list.clientHeight > list.scrollHeight - 30;
    list.append(line);
    while (list.children.length > 300) list.firstElementChild?.remove();
    if (atEnd) list.scrollTop = list.scrollHeight;
  };
  return {
    element,
    input,
    /** Somebody said something. @param {string} name @param {string} words */
    said: (name, words) =>
      add(h("p", null, h("strong", null, h("bdi", null, name)), ": ", h("bdi", null, words))),
    /** Something happened. @param {string} sentence */
    news: sentence => add(h("p", { class: "news" }, sentence)),
    /** Who writes. @param {string} sentence */
    typing: sentence => put(typing, sentence),
    clear: () => {
      put(list);
    },
    /** @param {boolean} may @param {boolean} player */
    update(may, player) {
      form.hidden = !may;
      input.placeholder = say("page.table.say");
      input.setAttribute(
        "aria-label",
        player ? say("page.table.say_players") : say("page.table.say_spectators"),
      );
    },
  };
}
