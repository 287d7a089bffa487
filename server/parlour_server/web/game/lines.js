/** A game with its variations: a small tree of moves. Pure; a node is a position. */

/**
 * @typedef {object} Node
 * @property {string} move that led here; "" at the beginning
 * @property {number} ply
 * @property {Node | null} parent
 * @property {Node[]} children the main line first
 * @property {Node | null} next where "forward" leads: the child that was looked at last
 */

/** @param {string[]} [moves] of the main line @returns {Node} the beginning */
export function begin(moves = []) {
  /** @type {Node} */
  const root = { move: "", ply: 0, parent: null, children: [], next: null };
  moves.reduce(add, root);
  return root;
}

/** The position after one move more, which is made where it is new.
 *  @param {Node} node @param {string} move @returns {Node} */
export function add(node, move) {
  let child = node.children.find(one => one.move === move);
  if (!child)
    node.children.push((child = { move, ply: node.ply + 1, parent: node, children: [], next: null }));
  return (node.next = child);
}

/** The positions from the beginning to this one. @param {Node} node @returns {Node[]} */
export const way = node => (node.parent ? [...way(node.parent), node] : [node]);
/** @param {Node} node */
export const movesTo = node =>
  way(node)
    .slice(1)
    .map(one => one.move);
/** The position where going forward ends. @param {Node} node @returns {Node} */
export const end = node => (node.next ? end(node.next) : node);

/** Choose a position: going back and forward stays on its line. @param {Node} node */
export function choose(node) {
  for (const one of way(node)) if (one.parent) one.parent.next = one;
  return node;
}

/** The position so many moves on, or with a minus back.
 *  @param {Node} node @param {number} plies @returns {Node} */
export const step = (node, plies) =>
  plies > 0 && node.next
    ? step(node.next, plies - 1)
    : plies < 0 && node.parent
      ? step(node.parent, plies + 1)
      : node;

/** The branch that leads to a position: its first move that is not the main one.
 *  @param {Node} node @returns {Node | null} */
export const branch = node => way(node).findLast(one => one.parent && one.parent.children[0] !== one) ?? null;

/** Make the variation that a position stands in the main line where it branches off. @param {Node} node */
export function promote(node) {
  const first = branch(node);
  const all = first?.parent?.children;
  if (first && all) all.unshift(...all.splice(all.indexOf(first), 1));
}

/** Cut a move off, and all behind it. @param {Node} node @returns {Node} the position before it */
export function cut(node) {
  const before = node.parent;
  if (!before) return node;
  before.children = before.children.filter(one => one !== node);
  if (before.next === node) before.next = before.children[0] ?? null;
  return before;
}

/**
 * All moves in the order of a printed game, the variations after the move that they stand for.
 * @param {Node} node its moves are listed, not its own @returns {(Node | "(" | ")")[]}
 */
export function printed(node) {
  const [main, ...others] = node.children;
  return main
    ? [
        main,
        ...others.flatMap(one => /** @type {(Node | "(" | ")")[]} */ (["(", one, ...printed(one), ")"])),
        ...printed(main),
      ]
    : [];
}

/**
 * A game with its variations in an address: `a1,b2,c3(c1,a2),a3`. A star stands behind the move that is looked
 * at, unless that is the last of the main line.
 * @param {Node} root @param {Node} here
 */
export function written(root, here) {
  const star = here === mainEnd(root) ? "" : "*";
  const all = printed(root).map(one =>
    typeof one === "string" ? one : one === here ? one.move + star : one.move,
  );
  return [...(here === root && star ? [star] : []), ...all]
    .join(",")
    .replaceAll(",(,", "(")
    .replaceAll(",)", ")");
}

/** Read that again, or a mere list of moves. @param {string} text @returns {{root: Node, here: Node}} */
export function readLines(text) {
  const root = begin();
  /** @type {Node | null} */
  let here = null;
  /** @type {Node[]} */
  const branches = [];
  let node = root;
  for (const word of text.match(/[()]|[^\s,()]+/g) ?? [])
    if (word === "(") {
      branches.push(node);
      node = node.parent ?? root;
    } else if (word === ")") node = choose(branches.pop() ?? node);
    else {
      const move = word.replace("*", "");
      if (move) node = add(node, move);
      if (move !== word) here = node;
    }
  return { root, here: choose(here ?? mainEnd(root)) };
}

/** @param {Node} root @returns {Node} the last of the main line */
export const mainEnd = root => (root.children[0] ? mainEnd(root.children[0]) : root);
