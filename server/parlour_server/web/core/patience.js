/** Asking a server that has much to do, without bothering it or the person. */
import { Refusal } from "./client.js";

/** @import {Boards} from "./boards.js" */
/** @import {Board as BoardAnswer} from "../protocol.d.ts" */

const TRIES = 3, BETWEEN_MS = 70;

/** @param {number} ms @param {AbortSignal} [signal] rejects as soon as it is aborted @returns {Promise<void>} */
export const pause = (ms, signal) => new Promise((resolve, reject) => {
  if (signal?.aborted) return reject(signal.reason);
  const timer = setTimeout(resolve, ms);
  signal?.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
});

/**
 * Ask again where the server says that waiting helps.
 * @template T
 * @param {() => Promise<T>} ask @param {AbortSignal} [signal] @returns {Promise<T>}
 */
export async function patiently(ask, signal) {
  for (let tries = 1; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      const wait = error instanceof Refusal && error.refused.retry_after;
      if (!wait || tries >= TRIES) throw error;
      await pause(1000 * wait, signal);
    }
  }
}

/** Shows positions as a person steps through them, and asks for no more of them than a server likes to be asked for. */
export class Stepper {
  #busy = false;
  #closed = false;
  /** The position that is wanted next. @type {[string, string[], (answer: BoardAnswer) => void, (error: Error) => void] | null} */
  #next = null;

  /** @param {Boards} boards */
  constructor(boards) { this.boards = boards; }

  /**
   * Show a position as soon as may be, unless another one is wanted before.
   * @param {string} game @param {string[]} moves
   * @param {(answer: BoardAnswer) => void} then @param {(error: Error) => void} failed
   */
  async show(game, moves, then, failed) {
    this.#next = [game, moves, then, failed];
    if (this.#busy) return;
    this.#busy = true;
    while (this.#next) {
      const [game, moves, then, failed] = this.#next, known = this.boards.knows(game, moves);
      this.#next = null;
      const answer = await patiently(() => this.boards.after(game, moves)).catch(error => error);
      if (this.#closed) return;
      if (answer instanceof Error) failed(answer); else then(answer);
      if (!known) await pause(BETWEEN_MS);
    }
    this.#busy = false;
  }

  /** Show nothing more. */
  close() { this.#closed = true; }
}
