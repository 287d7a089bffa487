/** What this browser keeps: who one is on this server, and how one likes the page. */

/** @type {Storage | null} */
let kept = null;
try {
  kept = localStorage;
  kept.getItem("parlour");
} catch {
  kept = null;
}
const memory = /** @type {Record<string, string>} */ ({});

/** @param {string} name @returns {string | null} */
export function read(name) {
  try {
    return kept ? kept.getItem(`parlour.${name}`) : (memory[name] ?? null);
  } catch {
    return memory[name] ?? null;
  }
}

/** Keep a text, or with null forget it. Where nothing can be kept it holds for this page.
 *  @param {string} name @param {string | null} value */
export function write(name, value) {
  if (value === null) delete memory[name];
  else memory[name] = value;
  try {
    value === null ? kept?.removeItem(`parlour.${name}`) : kept?.setItem(`parlour.${name}`, value);
  } catch {
    /* a full or forbidden store */
  }
}

/** What this tab keeps, also when it is loaded anew. @param {string} name @returns {string | null} */
export function recall(name) {
  try {
    return sessionStorage.getItem(`parlour.${name}`);
  } catch {
    return null;
  }
}

/** @param {string} name @param {string} value */
export function remember(name, value) {
  try {
    sessionStorage.setItem(`parlour.${name}`, value);
  } catch {
    /* a full or forbidden store */
  }
}

/** Called when another tab of this browser has changed it.
 *  @param {string} name @param {(value: string | null) => void} then */
export function onChanged(name, then) {
  addEventListener("storage", event => {
    if (event.key === `parlour.${name}`) then(event.newValue);
  });
}
