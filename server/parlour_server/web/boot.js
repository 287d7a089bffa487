// Loads the page; where the server turned one of its files away (it answers so many a minute), tries again.
/** @type {Storage | null} */
let kept = null;
try { kept = sessionStorage; } catch { /* nothing is kept here, and nothing tried again */ }
import("./main.js").then(() => kept?.removeItem("parlour.tries")).catch(error => {
  console.warn(error);
  const tries = kept ? Number(kept.getItem("parlour.tries")) : Infinity;
  /** @type {HTMLElement} */ (document.getElementById("page")).textContent = tries < 5
    ? "The server is busy. Trying again in a moment ..." : "The page could not be loaded. Reload it to try again.";
  kept?.setItem("parlour.tries", String(tries + 1));
  if (tries < 5) setTimeout(() => location.reload(), 1000 * 2 ** tries * (0.5 + Math.random()));
});
