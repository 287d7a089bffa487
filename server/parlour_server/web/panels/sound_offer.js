/** Whether moves are to be heard: asked at the first table where there would be something. */
import * as sound from "../core/sound.js";
import { write } from "../core/storage.js";
import { say } from "../words.js";
import { nudge } from "./nudge.js";

/** For so long it is asked, in ms. */
const OFFERED = 20_000;

/** Again, where another line took its place before it was answered. @param {HTMLElement} near */
export function offerSound(near) {
  if (document.querySelector(".nudge")) return;
  const answered = () => write("sound.offered", "yes");
  const on = () => {
    answered();
    write("sound", "on");
    sound.play("move");
  };
  const offer = nudge(
    say("page.sound.offer"),
    [
      [say("page.settings.on"), on],
      [say("page.settings.off"), answered],
    ],
    near,
  );
  // Whoever has let it stand that long has answered, too.
  setTimeout(() => {
    if (offer.isConnected) answered();
    offer.remove();
  }, OFFERED);
}
