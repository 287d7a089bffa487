/** The lecture as one file: what was searched stands in it, and no server is asked. */
import { button, h, put, set, toast } from "./core/dom.js";
import { lecture } from "./panels/lecture.js";
import { say } from "./words.js";

/** @import {GameTree, TreeNode} from "./protocol.d.ts" */
/** @import {Question} from "./game/search.js" */

/** @typedef {{title: string, moves: string, caption: string, trees: Record<string, GameTree>}} Scene */

/** @type {{search: "minimax" | "alphabeta", scenes: Scene[]}} */
const { search, scenes } = JSON.parse(document.getElementById("lecture")?.textContent ?? "");
let { trees } = scenes[0];
const main = /** @type {HTMLElement} */ (document.getElementById("page"));

/** The part of a tree that a server would send. @param {Question} question */
async function ask({ prune, order, path = [], levels = 1 }) {
  const tree = trees[prune ? (order ? "ordered" : "alphabeta") : "minimax"];
  const below = /** @type {number[][]} */ (tree?.nodes.map(() => []));
  tree?.nodes.forEach((node, at) => {
    if (node.parent !== undefined) below[node.parent].push(at);
  });
  const first = path.reduce((at, move) => below[at]?.find(child => tree.nodes[child].move === move) ?? -1, 0);
  if (!below?.[first]?.length) throw new Error(say("lecture.absent"));
  /** @type {TreeNode[]} */
  const nodes = [];
  const keep = (
    /** @type {number} */ at,
    /** @type {number | undefined} */ parent,
    /** @type {number} */ left,
  ) => {
    const number = nodes.push({ ...tree.nodes[at], parent }) - 1;
    if (left) for (const child of below[at]) keep(child, number, left - 1);
  };
  keep(first, undefined, levels);
  return { ...tree, nodes };
}

/** @param {() => Promise<unknown>} what */
const attempt = async what =>
  what().catch(error => {
    toast(error.message, "refusal");
    return null;
  });

const lesson = lecture(ask, attempt, search);
const head = h("h1");
const caption = h("p", { class: "said" });
const choose = h(
  "nav",
  { class: "row", hidden: scenes.length < 2, "aria-label": say("page.learn.position") },
  scenes.map((scene, at) =>
    button(`${at + 1} ${scene.caption || `${scene.title} ${scene.moves}`}`, () => show(scene)),
  ),
);

/** @param {Scene} scene */
function show(scene) {
  trees = scene.trees;
  const { title, moves } = scene;
  put(head, [
    say("page.learn.title"),
    " ",
    h("span", { class: "past" }, title, " ", h("span", { class: "code" }, moves)),
  ]);
  put(caption, scene.caption);
  caption.hidden = !scene.caption || scenes.length > 1;
  [...choose.children].forEach((one, at) => {
    set(/** @type {HTMLElement} */ (one), { "aria-pressed": String(scenes[at] === scene) });
  });
  document.title = `${say("page.learn.title")}: ${title} ${moves}`;
  lesson.load({ game: title });
}

put(main, [
  h("div", { class: "learn" }, [
    h("div", { class: "stack" }, head, choose, caption, lesson.stage),
    h("div", { class: "side stack" }, lesson.counts, lesson.notes),
  ]),
]);
show(scenes[0]);
