/** Who one is, and how the page looks, speaks and sounds. */
import { Refusal } from "../core/client.js";
import { button, dialog, h, put, set } from "../core/dom.js";
import * as sound from "../core/sound.js";
import { read, write } from "../core/storage.js";
import { LANGUAGES, say } from "../words.js";

/** @import {Client} from "../core/client.js" */

/**
 * @param {Client} client
 * @param {{appearance: () => void, showKeys: () => void}} page what a choice changes, and where the keys are
 */
export function openSettings(client, { appearance, showKeys }) {
  /** @param {string} name
   *  @param {string} label @param {Record<string, string>} values @param {() => void} then */
  const choice = (name, label, values, then) => {
    const options = Object.entries(values).map(([value, words]) =>
      h("option", { value, selected: (read(name) ?? "") === value }, words),
    );
    const chosen = h(
      "select",
      {
        onchange: () => {
          write(name, chosen.value || null);
          then();
        },
      },
      [options],
    );
    return h("label", { class: "field" }, label, chosen);
  };
  const wrong = h("small", { id: "name-wrong", class: "refusal", role: "alert" });
  const name = h("input", {
    id: "name",
    value: client.name,
    maxlength: 200,
    autocomplete: "nickname",
    "aria-describedby": wrong.id,
  });
  dialog(say("page.settings.title"), close => [
    h(
      "form",
      {
        class: "stack",
        onsubmit: async (/** @type {Event} */ event) => {
          event.preventDefault();
          const wanted = name.value.trim();
          try {
            if (wanted && wanted !== client.name) await client.rename(wanted);
            close();
          } catch (error) {
            if (!(error instanceof Refusal)) throw error;
            put(wrong, error.message);
            set(name, { "aria-invalid": "true" });
            name.focus();
          }
        },
      },
      [
        h("div", { class: "field" }, h("label", { for: name.id }, say("page.settings.name")), name, wrong),
        choice(
          "language",
          say("page.language"),
          { "": say("page.as_browser"), ...Object.fromEntries(LANGUAGES) },
          () => location.reload(),
        ),
        choice(
          "theme",
          say("page.settings.theme"),
          {
            "": say("page.settings.as_system"),
            dark: say("page.settings.dark"),
            light: say("page.settings.light"),
          },
          appearance,
        ),
        choice(
          "board",
          say("boards.title"),
          {
            "": say("boards.paper"),
            wood: say("boards.wood"),
            slate: say("boards.slate"),
            contrast: say("boards.contrast"),
          },
          appearance,
        ),
        choice(
          "motion",
          say("page.settings.motion"),
          { "": say("page.settings.as_system"), off: say("page.settings.still") },
          appearance,
        ),
        choice(
          "sound",
          say("page.settings.sound"),
          { "": say("page.settings.off"), on: say("page.settings.on") },
          () => sound.play("move"),
        ),
        h("div", { class: "buttons" }, [
          button(say("page.settings.keys"), () => {
            close();
            showKeys();
          }),
          h("button", { class: "main" }, say("page.save")),
        ]),
      ],
    ),
  ]);
}
