/** The lecture as one file: what was searched stands in it, and no server is asked. */
import { h, put, toast } from "./core/dom.js";
import { lecture } from "./panels/lecture.js";
import { say } from "./words.js";

/** @import {GameTree, TreeNode} from "./protocol.d.ts" */
/** @import {Question} from "./game/search.js" */

/** @type {{title: string, moves: string, search: "minimax" | "alphabeta",
 *  trees: Record<string, GameTree>}} */
const { title, moves, search, trees } = JSON.parse(document.getElementById("lecture")?.textContent ?? "");
const main = /** @type {HTMLElement} */ (document.getElementById("page"));

/** The part of a tree that a server would send. @param {Question} question */
async function ask({ prune, order, path = [], levels = 1 }) {
  const tree = trees[prune ? (order ? "ordered" : "alphabeta") : "minimax"];
  const below = /** @type {number[][]} */ (tree?.nodes.map(() => []));
  tree?.nodes.forEach((node, at) => {
    if (node.parent !== undefined) below[node.parent].push(at);
  });
  const first = path.reduce((at, move) => below[at]?.find(child => tree.nodes[child].move === move) ?? -1, 0);
  if (!below?.[first]?.length) throw new Error(say("page.learn.absent"));
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
const head = h("h1", null, [
  say("page.learn.title"),
  " ",
  h("span", { class: "past" }, title, " ", h("span", { class: "code" }, moves)),
]);
put(main, [
  h("div", { class: "learn" }, [
    h("div", { class: "stack" }, head, lesson.stage),
    h("div", { class: "side stack" }, lesson.counts, lesson.notes),
  ]),
]);
document.title = `${say("page.learn.title")}: ${title} ${moves}`;
lesson.load({ game: title });
