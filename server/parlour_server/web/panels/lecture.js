/** A search to be walked through: its tree, step by step, beside what other searches need for the same. */
import { lacks } from "../board/places.js";
import { TreeView } from "../board/tree.js";
import { announce, button, h, put, set } from "../core/dom.js";
import { closed, opens, Search, windowAfter } from "../game/search.js";
import * as text from "../game/tree_text.js";
import { number, say } from "../words.js";
import { sign, steps } from "./steps.js";

/** @import {Ask, Node, Question} from "../game/search.js" */

const PACES = [2400, 1200, 500, 150];
/** No larger or smaller is a tree drawn by itself: so that it can be read. */
const [LEAST_SCALE, LARGEST_SCALE] = [0.54, 1.7];
const MODES = /** @type {const} */ (["minimax", "alphabeta", "both"]);

const isFilled = () => document.documentElement.classList.contains("filled");

/**
 * @param {Ask} ask
 * @param {(what: () => Promise<unknown>) => Promise<unknown>} attempt says why something is refused, and
 * gives null then
 * @param {"minimax" | "alphabeta" | "both"} [mode] what is shown first
 * @param {(node: Node) => boolean} [edits] called with a node that was chosen: is it to be changed, rather
 *  than opened?
 */
export function lecture(ask, attempt, mode = "minimax", edits = () => false) {
  const searches = {
    minimax: new Search(ask, { prune: false }),
    alphabeta: new Search(ask, { prune: true, order: false }),
    ordered: new Search(ask, { prune: true, order: true }),
  };
  let ordered = false;
  /** How large all trees are drawn, "whole" so that nothing of them is out of sight; 0: as can be read.
   *  @type {number | "whole"} */
  let scale = 0;
  let guessing = false;
  let turn = 0;
  let right = 0;
  let tried = 0;
  /** @type {Node | null} whose value is being guessed */
  let asked = null;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let playing;
  /** The nodes whose values were guessed or shown. @type {WeakSet<Node>} */
  let told = new WeakSet();
  const pruning = () => (ordered ? searches.ordered : searches.alphabeta);
  const shown = () =>
    mode === "both" ? [searches.minimax, pruning()] : [mode === "minimax" ? searches.minimax : pruning()];
  /** The one that is stepped through. */
  const active = () => /** @type {Search} */ (shown().at(-1));
  // What is but a bound is no answer to guess.
  const hidden = (/** @type {Node} */ node) =>
    guessing &&
    !node.end &&
    !told.has(node) &&
    (node.score.kind === "exact" || (node.score.kind === "estimate" && !node.score.bound));

  // ------------------------------------------------------------ parts

  const views = [0, 1].map(
    at => new TreeView({ label: say("page.learn.tree"), onchoose: node => choose(shown()[at], node) }),
  );
  const panes = views.map(view =>
    h("figure", { class: "pane" }, h("figcaption", null), h("div", { class: "scroll" }, view.svg)),
  );
  const how = h("p", { class: "how" });
  const said = h("p", { class: "said" });
  const guess = h("div", { class: "guess", hidden: true });
  const play = button("▶▶", toggle, {
    class: "main",
    "aria-label": say("page.learn.play"),
    title: say("page.learn.play"),
  });
  const pace = h("input", {
    type: "range",
    min: 0,
    max: PACES.length - 1,
    value: 1,
    "aria-label": say("page.learn.speed"),
    title: say("page.learn.speed"),
    class: "pace",
    oninput: () => {
      if (playing) run();
    },
  });
  const full = button(say("page.learn.full"), () => fill(!isFilled()));
  const transport = steps({
    at: () => active().at,
    go,
    forward,
    play,
    keys: { Escape: () => fill(false), " ": toggle },
  });
  transport.element.append(pace, full);
  const kinds = h("div", { class: "row", role: "group", "aria-label": say("page.learn.search") }, [
    MODES.map(name =>
      button(
        say(`page.learn.${name}`),
        () => {
          mode = name;
          change();
        },
        { "data-mode": name },
      ),
    ),
  ]);
  const tick = (/** @type {string} */ label, /** @type {(on: boolean) => void} */ then) =>
    h("label", { class: "tick" }, [
      h("input", {
        type: "checkbox",
        onchange: (/** @type {Event} */ event) => {
          then(/** @type {HTMLInputElement} */ (event.target).checked);
          change();
        },
      }),
      label,
    ]);
  const options = h("div", { class: "row options" }, [
    kinds,
    tick(say("page.learn.ordering"), on => {
      ordered = on;
    }),
    tick(say("page.learn.guessing"), on => {
      guessing = on;
      told = new WeakSet();
      right = tried = 0;
    }),
    h("span", { class: "grow" }),
    sign("⊞", say("page.learn.all"), openAll),
    sign("⊟", say("page.learn.none"), closeAll),
    sign("−", say("page.learn.smaller"), () => zoom(scaled() / 1.25)),
    sign("+", say("page.learn.larger"), () => zoom(scaled() * 1.25)),
    sign("⤢", say("page.learn.whole"), () => zoom(scale === "whole" ? 0 : "whole")),
  ]);
  const bars = h("dl", { class: "counts numbers" });
  const score = h("p", { class: "past" });
  const costs = h("p", { class: "past", hidden: true }, say("lab.order_costs"));
  const counts = h("section", { class: "panel stack" }, [
    h("h2", null, say("page.learn.counts")),
    bars,
    costs,
  ]);
  const notes = h("section", { class: "panel stack past" }, [
    h("p", null, say("page.learn.scores")),
    h("p", null, say("page.learn.keys")),
  ]);
  const desk = h(
    "div",
    { class: "desk" },
    h("div", { class: "explain" }, said, guess, score),
    transport.element,
  );
  const stage = h("div", { class: "stack lecture" }, [
    options,
    h("div", { class: "panes" }, panes),
    how,
    desk,
  ]);

  // ------------------------------------------------------------ asking

  /** Search another position. @param {Question} asking */
  async function load(asking) {
    const mine = ++turn;
    stop();
    asked = null;
    told = new WeakSet();
    for (const one of Object.values(searches)) one.forget();
    change();
    tell(say("page.searching"), false);
    const loadOne = async (/** @type {Search} */ one) => {
      if (mine !== turn) return;
      await one.load(asking);
      await lacks(one.answer?.position.layout);
      if (mine !== turn) return;
      change();
      views[shown().indexOf(one)]?.show(/** @type {Node} */ (one.root), true);
    };
    // What is looked at comes first; then what it is compared with, which may be too much.
    const first = shown();
    await attempt(async () => {
      for (const one of first) await loadOne(one);
    });
    for (const one of Object.values(searches)) if (!first.includes(one)) await loadOne(one).catch(() => {});
  }

  /** @param {Search} search @param {Node} node */
  async function choose(search, node) {
    if (hidden(node) && search.known().get(node)?.done) return question(node);
    if (edits(node)) return;
    const along = mode === "both" ? shown() : [search];
    if (!opens(node)) {
      if (node.end && search.answer) tell(text.leafValue(text.sides(search.answer.position), node));
      return;
    }
    const opening = closed(node);
    await attempt(async () => {
      for (const one of along) {
        const twin = one === search ? node : one.find(node.path);
        if (twin && opens(twin) && closed(twin) === opening)
          await (opening ? one.open(twin) : one.close(twin));
      }
    });
    change();
    for (const view of views)
      for (const seen of [node, node.children[0]]) if (seen && view.drawn.has(seen)) view.show(seen);
  }

  async function openAll() {
    await attempt(async () => {
      for (const one of shown()) if (one.root) await one.open(one.root, 99);
    });
    change();
    scrollToTop();
  }

  async function closeAll() {
    for (const one of shown())
      for (const node of one.root?.children ?? []) if (node.children.length) one.close(node);
    change();
  }

  // ------------------------------------------------------------ showing

  /** Scroll to the top, and once all is known to the move that was looked for. */
  function scrollToTop() {
    shown().forEach((one, at) => {
      const seen = one.ended ? one.root?.children.find(child => child.best) : one.root;
      if (seen) views[at].show(seen, true);
    });
  }

  /** Other trees are shown, or other nodes of them are open. */
  function change() {
    const now = shown();
    // Each has the room that the others leave it.
    panes.forEach((pane, at) => {
      pane.hidden = !now[at]?.root;
    });
    panes.forEach((pane, at) => {
      const search = now[at];
      if (!search?.root) return void put(views[at].svg);
      const name =
        search === searches.minimax ? "minimax" : search === searches.ordered ? "ordered" : "alphabeta";
      put(/** @type {Element} */ (pane.firstElementChild), [
        h("strong", null, say(`page.learn.${name}`)),
        search.answer && ` ${text.searched(search.answer)}`,
      ]);
      set(views[at].svg, {
        "aria-label": say("page.learn.tree_of", { search: say(`page.learn.bars.${name}`) }),
      });
    });
    // As it is larger: with each value above its board, or beside it.
    const tall = measure(false);
    if (measure(true) < tall) measure(false);
    now.forEach((search, at) => {
      if (search.root) views[at].build(search);
    });
    const first = active().answer;
    put(how, first && say("page.learn.how", text.sides(first.position)));
    // Found once: a box that grows with its tree is higher by the second.
    const size = scaled();
    for (const view of views) view.scale(size);
    for (const one of /** @type {HTMLElement[]} */ ([...kinds.children]))
      set(one, { "aria-pressed": String(one.dataset.mode === mode) });
    const most = Math.max(...Object.values(searches).map(one => one.answer?.visited ?? 0));
    put(bars, [
      Object.entries(searches).flatMap(([name, { answer }]) => [
        h("dt", null, say(`page.learn.bars.${/** @type {"minimax"} */ (name)}`)),
        h("dd", null, [
          h("span", { class: "bar" }, [
            h("i", { style: { width: `${answer ? Math.max(0.5, (100 * answer.visited) / most) : 0}%` } }),
          ]),
          h("span", null, answer ? number(answer.visited) : "…"),
        ]),
      ]),
    ]);
    const { alphabeta, ordered: sorted } = searches;
    costs.hidden = !(Number(sorted.answer?.visited) > Number(alphabeta.answer?.visited));
    draw(false);
  }

  /** @param {boolean} aloud */
  function draw(aloud) {
    // What it is compared with is complete.
    if (mode === "both") searches.minimax.at = searches.minimax.steps.length - 1;
    shown().forEach((search, at) => {
      // A key may come before its tree is drawn.
      if (search.root && views[at].drawn.size) views[at].update(search, hidden);
    });
    const search = active();
    const { answer, step } = search;
    if (!answer || !step) return;
    const last = search.steps.length - 1;
    transport.show(search.at, last);
    put(score, tried > 0 && say("page.learn.tally", { right, of: tried }));
    const secret = step.kind === "up" ? step.node.children[step.at] : step.kind === "end" ? step.node : null;
    if (secret && hidden(secret)) return question(secret);
    if (asked && !hidden(asked)) asked = null;
    guess.hidden = true;
    const before = windowAfter(step.node, step.at);
    const now = windowAfter(step.node, step.at + 1);
    tell(text.treeStep(text.sides(answer.position), step, answer, before, now), aloud);
  }

  /** @param {string} sentence @param {boolean} [aloud] */
  function tell(sentence, aloud = true) {
    put(said, sentence);
    if (aloud) announce(sentence);
  }

  /** Find where all is to stand, and how large it may be so that all of it is seen. @param {boolean} flat */
  function measure(flat) {
    shown().forEach((search, at) => {
      if (search.root) views[at].measure(search, flat);
    });
    return Math.min(...fitting());
  }

  /** The largest scales at which each tree's width is seen, and each one's height. */
  function fitting() {
    let [across, down] = [Infinity, Infinity];
    panes.forEach((pane, at) => {
      if (pane.hidden) return;
      const box = /** @type {Element} */ (pane.lastElementChild);
      const { width, height } = views[at].size;
      // A box that grows with its tree says how high it may become.
      const high = Math.max(box.clientHeight, parseFloat(getComputedStyle(box).maxHeight) || 0);
      across = Math.min(across, (box.clientWidth - 1) / width);
      down = Math.min(down, (high - 1) / height);
    });
    return [across, down];
  }

  /** One scale for all trees that are shown: they are compared. */
  function scaled() {
    if (typeof scale === "number" && scale) return scale;
    const [across, down] = fitting();
    const whole = Math.min(across, down);
    const readable = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
    const least = LEAST_SCALE * readable;
    // What has to be scrolled anyway may as well be large.
    const found = scale || whole >= least ? whole : Math.max(least, Math.min(readable, down));
    // From the back of a room no tree is too large.
    return isFilled() ? found : Math.min(LARGEST_SCALE * readable, found);
  }

  /** @param {number | "whole"} to */
  function zoom(to) {
    scale = to;
    change();
  }

  // ------------------------------------------------------------ stepping

  /** @param {number} to */
  function go(to) {
    const search = active();
    search.at = Math.min(Math.max(0, to), search.steps.length - 1);
    draw(true);
    if (search.ended) scrollToTop();
  }

  /** What is asked is shown first. */
  function forward() {
    if (asked && !guess.hidden) return reveal(asked);
    go(active().at + 1);
  }

  function run() {
    clearInterval(playing);
    playing = setInterval(() => {
      if (!guess.hidden) return;
      if (active().ended) stop();
      else go(active().at + 1);
    }, PACES[Number(pace.value)]);
  }

  function toggle() {
    if (playing) return stop();
    if (active().ended) go(0);
    set(play, { "aria-label": say("page.learn.pause"), title: say("page.learn.pause"), textContent: "❚❚" });
    run();
  }

  function stop() {
    clearInterval(playing);
    playing = undefined;
    set(play, { "aria-label": say("page.learn.play"), title: say("page.learn.play"), textContent: "▶▶" });
  }

  // ------------------------------------------------------------ guessing

  /** @param {Node} node */
  function question(node) {
    const answer = active().answer;
    if (!answer || (asked === node && !guess.hidden)) return;
    asked = node;
    const who = text.sides(answer.position);
    const typed = h("input", {
      type: "number",
      step: "any",
      "aria-label": say("page.learn.number"),
      placeholder: say("page.learn.number"),
    });
    tell(text.guessWhat(who, node));
    guess.hidden = false;
    put(guess, [
      h(
        "form",
        {
          class: "row",
          onsubmit: (/** @type {Event} */ event) => {
            event.preventDefault();
            if (typed.value) judge(node, Number(typed.value) === node.score.points);
          },
        },
        [
          (node.cells.length ? text.guesses(who, node.score.kind === "estimate") : []).map(([label, sign]) =>
            button(label, () => judge(node, Math.sign(node.score.points) === sign)),
          ),
          typed,
          h("button", null, say("page.learn.guess")),
          button(say("page.learn.show"), () => reveal(node), { class: "plain" }),
        ],
      ),
    ]);
  }

  /** @param {Node} node @param {boolean} good */
  function judge(node, good) {
    tried++;
    if (good) right++;
    reveal(node, say(good ? "page.learn.right" : "page.learn.wrong", { value: text.treeValue(node.score) }));
  }

  /** @param {Node} node @param {string} [verdict] */
  function reveal(node, verdict) {
    told.add(node);
    asked = null;
    draw(!verdict);
    if (verdict) tell(`${verdict} ${said.textContent}`);
  }

  // ------------------------------------------------------------ the whole screen

  /** For an audience: nothing but the lecture, as large as the screen. @param {boolean} on */
  function fill(on) {
    document.documentElement.classList.toggle("filled", on);
    put(full, say(on ? "page.learn.unfull" : "page.learn.full"));
    // A phone's browser may have no such thing; the page without its head does there, too.
    const done = on
      ? document.documentElement.requestFullscreen?.()
      : document.fullscreenElement && document.exitFullscreen();
    done?.catch(() => {});
    if (active().root) change();
  }

  function filled() {
    if (!document.fullscreenElement) fill(false);
  }

  document.addEventListener("fullscreenchange", filled);
  let size = "";
  const resized = new ResizeObserver(() => {
    // The height is a tree's own doing, but on the whole screen, which may be had only after a while.
    const now = `${stage.clientWidth} ${isFilled() && innerHeight}`;
    if (size === now) return;
    size = now;
    if (active().root) change();
  });
  resized.observe(stage);
  return {
    stage,
    desk,
    counts,
    notes,
    load,
    /** The drawings that are shown. */
    trees: () => views.filter((_, at) => !panes[at].hidden).map(view => view.svg),
    close() {
      stop();
      turn++;
      resized.disconnect();
      document.removeEventListener("fullscreenchange", filled);
      fill(false);
    },
  };
}
