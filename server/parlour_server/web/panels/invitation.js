/** How others come to a table: its link, to copy, to send, or to scan. */
import { button, h, put, toast } from "../core/dom.js";
import { say } from "../words.js";
import { qrCode } from "./qr.js";

/** @import {Client} from "../core/client.js" */
/** @import {RoomView} from "../protocol.d.ts" */

/** Does a name lead to the machine that it is used on alone? @param {string} hostname */
export const isLocal = hostname => ["localhost", "127.0.0.1", "[::1]"].includes(hostname);

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

/** A text to copy, or to hand to another program. @param {string} words */
export function copyField(words) {
  const field = h("input", {
    readonly: true,
    value: words,
    "aria-label": say("page.link"),
    onfocus: () => field.select(),
  });
  const share =
    "share" in navigator &&
    words.startsWith("http") &&
    button(say("page.share"), () => void navigator.share({ url: words }).catch(() => {}));
  return h("div", { class: "row" }, [
    h("span", { class: "grow" }, field),
    button(say("page.copy"), () => copyText(words, field)),
    share,
  ]);
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
        put(element, h("p", null, say("page.table.invite")), copyField(link), qrCode(client, link));
      }
      element.hidden = !waits;
    },
  };
}
