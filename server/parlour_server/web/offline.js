// What stands in for a page while there is no connection: looks again by itself, as soon as there may be one.
const again = () => location.reload();
document.querySelector("button")?.addEventListener("click", again);
addEventListener("online", again);
setInterval(() => fetch("/healthz", { method: "HEAD" }).then(again, () => {}), 5000);
