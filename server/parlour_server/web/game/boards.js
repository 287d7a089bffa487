/** Positions of a game after some of its moves, as the server draws them. */
import { pause, retry } from "../core/retry.js";

/** @import {Client} from "../core/client.js" */
/** @import {Given} from "./games.js" */
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

/**
 * A game to be stepped through. It asks for no more positions than a server likes to be asked for; what was
 * asked for last
 * is shown.
 */
export class Study {
  game = "";
  /** The position on the board. @type {BoardAnswer | null} */
  shown = null;
  closed = false;
  /** What is to be ended with it. @type {(() => void)[]} */
  ends = [];
  #reads = 0;
  #busy = false;
  /** What is wanted next.
   *  @type {[string, string[], (answer: BoardAnswer, animate: boolean) => void] | null} */
  #next = null;

  /** @param {Client} client
   *  @param {(sentence: string) => void} failed called with what went wrong; empty: nothing any more */
  constructor(client, failed) {
    this.client = client;
    this.boards = new Boards(client);
    this.failed = failed;
  }

  /** What was asked for is not to be had. @param {unknown} error */
  fail(error) {
    if (error instanceof Error && error.name !== "AbortError" && !this.closed) this.failed(error.message);
  }

  /**
   * What leads to another game, read by the server; null where that failed, or another one was asked for
   * meanwhile.
   * @template T @param {() => Promise<T>} ask @returns {Promise<T | null>}
   */
  async read(ask) {
    const mine = ++this.#reads;
    this.failed("");
    try {
      const answer = await ask();
      return this.closed || mine !== this.#reads ? null : answer;
    } catch (error) {
      if (mine === this.#reads) this.fail(error);
      return null;
    }
  }

  /** Begin with a game from a link, a file or a form; null as above.
   *  @param {Given} given @returns {Promise<BoardAnswer | null>} */
  async begin({ game, moves }) {
    const answer = await this.read(() => retry(() => this.client.ask("board", { game, moves })));
    if (answer) this.game = answer.game;
    return answer;
  }

  /**
   * Show a position as soon as may be, unless another one is wanted before.
   * @param {string[]} moves @param {(answer: BoardAnswer, animate: boolean) => void} then `animate`: it is
   * one move on
   */
  async show(moves, then) {
    this.#next = [this.game, moves, then];
    if (this.#busy) return;
    this.#busy = true;
    try {
      while (this.#next) {
        const [game, moves, then] = this.#next;
        const known = this.boards.knows(game, moves);
        const before = this.shown;
        this.#next = null;
        const answer = await retry(() => this.boards.after(game, moves)).catch(error => this.fail(error));
        if (this.closed) return;
        if (answer) then((this.shown = answer), before?.moves.length === answer.moves.length - 1);
        if (!known) await pause(BETWEEN_MS);
      }
    } finally {
      this.#busy = false;
    }
  }

  /** Show nothing more, and end what belongs to it. */
  close() {
    this.closed = true;
    for (const end of this.ends) end();
  }
}

/** @param {string} game @param {string[]} moves */
const keyOf = (game, moves) => `${game} ${moves.join(" ")}`;
