/** Calling somebody back who looks elsewhere: by the tab's title and icon, a phone's buzz, a notification. */
import { read, write } from "./storage.js";

const FLASH = 1000;
const BUZZ = 80;
const icon = /** @type {HTMLLinkElement} */ (document.querySelector('link[rel="icon"]'));
const calm = icon.href;
let title = document.title;
/** @type {ReturnType<typeof setInterval> | undefined} */
let flashing;

/** @param {string} text */
export function setTitle(text) {
  title = text;
  if (!flashing) document.title = text;
}

/** May this browser still be asked whether it shows notifications? */
export const askable = () => self.Notification?.permission === "default" && read("notify") === null;

/** Ask, once: whoever says no has said it. */
export async function ask() {
  write("notify", "asked");
  await Notification.requestPermission();
}

/** Say something to whoever looks at another window, until they look here. @param {string} sentence */
export function call(sentence) {
  // A browser shakes nothing before the first tap.
  if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(BUZZ);
  if (document.hasFocus()) return;
  rest();
  flashing = setInterval(() => {
    document.title = document.title === title ? sentence : title;
  }, FLASH);
  document.title = sentence;
  icon.href = calm.replace("icon.svg", "icon-turn.svg");
  if (self.Notification?.permission !== "granted") return;
  try {
    const shown = new Notification(title, { body: sentence, icon: calm, tag: location.pathname });
    shown.onclick = () => {
      focus();
      shown.close();
    };
  } catch {
    /* Some browsers leave that to service workers. */
  }
}

function rest() {
  clearInterval(flashing);
  flashing = undefined;
  document.title = title;
  icon.href = calm;
}

addEventListener("focus", rest);
