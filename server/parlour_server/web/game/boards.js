/** Positions of a game after some of its moves, as the server draws them. */
import { pause, retry } from "../core/retry.js";

/** @import {Client} from "../core/client.js" */
/** @import {Board as BoardAnswer} from "../protocol.d.ts" */

/** So long after a question the next position is asked for. */
const BETWEEN_MS = 70;

/** Asks for each position once. */
export class Boards {
  /** @type {Map<string, Promise<BoardAnswer>>} */
  #asked = new Map();

  /** @param {Client} client */
  constructor(client) {
    this.client = client;
  }

  /** Was it asked for already? @param {string} game @param {string[]} moves */
  knows(game, moves) {
    return this.#asked.has(keyOf(game, moves));
  }

  /** Rejects with a `Refusal`. @param {string} game @param {string[]} moves */
  after(game, moves) {
    const key = keyOf(game, moves);
    const there = this.#asked.get(key);
    if (there) return there;
    const asked = this.client.ask("board", { game, moves: moves.join(" ") });
    this.#asked.set(key, asked);
    asked.catch(() => this.#asked.delete(key));
    if (this.#asked.size > 400) this.#asked.delete(/** @type {string} */ (this.#asked.keys().next().value));
    return asked;
  }
}

/** Shows positions as a person steps through them, and asks for no more of them than a server likes to be
 *  asked for. */
export class Stepper {
  #busy = false;
  #closed = false;
  /** The position that is wanted next.
   *  @type {[string, string[], (answer: BoardAnswer) => void, (error: Error) => void] | null} */
  #next = null;

  /** @param {Boards} boards */
  constructor(boards) {
    this.boards = boards;
  }

  /**
   * Show a position as soon as may be, unless another one is wanted before.
   * @param {string} game @param {string[]} moves
   * @param {(answer: BoardAnswer) => void} then @param {(error: Error) => void} failed
   */
  async show(game, moves, then, failed) {
    this.#next = [game, moves, then, failed];
    if (this.#busy) return;
    this.#busy = true;
    try {
      while (this.#next) {
        const [game, moves, then, failed] = this.#next;
        const known = this.boards.knows(game, moves);
        this.#next = null;
        const answer = await retry(() => this.boards.after(game, moves)).catch(error => error);
        if (this.#closed) return;
        if (answer instanceof Error) failed(answer);
        else then(answer);
        if (!known) await pause(BETWEEN_MS);
      }
    } finally {
      this.#busy = false;
    }
  }

  /** Show nothing more. */
  close() {
    this.#closed = true;
  }
}

/** @param {string} game @param {string[]} moves */
const keyOf = (game, moves) => `${game} ${moves.join(" ")}`;
