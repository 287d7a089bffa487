/** Buttons, a slider and keys that go through the steps of a search; a presenter's clicker sends such keys. */
import { button, h, put, set } from "../core/dom.js";
import { say } from "../words.js";

/** A button with a mark in place of its name. @param {string} mark @param {string} label
 *  @param {() => void} then */
export const sign = (mark, label, then) => button(mark, then, { "aria-label": label, title: label });

/**
 * @param {{at: () => number, go: (to: number) => void, forward?: () => void, play?: HTMLElement,
 *  keys?: Record<string, () => void>}} steps `at`: the step that is shown; `keys`: what others do
 */
export function steps({ at, go, forward = () => go(at() + 1), play, keys }) {
  const counter = h("output", { class: "past numbers" });
  const slider = h("input", {
    type: "range",
    min: 0,
    value: 0,
    class: "grow",
    "aria-label": say("page.learn.step"),
    oninput: () => go(Number(slider.value)),
  });
  const back = () => go(at() - 1);
  const [first, last] = [() => go(0), () => go(Infinity)];
  const element = h("div", { class: "row transport" }, [
    sign("|◀", say("page.learn.start"), first),
    sign("◀", say("page.learn.back"), back),
    play,
    sign("▶", say("page.learn.forward"), forward),
    sign("▶|", say("page.learn.end"), last),
    slider,
    counter,
  ]);
  /** @type {Record<string, () => void>} */
  const does = {
    PageUp: back,
    PageDown: forward,
    ArrowLeft: back,
    ArrowRight: forward,
    Home: first,
    End: last,
    ...keys,
  };

  /** @param {KeyboardEvent} event */
  function key(event) {
    // Whoever shows it needn't end it.
    if (!element.isConnected) return removeEventListener("keydown", key);
    const target = /** @type {HTMLElement} */ (event.target);
    // A clicker's hold wherever the focus is, but for what is not to be seen.
    const clicked = /^(Page(Up|Down)|Escape)$/.test(event.key);
    if (
      !does[event.key] ||
      element.closest("[hidden]") ||
      event.altKey ||
      event.ctrlKey ||
      event.metaKey ||
      target.closest?.("textarea, select, dialog") ||
      (!clicked && target.closest?.("input, [role=grid], [role=tree]")) ||
      (event.key === " " && target.closest?.("button"))
    )
      return;
    event.preventDefault();
    does[event.key]();
  }
  addEventListener("keydown", key);
  return {
    element,
    /** @param {number} step @param {number} of */
    show(step, of) {
      const stepOf = say("page.learn.step_of", { at: step, of });
      set(slider, { max: of, value: step, "aria-valuetext": stepOf });
      put(counter, stepOf);
    },
  };
}
