// Loads the page; where the server turned one of its files away (it answers so many a minute), tries again.
import("./main.js").catch(error => {
  console.warn(error);
  const tries = history.state?.tries ?? 0;
  /** @type {HTMLElement} */ (document.getElementById("page")).textContent = tries < 5
    ? "The server is busy. Trying again in a moment ..." : "The page could not be loaded. Reload it to try again.";
  history.replaceState({ tries: tries + 1 }, "");
  if (tries < 5) setTimeout(() => location.reload(), 1000 * 2 ** tries * (0.5 + Math.random()));
});
