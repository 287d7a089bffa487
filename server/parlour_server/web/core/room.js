/**
 * The page's copy of a room, folded from the server's messages; pure, and the twin of the Python SDK's
 * `state.py`.
 *
 * States and views are never changed: each message makes new ones, which share what stayed as it was. So
 * `before.view.position !== after.view.position` says whether the board has changed, and so it is with every
 * part. Times (`now`) are milliseconds of one steady clock, whichever; moments in a view are the server's,
 * and events and snapshots say what time it is there.
 *
 * @import {Action, Event, Offer, PastRoom, Presence, Report} from "../protocol.d.ts"
 * @import {RoomMessage, RoomView, Snapshot, Thinking} from "../protocol.d.ts"
 */
import { fold } from "./fold.js";
import { ENDS_THOUGHT, NEW_POSITION, TYPING_SECONDS } from "./messages.js";

/** @typedef {RoomView & {at: number}} ShownView A room at a moment, `at`, by the server's clock: with the
 *  time as it is. */
/**
 * A room as of a version, as this viewer sees it. A move is made for this version: for the board that its
 * player saw.
 * @typedef {object} RoomState
 * @property {number} version
 * @property {RoomView} view  the room as of the last message that changed it; its clock counts on, see `asOf`
 * @property {number} clockOffset  what is to be added to a local time for the server's
 * @property {Thinking | null} thinking  what a bot thinks about the present position at this moment
 * @property {number | null} positionVersion  the version at which the present position came to be; null: it
 *     was in a snapshot
 * @property {Record<string, number>} typing  who writes in the viewer's chat, each until a local time
 */

/**
 * The room as a snapshot has it, which came in `now`.
 * @param {Snapshot} snapshot @param {number} now @returns {RoomState}
 */
export function firstState({ version, view, at }, now) {
  return { version, view, clockOffset: at - now, thinking: null, positionVersion: null, typing: {} };
}

/**
 * The room after a message that came in `now`. Events come without gaps, as `protocol.js` delivers them.
 * Throws a `TypeError` for a change that does not fit the room.
 * @param {RoomState} state @param {RoomMessage} message @param {number} now @returns {RoomState}
 */
export function apply(state, message, now) {
  switch (message.type) {
    case "snapshot":
      return firstState(message, now);
    case "presence":
      return { ...state, view: changed(state.view, message) };
    case "thinking": {
      // One that was overtaken by the move it led to has nothing more to say. The position's version may be
      // older than the room's, which chat and offers raise, too.
      const since = state.positionVersion;
      const present = since === null ? message.version <= state.version : message.version === since;
      return present ? { ...state, thinking: message } : state;
    }
    case "typing":
      return {
        ...state,
        typing: { ...still(state.typing, now), [message.name]: now + 1000 * TYPING_SECONDS },
      };
    case "event": {
      const { version, event } = message;
      const { kind } = event;
      const typing = { ...state.typing };
      if (event.kind === "chat_posted" && event.name !== undefined) delete typing[event.name];
      return {
        version,
        view: changed(state.view, message),
        // Messages are late by what their way takes: the one that took least is the most right.
        clockOffset: Math.max(state.clockOffset, message.at - now),
        thinking: ENDS_THOUGHT.has(kind) ? null : state.thinking,
        positionVersion: NEW_POSITION.has(kind) ? version : state.positionVersion,
        typing,
      };
    }
    default:
      // It changes nothing here.
      return state;
  }
}

/**
 * The view after a change, which is folded into copies of the parts that it names.
 * @param {RoomView} view @param {Event | Presence} change @returns {RoomView}
 */
function changed(view, change) {
  const next = { ...view };
  /** @param {string} path @param {Parameters<typeof fold>[1]} part */
  const foldCopy = (path, part) => {
    /** @type {Record<string, unknown>} */
    let owner = /** @type {RoomView & Record<string, unknown>} */ (next);
    for (const name of path.split(".")) {
      const old = owner[name];
      if (typeof old !== "object" || old === null) break;
      const copy = Array.isArray(old) ? [...old] : { ...old };
      owner[name] = copy;
      owner = /** @type {Record<string, unknown>} */ (/** @type {object} */ (copy));
    }
    fold(next, part);
  };
  for (const [path, value] of Object.entries(change.set ?? {})) foldCopy(path, { set: { [path]: value } });
  for (const [path, cuts] of Object.entries(change.splice ?? {}))
    foldCopy(path, { splice: { [path]: cuts } });
  if ("version" in change) next.version = change.version;
  return next;
}

/** @param {Record<string, number>} typing @param {number} now */
const still = (typing, now) => Object.fromEntries(Object.entries(typing).filter(([, until]) => until > now));

/** The names of those who write in the viewer's chat at a moment.
 *  @param {RoomState} state @param {number} now */
export const typists = ({ typing }, now) => Object.keys(still(typing, now));

/** The room at a moment: with the players' time as it is `now`.
 *  @param {RoomState} state @param {number} now */
export function asOf({ view, thinking, clockOffset }, now) {
  const at = Math.round(now + clockOffset);
  const clock = thinking?.clock ?? view.clock;
  /** @type {ShownView} */
  const shown = { ...view, at };
  if (clock) shown.clock = clock;
  if (clock?.running !== undefined) {
    const left = /** @type {typeof clock.left} */ ([...clock.left]);
    left[clock.running] = Math.max(0, left[clock.running] - Math.max(0, at - clock.since));
    shown.clock = { ...clock, left, since: Math.max(at, clock.since) };
  }
  return shown;
}

/** For how many seconds a seat's player has not been connected; null: they are, or there is none.
 *  @param {ShownView} view @param {0 | 1} seat */
export function awayFor(view, seat) {
  const since = view.away_since[seat];
  return since === null ? null : Math.max(0, view.at - since) / 1000;
}

/** Does the viewer play both seats, at one device? @param {RoomView} view */
export const shares = ({ owner, seats }) => Boolean(owner && seats[0].shared);

/** The seat that the viewer acts for: their own, or at one device that of whoever's turn it is.
 *  @param {RoomView} view */
export const acting = view => (shares(view) ? (view.turn?.seat ?? 0) : view.you);

/** Does the player of a past room sit there still, be it in both seats? @param {PastRoom} past */
export const seated = ({ you, seats }) => you !== undefined || Boolean(seats[0].shared);

/** What the viewer may do now. @param {RoomView} view @returns {Set<Action>} */
export function openActions(view) {
  const seat = acting(view);
  const { may, owner, asks } = view;
  const own = seat === undefined ? may.spectator : may.seats[seat];
  return new Set([...own, ...(owner ? may.owner : []), ...(asks ? may.asker : [])]);
}

/** What the players offer each other, and which seat does.
 *  @param {RoomView} view @returns {[Offer, 0 | 1][]} */
export const offersOf = view => /** @type {[Offer, 0 | 1][]} */ (Object.entries(view.offers));

/** Is it the viewer who offers this? @param {RoomView} view @param {Offer} offer @param {number} seat */
export const offers = (view, offer, seat) => (offer === "seat" ? Boolean(view.asks) : seat === view.you);

/** The freshest report there is: of the search that runs, else of the last bot move.
 *  @param {RoomState} state @returns {Report | undefined} */
export function thought({ view, thinking }) {
  return thinking ? thinking.report : view.report;
}
