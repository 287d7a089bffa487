// What stands in for a page while there is no connection: looks again by itself, as soon as there may be one.
const again = () => location.reload();
globalThis.caches?.match("/puzzle", { ignoreVary: true }).then(kept => {
  if (kept) document.querySelector("p[hidden]")?.removeAttribute("hidden");
});
document.querySelector("button")?.addEventListener("click", again);
addEventListener("online", again);
setInterval(() => fetch("/healthz", { method: "HEAD" }).then(again, () => {}), 5000);
