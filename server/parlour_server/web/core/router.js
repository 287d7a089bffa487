/** Paths and pages: each page is opened into <main>, and closed before the next one. */

/** @import {Client} from "./client.js" */
/** @typedef {{path: string, code: string | null, hash: string}} Route */
/** @typedef {{close(): void}} Page */
/** @typedef {{open(client: Client, root: HTMLElement, route: Route): Page}} PageModule */

const CODE = /^\/([A-Za-z0-9 -]{6,9})$/;

/** As it stands, where somebody has cut it in the middle of a character.
 *  @param {string} part of an address */
const decoded = part => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

/** @param {URL | Location} url
 *  @param {object} pages by their paths: "/review" is no room's code @returns {Route} */
export function route(url, pages) {
  const path = decoded(url.pathname);
  const code = path in pages ? null : (CODE.exec(path)?.[1].replace(/[ -]/g, "").toUpperCase() ?? null);
  // A tournament's code has one character more than a room's.
  return {
    path: code ? (code.length === 7 ? "/TOURNAMENT" : "/CODE") : path,
    code,
    hash: decoded(url.hash.slice(1)),
  };
}

/** @type {(() => void) | null} */
let opened = null;

/** Have the address bar's changes shown, and what it says now. @param {() => void} open */
export function start(open) {
  opened = open;
  addEventListener("popstate", open);
  document.addEventListener("click", event => {
    const link = /** @type {Element} */ (event.target).closest?.("a[href]");
    if (!(link instanceof HTMLAnchorElement) || link.target || link.download || event.defaultPrevented)
      return;
    if (link.origin !== location.origin || event.button || event.metaKey || event.ctrlKey || event.shiftKey)
      return;
    event.preventDefault();
    // Within this page, whose address says more than that.
    if (link.getAttribute("href")?.startsWith("#")) document.getElementById(link.hash.slice(1))?.focus();
    else go(link.pathname + link.hash);
  });
  open();
}

/** Go to another page of this server. @param {string} path @param {{replace?: boolean}} [how] */
export function go(path, { replace = false } = {}) {
  if (path !== location.pathname + location.hash)
    history[replace ? "replaceState" : "pushState"]({ from: location.pathname + location.hash }, "", path);
  opened?.();
}

/** Have the address say where we are, without opening anything. @param {string} path */
export const replaceUrl = path => history.replaceState(null, "", path);
