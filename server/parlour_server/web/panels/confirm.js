/** A question before what can't be undone. */
import { button, dialog, h } from "../core/dom.js";
import { say } from "../words.js";

/** Ask it: yes or no.
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
