/** Any list of the protocol's as elements: a row in two lines, its values by their kinds. */
import { titleOf } from "../core/catalogue.js";
import { h } from "../core/dom.js";
import { standing } from "../core/listing.js";
import * as text from "../game/room_text.js";
import { span, when } from "../text.js";
import { say, translated } from "../words.js";

/** @import {Catalogue} from "../core/catalogue.js" */
/** @import {Child} from "../core/dom.js" */
/** @import {Column} from "../lists.js" */
/** @import {SeatView} from "../protocol.d.ts" */

/**
 * A row of a list. Columns that the place says already go `without`.
 * @param {Column[]} columns
 * @param {any} row
 * @param {{known?: Catalogue | null, without?: string[]}} [how]
 * @returns {HTMLElement[]}
 */
export function item(columns, row, { known = null, without = [] } = {}) {
  return [1, 2].map(line => {
    /** @type {Child[]} */
    const shown = [];
    let facts = false;
    for (const column of columns) {
      const said =
        (column.line ?? 1) === line && !without.includes(column.name) && phrase(column, row, known);
      if (!said) continue;
      const fact = isFact(column);
      if (shown.length) shown.push(fact && facts ? " · " : " ");
      shown.push(
        h("span", { class: column.tone ?? (fact ? "past" : column.kind === "key" ? "code" : "") }, said),
      );
      facts = fact;
    }
    return h("p", null, shown);
  });
}

/**
 * A short list as a table, each of its rows as a column: so that a phone has room for the columns' heads.
 * @param {Column[]} columns the first one says what a row is of
 * @param {object[]} rows
 */
export const table = ([key, ...columns], rows) => [
  h("thead", null, [
    h("tr", null, [
      h("th", { scope: "col" }, h("span", { class: "unseen" }, sayOf(key.head ?? ""))),
      rows.map(row => h("th", { scope: "col" }, phrase(key, row, null))),
    ]),
  ]),
  h("tbody", null, [
    columns.map(column =>
      h("tr", null, [
        h("th", { scope: "row" }, sayOf(column.head ?? "")),
        rows.map(row => {
          const shown = phrase(column, row, null);
          return h("td", { class: shown ? column.tone : "past" }, shown);
        }),
      ]),
    ),
  ]),
];

/** Does it stand beside what matters more? @param {Column} column */
const isFact = ({ kind, said }) => Boolean(said) || kind === "text" || kind === "moment";

/**
 * A value by itself; nothing where there is none, or nothing to say of it.
 * @param {Column} column
 * @param {any} row
 * @param {Catalogue | null} known
 * @returns {Child | Child[]}
 */
export function phrase({ name, kind, said = "", above = 0 }, row, known) {
  const value = row[name];
  switch (kind) {
    case "game":
      return !known && row.title ? translated(row.title_said, row.title) : titleOf(known, value);
    case "number":
      return value > above && (said ? sayOf(said, { count: value }) : value);
    case "tally":
      return value ?? 0;
    case "side":
      return h("span", { class: row.side ? "second" : "first" }, value);
    case "series":
      return value && sayOf(said, value);
    case "score":
      return text.score(row.wins, row.draws, true);
    case "span":
      return span(value);
    case "moment":
      return value && (said ? sayOf(said, { moment: when(value) }) : when(value));
    case "seat": {
      const name = text.seatName(row.seats[value]);
      return said ? sayOf(said, { name }) : name;
    }
    case "seats":
      return players(value);
    case "others": {
      const other = row.seats[1 - row.you];
      if (!other) return players(value);
      return other.kind !== "open" && sayOf(said, { name: text.seatName(other) });
    }
    case "standing": {
      // Of a room in the lobby's list there is no more to say.
      const [words, tone] = "watching" in row ? [say(`stood.${standing(row)}`), "past"] : text.stood(row);
      return h("span", { class: tone }, words);
    }
    case "outcome":
      return text.gameResult(row);
    case "rating":
      return `${value}${row.provisional ? "?" : ""}`;
    default:
      return value;
  }
}

/** @param {string} said @param {object} [parts] */
const sayOf = (said, parts = {}) => /** @type {(id: string, parts: object) => string} */ (say)(said, parts);

/** Who sits in the two seats, each in the colour of theirs. @param {SeatView[]} seats */
const players = seats =>
  seats.flatMap((seat, at) => [
    at ? " – " : "",
    h("span", { class: seat.kind === "open" ? "past" : at ? "second" : "first" }, text.seatName(seat)),
  ]);
