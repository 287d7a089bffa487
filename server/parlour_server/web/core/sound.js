/** Short sounds, made here; off unless somebody wants them. */
import { read } from "./storage.js";

/** @param {Parameters<typeof import("./tones.js").sounded>[0]} name */
export function play(name) {
  if (read("sound") === "on") import("./tones.js").then(({ sounded }) => sounded(name)).catch(() => {});
}
