/** Elements without markup: what people wrote becomes text, and nothing else. */
import { say } from "../words.js";

/** @typedef {ChildNode | string | number | null | undefined | false | Child[]} Child */
/** @typedef {Record<string, unknown>} Props */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An HTML element. Of the properties, functions named `onclick` and so on listen; `true` is an empty
 * attribute;
 * `false`, null and undefined are none; of a list those count that are something; `style` sets properties;
 * `value`, `checked` and the like are set as such.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Props | null} [props]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, props, ...children) {
  return fill(document.createElement(tag), props, children);
}

/**
 * An SVG element, in the same way.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Props | null} [props]
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function s(tag, props, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

/** What each element was made with, so that `render` knows what it has to change.
 *  @type {WeakMap<Node, Props>} */
const made = new WeakMap();
const PROPERTIES = new Set([
  "value",
  "checked",
  "selected",
  "htmlFor",
  "indeterminate",
  "tabIndex",
  "textContent",
]);

/**
 * Set properties of an element that is there.
 * @template {Element} E
 * @param {E} element
 * @param {Props | null | undefined} props
 * @returns {E}
 */
export function set(element, props) {
  const own = /** @type {Element & Record<string, unknown>} */ (element);
  for (const [name, value] of Object.entries(props ?? {})) {
    const text = Array.isArray(value) ? value.filter(Boolean).join(" ") : value === true ? "" : value;
    if (name === "key") continue;
    if (name.startsWith("on")) own[name] = value ?? null;
    else if (name === "style" && "style" in element) {
      const { style } = /** @type {Element & ElementCSSInlineStyle} */ (/** @type {unknown} */ (element));
      for (const [key, one] of Object.entries(value ?? {})) style.setProperty(key, one);
    } else if (PROPERTIES.has(name)) {
      if (name !== "textContent" || own[name] !== value) own[name] = value;
    } else if (text === false || text === null || text === undefined) element.removeAttribute(name);
    else if (element.getAttribute(name) !== String(text)) element.setAttribute(name, String(text));
  }
  return element;
}

/**
 * @template {Element} E
 * @param {E} element
 * @param {Props | null | undefined} props
 * @param {Child[]} children
 */
function fill(element, props, children) {
  made.set(element, props ?? {});
  set(element, props);
  element.append(...nodes(children));
  return element;
}

/** @param {Child[]} children @returns {ChildNode[]} */
const nodes = children =>
  /** @type {Exclude<Child, Child[]>[]} */ (children.flat(/** @type {1} */ (Infinity)))
    .filter(one => one !== null && one !== undefined && one !== false)
    .map(one => (typeof one === "object" ? one : new Text(String(one))));

/**
 * Put these in place of all that an element has.
 * @template {Element} E
 * @param {E} element
 * @param {...Child} children
 * @returns {E}
 */
export function put(element, ...children) {
  element.replaceChildren(...nodes(children));
  return element;
}

/**
 * Have an element's children follow a view, made anew from what it shows. What was there stays, and is
 * changed: what has
 * the focus keeps it. A `key` tells those apart that change their places. What other views hold is none of a
 * view's parts,
 * but may be one of the children.
 * @param {Element} parent
 * @param {...Child} children
 */
export function render(parent, ...children) {
  follow(parent, nodes(children));
}

/** @param {Node} parent @param {ChildNode[]} children */
function follow(parent, children) {
  const keys = new Set(children.map(keyOf));
  const keyed = new Map();
  for (const one of [...parent.childNodes])
    if (keys.has(keyOf(one))) keyed.set(keyOf(one), one);
    else if (keyOf(one) !== undefined) one.remove();
  let next = parent.firstChild;
  for (const fresh of children) {
    const there = keyOf(fresh) === undefined ? next : keyed.get(keyOf(fresh));
    const one = there && alike(there, fresh) ? changed(there, fresh) : fresh;
    if (one === next) next = next.nextSibling;
    else parent.insertBefore(one, next);
  }
  for (let gone = next; gone; gone = next) {
    next = gone.nextSibling;
    gone.remove();
  }
}

/** @param {Node} one */
const keyOf = one => made.get(one)?.key;
/** Can what is there become the other, which no page shows yet? @param {Node} there @param {Node} fresh */
const alike = (there, fresh) =>
  there.nodeName === fresh.nodeName &&
  keyOf(there) === keyOf(fresh) &&
  made.has(there) === made.has(fresh) &&
  !fresh.isConnected;

/** @param {ChildNode} there @param {ChildNode} fresh */
function changed(there, fresh) {
  if (!(there instanceof Element)) {
    if (there.nodeValue !== fresh.nodeValue) there.nodeValue = fresh.nodeValue;
    return there;
  }
  const before = made.get(there) ?? {};
  const now = made.get(fresh) ?? {};
  for (const name of Object.keys({ ...before, ...now }))
    if (before[name] !== now[name]) set(there, { [name]: now[name] });
  made.set(there, now);
  follow(there, [...fresh.childNodes]);
  return there;
}

/**
 * A button.
 * @param {string} label
 * @param {(event: MouseEvent) => void} onclick
 * @param {Props} [props]
 */
export const button = (label, onclick, props) => h("button", { type: "button", onclick, ...props }, label);

/** Scroll a list, and nothing around it, until its current item shows. @param {Element} list */
export function reveal(list) {
  const now = list.querySelector("[aria-current]")?.getBoundingClientRect();
  const seen = list.getBoundingClientRect();
  if (now && (now.top < seen.top || now.bottom > seen.bottom))
    list.scrollTop += now.top - seen.top - (seen.height - now.height) / 2;
}

/** Have a screen reader say something. @param {string} sentence */
export function announce(sentence) {
  const place = document.getElementById("live");
  if (place) place.append(h("p", null, sentence));
  while (place && place.children.length > 5) place.firstElementChild?.remove();
}

/** Does the person, or their system, want nothing to move? */
export const still = () =>
  document.documentElement.dataset.motion === "off" || matchMedia("(prefers-reduced-motion: reduce)").matches;

/**
 * Let a person choose, or read and go on. Escape closes it.
 * @param {string} title
 * @param {(close: () => void) => Child[]} content
 * @param {() => void} [closed]
 */
export function dialog(title, content, closed) {
  const box = h("dialog", {
    "aria-label": title,
    onclose: () => {
      box.remove();
      closed?.();
    },
  });
  const close = () => box.close();
  // The last to be reached by keys, and yet in sight at the top.
  const shut = button("✕", close, { class: "plain shut", "aria-label": say("page.close") });
  box.append(h("h2", null, title), ...nodes(content(close)), shut);
  box.addEventListener("click", event => {
    if (event.target === box) box.close();
  });
  document.body.append(box);
  box.showModal();
  return box;
}

let toasts = /** @type {HTMLElement | null} */ (null);

/** Show a sentence for some seconds, and have it read aloud.
 *  @param {string} sentence @param {string} [kind] */
export function toast(sentence, kind = "") {
  if (!toasts?.isConnected) document.body.append((toasts = h("aside", { class: "toasts" })));
  // Who clicks fast is told once, and goes on seeing the page.
  if ([...toasts.children].some(one => one.textContent === sentence)) return;
  const one = h("p", { class: kind }, sentence);
  toasts.append(one);
  while (toasts.children.length > 4) toasts.firstElementChild?.remove();
  announce(sentence);
  setTimeout(() => one.remove(), 3000 + 60 * sentence.length);
}

/** Load looks once.
 *  @param {string} id @param {string} path @param {string} from @returns {Promise<void> | null} */
export function styled(id, path, from) {
  if (document.getElementById(id)) return null;
  const { pathname } = new URL(path, from);
  const link = h("link", { id, rel: "stylesheet", href: pathname });
  document.head.append(link);
  return new Promise(resolve => {
    link.onload = link.onerror = () => resolve();
  });
}
