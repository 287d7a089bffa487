/** Monte Carlo tree search, playout by playout: what was selected, added, played, and counted on the way back. */
import { lacks } from "../board/places.js";
import { TreeView } from "../board/tree.js";
import { announce, button, h, put, styled } from "../core/dom.js";
import { linked } from "../game/search.js";
import { number, say } from "../words.js";
import { steps } from "./steps.js";

/** @import {Known, Node, Search} from "../game/search.js" */
/** @import {Fields, Playouts} from "../protocol.d.ts" */

/** Its looks: how large a tree is drawn depends on them. */
const looks = styled("exercises", "./exercises.css", import.meta.url);
const PLAYOUTS = 60;

/** @param {(question: Fields<"playouts">) => Promise<Playouts>} ask
 *  @param {(what: () => Promise<unknown>) => Promise<unknown>} attempt @param {() => void} left */
export function playouts(ask, attempt, left) {
  /** @type {Playouts | null} */
  let answer = null;
  let at = 0;
  /** @type {Node[]} */
  let nodes = [];
  const view = new TreeView({ label: say("page.learn.tree"), onchoose: () => {} });
  const stage = h("div", { class: "scroll" }, view.svg);
  const said = h("p", { class: "said" });
  const transport = steps({ at: () => at, go });
  const element = h("section", { class: "panel stack exercise playouts" }, [
    h("h2", null, say("playout.title")),
    h("p", { class: "past" }, say("playout.about")),
    stage,
    said,
    transport.element,
    h("div", { class: "row" }, button(say("playout.back"), left)),
  ]);

  /** @param {string} game @param {string[]} moves */
  async function load(game, moves) {
    const found = /** @type {Playouts | null} */ (
      await attempt(() => ask({ game, moves: moves.join(" "), playouts: PLAYOUTS }))
    );
    if (!found) return;
    await Promise.all([looks, lacks(found.position.layout)]);
    answer = found;
    nodes = linked(found.nodes, []);
    view.fit(state(), stage.clientWidth, 0.6);
    go(0);
  }

  /** What is known after so many playouts, as the drawing of a search's tree asks for it. */
  function state() {
    const last = answer?.played[at - 1];
    const way = last ? wayTo(last.node) : [];
    const counts = /** @type {Map<Node, {visits: number, points: number}>} */ (new Map());
    for (const { node, points } of answer?.played.slice(0, at) ?? [])
      for (const one of wayTo(node)) {
        const before = counts.get(one) ?? { visits: 0, points: 0 };
        counts.set(one, { visits: before.visits + 1, points: before.points + points });
      }
    for (const [node, { visits, points }] of counts) {
      // Each is counted for the side that moved there.
      const won = node.above?.level === "max" ? points : visits - points;
      node.said = node.above ? `${number(won)}/${number(visits)}` : number(visits);
    }
    /** @param {Node} node @returns {[Node, Known]} */
    const known = node => [node, { seen: 0, done: counts.has(node), cut: false, way: way.includes(node) }];
    return /** @type {Search} */ (
      /** @type {unknown} */ ({
        root: nodes[0],
        answer,
        how: { prune: false },
        ended: !last,
        step: { node: way.at(-1) },
        find: (/** @type {string[]} */ path) => nodes.find(one => one.path.join() === path.join()) ?? null,
        known: () => new Map([nodes[0], ...counts.keys()].map(known)),
      })
    );
  }

  /** From the root to a node. @param {number} at */
  function wayTo(at) {
    const way = [];
    for (let node = /** @type {Node | null} */ (nodes[at]); node; node = node.above) way.unshift(node);
    return way;
  }

  /** @param {number} to */
  function go(to) {
    if (!answer) return;
    at = Math.min(Math.max(0, to), answer.played.length);
    transport.show(at, answer.played.length);
    const sentence = what();
    put(said, sentence);
    announce(sentence);
    view.update(state(), () => false);
  }

  /** What the playout did, in its four parts. */
  function what() {
    const { played = [], position } = answer ?? {};
    const one = played[at - 1];
    if (!one || !position) return say("playout.begin");
    const way = wayTo(one.node);
    const added = played.findIndex(other => other.node === one.node) === at - 1;
    const selected = way.slice(1, added ? -1 : undefined).map(node => node.move);
    const us = position.to_move ?? 0;
    const mark = position.marks[one.points === 1 ? us : 1 - us][0];
    return [
      selected.length ? say("playout.selected", { path: selected.join(" → ") }) : say("playout.root"),
      added ? say("playout.added", { move: way.at(-1)?.move ?? "" }) : say("playout.over"),
      one.points === 0.5 ? say("playout.drawn") : say("playout.won", { mark }),
      say("playout.counted", { count: way.length }),
    ].join(" ");
  }

  return { element, load };
}
