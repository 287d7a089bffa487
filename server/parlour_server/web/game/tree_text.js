/** Which sentence is said of a search's tree. */

import { number, say } from "../words.js";
import { outlook } from "./board_text.js";

/** @import {BoardView, GameTree, Score, TreeNode} from "../protocol.d.ts" */
/** @import {Node, Step} from "./search.js" */
/** @typedef {{max: string, min: string}} Sides the marks of who maximises and who minimises */
/** @typedef {{alpha?: number, beta?: number}} Window */

/** @param {number} value */
const minus = value => number(value).replace("-", "−");
/** @param {number | undefined} value @param {"alpha" | "beta"} which */
export const bound = (value, which) =>
  value !== undefined && Number.isFinite(value) ? minus(value) : which === "alpha" ? "−∞" : "∞";
/** @param {BoardView} position @returns {Sides} */
export const sides = position => ({
  max: position.marks[position.to_move ?? 0][0],
  min: position.marks[1 - (position.to_move ?? 0)][0],
});
/** @param {Score} score */
const limit = score => (score.kind === "at_least" || score.kind === "at_most" ? score.kind : score.bound);
/** The value that a node passes up: `95`, `≥ 0`, `~3.42`. @param {Score} score */
export const treeValue = score =>
  [
    { at_least: "≥ ", at_most: "≤ ", "": "" }[limit(score) ?? ""],
    score.kind === "estimate" ? "~" : "",
    minus(score.points),
  ].join("");
/** @param {Score} score */
function spoken(score) {
  const within = limit(score);
  const value = minus(score.points);
  if (score.kind !== "estimate") return say(`page.learn.value.${within ?? "exact"}`, { value });
  return say(within ? `page.learn.value.estimate_${within}` : "page.learn.value.estimate", { value });
}
/** @param {TreeNode} node */
export const cutAt = node =>
  node.cut ? `${node.cut === "alpha" ? "α" : "β"} = ${bound(node.cut_at, node.cut)}` : "";
/** @param {GameTree} answer */
function visits({ visited, cutoffs }) {
  const positions = say("count.position", { count: visited });
  return cutoffs
    ? say("page.learn.visits_cut", { positions, cutoffs: say("count.cutoff", { count: cutoffs }) })
    : positions;
}
/** @param {GameTree} answer */
export const searched = answer =>
  say("page.learn.searched", { depth: say("count.ply", { count: answer.depth }), visits: visits(answer) });
/** How a leaf is scored. @param {Sides} who @param {TreeNode} node */
export function leafValue({ max, min }, { cells, end, score }) {
  const { plies, margin } = score;
  const mark = end === "win" ? max : min;
  const value = minus(score.points);
  if (end === "horizon") return say("page.learn.leaf.horizon", { value: treeValue(score), mark: max });
  if (!cells.length) return say("page.learn.leaf.given", { value });
  if (end === "draw") return say("page.learn.leaf.draw");
  if (margin !== undefined) return say("page.learn.leaf.by", { mark, margin: Math.abs(margin), value });
  if (plies === undefined) return say("page.learn.leaf.over", { mark, value });
  return say(`page.learn.leaf.${end === "win" ? "win" : "loss"}`, {
    mark,
    depth: say("count.ply", { count: plies }),
    whole: Math.abs(score.points) + plies,
    plies,
    value,
    other: max,
  });
}
/** @param {Window} window */
const windowed = ({ alpha, beta }) =>
  say("page.learn.window", { alpha: bound(alpha, "alpha"), beta: bound(beta, "beta") });
/** Which node it is, since a move may lead to many. @param {{path: string[]}} node */
const line = ({ path }) => path.join(" → ");
/**
 * What a step does, in a sentence or two.
 * @param {Sides} who @param {Step} step @param {GameTree} answer @param {Window} before @param {Window} now
 */
export function treeStep(who, { kind, node, at }, answer, before, now) {
  const { level, score } = node;
  const other = level === "max" ? "min" : "max";
  const mark = who[level];
  if (kind === "end") return searchDone(who, answer, score);
  // Why the rest of a node is not looked at.
  if (kind === "cut")
    return say("page.learn.cut", {
      mark,
      value: minus(score.points),
      other: who[other],
      bound: bound(node.cut_at, node.cut ?? "alpha"),
      moves: node.pruned.join(", "),
    });
  if (kind === "up") {
    const child = node.children[at];
    const which = level === "max" ? "alpha" : "beta";
    const better = before[which] !== now[which] ? "better" : "same";
    return say(`page.learn.${level}.${answer.pruned ? better : "up"}`, {
      move: line(child),
      value: spoken(child.score),
      mark,
      now: bound(now[which], which),
      before: bound(before[which], which),
    });
  }
  const came = node.move ? say("page.learn.plays", { mark: who[other], move: line(node) }) : "";
  return (
    node.end
      ? [came, leafValue(who, node)]
      : [
          came,
          say(`page.learn.${level}.enter`, { mark }),
          answer.pruned && say("page.learn.entered", { window: windowed(node) }),
          !node.children.length && say("page.learn.below", { count: node.below, value: spoken(score) }),
        ]
  )
    .filter(Boolean)
    .join(" ");
}
/** @param {Sides} who @param {GameTree} answer @param {Score} score */
function searchDone(who, answer, score) {
  const said = {
    search: say(answer.pruned ? "page.learn.alphabeta" : "page.learn.minimax"),
    visits: visits(answer),
    value: treeValue(score),
  };
  if (!score.result || !answer.position.rows.length) return say("page.learn.done", said);
  if (score.result === "draw") return say("page.learn.done_draw", said);
  return say("page.learn.done_wins", {
    ...said,
    mark: score.result === "win" ? who.max : who.min,
    outlook: outlook({ ...score, result: "win" }),
  });
}
/**
 * A node for those who hear it.
 * @param {Sides} who @param {Node} node
 * @param {{entered: boolean, value: boolean, secret: boolean, best: boolean, prune: boolean,
 *     bounds: Window | null}} how
 */
export function treeNode(who, node, { entered, value, secret, best, prune, bounds }) {
  const { level, score, end, cut } = node;
  const rows = node.cells.map(row => [...row].join(" ")).join("; ");
  return [
    node.move ? `${who[level === "max" ? "min" : "max"]} ${node.move}` : say("page.learn.node.top"),
    (!end || end === "horizon") && say(`page.learn.node.${level}`, { mark: who[level] }),
    value
      ? end
        ? leafValue(who, node)
        : say("page.learn.node.value", { value: spoken(score) })
      : say(
          secret ? "page.learn.node.secret" : entered ? "page.learn.node.entered" : "page.learn.node.unseen",
        ),
    prune && bounds && windowed(bounds),
    value &&
      cut &&
      say(`page.learn.node.cut_${cut}`, { bound: bound(node.cut_at, cut), moves: node.pruned.join(" ") }),
    best && say("page.learn.node.best"),
    node.below && !node.children.length && say("page.learn.node.closed", { count: node.below }),
    rows && say("page.learn.node.board", { rows }),
  ]
    .filter(Boolean)
    .join(", ");
}
/** @param {Sides} who @param {Node} node */
export const guessWhat = (who, { level, path }) =>
  path.length
    ? say("page.learn.ask_after", { mark: who[level], move: line({ path }), max: who.max })
    : say("page.learn.ask", { mark: who[level], max: who.max });
/** @param {Sides} who @param {boolean} estimated @returns {[string, number][]} */
export function guesses({ max, min }, estimated) {
  const wins = estimated ? "better" : "wins";
  const even = estimated ? "even" : "draw";
  return [
    [say(`page.learn.guesses.${wins}`, { mark: max }), 1],
    [say(`page.learn.guesses.${even}`), 0],
    [say(`page.learn.guesses.${wins}`, { mark: min }), -1],
  ];
}
