/** The columns of lists. Written by `make types` out of the protocol's. */

/**
 * @typedef {
 *   | "text"
 *   | "key"
 *   | "sentence"
 *   | "game"
 *   | "number"
 *   | "figure"
 *   | "share"
 *   | "bar"
 *   | "span"
 *   | "moment"
 *   | "names"
 *   | "counts"
 *   | "phase"
 *   | "seat"
 *   | "seats"
 *   | "others"
 *   | "series"
 *   | "score"
 *   | "standing"
 *   | "outcome"
 * } Kind
 */
/** @typedef {{name: string, kind: Kind, said?: string, line?: number, above?: number}} Column */

/** @type {Column[]} */
export const ROOMS = [
  { name: "room", kind: "key" },
  { name: "game", kind: "game" },
  { name: "seats", kind: "seats", line: 2 },
  { name: "standing", kind: "standing" },
  { name: "clock", kind: "text" },
  { name: "moves", kind: "number", said: "count.move" },
  { name: "series", kind: "series", said: "table.fact.series" },
  { name: "score", kind: "score", said: "table.fact.score" },
  { name: "watching", kind: "number", said: "count.watching" },
];

/** @type {Column[]} */
export const OWN_ROOMS = [
  { name: "room", kind: "key" },
  { name: "game", kind: "game" },
  { name: "seats", kind: "others", said: "table.fact.against", line: 2 },
  { name: "standing", kind: "standing" },
  { name: "games", kind: "number", said: "count.game", above: 1 },
  { name: "moves", kind: "number", said: "count.move" },
  { name: "at", kind: "moment", line: 2 },
];

/** @type {Column[]} */
export const ROOM_GAMES = [
  { name: "number", kind: "key" },
  { name: "outcome", kind: "outcome" },
  { name: "seats", kind: "seats", line: 2 },
  { name: "moves", kind: "number", said: "count.move", line: 2 },
  { name: "starter", kind: "seat", said: "table.fact.began", line: 2 },
  { name: "started", kind: "moment", line: 2 },
];
