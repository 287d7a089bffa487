/** Games as a file has them. Whether the moves are legal is the server's to say. */
import { say } from "../words.js";

/** @import {Given} from "./games.js" */

/** Of no game's moves are more characters. */
const LARGEST_FILE = 16 * 1024 * 1024;

/** Nor has a name, as anybody may write it into a file. */
const LONGEST_NAME = 60;

/** What is wrong with a file, as a sentence. */
export class Unreadable extends Error {}

/** The games in a file that a person chose. Throws `Unreadable`.
 *  @param {File} file @returns {Promise<Given[]>} */
export async function fromFile(file) {
  if (file.size > LARGEST_FILE) throw new Unreadable(say("page.analysis.too_large", { name: file.name }));
  return fromText(await file.text(), file.name);
}

/** The games that were exported: one, or one a line. Throws `Unreadable`.
 *  @param {string} written @param {string} name @returns {Given[]} */
function fromText(written, name) {
  const whole = tagged(written, name) ?? parsed(written);
  const lines = written.split("\n").filter(line => line.trim());
  const all = whole !== undefined ? [whole] : lines.length > 1 ? lines.map(parsed) : [];
  if (!all.length || all.some(one => !one || typeof one !== "object"))
    throw new Unreadable(say("page.analysis.no_game", { name }));
  return all.map(one => game(one, name));
}

const TAG = /^\[(\w+) "((?:[^"\\\n]|\\.)*)"\]\s*$/gm;
const GRADE = /([!?]{1,2}|\$\d+)$/;
const NO_MOVE = /^(\d+\.+|1-0|0-1|1\/2-1\/2|\*|)$/;

/** A game as text with tags and numbered moves; undefined where it is none. Throws `Unreadable`.
 *  @param {string} written @param {string} where @returns {Record<string, unknown> | undefined} */
function tagged(written, where) {
  const tags = [...written.matchAll(TAG)].map(([, name, value]) => [name, value.replace(/\\(.)/g, "$1")]);
  const { Game: game, First, Second, Round } = Object.fromEntries(tags);
  if (tags.filter(([name]) => name === "Game").length > 1)
    throw new Unreadable(say("page.analysis.several_games", { name: where }));
  const words = written
    .replace(TAG, "")
    .replace(/\{[^}]*\}|;[^\n]*/g, " ")
    .replace(/[()]/g, " $& ")
    .split(/\s+/);
  // In brackets stands what might have been played.
  let depth = 0;
  /** @type {string[]} */
  const found = [];
  for (const word of words) {
    if (word === "(") depth++;
    else if (word === ")" && depth) depth--;
    else if (!depth) found.push(word.replace(GRADE, ""));
  }
  // What was never closed may hide moves: it is no move, as the server will say.
  if (depth) found.push("(");
  const moves = found.filter(move => !NO_MOVE.test(move));
  const seats = [{ name: First }, { name: Second }];
  return game && { game, moves, seats, number: Number(Round) || undefined };
}

/** @param {string} written */
function parsed(written) {
  try {
    return JSON.parse(written);
  } catch {
    return undefined;
  }
}

/** @param {Record<string, unknown>} one @param {string} where @returns {Given} */
function game({ game, moves, seats, starter, number }, where) {
  const list =
    typeof moves === "string"
      ? [moves]
      : Array.isArray(moves)
        ? moves.map(one => (typeof one === "string" ? one : one?.move))
        : [];
  if (
    typeof game !== "string" ||
    !game ||
    !(typeof moves === "string" || Array.isArray(moves)) ||
    list.some(one => typeof one !== "string")
  )
    throw new Unreadable(say("page.analysis.lacks_game", { name: where }));
  const names = Array.isArray(seats)
    ? seats
        .map(seat => seat?.name)
        .filter(name => typeof name === "string" && name)
        .map(name => name.slice(0, LONGEST_NAME))
    : [];
  return {
    game,
    moves: list.join(" "),
    number: typeof number === "number" ? number : undefined,
    names:
      names.length === 2
        ? /** @type {[string, string]} */ (starter === 1 ? names.reverse() : names)
        : undefined,
  };
}
