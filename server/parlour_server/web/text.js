/** Which sentence is said of what on every page. The sentences stand in the catalogue of words. */
import { number, say, translated } from "./words.js";

/** @import {Refused} from "./protocol.d.ts" */

export const NAME = "Parlour";
/** @param {Refused} refused */
export function refusal(refused) {
  const said = translated(refused.said, refused.message);
  const { code, legal, retry_after: seconds } = refused;
  if ((code === "illegal_move" || code === "invalid_move") && legal && legal.length <= 24)
    return `${said} ${say("table.legal_moves", { moves: legal.join(", ") })}`;
  if (!seconds) return said;
  const wait = say("span.seconds", { number: Math.ceil(seconds) });
  return `${said} ${say("connection.try_again_in", { span: wait })}`;
}
/** @param {number} seconds */
export const span = seconds =>
  seconds < 120
    ? say("span.seconds", { number: Math.max(0, Math.round(seconds)) })
    : seconds < 7200
      ? say("span.minutes", { number: Math.round(seconds / 60) })
      : seconds < 172_800
        ? say("span.hours", { number: Math.round(seconds / 3600) })
        : say("span.days", { count: Math.round(seconds / 86_400) });
/** A player's time. @param {number} left in milliseconds */
export function clock(left) {
  if (left >= 0 && left < 10_000) return number(Math.floor(left / 100) / 10, 1);
  const all = Math.floor(Math.max(0, left) / 1000);
  const two = (/** @type {number} */ part) => String(part).padStart(2, "0");
  const hours = Math.floor(all / 3600);
  const minutes = Math.floor(all / 60) % 60;
  return hours ? `${hours}:${two(minutes)}:${two(all % 60)}` : `${minutes}:${two(all % 60)}`;
}
/** When something was, in the reader's own time. @param {number} at */
export function when(at) {
  const date = new Date(at);
  const now = new Date();
  /** @type {Intl.DateTimeFormatOptions} */
  const how =
    now.toDateString() === date.toDateString()
      ? { hour: "2-digit", minute: "2-digit" }
      : {
          day: "numeric",
          month: "short",
          ...(now.getFullYear() !== date.getFullYear() && { year: "numeric" }),
        };
  return date.toLocaleString(dated(), how);
}
/** The language that dates are written in: English is read in more countries than one. */
export const dated = () => document.documentElement.lang.replace(/^en$/, "en-GB");
const FRIENDLY = [
  "Amber",
  "Bold",
  "Brave",
  "Calm",
  "Clever",
  "Early",
  "Fair",
  "Gentle",
  "Happy",
  "Keen",
  "Kind",
  "Lucky",
  "Merry",
  "Nimble",
  "Quick",
  "Quiet",
  "Sunny",
  "Swift",
  "Warm",
  "Wise",
];
const CREATURES = [
  "Badger",
  "Beaver",
  "Crane",
  "Dolphin",
  "Falcon",
  "Finch",
  "Fox",
  "Hare",
  "Heron",
  "Ibis",
  "Lynx",
  "Marten",
  "Otter",
  "Owl",
  "Panda",
  "Raven",
  "Robin",
  "Seal",
  "Stork",
  "Tiger",
];
/** A name to begin with. */
export const proposedName = () =>
  `${FRIENDLY[Math.floor(Math.random() * 20)]} ${CREATURES[Math.floor(Math.random() * 20)]}`;
