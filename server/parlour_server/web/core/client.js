/**
 * One connection to the server that this page came from, kept up; and the rooms that are subscribed to on it.
 * What must be right whatever the network does is in `protocol.js` and `room.js`; here are sockets and
 * timers.
 */

import * as text from "../text.js";
import { say } from "../words.js";
import { TYPING_SECONDS } from "./messages.js";
import { Protocol } from "./protocol.js";
import { apply, asOf, firstState } from "./room.js";
import { onChanged, read, write } from "./storage.js";

/** @import {Command, Commands, Goodbye, Progress, Refused, RoomMessage, RoomView} from "../protocol.d.ts" */
/** @import {Notice, Signal, Snapshot, Welcome} from "../protocol.d.ts" */
/** @import {Answer, SubscriptionLost} from "./protocol.js" */
/** @import {RoomState, ShownView} from "./room.js" */
/** @typedef {{kind: "connecting" | "connected" | "offline" | "ended"} | {kind: "lost", until: number}}
 *  Connection */

/** @typedef {{connection: Connection, news: string} & {[K in Notice["type"]]: Extract<Notice, {type: K}>}}
 *  Emitted */

const FIRST_WAIT = 250;
const LONGEST_WAIT = 10_000;
const PROBE_EVERY = 10_000;
const PROBE_FOR = 6_000;
const OPEN_FOR = 10_000;
const UTF8 = new TextEncoder();
const NEVER_BACK = new Set(["closed", "kicked", "banned"]);

/** A refusal by the server: `message` is its sentence for people. */
export class Refusal extends Error {
  /** @param {Refused} refused */
  constructor(refused) {
    super(text.refusal(refused));
    this.refused = refused;
    this.code = refused.code;
  }
}

/** Not `crypto.randomUUID`: that is there under https alone. */
const newId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(12)), byte => byte.toString(16).padStart(2, "0")).join("");

/** The socket that `early.js` opened, once. @returns {WebSocket | null} */
function begun() {
  const given = /** @type {{$socket?: WebSocket | null}} */ (/** @type {unknown} */ (globalThis));
  const socket = given.$socket;
  given.$socket = null;
  return socket && socket.readyState <= WebSocket.OPEN ? socket : null;
}

/** The room that came with the document, once, unless who is called so seems to sit there: they see more.
 *  @param {string} code @param {string} [name] */
function brought(code, name) {
  const element = document.getElementById("room");
  element?.remove();
  /** @type {Snapshot | null} */
  const snapshot = JSON.parse(element?.textContent ?? "null");
  const [{ responseStart }] = /** @type {PerformanceNavigationTiming[]} */ (
    performance.getEntriesByType("navigation")
  );
  if (snapshot?.room !== code) return null;
  const state = firstState(snapshot, responseStart);
  // Beside somebody of a similar name one has a number.
  const mine = state.view.seats.some(seat => seat.name && name?.startsWith(seat.name.replace(/ 2$/, "")));
  return mine ? null : state;
}

export class Client {
  /** @type {Connection} */
  connection = { kind: "connecting" };
  /** @type {Welcome | null} */
  welcome = null;
  /** The server's farewell, where it ended the connection. @type {Goodbye | null} */
  goodbye = null;
  /** A one-time code that makes this browser another device's player. @type {string | null} */
  carry = null;
  /** @type {Map<string, Room>} */
  rooms = new Map();

  #protocol = new Protocol(newId);
  /** @type {WebSocket | null} */
  #socket = null;
  #hello = "";
  /** Has the server said welcome on this socket? Then it is up, also where the browser believes to be
   *  offline. */
  #up = false;
  #wait = FIRST_WAIT;
  /** The server has asked not to come back sooner: milliseconds. */
  #atLeast = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #retry;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #deadline;
  /** @typedef {{resolve: (answer: never) => void, reject: (error: Error) => void}} Waiting */
  /** @type {Map<string, Waiting & {progress?: (notice: Progress) => void}>} */
  #asked = new Map();
  /** @type {Map<string, Set<(message: never) => void>>} */
  #listeners = new Map();

  /** @param {string} url of the socket */
  constructor(url) {
    this.url = url;
    this.name = read("name") ?? "";
    if (!this.name) this.#call(text.proposedName());
    addEventListener("online", () => this.reconnect());
    addEventListener("offline", () => {
      this.#set({ kind: "offline" });
      this.#probe();
    });
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) return;
      // What was to be tried later, in the time of a page that nobody saw.
      if (this.connection.kind === "lost") this.reconnect();
      else this.#probe();
    });
    onChanged("name", name => {
      this.name = name ?? this.name;
    });
    setInterval(() => this.#probe(), PROBE_EVERY);
  }

  // ------------------------------------------------------------ what pages use

  /**
   * Ask the server something. Rejects with a `Refusal`, and with an `AbortError` once `signal` is aborted.
   * @template {keyof Commands} K
   * @param {K} type
   * @param {Omit<Commands[K]["command"], "id" | "type">} fields
   * @param {{signal?: AbortSignal, progress?: (notice: Progress) => void}} [how]
   * @returns {Promise<Commands[K]["answer"]>}
   */
  ask(type, fields, { signal, progress } = {}) {
    const id = newId();
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return void reject(signal.reason);
      this.#asked.set(id, { resolve, reject, progress });
      signal?.addEventListener(
        "abort",
        () => {
          if (!this.#asked.delete(id)) return;
          this.#protocol.abandon(id);
          this.#flush();
          reject(signal.reason);
        },
        { once: true },
      );
      this.#protocol.request(/** @type {Command} */ (/** @type {object} */ ({ type, id, ...fields })));
      this.#flush();
    });
  }

  /** Say what wants no answer: it is lost where there is no connection. @param {Signal} signal */
  signal(signal) {
    this.#protocol.signal(signal);
    this.#flush();
  }

  /** Get a room's events. `present`: does somebody sit before them?
   *  @param {string} code @param {{present?: boolean}} [how] @returns {Room} */
  open(code, { present = true } = {}) {
    const there = this.rooms.get(code);
    if (there) return there;
    const room = new Room(this, code, present);
    room.state = brought(code, this.token ? this.name : undefined);
    this.rooms.set(code, room);
    room.subscribe();
    return room;
  }

  /**
   * Be called with every message of this type: `lobby`, `announcement`, or `connection` when that changes.
   * @template {keyof Emitted} K
   * @param {K} type @param {(message: Emitted[K]) => void} then @returns {() => void} ends it
   */
  on(type, then) {
    const all = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, all.add(then));
    return () => void all.delete(then);
  }

  /** Be called so from now on, also where one sits. Rejects with a `Refusal`. @param {string} name */
  async rename(name) {
    this.#call((await this.ask("rename", { name })).name);
    this.#set(this.connection);
  }

  /** The player's secret on this server. */
  get token() {
    return read("token");
  }

  // ------------------------------------------------------------ the connection

  /** Connect, unless that is so already. @param {boolean} [anew] */
  reconnect(anew = false) {
    if (
      this.#socket &&
      this.#socket.readyState <= WebSocket.OPEN &&
      !anew &&
      this.connection.kind !== "offline"
    )
      return;
    clearTimeout(this.#retry);
    this.goodbye = null;
    this.#drop();
    this.#set({ kind: "connecting" });
    const socket = (this.#socket = begun() ?? new WebSocket(this.url, "parlour.v1"));
    this.#deadline = setTimeout(() => this.#lost(socket), OPEN_FOR);
    const greet = () =>
      this.#greet(this.carry ? { carry: this.carry } : this.token ? { token: this.token } : {});
    if (socket.readyState === WebSocket.OPEN) greet();
    else socket.onopen = greet;
    socket.onmessage = event => {
      if (socket === this.#socket) this.#receive(event.data);
    };
    socket.onclose = () => this.#lost(socket);
  }

  /** @param {string} name */
  #call(name) {
    write("name", (this.name = name));
  }

  /** Say hello, and at once what else there is to say: it is answered behind the welcome. Where that is refused
   *  so is all of it, and the next hello has it with it again. @param {{token?: string, carry?: string}} who */
  #greet(who) {
    this.#hello = newId();
    this.#socket?.send(
      JSON.stringify({
        type: "hello",
        id: this.#hello,
        protocols: [1],
        name: who.carry ? "" : this.name,
        client: "page",
        ...who,
      }),
    );
    this.#protocol.connected();
    this.#flush();
  }

  /** @param {string} data */
  #receive(data) {
    if (this.#up) {
      // A server on this machine is there without a network.
      if (this.connection.kind !== "connected") this.#set({ kind: "connected" });
      this.#protocol.receive(data);
      if (this.#protocol.goodbye) this.goodbye = this.#protocol.goodbye;
      return this.#deliver();
    }
    const message = JSON.parse(data);
    if (message.type === "goodbye") this.goodbye = message;
    if (message.id !== this.#hello) return;
    if (message.type === "welcome") return this.#welcomed(message);
    if (message.code === "wrong_token") {
      write("token", null);
      this.#emit("news", say("connection.new_player"));
      return this.#greet({});
    }
    this.#emit("news", text.refusal(message));
    if (this.carry) {
      this.carry = null;
      return this.#greet(this.token ? { token: this.token } : {});
    }
    if (message.code === "bad_name") {
      this.#call(text.proposedName());
      return this.#greet(this.token ? { token: this.token } : {});
    }
    // Too fast, full, or not saved: come back later.
    this.#atLeast = 1000 * (message.retry_after ?? 1);
    this.#socket?.close();
  }

  /** @param {Welcome} welcome */
  #welcomed(welcome) {
    clearTimeout(this.#deadline);
    if (welcome.token) write("token", welcome.token);
    this.#call(welcome.name);
    this.carry = null;
    this.welcome = welcome;
    this.#wait = FIRST_WAIT;
    this.#up = true;
    this.#set({ kind: "connected" });
  }

  #drop() {
    const socket = this.#socket;
    this.#socket = null;
    this.#up = false;
    clearTimeout(this.#deadline);
    if (socket) socket.onclose = socket.onmessage = socket.onopen = null;
    socket?.close();
    this.#protocol.disconnected();
  }

  /** @param {WebSocket} socket */
  #lost(socket) {
    if (socket !== this.#socket) return;
    this.#drop();
    if (this.goodbye && NEVER_BACK.has(this.goodbye.code)) return this.#set({ kind: "ended" });
    const wait =
      Math.max(this.#atLeast, 1000 * (this.goodbye?.retry_after ?? 0)) +
      this.#wait * (0.6 + 0.8 * Math.random());
    this.#atLeast = 0;
    this.#wait = Math.min(2 * this.#wait, LONGEST_WAIT);
    this.#set(navigator.onLine ? { kind: "lost", until: Date.now() + wait } : { kind: "offline" });
    this.#retry = setTimeout(() => this.reconnect(true), wait);
  }

  /** A phone that slept, or a network that changed, leaves a socket that only seems to be open. */
  #probe() {
    const socket = this.#socket;
    if (!this.#up || document.hidden || !socket) return;
    const late = setTimeout(() => this.#lost(socket), PROBE_FOR);
    this.ask("cancel", { search: "probe" })
      .catch(() => {})
      .finally(() => clearTimeout(late));
  }

  /** @param {Connection} connection */
  #set(connection) {
    this.connection = connection;
    this.#emit("connection", connection);
  }

  // ------------------------------------------------------------ messages

  #flush() {
    const socket = this.#socket;
    if (socket?.readyState !== WebSocket.OPEN) return;
    const most = this.welcome?.limits.message_bytes ?? Infinity;
    let tooLong = false;
    for (let message; (message = this.#protocol.nextToSend()); ) {
      const written = JSON.stringify(message);
      if (UTF8.encode(written).length <= most) socket.send(written);
      else if ("id" in message) {
        // The server would end the connection over it, and the next one again.
        this.#protocol.receive(
          JSON.stringify({
            type: "refused",
            id: message.id,
            code: "too_large",
            message: say("page.too_long"),
          }),
        );
        tooLong = true;
      }
    }
    if (tooLong) this.#deliver();
    for (const delay of this.#protocol.takeDelays())
      setTimeout(() => {
        this.#protocol.elapsed(delay);
        this.#flush();
      }, 1000 * delay.seconds);
  }

  #deliver() {
    for (const message of this.#protocol.takeDeliveries()) {
      if (message.type === "reply") this.#replied(message.id, message.outcome);
      else if (message.type === "progress") this.#asked.get(message.about)?.progress?.(message);
      else if (message.type === "refused") this.#emit("news", text.refusal(message));
      else if ("room" in message) this.rooms.get(message.room)?.receive(message);
      else this.#emit(message.type, message);
    }
    this.#flush();
  }

  /** @param {string} id @param {Answer} outcome */
  #replied(id, outcome) {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    this.#protocol.collected(id);
    if (outcome.type === "refused") asked?.reject(new Refusal(outcome));
    else asked?.resolve(/** @type {never} */ (outcome));
  }

  /** @template {keyof Emitted} K @param {K} type @param {Emitted[K]} message */
  #emit(type, message) {
    for (const then of [...(this.#listeners.get(type) ?? [])]) then(/** @type {never} */ (message));
  }
}

/** A room that is subscribed to. */
export class Room {
  /** @type {RoomState | null} */
  state = null;
  /** Why there is no room to show. @type {Refusal | null} */
  refused = null;
  /** A move that was sent and is not played yet. @type {string | null} */
  sent = null;
  /** When we may say again that we write. */
  #typingAgain = 0;
  /** Called after every change, with the view before it and the message.
   *  @type {(before: RoomView | null, message: RoomMessage | SubscriptionLost | Refused | null) => void} */
  onchange = () => {};

  /** @param {Client} client @param {string} code @param {boolean} present */
  constructor(client, code, present) {
    this.client = client;
    this.code = code;
    this.present = present;
  }

  /** The room as it is at this moment; null until its snapshot has come. @returns {ShownView | null} */
  get view() {
    return this.state && asOf(this.state, performance.now());
  }

  subscribe() {
    this.refused = null;
    const { code: room, present } = this;
    this.client.ask("subscribe", { room, present }).catch(error => this.#fail(error));
  }

  /** @param {RoomMessage | SubscriptionLost} message */
  receive(message) {
    const before = this.state?.view ?? null;
    if (message.type === "lost") this.refused = new Refusal(message.refusal);
    else if (message.type === "snapshot") this.state = firstState(message, performance.now());
    else if (this.state) this.state = apply(this.state, message, performance.now());
    // A snapshot after a lost connection says nothing of the move: it is sent again, and then answered.
    if (message.type === "event" && before?.position !== this.state?.view.position) this.sent = null;
    this.onchange(before, message);
  }

  /** @param {unknown} error */
  #fail(error) {
    if (!(error instanceof Refusal)) throw error;
    this.refused = error;
    this.onchange(this.state?.view ?? null, error.refused);
  }

  /**
   * Do something here. Rejects with a `Refusal`.
   * @template {keyof Commands} K
   * @param {K} type @param {object} [fields]
   * @param {{signal?: AbortSignal, progress?: (notice: Progress) => void}} [how]
   * @returns {Promise<Commands[K]["answer"]>}
   */
  ask(type, fields = {}, how) {
    /** @type {object} */
    const asked = { room: this.code, ...fields };
    return this.client.ask(type, /** @type {Omit<Commands[K]["command"], "id" | "type">} */ (asked), how);
  }

  /** Let those who read our chat know that we write. It may be called at each key. */
  showTyping() {
    const now = performance.now();
    if (now < this.#typingAgain) return;
    this.#typingAgain = now + 500 * TYPING_SECONDS;
    this.client.signal({ type: "typing", room: this.code });
  }

  /** Play a move: it shows at once, as on its way. @param {string} move */
  async play(move) {
    if (!this.state || this.sent) return;
    this.sent = move;
    this.onchange(this.state.view, null);
    try {
      await this.ask("play", { version: this.state.version, move });
    } finally {
      if (this.sent === move) {
        this.sent = null;
        this.onchange(this.state.view, null);
      }
    }
  }

  /** No more of its events. A seat stays taken. */
  close() {
    this.onchange = () => {};
    if (this.client.rooms.get(this.code) === this) this.client.rooms.delete(this.code);
    if (!this.refused) this.ask("unsubscribe").catch(() => {});
  }
}
