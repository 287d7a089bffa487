/** What is kept of puzzles for a time without a connection. `service-worker.js` shows the page then. */

const KEPT = "puzzle";
const MOST = 20;

/** @param {string} key */
const address = key => `/puzzle?kept=${encodeURIComponent(key)}`;

/** Keep what the server answered. @param {string} key @param {object} answer */
export async function keep(key, answer) {
  try {
    const kept = await caches.open(KEPT);
    await kept.put(address(key), new Response(JSON.stringify(answer)));
  } catch {
    /* nothing is kept here: under http, say */
  }
}

/** What was kept under a key; null: nothing. @param {string} key */
export async function recall(key) {
  try {
    return await (await caches.match(address(key), { cacheName: KEPT }))?.json();
  } catch {
    return null;
  }
}

/** Keep this page with all that it loads, which the browser has and need not fetch for that; what another version was
 *  made of goes, and so do the puzzles that were kept first. */
export function keepPage() {
  const watch = new PerformanceObserver(list => {
    const entries = /** @type {PerformanceResourceTiming[]} */ (list.getEntries());
    // What is fetched in order to be kept is none.
    keepFiles(entries.filter(one => one.initiatorType !== "fetch").map(one => one.name));
  });
  watch.observe({ type: "resource", buffered: true });
  return watch;
}

/** @param {string[]} loaded */
async function keepFiles(loaded) {
  const files = loaded.map(one => new URL(one).pathname).filter(path => path.startsWith("/assets/"));
  const root = files[0]?.slice(0, files[0].indexOf("/", "/assets/".length));
  if (!root) return;
  try {
    const kept = await caches.open(KEPT);
    for (const path of ["/puzzle", ...files]) {
      const answer = await fetch(path, { cache: "force-cache" });
      // The server may have another version by now.
      if (answer.ok && (path !== "/puzzle" || (await answer.clone().text()).includes(root)))
        await kept.put(path, answer);
    }
    const all = (await kept.keys()).map(one => new URL(one.url));
    const old = all.filter(one => one.pathname.startsWith("/assets/") && !one.pathname.startsWith(root));
    const puzzles = all.filter(one => one.search).slice(0, -MOST);
    await Promise.all([...old, ...puzzles].map(one => kept.delete(one)));
  } catch {
    /* nothing is kept here, or nothing can be fetched */
  }
}
