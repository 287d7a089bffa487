/** Positions of a game after some of its moves, as the server draws them; each asked for once. */

/** @import {Client} from "./client.js" */
/** @import {Board as BoardAnswer} from "../protocol.d.ts" */

export class Boards {
  /** @type {Map<string, Promise<BoardAnswer>>} */
  #asked = new Map();

  /** @param {Client} client */
  constructor(client) { this.client = client; }

  /** Was it asked for already? @param {string} game @param {string[]} moves */
  knows(game, moves) { return this.#asked.has(keyOf(game, moves)); }

  /** Rejects with a `Refusal`. @param {string} game @param {string[]} moves */
  after(game, moves) {
    const key = keyOf(game, moves), there = this.#asked.get(key);
    if (there) return there;
    const asked = this.client.ask("board", { game, moves: moves.join(" ") });
    this.#asked.set(key, asked);
    asked.catch(() => this.#asked.delete(key));
    if (this.#asked.size > 400) this.#asked.delete(/** @type {string} */ (this.#asked.keys().next().value));
    return asked;
  }
}

/** @param {string} game @param {string[]} moves */
const keyOf = (game, moves) => `${game} ${moves.join(" ")}`;
