/** A game with moves, as an address has it. Whether the moves are legal is the server's to say. */

/** @typedef {{game: string, moves: string, names?: [string, string], number?: number}} Given */

/** What stands in an address for a position: `connect4=4,4,3`.
 *  @param {string} game @param {string[]} moves */
export const link = (game, moves) => encodeURI(`${game}=${moves.join(",")}`).replaceAll("#", "%23");

/** Read that again; null where it is none. @param {string} hash @returns {Given | null} */
export function linked(hash) {
  const at = hash.indexOf("=");
  return at > 0 ? { game: hash.slice(0, at), moves: hash.slice(at + 1) } : null;
}
