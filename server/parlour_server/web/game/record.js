/** A game of a room as it was played; a long one comes in parts. */
import { retry } from "../core/retry.js";

/** @import {Client} from "../core/client.js" */
/** @import {GameRecord, RecordedMove} from "../protocol.d.ts" */

/**
 * The last game that was not aborted, or the one of that number. Rejects with a `Refusal`.
 * @param {Client} client @param {string} room @param {number} [number] @returns {Promise<GameRecord>}
 */
export async function recordOf(client, room, number) {
  /** @type {RecordedMove[]} */
  const moves = [];
  for (;;) {
    const { record, more } = await retry(() => client.ask("record", { room, number, after: moves.length }));
    moves.push(...record.moves);
    // Another game may begin meanwhile.
    number = record.number;
    if (!more) return { ...record, moves };
  }
}
