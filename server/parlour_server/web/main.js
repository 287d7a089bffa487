/** The page's start: who one is, the connection, the head of the page, and which page is shown. */
import { attempt } from "./core/attempt.js";
import { Client } from "./core/client.js";
import { announce, button, h, put, set, styled, toast } from "./core/dom.js";
import { acting } from "./core/room.js";
import { replaceUrl, route, start } from "./core/router.js";
import { read } from "./core/storage.js";
import { confirm } from "./panels/confirm.js";
import { NAME, span } from "./text.js";
import { bring, say } from "./words.js";

/** @import {Page, PageModule} from "./core/router.js" */

/** Each path's module, which is loaded when it is first opened. @type {Record<string, string>} */
const PAGES = {
  "/": "lobby",
  "/CODE": "table",
  "/TOURNAMENT": "tournament",
  "/analysis": "analysis",
  "/review": "review",
  "/puzzle": "puzzle",
  "/lab": "lab",
  "/learn": "learn",
  "/wall": "wall",
  "/ratings": "ratings",
};
/** Those with looks of their own. */
const STYLED = new Set(["lab", "learn", "lobby", "ratings", "review", "table", "tournament", "wall"]);
const main = /** @type {HTMLElement} */ (document.getElementById("page"));
const top = /** @type {HTMLElement} */ (document.getElementById("top"));
const client = new Client(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/`);

// ------------------------------------------------------------ the head of the page

const nav = h("nav", { "aria-label": NAME });
const who = h("span");
const dot = h("span", { class: "dot", role: "img" });
const account = button("", () => attempt(settings), { class: "plain who", "aria-haspopup": "dialog" });
const banner = h("p", { class: "banner", role: "status", "aria-live": "off", hidden: true });
top.append(nav, account);
account.append(dot, who);
// The server says it in the language of the browser, which another one may have been chosen over.
put(/** @type {Element} */ (document.querySelector(".skip")), say("page.skip"));
top.append(banner);
const LINKS = {
  "/": say("page.play"),
  "/analysis": say("page.nav.analysis"),
  "/learn": say("page.nav.learn"),
  "/lab": say("page.nav.lab"),
  "/wall": say("page.nav.wall"),
};
put(nav, [Object.entries(LINKS).map(([href, label]) => h("a", { href }, label))]);

function showConnection() {
  const { connection } = client;
  const seconds = connection.kind === "lost" ? (connection.until - Date.now()) / 1000 : 0;
  const lost =
    seconds >= 1 ? say("connection.lost_in", { span: span(Math.ceil(seconds)) }) : say("connection.lost_now");
  const away =
    connection.kind === "offline"
      ? say("connection.offline")
      : connection.kind === "lost" || (connection.kind === "connecting" && !banner.hidden)
        ? lost
        : "";
  const seated = [...client.rooms.values()].some(({ view }) => view && acting(view) !== undefined);
  const sentence =
    connection.kind === "ended"
      ? (client.goodbye?.message ?? say("connection.ended"))
      : [away, away && seated && say("connection.seat_kept")].filter(Boolean).join(" ");
  set(dot, {
    class: connection.kind === "connected" ? "dot" : "dot lost",
    "aria-label":
      connection.kind === "connected"
        ? say("connection.connected")
        : sentence || say("connection.connecting"),
  });
  put(who, client.name);
  set(account, { "aria-label": say("page.settings.of", { name: client.name }) });
  if (banner.dataset.said !== sentence)
    put(banner, [
      sentence,
      connection.kind === "ended" && button(say("page.reconnect"), () => client.reconnect(true)),
    ]);
  banner.dataset.said = sentence;
  // The seconds that it counts are not read aloud.
  if (banner.hidden !== !sentence) announce(sentence || say("connection.connected"));
  banner.hidden = !sentence;
}
client.on("connection", showConnection);
setInterval(() => {
  if (client.connection.kind === "lost") showConnection();
}, 1000);
client.on("news", sentence => toast(sentence));
// What nobody has seen to: an error of the page itself, or a part of it that could not be loaded. That part may be gone
// since the server has another version by now: all is loaded anew then, and tables come back as they were.
addEventListener("unhandledrejection", async ({ reason }) => {
  const mine = new URL(".", import.meta.url).pathname;
  const page = reason instanceof TypeError ? await fetch("/", { cache: "no-store" }).catch(() => null) : null;
  if (page?.ok && !(await page.text()).includes(mine)) location.reload();
  else toast(say("page.broken"), "refusal");
});
client.on("announcement", ({ text: words }) => toast(say("connection.host_says", { text: words })));

async function settings() {
  await bring("settings");
  (await import("./panels/settings.js")).openSettings(client, { appearance, showKeys });
}

// What the keys do that the page here has, by the key that is asked for everywhere.
addEventListener("keydown", async event => {
  const typed = /** @type {Element} */ (event.target).closest?.("input, textarea, select");
  if (event.key !== "?" || typed || document.querySelector("dialog[open]")) return;
  event.preventDefault();
  await showKeys();
});

async function showKeys() {
  await bring("keys");
  (await import("./panels/keys.js")).showKeys(document.body.dataset.page ?? "");
}

/** Have the browser say so itself where there is no connection. It keeps no part of the page. */
function keepWorker() {
  const path = `/service-worker.js?language=${document.documentElement.lang}`;
  // Where scripts' addresses have to be trusted, this one is.
  const trusted = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("worker", {
    createScriptURL: () => path,
  });
  navigator.serviceWorker?.register(trusted?.createScriptURL("") ?? path).catch(() => {});
}

function appearance() {
  for (const name of ["board", "theme", "motion"]) {
    const value = read(name);
    if (value) document.documentElement.dataset[name] = value;
    else delete document.documentElement.dataset[name];
  }
  if (read("board")) style("boards", "board/boards");
}

// ------------------------------------------------------------ pages

/** @type {Page | null} */
let page = null;
let turn = 0;

/** A page's looks, where it has some. @param {string} name @param {string} [path] */
const style = (name, path = STYLED.has(name) ? `pages/${name}` : "") =>
  path ? styled(name, `./${path}.css`, import.meta.url) : null;

/** A page's module; null where it could not be loaded.
 *  @param {string} name @returns {Promise<PageModule | null>} */
async function load(name) {
  try {
    // Modules say things when they are loaded.
    await bring(name);
    // The one that was opened first came with the document.
    const { $modules } = /** @type {{$modules?: Record<string, PageModule>}} */ (
      /** @type {unknown} */ (globalThis)
    );
    return $modules?.[`pages/${name}.js`] ?? (await import(`./pages/${name}.js`));
  } catch {
    if (!navigator.onLine || history.state?.again) return null;
    // The server has another version of the page by now, or was busy: all is loaded anew, once.
    history.replaceState({ again: true }, "");
    location.reload();
    return new Promise(() => {});
  }
}

async function open() {
  const here = route(location, PAGES);
  const mine = ++turn;
  if (here.hash.startsWith("carry=")) {
    // Used once, and not for the history of this browser.
    const code = here.hash.slice(6);
    replaceUrl(location.pathname);
    here.hash = "";
    // Anybody can send such a link: whoever one is here is not forgotten without a question.
    if (
      !client.token ||
      (await new Promise(resolve =>
        confirm(
          say("page.table.become", { name: client.name }),
          () => resolve(true),
          () => resolve(false),
        ),
      ))
    ) {
      client.carry = code;
      client.reconnect(true);
    }
  }
  const name = PAGES[here.path];
  const [module] = name ? await Promise.all([load(name), style(name)]) : [];
  if (mine !== turn) return;
  for (const box of document.querySelectorAll("dialog")) box.close();
  page?.close();
  page = null;
  for (const link of nav.children)
    set(link, { "aria-current": link.getAttribute("href") === location.pathname ? "page" : null });
  document.body.dataset.page = here.path;
  put(main);
  document.title = NAME;
  if (module) page = module.open(client, main, here);
  else if (module === undefined)
    put(main, [
      h("h1", null, say("page.not_found")),
      h("p", null, h("a", { href: "/" }, say("page.to_lobby"))),
    ]);
  else
    put(main, [
      h("h1", null, say("page.not_loaded")),
      button(say("page.try_again"), () => location.reload()),
    ]);
  if (mine > 1) {
    scrollTo(0, 0);
    main.focus({ preventScroll: true });
  }
}

appearance();
showConnection();
// When all that is shown is there: a page without a connection is not wanted before.
if (document.readyState === "complete") keepWorker();
else addEventListener("load", keepWorker);
start(open);
client.reconnect();
