/** How others come to a table: its link, to copy, to send, or to scan. */
import { button, h, put, toast } from "../core/dom.js";
import * as text from "../game/room_text.js";
import { say, translated } from "../words.js";
import { isLocal, qrCode } from "./qr.js";

/** @import {Client} from "../core/client.js" */
/** @import {RoomView} from "../protocol.d.ts" */

/** The link that others can follow: where the host knows a better address than ours, that.
 *  @param {Client} client @param {string} path */
export function linkTo(client, path) {
  const { address } = client.welcome ?? {};
  return (isLocal(location.hostname) && address ? address.replace(/^ws/, "http") : location.origin) + path;
}

/** Copy where the browser lets us, and say whether it did.
 *  @param {string} words @param {HTMLInputElement} [field] in which they stand */
export async function copyText(words, field) {
  const own = field ?? h("textarea", { value: words, class: "unseen" });
  if (!field) document.body.append(own);
  own.select();
  // Without https, or without leave, the old way may do: it copies what is selected.
  const copied =
    (await navigator.clipboard?.writeText(words).then(
      () => true,
      () => false,
    )) || document.execCommand("copy");
  toast(copied ? say("page.copied") : say("page.not_copied"), copied ? "" : "refusal");
  if (!field) own.remove();
}

/** A text to copy; a link also to hand to another program, with what it is for.
 *  @param {string} words @param {string} [what] */
export function copyField(words, what) {
  const field = h("input", {
    readonly: true,
    value: words,
    "aria-label": say("page.link"),
    onfocus: () => field.select(),
  });
  const share =
    "share" in navigator &&
    words.startsWith("http") &&
    button(say("page.share"), () => hand(words, what, field));
  return h("div", { class: "row" }, [
    h("span", { class: "grow" }, field),
    button(say("page.copy"), () => copyText(words, field)),
    share,
  ]);
}

/** By the system's sheet; where that fails it is copied. @param {string} url @param {string | undefined} text
 *  @param {HTMLInputElement} field */
const hand = (url, text, field) =>
  navigator.share({ url, text }).catch(error => {
    if (error.name !== "AbortError") copyText(url, field);
  });

/** A table's link for others: to copy, to hand on, to scan; or why they can't follow it.
 *  @param {Client} client @param {string} link @param {RoomView} view */
export const tableLink = (client, link, view) => [
  copyField(link, invites(view)),
  qrCode(client, link),
  unreachable(link),
];

/** Where a link leads to this machine alone, what its host does about it. @param {string} link */
export function unreachable(link) {
  const { hostname, port: number } = new URL(link);
  const port = number && ` --port ${number}`;
  return isLocal(hostname)
    ? h("p", { class: "past" }, say("share.only_here"), " ", h("code", null, say("share.open", { port })))
    : null;
}

/** Who invites to what, or who plays. @param {RoomView} view */
function invites(view) {
  const game = translated(view.title_said, view.title);
  const here = view.seats.filter(seat => seat.kind !== "open").map(text.seatName);
  // Who begins is named first, as in the link's preview.
  if (view.starter) here.reverse();
  if (here.length === 2) return say("share.between", { first: here[0], last: here[1], game });
  return here.length ? say("share.invites", { name: here[0], game }) : say("share.free", { game });
}

/** Shown to players who wait. @param {Client} client @param {string} code */
export function invitation(client, code) {
  const element = h("section", {
    class: "panel stack invitation",
    "aria-label": say("action.share.label"),
    hidden: true,
  });
  return {
    element,
    /** @param {RoomView} view */
    update(view) {
      const waits = view.phase === "waiting" && view.you !== undefined;
      if (waits && element.hidden) {
        const link = linkTo(client, `/${code}`);
        put(element, h("p", null, say("page.table.invite")), tableLink(client, link, view));
      }
      element.hidden = !waits;
    },
  };
}
