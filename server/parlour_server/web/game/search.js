/** A search's tree as far as it was opened, and the steps in which the search went through it. */

/** @import {AskTree, GameTree, TreeNode} from "../protocol.d.ts" */
/** @typedef {TreeNode & {children: Node[], above: Node | null, path: string[], said?: string}} Node `said` in
 *  place of its value */
/** @typedef {Omit<AskTree, "id" | "type">} Question */
/** @typedef {(question: Question) => Promise<GameTree>} Ask rejects with a `Refusal` */
/**
 * A step: the search enters a node, a child passes its value `up` to it, it is `cut`; at the `end` all is
 * known.
 * @typedef {{kind: "enter" | "up" | "cut" | "end", node: Node, at: number}} Step `at`: which child
 */
/**
 * What is known of a node at a step.
 * @typedef {{seen: number, done: boolean, cut: boolean, way: boolean}} Known `seen` of its children have
 * passed their values up; is it on the `way` to the node that is looked at?
 */

/** So small a tree is open from the beginning. */
const SMALL = 20;

/** What names a tree of numbers where a game's name stands. */
export const NUMBERS = "numbers";

/** Can its children be shown, or are they? @param {Node} node */
export const opens = node => node.below > 0;
/** Is it a node that was searched, but whose children are not here? @param {Node} node */
export const closed = node => opens(node) && !node.children.length;

/** @param {TreeNode[]} nodes @param {string[]} path to the first of them */
export function linked(nodes, path) {
  const all = nodes.map(one => /** @type {Node} */ ({ ...one, children: [], above: null, path }));
  for (const one of all) {
    if (one.parent === undefined) continue;
    const above = (one.above = all[one.parent]);
    above.children.push(one);
    one.path = [...above.path, /** @type {string} */ (one.move)];
  }
  return all;
}

/** Below a node that is not on the best line nothing is. @param {Node} node */
function besides(node) {
  for (const one of node.children) {
    one.best &&= node.best;
    besides(one);
  }
}

/** @param {Node} root */
function stepsOf(root) {
  /** @type {Step[]} */
  const steps = [];
  const walk = (/** @type {Node} */ node) => {
    steps.push({ kind: "enter", node, at: 0 });
    node.children.forEach((child, at) => {
      walk(child);
      steps.push({ kind: "up", node, at });
    });
    if (node.cut && node.children.length) steps.push({ kind: "cut", node, at: 0 });
  };
  walk(root);
  return [...steps, { kind: /** @type {const} */ ("end"), node: root, at: 0 }];
}

/** The window of a node once so many of its children have passed their values up.
 *  @param {Node} node @param {number} seen @returns {{alpha?: number, beta?: number}} */
export function windowAfter(node, seen) {
  if (seen < node.children.length) return node.children[seen];
  const { alpha, beta } = node.children.at(-1) ?? node;
  const value = node.score.points;
  if (!node.children.length) return { alpha, beta };
  return node.level === "max"
    ? { alpha: Math.max(alpha ?? -Infinity, value), beta }
    : { alpha, beta: Math.min(beta ?? Infinity, value) };
}

export class Search {
  /** @type {GameTree | null} */
  answer = null;
  /** @type {Node | null} */
  root = null;
  /** @type {Step[]} */
  steps = [];
  at = 0;
  /** @type {Question} */
  #question = { game: "" };

  /** @param {Ask} ask @param {{prune: boolean, order?: boolean}} how */
  constructor(ask, how) {
    this.ask = ask;
    this.how = how;
  }

  get step() {
    return this.steps[this.at];
  }
  /** Is all shown that is known? */
  get ended() {
    return this.at === this.steps.length - 1;
  }

  forget() {
    this.answer = this.root = null;
    this.steps = [];
    this.at = 0;
  }

  /** Search a position, and stand at the beginning of that. @param {Question} question its game, moves and
   *  depth */
  async load(question) {
    const asked = { ...question, ...this.how, levels: 1 };
    const answer = await this.ask(asked);
    this.#question = { ...asked, depth: answer.depth };
    this.answer = answer;
    [this.root] = linked(answer.nodes, []);
    this.#renew();
    this.at = 0;
    if (answer.visited <= SMALL || !answer.position.rows.length) await this.open(this.root, 99);
  }

  /** Show what the search visited below a node. @param {Node} node @param {number} [levels] */
  async open(node, levels = 1) {
    const { path, alpha, beta } = node;
    const answer = await this.ask({
      ...this.#question,
      levels,
      path,
      ...(alpha !== undefined && { alpha }),
      ...(beta !== undefined && { beta }),
    });
    [{ children: node.children }] = linked(answer.nodes, path);
    for (const one of node.children) one.above = node;
    besides(node);
    this.#renew();
  }

  /** @param {Node} node */
  close(node) {
    node.children = [];
    this.#renew();
  }

  /** The node with this path, if it is here. @param {string[]} path */
  find(path) {
    let node = this.root;
    for (const move of path) node = node?.children.find(one => one.move === move) ?? null;
    return node;
  }

  /** The steps are others now; where one was, one stays. */
  #renew() {
    const here = this.steps.length && !this.ended ? this.step : null;
    this.steps = stepsOf(/** @type {Node} */ (this.root));
    const same = here
      ? this.steps.findIndex(one => one.kind === here.kind && one.node === here.node && one.at === here.at)
      : -1;
    const entered = here ? this.steps.findIndex(one => one.node === here.node) : -1;
    this.at = same >= 0 ? same : entered >= 0 ? entered : this.steps.length - 1;
  }

  /** What is known now of each node that was entered. @returns {Map<Node, Known>} */
  known() {
    const found = new Map();
    for (const { kind, node, at } of this.steps.slice(0, this.at + 1)) {
      if (kind === "enter") found.set(node, { seen: 0, done: !node.children.length, cut: false, way: false });
      const known = found.get(node);
      if (kind === "up") {
        known.seen = at + 1;
        found.get(node.children[at]).done = true;
      } else if (kind === "cut") known.cut = true;
      else if (kind === "end") known.done = true;
    }
    if (!this.ended)
      for (let node = /** @type {Node | null} */ (this.step.node); node; node = node.above)
        found.get(node).way = true;
    return found;
  }
}
