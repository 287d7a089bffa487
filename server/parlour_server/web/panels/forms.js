/** The fields of a form, made from what the server says of them; and what it refused, beside them. */

import { Refusal } from "../core/client.js";
import { button, h, put, render, set } from "../core/dom.js";
import * as text from "../game/room_text.js";
import { refusal } from "../text.js";
import { say, sayOr, translated } from "../words.js";
import { rulesButton } from "./rules_button.js";

/** @import {Client} from "../core/client.js" */
/** @import {Catalogue} from "../core/catalogue.js" */
/** @import {Child, Props} from "../core/dom.js" */
/** @import {BotLine, GameLine, Refused, SettingLine} from "../protocol.d.ts" */
/**
 * @template [V=string | number | boolean]
 * @typedef {object} Field
 * @property {HTMLElement} element
 * @property {HTMLInputElement | HTMLSelectElement} input
 * @property {() => V | undefined} value undefined: as usual
 * @property {(sentence: string) => void} note
 * @property {(sentence: string) => void} wrong empty: it is right
 */

let count = 0;

/**
 * A label, what is typed or chosen, a note, and a place for what is wrong.
 * @param {string} label @param {HTMLInputElement | HTMLSelectElement} input @param {string} [note]
 * @returns {Field<string>}
 */
export function field(label, input, note = "") {
  const id = `field${++count}`;
  const small = h("small", { id: `${id}note` }, note);
  const fault = h("small", { id: `${id}wrong`, class: "refusal", role: "alert" });
  set(input, { id, "aria-describedby": `${id}note ${id}wrong` });
  const words = h("label", { for: id, id: `${id}label` }, label);
  const element = h("div", { class: input.type === "checkbox" ? "field switch" : "field" }, [
    words,
    input,
    small,
    fault,
  ]);
  /** @param {string} sentence */
  const wrong = sentence => {
    fault.textContent = sentence;
    set(input, { "aria-invalid": sentence ? "true" : null });
  };
  input.addEventListener("input", () => wrong(""));
  return {
    element,
    input,
    value: () => input.value.trim() || undefined,
    note: sentence => {
      small.textContent = sentence;
    },
    wrong,
  };
}

/**
 * Buttons above a field, each of which types a value into it that is usual.
 * @param {Field<string>} made @param {() => [value: string, words: string][]} values
 */
function chips({ input }, values) {
  const element = h("div", { class: "chips", role: "group", "aria-labelledby": `${input.id}label` });
  const show = () =>
    render(
      element,
      values().map(([value, words]) =>
        button(
          words,
          () => {
            input.value = value;
            input.dispatchEvent(new Event("input"));
          },
          { key: words, type: "button", "aria-pressed": String(input.value.trim() === value) },
        ),
      ),
    );
  input.before(element);
  input.addEventListener("input", show);
  show();
  return show;
}

/** @param {[value: string, words: string][]} options @param {string} [value] */
export const select = (options, value) =>
  h("select", null, [
    options.map(([one, words]) => h("option", { value: one, selected: one === value }, words)),
  ]);

/** A number; empty: as usual. @param {string} label
 *  @param {{least?: number, greatest?: number, whole: boolean}} bounds @param {string} note
 *  @param {Props} [more] */
export function numberField(label, { least, greatest, whole }, note, more) {
  const made = field(
    label,
    h("input", {
      type: "number",
      min: least,
      max: greatest,
      step: whole ? 1 : "any",
      inputmode: whole ? "numeric" : "decimal",
      ...more,
    }),
    note,
  );
  return { ...made, value: () => (made.input.value === "" ? undefined : Number(made.input.value)) };
}

/**
 * The fields for a game and its variant. `choose` is called when another game is chosen, and `type` when a
 * variant is typed.
 * @param {Client} client @param {GameLine[]} games @param {string} given
 * @param {{choose?: () => void, type?: () => void}} [then]
 */
export function gameFields(client, games, given, { choose = () => {}, type = () => {} } = {}) {
  const game = field(
    say("page.game"),
    select(games.map(one => [one.name, translated(one.title_said, one.title)])),
  );
  const variant = field(
    say("page.new.variant"),
    h("input", { autocomplete: "off", autocapitalize: "none", spellcheck: "false", maxlength: 60 }),
  );
  // Shown where the game begins from one.
  const position = field(
    say("page.analysis.position"),
    h("input", { autocomplete: "off", autocapitalize: "none", spellcheck: "false" }),
  );
  const named = () => [game.input.value, variant.input.value.trim()].filter(Boolean).join(":");
  const chosen = () => [named(), position.input.value.trim()].filter(Boolean).join("@");
  const row = h("div", { class: "row" });
  game.input.replaceWith(row);
  row.append(game.input, rulesButton(client, chosen));
  const listed = () => games.find(one => one.name === game.input.value);
  const usual = chips(variant, () => (listed()?.usual ?? []).map((one, at) => [at ? one : "", one]));
  const about = () => {
    const line = listed();
    variant.element.hidden = !line?.variants;
    variant.note(line ? translated(line.variants_said, line.variants ?? "") : "");
    game.note(line ? translated(line.summary_said, line.summary) : "");
    usual();
  };
  /** @param {string} name */
  const show = name => {
    const [before, begun = ""] = name.split("@");
    const [base, ...rest] = before.split(":");
    if (games.some(one => one.name === base)) game.input.value = base;
    variant.input.value = rest.join(":");
    position.input.value = begun;
    position.element.hidden = !begun;
    about();
  };
  const wrongOne = () => [position, variant].find(one => one.input.value) ?? game;
  game.input.addEventListener("input", () => {
    show(game.input.value);
    choose();
  });
  variant.input.addEventListener("input", type);
  position.input.addEventListener("input", type);
  show(given);
  return {
    elements: [game.element, variant.element, position.element],
    show,
    chosen,
    /** Where a refusal of the game is shown. @type {Field} */
    fault: {
      ...game,
      wrong: sentence => wrongOne().wrong(sentence),
      get input() {
        return wrongOne().input;
      },
    },
  };
}

/** A bot with its settings, as the server writes them: `minimax:depth=4`. `more` can be chosen besides
 *  the bots.
 *  @param {string} label @param {BotLine[]} bots @param {[string, string][]} more @param {string} [value]
 *  @param {string} [note] */
export function botField(label, bots, more, value, note = "") {
  const made = field(
    label,
    select(
      [...bots.map(bot => /** @type {[string, string]} */ ([bot.name, text.botName(bot.name)])), ...more],
      value,
    ),
    note,
  );
  const details = h("details");
  const numbers = /** @type {Map<string, Field>} */ (new Map());
  const chosen = () => bots.find(bot => bot.name === made.input.value);
  const element = h("div", { class: "stack" }, made.element, details);
  const show = () => {
    const bot = chosen();
    const settings = bot?.settings ?? [];
    numbers.clear();
    for (const one of settings)
      numbers.set(
        one.name,
        numberField(botSetting(one.name, one.unit), one, "", { placeholder: say("page.new.as_usual") }),
      );
    put(details, [
      h("summary", null, say("page.new.bot_settings")),
      h("div", { class: "fields" }, [[...numbers.values()].map(one => one.element)]),
    ]);
    details.hidden = !settings.length;
    made.note(bot ? translated(bot.summary_said, bot.summary) : note);
  };
  made.input.addEventListener("input", show);
  show();
  return {
    ...made,
    element,
    isBot: () => Boolean(chosen()),
    value: () => {
      const given = [...numbers]
        .map(([name, one]) => [name, one.value()])
        .filter(([, number]) => number !== undefined);
      return (
        made.input.value + (given.length ? `:${given.map(one => one.join("=")).join(",")}` : "") || undefined
      );
    },
  };
}

/** A setting of a room or a tournament. Its value is undefined where it is as usual.
 *  @param {SettingLine} line @param {BotLine[]} bots @returns {Field} */
export function settingField(line, bots) {
  const usual = line.default;
  const title = translated(line.title_said, line.title);
  const about = translated(line.description_said, line.description);
  const made =
    line.kind === "choice"
      ? field(
          title,
          select(
            line.choices.map(one => [one, sayOr(`${line.values}.${one}`, {}, one)]),
            String(usual),
          ),
          about,
        )
      : line.kind === "number"
        ? numberField(title, line, about, { value: usual ?? "", placeholder: say("page.new.as_usual") })
        : line.kind === "switch"
          ? field(title, h("input", { type: "checkbox", checked: Boolean(usual) }), about)
          : line.kind === "bot"
            ? botField(title, bots, [["", say("page.new.nobody")]], String(usual ?? ""), about)
            : textField(title, line.examples, String(usual ?? ""), about);
  const value =
    line.kind === "switch" ? () => /** @type {HTMLInputElement} */ (made.input).checked : made.value;
  return { ...made, value: () => (value() === usual ? undefined : value()) };
}

/** The fields of settings, by the names that a command has for them.
 *  @param {SettingLine[]} settings @param {Catalogue} known */
export function settingFields(settings, { bots }) {
  const made = settings.map(line => ({ line, field: settingField(line, bots) }));
  return {
    fields: made.map(one => /** @type {[string, Field]} */ ([`settings.${one.line.name}`, one.field])),
    /** @param {(line: SettingLine) => boolean} which */
    elements: which => made.filter(one => which(one.line)).map(one => one.field.element),
    /** @param {(line: SettingLine) => boolean} which */
    show: which => {
      // What is wrong in a hidden one would keep the form from being sent.
      for (const { line, field } of made) field.element.hidden = field.input.disabled = !which(line);
    },
    /** Those that are shown, and not as usual. */
    chosen: () =>
      Object.fromEntries(
        made
          .filter(one => !one.field.element.hidden)
          .map(one => [one.line.name, one.field.value()])
          .filter(([, value]) => value !== undefined),
      ),
  };
}

/** @param {string} label
 *  @param {string[]} examples that are suggested @param {string} value @param {string} note */
function textField(label, examples, value, note) {
  const made = field(
    label,
    h("input", { value, autocomplete: "off", autocapitalize: "none", maxlength: 60 }),
    note,
  );
  chips(made, () => [
    [value, value || say("page.new.none")],
    ...examples.map(one => /** @type {[string, string]} */ ([one, one])),
  ]);
  return made;
}

/**
 * A form whose fields are known by the names that a command has for them: `settings.clock`. `run` is what it
 * is for.
 * @param {Map<string, Field>} fields
 * @param {{children: Child[], label: string, run: () => Promise<unknown>, cancel: () => void}} what
 */
export function form(fields, { children, label, run, cancel }) {
  const problem = h("p", { class: "refusal", role: "alert" });
  const submit = h("button", { class: "main" }, label);
  /** @param {Refusal} error */
  const refused = error => {
    const at = fields.get(error.refused.field ?? "");
    if (!at) return void (problem.textContent = error.message);
    at.wrong(fieldFault(error.refused));
    const closed = at.element.closest("details");
    if (closed) closed.open = true;
    at.input.focus();
  };
  return h(
    "form",
    {
      class: "stack",
      onsubmit: async (/** @type {Event} */ event) => {
        event.preventDefault();
        if (submit.disabled) return;
        for (const one of fields.values()) one.wrong("");
        problem.textContent = "";
        put(submit, say("page.asking"));
        submit.disabled = true;
        try {
          await run();
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          refused(error);
        } finally {
          put(submit, label);
          submit.disabled = false;
        }
      },
    },
    [
      children,
      problem,
      h("div", { class: "buttons" }, [
        h("button", { type: "button", onclick: cancel }, say("page.cancel")),
        submit,
      ]),
    ],
  );
}

/** @param {string} name @param {string | undefined} unit */
const botSetting = (name, unit) =>
  unit && unit !== "plies" ? `${name} (${sayOr(`bot.unit.${unit}`, {}, unit)})` : name;
/** What the server refused, beside the field that it is about. @param {Refused} refused */
function fieldFault(refused) {
  const why = refused.said?.id === "refusal.wrong_field" ? refused.said.args?.why : undefined;
  // In English, of which the page has no sentences of the server's, without the one that names the field.
  const english = refused.message.replace(/^`[^`]*` is wrong\. /, "");
  return typeof why === "object" && "id" in why ? translated(why, english) : refusal(refused);
}
