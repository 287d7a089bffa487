// Says that there is no connection, where a page can't be fetched; a puzzle that was loaded is shown all the same, with
// what its page has kept (core/kept.js). Nothing else is kept, and nothing that is kept is shown where the server can be
// asked, so that no script or page is ever old. Another version of that answer has another text here, which a browser
// asks for with each page.
const worker = /** @type {any} */ (self);
const KEPT = "offline {version}";
const PAGE = "/offline";
const PUZZLE = "puzzle";
/** The pages shown without a connection, which get what they load from what was kept with them. */
const shown = new Set();

worker.addEventListener("install", (/** @type {any} */ event) => {
  worker.skipWaiting();
  // In the language of the page that installs it.
  const headers = { "Accept-Language": new URL(location.href).searchParams.get("language") ?? "en" };
  const fetched = fetch(PAGE, { headers, cache: "no-store" });
  event.waitUntil(
    Promise.all([caches.open(KEPT), fetched]).then(([kept, page]) => {
      // A server that is full or stopping answers otherwise: the next page tries to install this again.
      if (!page.ok) throw new Error(page.statusText);
      return kept.put(PAGE, page);
    }),
  );
});

worker.addEventListener("activate", (/** @type {any} */ event) => {
  const old = caches.keys().then(all => all.filter(name => name !== KEPT && name !== PUZZLE));
  const begun = worker.registration.navigationPreload?.enable();
  event.waitUntil(Promise.all([begun, old.then(all => Promise.all(all.map(name => caches.delete(name))))]));
});

worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event;
  const kept = () => caches.match(request, { cacheName: PUZZLE, ignoreVary: true });
  if (shown.has(event.clientId) && request.url.includes("/assets/"))
    event.respondWith(kept().then(one => one ?? fetch(request)));
  if (request.mode !== "navigate") return;
  const fetched = async () => (await event.preloadResponse) ?? fetch(request);
  event.respondWith(
    fetched().catch(async error => {
      const puzzle = await kept();
      if (puzzle) shown.add(event.resultingClientId);
      const page = puzzle ?? (await caches.match(PAGE));
      if (page) return page;
      throw error;
    }),
  );
});
