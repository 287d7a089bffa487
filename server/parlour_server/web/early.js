// Within the index, before anything is painted or said: the colours and the language that were chosen here, and
// the connection, which takes as long as the scripts do.
Object.assign(globalThis, { $socket: new WebSocket(location.origin.replace("http", "ws"), "parlour.v1") });
try {
  const theme = localStorage.getItem("parlour.theme");
  const motion = localStorage.getItem("parlour.motion");
  const language = localStorage.getItem("parlour.language");
  if (language && document.documentElement.dataset.languages?.includes(`"${language}"`))
    document.documentElement.lang = language;
  if (theme) document.documentElement.dataset.theme = theme;
  if (theme) document.querySelector("meta[name=color-scheme]")?.setAttribute("content", theme);
  const manifest = /** @type {HTMLLinkElement | null} */ (document.querySelector("link[rel=manifest]"));
  if (manifest && theme !== "dark" && (theme || matchMedia("(prefers-color-scheme: light)").matches))
    manifest.href = manifest.href.replace("manifest.", "light.manifest.");
  if (motion) document.documentElement.dataset.motion = motion;
} catch {
  /* nothing is kept here */
}
