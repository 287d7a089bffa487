/** The columns of lists. Written by `make types` out of the protocol's. */

/**
 * @typedef {
 *   | "text"
 *   | "key"
 *   | "sentence"
 *   | "game"
 *   | "number"
 *   | "figure"
 *   | "tally"
 *   | "bytes"
 *   | "share"
 *   | "bar"
 *   | "span"
 *   | "moment"
 *   | "names"
 *   | "counts"
 *   | "phase"
 *   | "side"
 *   | "seat"
 *   | "seats"
 *   | "others"
 *   | "series"
 *   | "score"
 *   | "standing"
 *   | "outcome"
 *   | "rating"
 * } Kind
 */
/**
 * @typedef {{name: string, kind: Kind, said?: string, line?: number, above?: number,
 *   head?: string, tone?: string}} Column
 */

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
  { name: "score", kind: "score", said: "table.fact.score" },
  { name: "at", kind: "moment", line: 2 },
];

/** @type {Column[]} */
export const MET = [
  { name: "name", kind: "text", head: "table_head.player", tone: "strong" },
  { name: "wins", kind: "number", said: "count.won", head: "table_head.won" },
  { name: "losses", kind: "number", said: "count.lost", head: "table_head.lost" },
  { name: "draws", kind: "number", said: "count.drawn", head: "table_head.drawn" },
  { name: "at", kind: "moment", line: 2 },
];

/** @type {Column[]} */
export const ROOM_GAMES = [
  { name: "number", kind: "key", head: "table_head.game" },
  { name: "outcome", kind: "outcome" },
  { name: "seats", kind: "seats", line: 2 },
  { name: "moves", kind: "number", said: "count.move", line: 2 },
  { name: "starter", kind: "seat", said: "table.fact.began", line: 2 },
  { name: "started", kind: "moment", line: 2, head: "table_head.when" },
];

/** @type {Column[]} */
export const GRADES = [
  { name: "name", kind: "side", head: "page.review.side" },
  { name: "perfect", kind: "tally", head: "grade.perfect", tone: "win" },
  { name: "good", kind: "tally", head: "grade.good" },
  { name: "inaccuracy", kind: "tally", head: "grade.inaccuracy", tone: "notice" },
  { name: "mistake", kind: "tally", head: "grade.mistake", tone: "notice" },
  { name: "blunder", kind: "tally", head: "grade.blunder", tone: "loss" },
];

/** @type {Column[]} */
export const RATED = [
  { name: "game", kind: "game" },
  { name: "people", kind: "number" },
  { name: "bots", kind: "number" },
  { name: "games", kind: "number" },
];

/** @type {Column[]} */
export const RATINGS = [
  { name: "place", kind: "number", head: "table_head.number" },
  { name: "name", kind: "text", head: "table_head.player" },
  { name: "rating", kind: "rating", head: "table_head.rating" },
  { name: "deviation", kind: "figure", head: "table_head.deviation" },
  { name: "games", kind: "number", head: "table_head.games" },
];

/** @type {Column[]} */
export const RATED_GAMES = [
  { name: "at", kind: "moment", head: "table_head.when" },
  { name: "opponent", kind: "seat", head: "table_head.against" },
  { name: "standing", kind: "standing", head: "table_head.result" },
  { name: "change", kind: "figure", head: "table_head.change" },
  { name: "rating", kind: "figure", head: "table_head.rating" },
];

/** @type {Column[]} */
export const RATED_AGAINST = [
  { name: "name", kind: "text", head: "table_head.against" },
  { name: "games", kind: "number", head: "table_head.games" },
  { name: "wins", kind: "tally", head: "table_head.won" },
  { name: "draws", kind: "tally", head: "table_head.drawn" },
  { name: "losses", kind: "tally", head: "table_head.lost" },
];
