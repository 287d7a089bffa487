/** How others come to a table: its link, to copy or to send. */
import { button, h, toast } from "../core/dom.js";
import * as text from "../text.js";

/** @import {Client} from "../core/client.js" */
/** @import {RoomView} from "../protocol.d.ts" */

/** The link that others can follow: where the host knows a better address than ours, that. @param {Client} client @param {string} path */
export function linkTo(client, path) {
  const { address } = client.welcome ?? {}, near = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
  return (near && address ? address.replace(/^ws/, "http") : location.origin) + path;
}

/** Copy where the browser lets us: without https it may not. @param {HTMLInputElement | HTMLTextAreaElement} field */
export async function copy(field) {
  field.select();
  try {
    if (navigator.clipboard) await navigator.clipboard.writeText(field.value);
    else document.execCommand("copy");
    toast(text.COPIED);
  } catch { /* it is selected: the person can copy it */ }
}

/** Copy a text. @param {string} value */
export async function copyText(value) {
  const field = h("textarea", { value, class: "unseen" });
  document.body.append(field);
  await copy(field);
  field.remove();
}

/** @param {Client} client @param {string} code */
export function invitation(client, code) {
  const words = h("p"), field = h("input", { readonly: true, "aria-label": text.INVITE, onfocus: () => field.select() });
  const share = button(text.SHARE, () => void navigator.share?.({ url: field.value }).catch(() => {}), { hidden: !("share" in navigator) });
  const element = h("section", { class: "panel stack", hidden: true }, words, h("div", { class: "row" }, h("span", { class: "grow" }, field), button(text.COPY, () => copy(field)), share));
  return {
    element,
    /** @param {RoomView} view */
    update(view) {
      element.hidden = view.phase !== "waiting" || view.you === undefined;
      field.value = linkTo(client, `/${code}`);
      if (words.textContent !== text.INVITE) words.textContent = text.INVITE;
    },
    close() {},
  };
}
