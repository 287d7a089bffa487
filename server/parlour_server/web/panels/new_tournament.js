/** A new tournament: what its host decides. */
import { catalogue } from "../core/catalogue.js";
import { dialog, h } from "../core/dom.js";
import { go } from "../core/router.js";
import { read } from "../core/storage.js";
import { say } from "../words.js";
import { field, form, gameFields, settingFields } from "./forms.js";

/** @import {Client} from "../core/client.js" */
/** @import {SettingLine} from "../protocol.d.ts" */

/** The other settings are unfolded. */
const FIRST = ["format", "clock", "rounds", "minutes", "pause"];

/** Ask for it, make it, and go there. @param {Client} client @returns {Promise<HTMLDialogElement>} */
export async function newTournament(client) {
  const known = await catalogue(client);
  const game = gameFields(client, known.games, read("game") ?? "");
  const title = field(
    say("page.tournament.name"),
    h("input", { required: true, maxlength: 60, autocomplete: "off" }),
  );
  const set = settingFields(known.tournament, known);
  const fields = new Map([["settings.game", game.fault], ["title", title], ...set.fields]);
  const format = /** @type {HTMLSelectElement} */ (fields.get("settings.format")?.input);
  const show = () => set.show(({ formats }) => !formats.length || formats.includes(format.value));
  format.addEventListener("input", show);
  show();
  const first = (/** @type {SettingLine} */ line) => FIRST.includes(line.name);
  return dialog(say("page.tournament.new"), close => [
    form(fields, {
      label: say("page.tournament.make"),
      cancel: close,
      run: async () => {
        const made = await client.ask("create_tournament", {
          title: title.value() ?? say("page.tournament.new"),
          settings: { game: game.chosen(), ...set.chosen() },
        });
        close();
        go(`/${made.room}`);
      },
      children: [
        h("div", { class: "fields" }, title.element),
        h("div", { class: "fields" }, game.elements),
        h("div", { class: "fields" }, set.elements(first)),
        h("details", null, [
          h("summary", null, say("page.new.more_settings")),
          h(
            "div",
            { class: "fields" },
            set.elements(line => !first(line)),
          ),
        ]),
      ],
    }),
  ]);
}
