// Within the index: loads the page; where the server turned one of its files away (it answers so many a minute), tries again.
import("./main.js").catch(error => {
  console.warn(error);
  const tries = history.state?.tries ?? 0;
  const page = /** @type {HTMLElement} */ (document.getElementById("page"));
  page.textContent = (tries < 5 ? page.dataset.busy : page.dataset.failed) ?? "";
  history.replaceState({ tries: tries + 1 }, "");
  if (tries < 5) setTimeout(() => location.reload(), 1000 * 2 ** tries * (0.5 + Math.random()));
});
