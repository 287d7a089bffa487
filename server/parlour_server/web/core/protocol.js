/**
 * The client's side of the protocol, without sockets, clocks or tasks: pure state. It is the twin of the
 * Python SDK's `protocol.py`: both are held to the same transcripts, and to each other.
 *
 *     received text       -> `receive`       -> `takeDeliveries`: messages and replies, in order
 *     commands to ask     -> `request`       -> `nextToSend`: what to write on the connection, in order
 *     hello was said      -> `connected`     -> subscriptions are renewed, unanswered commands sent again
 *     it is gone          -> `disconnected`
 *     waiting is over     -> `elapsed`       <- `takeDelays`: what the server wants asked again later
 *
 * A subscription hands up a room's events in order, without gaps or repeats: repeats are dropped, after a gap
 * a snapshot is asked for. A command keeps its id however often it is sent, and the server counts an id once.
 *
 * @import {Command, Event, Goodbye, Notice, Refused, RoomMessage} from "../protocol.d.ts"
 * @import {Signal, Snapshot, Subscribe, ToClient} from "../protocol.d.ts"
 */
import { say } from "../words.js";
import { ANSWERS, NEEDED, RETRIED, SEARCHING, SEATING, SUBSCRIBING } from "./messages.js";

/** @typedef {Extract<ToClient, {id: string}> | Refused} Answer */
/** @typedef {{type: "reply", id: string, outcome: Answer}} Reply A command's outcome: its answer, or a
 *  refusal. */
/** @typedef {{type: "lost", room: string, refusal: Refused}} SubscriptionLost The server ends it, or won't
 *  renew it. */
/**
 * What is handed up. A refusal by itself is one of a message that carried no readable id.
 * @typedef {RoomMessage | Notice | Refused | Reply | SubscriptionLost} Delivery
 */
/**
 * Something to do in so many seconds on this connection: hand it to `elapsed` then. `watch` is the
 * subscription to ask for again; null: everything that was not answered.
 * @typedef {{seconds: number, connection: number, watch: Subscribe | null}} Delay
 */

/** How long to wait where a refusal does not say. */
export const RETRY_SECONDS = 0.25;

/** Does it subscribe to its room? One that makes a room does where it says who sits in it.
 *  @param {Command} command */
const subscribes = command =>
  SUBSCRIBING.has(command.type) || (command.type === "create" && Boolean(command.seats));
/** What the protocol itself sends, and whose answer means nothing to it. */
const UNTRACKED = new Set(["unsubscribe", "cancel"]);

/** The type of message that answers a command of this type, where it is not refused. @param {string} type */
export const answerType = type => ANSWERS[type] ?? (NEEDED[type] ? type : "accepted");

/** @param {unknown} value */
const isText = value => typeof value === "string";
/** @param {unknown} value @returns {value is Record<string, unknown>} */
const isObject = value => typeof value === "object" && value !== null;
/** What a field may hold, as `NEEDED` says it. @type {Record<string, (value: unknown) => boolean>} */
const HOLDS = {
  text: isText,
  whole: Number.isInteger,
  number: Number.isFinite,
  flag: value => typeof value === "boolean",
  list: Array.isArray,
  map: isObject,
};
/** Every type of message from a server, with the fields that have to be there.
 *  @type {Map<string, string[][]>} */
const FIELDS = new Map(
  Object.entries(NEEDED).map(([type, fields]) => [type, fields.split(" ").map(one => one.split(":"))]),
);

/** @param {unknown} one @param {unknown} other @returns {boolean} */
const same = (one, other) =>
  one === other ||
  (isObject(one) &&
    isObject(other) &&
    Object.keys({ ...one, ...other }).every(name => same(one[name], other[name])));

/** One client's conversation with a server, across connections. */
export class Protocol {
  /** Each room that is subscribed to with the last version received; null: a snapshot is on its way. To be
   *  read only. @type {Map<string, number | null>} */
  subscriptions = new Map();
  /** The server's farewell on this connection. @type {Goodbye | null} */
  goodbye = null;

  #newId;
  /** `sent`: on this connection. @type {Map<string, {command: Command, sent: boolean, times: number}>} */
  #pending = new Map();
  /** Subscribing commands sent on this connection whose answer nobody waits for any more.
   *  @type {Map<string, Command>} */
  #givenUp = new Map();
  /** Those that were accepted, with their new room, and whose caller has not got the answer yet.
   *  @type {Map<string, [Command, string]>} */
  #uncollected = new Map();
  /** Our own requests for rooms on this connection that are not answered. @type {Map<string, Subscribe>} */
  #watches = new Map();
  /** Rooms of which a snapshot was asked for and has not come: the next connection asks again.
   *  @type {Set<string>} */
  #snapshotsDue = new Set();
  /** Rooms that were subscribed to as not present. @type {Set<string>} */
  #absent = new Set();
  /** @type {(Command | Signal)[]} */
  #outbox = [];
  /** @type {Delivery[]} */
  #deliveries = [];
  /** @type {Delay[]} */
  #delays = [];
  #connection = 0;
  #up = false;
  /** Everything unanswered is to be sent again after a delay that runs. */
  #slowed = false;

  /** @param {() => string} newId draws fresh command ids */
  constructor(newId) {
    this.#newId = newId;
  }

  // ------------------------------------------------------------ what the caller does

  /** Ask the server something; a reply with the command's id is delivered once. @param {Command} command */
  request(command) {
    this.#pending.set(command.id, { command, sent: false, times: 0 });
    if (this.#up) this.#sendPending();
  }

  /** Say what wants no answer: now or, where there is no connection, not at all. @param {Signal} signal */
  signal(signal) {
    if (this.#up) this.#outbox.push(signal);
  }

  /**
   * Nobody waits for this answer any more: it is not sent again, and what it leads to is undone. A search
   * that was asked for is stopped.
   * @param {string} id
   */
  abandon(id) {
    const pending = this.#pending.get(id);
    const uncollected = this.#uncollected.get(id);
    this.#pending.delete(id);
    this.#uncollected.delete(id);
    if (uncollected) this.undo(...uncollected);
    if (!pending?.times) return;
    if (subscribes(pending.command)) this.#givenUp.set(id, pending.command);
    else if (this.#up && SEARCHING.has(pending.command.type))
      this.#outbox.push({ type: "cancel", id: this.#newId(), search: id });
  }

  /** The caller has got the answer: what it leads to is theirs. @param {string} id */
  collected(id) {
    this.#uncollected.delete(id);
  }

  /**
   * Undo a subscribing command that was accepted: free its seat while no game runs, and unsubscribe. A room
   * that it made is closed.
   * @param {Command} command @param {string} room
   */
  undo(command, room) {
    this.subscriptions.delete(room);
    if (command.type === "create") this.request({ type: "close", id: this.#newId(), room });
    // A game that has begun refuses to be left: that seat stays, as one whose player is away.
    if (SEATING.has(command.type) && !this.#askedAgain(room, command))
      this.request({ type: "leave", id: this.#newId(), room });
    this.#leftMeanwhile(room, command);
  }

  /** Hello was said on a connection: renew the subscriptions, then send what was not answered. */
  connected() {
    this.#connection += 1;
    this.#up = true;
    this.#slowed = false;
    this.goodbye = null;
    this.#outbox = [];
    this.#watches.clear();
    this.#givenUp.clear();
    for (const room of this.#snapshotsDue) if (!this.subscriptions.has(room)) this.#snapshotsDue.delete(room);
    for (const [room, version] of this.subscriptions)
      this.#watch(room, this.#snapshotsDue.has(room) ? null : version);
    this.#resendPending();
  }

  /** The connection is gone. What was not answered waits for the next one. */
  disconnected() {
    this.#up = false;
    this.#outbox = [];
  }

  /** A delay is over. One of an earlier connection means nothing: the next one has asked anew.
   *  @param {Delay} delay */
  elapsed({ connection, watch }) {
    if (connection !== this.#connection || !this.#up) return;
    if (watch) {
      // It may have been left meanwhile.
      if (this.subscriptions.has(watch.room)) this.#watch(watch.room, watch.since ?? null);
      return;
    }
    this.#slowed = false;
    this.#resendPending();
    const rooms = new Set([...this.#watches.values()].map(watch => watch.room));
    this.#watches.clear();
    for (const room of rooms) this.#watch(room, null);
  }

  // ------------------------------------------------------------ what is to be done

  /** The next message to write, which then counts as sent; null while there is none.
   *  @returns {Command | Signal | null} */
  nextToSend() {
    for (let message; (message = this.#outbox.shift()); ) {
      if (!("id" in message)) return message;
      const pending = this.#pending.get(message.id);
      if (pending) pending.times += 1;
      // Else it is our own, or its caller has given it up.
      if (pending || this.#watches.has(message.id) || UNTRACKED.has(message.type)) return message;
    }
    return null;
  }

  /** What has come in since the last call, in order. */
  takeDeliveries() {
    return this.#deliveries.splice(0);
  }

  /** What is to be handed to `elapsed` later, since the last call. */
  takeDelays() {
    return this.#delays.splice(0);
  }

  /** Send what this connection has not carried yet, in order. */
  #sendPending() {
    for (const pending of this.#pending.values()) {
      if (!pending.sent) this.#outbox.push(pending.command);
      pending.sent = true;
    }
  }

  #resendPending() {
    for (const pending of this.#pending.values()) pending.sent = false;
    this.#sendPending();
  }

  /** Ask for a room's events since a version, or for a snapshot.
   *  @param {string} room @param {number | null} since */
  #watch(room, since) {
    if (since === null) this.#snapshotsDue.add(room);
    /** @type {Subscribe} */
    const watch = { type: "subscribe", id: this.#newId(), room, present: !this.#absent.has(room) };
    if (since !== null) watch.since = since;
    this.#watches.set(watch.id, watch);
    this.#outbox.push(watch);
  }

  // ------------------------------------------------------------ what comes in

  /** Take a message from the connection. One that can't be read is answered for, or skipped.
   *  @param {string} text */
  receive(text) {
    let message;
    try {
      message = JSON.parse(text) ?? {};
    } catch {
      return;
    }
    const { type, id, room } = message;
    const needed = FIELDS.get(type);
    if (needed?.every(([name, holds]) => HOLDS[holds](message[name]))) this.#read(message);
    else if (!needed && type !== undefined)
      return; // this page is too old for it
    // The caller needs an answer all the same.
    else if (isText(id))
      this.#answer({ type: "refused", id, code: "internal", message: say("page.unreadable_answer") });
    // An event that is lost so leaves a gap, which a snapshot heals; a snapshot's room is given up.
    else if (type === "snapshot" && this.subscriptions.delete(room))
      this.#deliver({
        type: "lost",
        room,
        refusal: { type: "refused", code: "internal", message: say("page.unreadable_room") },
      });
  }

  /** @param {ToClient} message */
  #read(message) {
    switch (message.type) {
      case "snapshot":
        if (this.#takesSnapshot(message)) {
          this.#deliver(message);
          if (!this.#awaitsSnapshot(message.room)) this.#snapshotsDue.delete(message.room);
        }
        break;
      case "event":
        if (this.#takesEvent(message)) this.#deliver(message);
        break;
      case "goodbye":
        this.goodbye = message;
        break;
      case "welcome":
        break;
      default:
        if ("id" in message) this.#answer(message);
        else if (message.type !== "refused" || message.code !== "too_fast") this.#deliver(message);
        else if (!this.#slowed) {
          // Refused unread, so nobody can say what it was: after a delay everything is sent again.
          this.#slowed = true;
          this.#delay(message, null);
        }
    }
  }

  /** @param {Delivery} delivery */
  #deliver(delivery) {
    this.#deliveries.push(delivery);
  }

  /** @param {Refused} refusal @param {Subscribe | null} watch */
  #delay(refusal, watch) {
    this.#delays.push({ seconds: refusal.retry_after || RETRY_SECONDS, connection: this.#connection, watch });
  }

  /** Note a snapshot's version. Is it to be delivered? @param {Snapshot} snapshot */
  #takesSnapshot({ room, version }) {
    const known = this.subscriptions.get(room);
    if (known === undefined || (known !== null && version < known)) return false;
    this.subscriptions.set(room, version);
    return true;
  }

  /** Note an event's version, and ask for a snapshot after a gap. Is it to be delivered?
   *  @param {Event} event */
  #takesEvent({ room, version, event }) {
    const known = this.subscriptions.get(room) ?? null;
    if (known === null || version <= known) return false;
    if (version > known + 1) {
      this.subscriptions.set(room, null);
      this.#watch(room, null);
      return false;
    }
    if (event.kind === "room_closed") this.subscriptions.delete(room);
    else this.subscriptions.set(room, version);
    return true;
  }

  /** @param {Answer} answer */
  #answer(answer) {
    const id = /** @type {string} */ (answer.id);
    const watch = this.#watches.get(id);
    const pending = this.#pending.get(id);
    if (watch) {
      this.#watches.delete(id);
      return this.#watchAnswered(watch, answer);
    }
    if (!pending) {
      const givenUp = this.#givenUp.get(id);
      this.#givenUp.delete(id);
      // In a room that was subscribed to before, the state shows what has come of it.
      if (givenUp && answer.type === "accepted" && !this.subscriptions.has(answer.room))
        this.undo(givenUp, answer.room);
      return;
    }
    this.#pending.delete(id);
    const { command, times } = pending;
    if (answer.type !== "refused" && answer.type !== answerType(command.type))
      answer = { type: "refused", id, code: "internal", message: say("page.unreadable_answer") };
    this.#deliver({ type: "reply", id, outcome: answer });
    if (answer.type !== "accepted") return;
    // People write a room's code in their own way; the answer has it as all that follows will.
    const { room } = answer;
    if (command.type === "unsubscribe") this.subscriptions.delete(room);
    if (!subscribes(command)) return;
    if ("present" in command && command.present === false) this.#absent.add(room);
    else this.#absent.delete(room);
    if (!this.subscriptions.has(room)) {
      this.subscriptions.set(room, null);
      this.#uncollected.set(id, [command, room]);
    }
    // A repeated command gets its first answer again, but its snapshot may have been lost with the connection
    // before.
    if (times > 1) this.#watch(room, null);
  }

  /** @param {Subscribe} watch @param {Answer} answer */
  #watchAnswered(watch, answer) {
    const { room } = watch;
    if (answer.type !== "refused") {
      if (!this.subscriptions.has(room)) this.#leftMeanwhile(room);
    } else if (RETRIED.has(answer.code)) this.#delay(answer, watch);
    else {
      this.subscriptions.delete(room);
      this.#deliver({ type: "lost", room, refusal: answer });
    }
  }

  /** Is a snapshot asked for, and the answer, which goes before it, not here yet? @param {string} room */
  #awaitsSnapshot(room) {
    return [...this.#watches.values()].some(watch => watch.room === room && watch.since === undefined);
  }

  /**
   * A room that was left while it was asked for: the server has us subscribed once more.
   * @param {string} room @param {Command} [command]
   */
  #leftMeanwhile(room, command) {
    if (!this.#askedAgain(room, command)) this.#outbox.push({ type: "unsubscribe", id: this.#newId(), room });
    else if (!this.subscriptions.has(room)) {
      this.subscriptions.set(room, null);
      // What was asked for may have been its events alone.
      if (!command) this.#watch(room, null);
    }
  }

  /**
   * Does a command under way lead to this room, as this one did? A quick match may lead there again.
   * @param {string} room @param {Command} [command]
   */
  #askedAgain(room, command) {
    return [...this.#pending.values()].some(
      ({ command: other }) =>
        (SUBSCRIBING.has(other.type) && "room" in other && other.room === room) ||
        (command && command.type !== "create" && same({ ...other, id: "" }, { ...command, id: "" })),
    );
  }
}
