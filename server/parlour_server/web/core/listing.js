/** The list of rooms as it is, kept up through lost connections. */
import { Refusal } from "./client.js";
import { retry } from "./retry.js";

/** @import {Client} from "./client.js" */
/** @import {Lobby, RoomLine} from "../protocol.d.ts" */

export class Listing {
  /** By their codes, in the order in which they came; null until they have come.
   *  @type {Map<string, RoomLine> | null} */
  rooms = null;
  /** How many players are connected. */
  players = 0;
  /** Why there is no list. @type {Refusal | null} */
  refused = null;

  /** @param {Client} client
   *  @param {(changed: Lobby | null) => void} onchange called with what has changed; null: all */
  constructor(client, onchange) {
    this.client = client;
    this.onchange = onchange;
    this.closing = new AbortController();
    this.ends = [
      client.on("lobby", notice => this.#notice(notice)),
      client.on("connection", ({ kind }) => {
        if (kind === "connected") this.load();
      }),
    ];
    if (client.connection.kind === "connected") this.load();
  }

  /** Ask for all of it, and for what changes from now on. */
  async load() {
    const { signal } = this.closing;
    try {
      const { rooms, players } = await retry(
        () => this.client.ask("rooms", { subscribe: true }, { signal }),
        signal,
      );
      this.refused = null;
      this.rooms = new Map(rooms.map(line => [line.room, line]));
      this.players = players;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof Refusal)) throw error;
      this.refused = error;
    }
    this.onchange(null);
  }

  /** @param {Lobby} notice */
  #notice(notice) {
    if (!this.rooms) return;
    for (const line of notice.rooms) this.rooms.set(line.room, line);
    for (const code of notice.gone ?? []) this.rooms.delete(code);
    this.players = notice.players;
    this.onchange(notice);
  }

  close() {
    for (const end of this.ends) end();
    this.closing.abort();
    if (this.client.connection.kind === "connected") this.client.ask("rooms", {}).catch(() => {});
  }
}

/** How a room stands in the list: `empty` while nobody has sat down there. @param {RoomLine} line */
export const standing = line => (line.seats.every(seat => seat.kind === "open") ? "empty" : line.phase);
