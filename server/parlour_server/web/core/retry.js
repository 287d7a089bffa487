/** Asking again a server that has much to do. */
import { Refusal } from "./client.js";

const TRIES = 3;

/** @param {number} ms
 *  @param {AbortSignal} [signal] rejects as soon as it is aborted @returns {Promise<void>} */
export const pause = (ms, signal) =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        reject(signal.reason);
      },
      { once: true },
    );
  });

/**
 * Ask again where the server says that waiting helps.
 * @template T
 * @param {() => Promise<T>} ask @param {AbortSignal} [signal] @returns {Promise<T>}
 */
export async function retry(ask, signal) {
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
