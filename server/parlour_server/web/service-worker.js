// Says that there is no connection, where a page can't be fetched. It keeps that answer and nothing else, so that no
// script or page is ever old: whatever the server has is fetched from there. Another version of it has another text
// here, which a browser asks for with each page.
const worker = /** @type {any} */ (self);
const KEPT = "offline {version}";
const PAGE = "/offline";

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
  const old = caches.keys().then(all => all.filter(name => name !== KEPT));
  const begun = worker.registration.navigationPreload?.enable();
  event.waitUntil(Promise.all([begun, old.then(all => Promise.all(all.map(name => caches.delete(name))))]));
});

worker.addEventListener("fetch", (/** @type {any} */ event) => {
  if (event.request.mode !== "navigate") return;
  const fetched = async () => (await event.preloadResponse) ?? fetch(event.request);
  event.respondWith(
    fetched().catch(async error => {
      const page = await caches.match(PAGE);
      if (page) return page;
      throw error;
    }),
  );
});
