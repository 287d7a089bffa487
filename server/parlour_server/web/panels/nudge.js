/** A line over the page's lower edge that a person may act upon; or one that waits in its place. */
import { button, h } from "../core/dom.js";

/**
 * @param {string} sentence @param {[string, () => void][]} choices what each button says and does; each takes the
 *     line away
 * @param {HTMLElement} [above] below which it waits for its answer; else it moves nothing
 * @returns {HTMLElement}
 */
export function nudge(sentence, choices, above) {
  const element = h("div", { class: ["nudge", above && "waits"] }, [
    h("span", null, h("bdi", null, sentence)),
    choices.map(([label, run]) =>
      button(label, () => {
        element.remove();
        run();
      }),
    ),
  ]);
  document.querySelector(".nudge")?.remove();
  if (above) above.after(element);
  else document.querySelector(".table")?.append(element);
  return element;
}
