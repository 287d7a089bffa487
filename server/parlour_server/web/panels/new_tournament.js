/** A new tournament: what its host decides. */
import { catalogue } from "../core/catalogue.js";
import { dialog, h } from "../core/dom.js";
import { go } from "../core/router.js";
import { read } from "../core/storage.js";
import { say } from "../words.js";
import { field, form, gameFields, select } from "./forms.js";

/** @import {Client} from "../core/client.js" */

const FORMATS = /** @type {const} */ ([
  "swiss",
  "round_robin",
  "double_round_robin",
  "knockout",
  "gauntlet",
  "arena",
]);

/** Ask for it, make it, and go there. @param {Client} client @returns {Promise<HTMLDialogElement>} */
export async function newTournament(client) {
  const { games } = await catalogue(client);
  const game = gameFields(client, games, read("game") ?? "", { choose() {}, type() {} });
  const title = field(
    say("page.tournament.name"),
    h("input", { required: true, maxlength: 60, autocomplete: "off" }),
  );
  const format = field(
    say("page.tournament.format"),
    select(
      FORMATS.map(one => [one, say(`tournament.format.${one}`)]),
      "swiss",
    ),
  );
  const clock = field(say("page.tournament.clock"), h("input", { value: "5+3", autocomplete: "off" }));
  const rounds = field(
    say("page.tournament.rounds"),
    h("input", { type: "number", min: 1, max: 30, inputmode: "numeric" }),
    say("page.tournament.rounds_how"),
  );
  const minutes = field(
    say("page.tournament.minutes"),
    h("input", { type: "number", min: 1, max: 600, value: "30", inputmode: "numeric" }),
  );
  const pause = field(
    say("page.tournament.pause"),
    h("input", { type: "number", min: 0, max: 3600, value: "15", inputmode: "numeric" }),
  );
  const show = () => {
    rounds.element.hidden = format.input.value !== "swiss";
    minutes.element.hidden = format.input.value !== "arena";
    pause.element.hidden = format.input.value === "arena";
  };
  format.input.addEventListener("input", show);
  show();
  const fields = new Map([
    ["settings.game", game.fault],
    ["title", title],
    ["settings.clock", clock],
    ["settings.rounds", rounds],
    ["settings.minutes", minutes],
    ["settings.pause", pause],
  ]);
  return dialog(say("page.tournament.new"), close => [
    form(fields, {
      label: say("page.tournament.make"),
      cancel: close,
      run: async () => {
        const count = Number(rounds.value());
        const made = await client.ask("create_tournament", {
          title: title.value() ?? say("page.tournament.new"),
          settings: {
            game: game.chosen(),
            format: /** @type {(typeof FORMATS)[number]} */ (format.input.value),
            clock: clock.value() ?? "5+3",
            minutes: Number(minutes.value() ?? 30),
            pause: Number(pause.value() ?? 15),
            ...(format.input.value === "swiss" && count > 0 && { rounds: count }),
          },
        });
        close();
        go(`/${made.room}`);
      },
      children: [
        h("div", { class: "fields" }, title.element, format.element),
        h("div", { class: "fields" }, game.elements),
        h("div", { class: "fields" }, clock.element, rounds.element, minutes.element, pause.element),
      ],
    }),
  ]);
}
