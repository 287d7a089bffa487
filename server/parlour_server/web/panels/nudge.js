/** A line over the page's lower edge that a person may act upon. It moves nothing. */
import { button, h } from "../core/dom.js";

/**
 * @param {string} sentence @param {[string, () => void][]} choices what each button says and does; each takes the
 *     line away
 * @returns {HTMLElement}
 */
export function nudge(sentence, choices) {
  const element = h("div", { class: "nudge" }, [
    h("span", null, h("bdi", null, sentence)),
    choices.map(([label, run]) =>
      button(label, () => {
        element.remove();
        run();
      }),
    ),
  ]);
  document.querySelector(".nudge")?.remove();
  document.querySelector(".table")?.append(element);
  return element;
}
