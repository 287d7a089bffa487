/** Elements without markup: what people wrote becomes text, and nothing else. */

/** @typedef {Node | string | number | null | undefined | false | Child[]} Child */
/** @typedef {Record<string, any>} Props */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An HTML element. Of the properties, functions named `onclick` and so on listen; `true` is an empty
 * attribute; `false`, null and undefined are none; `style` sets properties; `value`, `checked` and the like
 * are set as such.
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
  return fill(/** @type {any} */ (document.createElementNS(SVG, tag)), props, children);
}

/**
 * Set properties of an element that is there.
 * @template {Element} E
 * @param {E} element
 * @param {Props | null | undefined} props
 * @returns {E}
 */
export function set(element, props) {
  const own = /** @type {any} */ (element);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style")
      for (const [key, one] of Object.entries(value)) own.style.setProperty(key, one);
    else if (name === "textContent") {
      if (element.textContent !== value) element.textContent = value;
    } else if (PROPERTIES.has(name)) own[name] = value;
    else if (value === false || value === null || value === undefined) element.removeAttribute(name);
    else if (element.getAttribute(name) !== String(value === true ? "" : value))
      element.setAttribute(name, value === true ? "" : String(value));
  }
  return element;
}
const PROPERTIES = new Set(["value", "checked", "selected", "htmlFor", "indeterminate", "tabIndex"]);

/**
 * @template {Element} E
 * @param {E} element
 * @param {Props | null | undefined} props
 * @param {Child[]} children
 */
function fill(element, props, children) {
  set(element, props);
  element.append(.../** @type {(Node | string)[]} */ (nodes(children)));
  return element;
}

/** @param {Child[]} children */
const nodes = children =>
  /** @type {any[]} */ (children)
    .flat(Infinity)
    .filter(one => one !== null && one !== undefined && one !== false)
    .map(one => (one instanceof Node ? one : String(one)));

/**
 * Put these in place of all that an element has.
 * @template {Element} E
 * @param {E} element
 * @param {...Child} children
 * @returns {E}
 */
export function put(element, ...children) {
  element.replaceChildren(.../** @type {(Node | string)[]} */ (nodes(children)));
  return element;
}

/**
 * Have an element's children follow a list, each kept by its key: what has the focus keeps it.
 * @template T
 * @param {Element} parent
 * @param {readonly T[]} items
 * @param {(item: T) => string} key
 * @param {(item: T) => Element} create
 * @param {(element: any, item: T) => void} [update]
 */
export function keyed(parent, items, key, create, update) {
  const old = new Map([...parent.children].map(one => [/** @type {any} */ (one).dataset.key, one]));
  let next = parent.firstElementChild;
  for (const item of items) {
    const name = key(item);
    let element = old.get(name);
    if (!element) /** @type {any} */ ((element = create(item))).dataset.key = name;
    else old.delete(name);
    update?.(element, item);
    if (element === next) next = next?.nextElementSibling ?? null;
    else parent.insertBefore(/** @type {Element} */ (element), next);
  }
  for (const gone of old.values()) gone.remove();
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
  box.append(h("h2", null, title), .../** @type {(Node | string)[]} */ (nodes(content(() => box.close()))));
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
  if (!toasts?.isConnected) document.body.append((toasts = h("div", { class: "toasts" })));
  // Who clicks fast is told once, and goes on seeing the page.
  if ([...toasts.children].some(one => one.textContent === sentence)) return;
  const one = h("p", { class: kind }, sentence);
  toasts.append(one);
  while (toasts.children.length > 4) toasts.firstElementChild?.remove();
  announce(sentence);
  setTimeout(() => one.remove(), 3000 + 60 * sentence.length);
}
