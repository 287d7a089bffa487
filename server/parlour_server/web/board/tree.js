/**
 * A game tree as SVG: small boards as nodes, level below level, each parent over the middle of its children.
 * They stand as close as their outlines allow: Reingold and Tilford, Tidier Drawings of Trees (1981).
 */
import { put, s, set } from "../core/dom.js";
import { closed, opens, windowAfter } from "../game/search.js";
import * as text from "../game/tree_text.js";
import { number, say } from "../words.js";
import { CELL, placesOf } from "./places.js";
import { isEmpty, isVoid, sideOf, slides } from "./position.js";

/** @import {BoardView} from "../protocol.d.ts" */
/** @import {Places} from "./places.js" */
/** @import {Node, Search} from "../game/search.js" */

const MARGIN = 12;
/** The least room for what stands beside the levels, and how wide one of its characters is. */
const LEFT = 92;
const LETTER = 6.7;
/** Above and below each board, and between two levels: where its value stands above it; and, flat, beside it. */
const TALL = { header: 25, foot: 34, drop: 46 };
const FLAT = { header: 3, foot: 0, drop: 46 };
const GAP = 12;
/** Between a board and what stands beside it; how wide a window is that stands there; how far apart lines are. */
const ASIDE = 8;
const WINDOW = 48;
const LINE = 15;
/** How far the stubs of what was cut off reach down. */
const STUB_DROP = 30;
const LEAST_HALF = 31;
const STUBS_APART = 16;
const STUB = 20;
const BOUND = 48;
const BARE = 40;
const MOST_STUBS = 4;

/**
 * @typedef {{node: Node, x: number, level: number, group: SVGGElement, beside: SVGGElement,
 *     value: SVGGElement, foot: SVGGElement, edge: SVGGElement | null, cut: SVGGElement | null}} Drawn
 */

let views = 0;

export class TreeView {
  /** What is drawn once, and seen under the pieces of each board. */
  #id = `ground${++views}`;
  /** The classes of a board. */
  #looks = "board";

  /** @param {{label: string, onchoose: (node: Node) => void}} how `onchoose`: a node is clicked, or Enter
   *  pressed on it */
  constructor({ label, onchoose }) {
    this.onchoose = onchoose;
    this.svg = s("svg", { role: "tree", "aria-label": label, class: "tree" });
    /** How large the whole tree is, in its own units. */
    this.size = { width: 1, height: 1 };
    /** The position at the root. */
    this.position = /** @type {BoardView} */ ({});
    /** Where the cells of its boards lie. */
    this.lie = /** @type {Places} */ ({});
    /** Of a cell, and of a board. */
    this.cell = this.width = this.height = 0;
    this.rows = TALL;
    /** From the middle of a board to the left and the right of what belongs to it. */
    this.reach = [0, 0];
    /** Of each node's board. @type {Map<Node, number>} */
    this.middles = new Map();
    /** @type {Map<Node, Drawn>} */
    this.drawn = new Map();
    /** @type {Node | null} */
    this.focused = null;
    this.svg.addEventListener("click", event => this.#chosen(event.target));
    this.svg.addEventListener("keydown", event => this.#key(event));
    this.svg.addEventListener("focusin", event => {
      const node = this.#nodeOf(event.target);
      if (node) this.#focus(node, false);
    });
  }

  // ------------------------------------------------------------ what is there

  /**
   * Find where all is to stand, since other nodes are open now, and how large that is.
   * @param {Search} search
   * @param {boolean} flat shall values stand beside their boards? So levels are lower, and the tree is wider
   */
  measure(search, flat) {
    const root = /** @type {Node} */ (search.root);
    const position = /** @type {BoardView} */ (search.answer?.position);
    const lie = placesOf(position, slides(position));
    const [above, after, below, before] = lie.beyond;
    const [across, down] = [lie.width + before + after, lie.height + above + below];
    this.position = position;
    this.lie = lie;
    this.cell = Math.max(6, Math.min(17, 76 / (Math.max(across, down) / CELL)));
    // A tree of numbers has no boards.
    const boards = position.rows.length > 0;
    [this.width, this.height] = boards ? [across, down].map(one => (one * this.cell) / CELL) : [BARE, 0];
    this.rows = flat && boards ? FLAT : TALL;
    let longest = 0;
    let deepest = 0;
    const look = (/** @type {Node} */ node, /** @type {number} */ level) => {
      longest = Math.max(longest, wide(text.treeValue(node.score).length));
      deepest = Math.max(deepest, level);
      for (const child of node.children) look(child, level + 1);
    };
    look(root, 0);
    const half = Math.max(this.width / 2, LEAST_HALF, longest / 2);
    const aside = this.width / 2 + ASIDE + Math.max(longest, search.how.prune ? WINDOW : 0);
    const { max, min } = text.sides(position);
    const label = Math.max(...[max, min].map(mark => say("page.learn.to_move", { mark }).length));
    this.reach = this.rows === FLAT ? [this.width / 2, aside] : [half, half];
    this.middles = layOut(root, this.reach, MARGIN + Math.max(LEFT, 28 + label * LETTER));
    const right = [...this.middles].map(([node, x]) =>
      Math.max(x + this.reach[1], this.#x(node.children.at(-1) ?? node) + beside(node)),
    );
    this.size = {
      width: Math.max(...right) + MARGIN,
      height: this.#top(deepest) + this.height + this.rows.foot + MARGIN,
    };
    return this.size;
  }

  /** The middle of a node's board. @param {Node} node */
  #x(node) {
    return this.middles.get(node) ?? 0;
  }

  /** Draw what was measured. @param {Search} search */
  build(search) {
    const root = /** @type {Node} */ (search.root);
    const { position, lie } = this;
    this.#looks = `board ${position.layout ?? ""}`;
    const ground = s("g", { id: this.#id, class: this.#looks }, [
      position.rows.length > 0 && [lie.ground(), walls(position)],
    ]);
    this.drawn = new Map();
    const edges = s("g");
    const nodes = s("g");
    const words = s("g");
    const cuts = s("g");
    const levels = s("g");
    let deepest = 0;
    /** The deepest level on which somebody moves. */
    let moving = -1;
    const draw = (/** @type {Node} */ node, /** @type {number} */ level) => {
      const x = this.#x(node);
      const group = this.#node(node, x, level);
      const one = {
        node,
        x,
        level,
        ...group,
        edge: node.above && this.#edge(node, x, level, this.#x(node.above)),
        cut: /** @type {SVGGElement | null} */ (null),
      };
      this.drawn.set(node, one);
      node.children.forEach(child => draw(child, level + 1));
      if (node.pruned.length && node.children.length) cuts.append((one.cut = this.#cut(node, x, level)));
      if (one.edge) edges.append(one.edge);
      words.append(one.beside);
      deepest = Math.max(deepest, level);
      if (!node.end || node.end === "horizon") moving = Math.max(moving, level);
    };
    draw(root, 0);
    // As they are visited, so that they are read in that order.
    nodes.append(...[...this.drawn.values()].map(one => one.group));
    for (let level = 0; level <= deepest; level++) levels.append(this.#level(level, level <= moving));
    set(this.svg, { viewBox: `0 0 ${this.size.width} ${this.size.height}` });
    const held = this.svg.contains(document.activeElement);
    put(this.svg, s("defs", null, ground), levels, edges, cuts, nodes, words);
    if (!this.focused || !this.drawn.has(this.focused))
      this.focused = search.find(this.focused?.path ?? []) ?? root;
    if (held) this.#focus(this.focused, true);
  }

  /** Draw it anew by itself, as large as it can be seen in such a width, but no smaller than can be read.
   *  @param {Search} search @param {number} width @param {number} [least] */
  fit(search, width, least = 0.75) {
    this.measure(search, false);
    this.build(search);
    this.scale(Math.max(least, Math.min(1.4, width / this.size.width)));
  }

  /** How large it is drawn. @param {number} zoom */
  scale(zoom) {
    set(this.svg, { width: this.size.width * zoom, height: this.size.height * zoom });
  }

  /** @param {number} level where its boards begin */
  #top(level) {
    const { header, foot, drop } = this.rows;
    return MARGIN + header + level * (this.height + foot + drop + header);
  }

  /** Who is to move on a level, and what they want.
   *  @param {number} level @param {boolean} moves does anybody? */
  #level(level, moves) {
    const top = this.#top(level);
    const { header, foot } = this.rows;
    const max = level % 2 === 0;
    const middle = top + this.height / 2;
    const who = text.sides(this.position);
    return s("g", { "aria-hidden": "true" }, [
      level % 2 === 0 &&
        s("rect", {
          class: "band",
          x: 0,
          y: top - header - 6,
          width: this.size.width,
          height: this.height + header + foot + 12,
        }),
      moves && [
        triangle(MARGIN + 6, middle - 10, max),
        s("text", { x: MARGIN + 18, y: middle - 5, class: `start ${this.#side(max)}` }, [
          say("page.learn.to_move", { mark: max ? who.max : who.min }),
        ]),
        s("text", { x: MARGIN, y: middle + 12, class: "start past" }, [
          max ? say("page.learn.maximises") : say("page.learn.minimises"),
        ]),
      ],
    ]);
  }

  /** The colour of a side. @param {boolean} max */
  #side(max) {
    return ((this.position.to_move ?? 0) === 0) === max ? "first" : "second";
  }

  /** @param {Node} node @param {number} x @param {number} level */
  #node(node, x, level) {
    const { width, height, position, lie } = this;
    const { header } = this.rows;
    const y = this.#top(level);
    const left = x - width / 2;
    const [above, , , before] = lie.beyond;
    const marked = [...new Set([...node.last.slice(0, 1), ...node.line])].map(at => {
      const cell = lie.outline(at, 0);
      set(cell, { class: node.line.includes(at) ? `line ${node.end}` : "last" });
      return cell;
    });
    const pieces = node.cells
      .flatMap(row => [...row])
      .map((one, at) => {
        if (isVoid(one) || (isEmpty(position, one) && position.layout !== "pits")) return null;
        const piece = lie.piece(one, sideOf(position, one), at);
        return piece && s("g", { transform: `translate(${lie.middle(at)})` }, [piece]);
      });
    const inner = `translate(${left} ${y}) scale(${this.cell / CELL}) translate(${before} ${above})`;
    const board = s("g", null, [
      s("rect", { class: "ground", x: left, y, width, height, rx: 3 }),
      s("g", { class: this.#looks, transform: inner }, [
        s("use", { href: `#${this.#id}` }),
        marked,
        pieces,
        lie.beside?.({ ...position, counts: node.counts ?? [] }),
      ]),
    ]);
    const value = s("g");
    const foot = s("g");
    const beside = s("g", { "aria-hidden": "true" }, value, foot);
    const frame = s("rect", { class: "around", x: left, y, width, height, rx: 3 });
    const group = s(
      "g",
      { role: "treeitem", "aria-level": level + 1, tabindex: -1, "data-path": node.path.join(" ") },
      [
        s("rect", {
          class: "focus",
          x: x - this.reach[0] - 4,
          y: y - header - 3,
          width: this.reach[0] + this.reach[1] + 8,
          height: height + header + 16,
          rx: 8,
        }),
        board,
        frame,
      ],
    );
    return { group, beside, value, foot };
  }

  /** From a parent to its child, with the move.
   *  @param {Node} node @param {number} x @param {number} level @param {number} from */
  #edge(node, x, level, from) {
    const y1 = this.#top(level - 1) + this.height;
    const y2 = this.#top(level) - this.rows.header - LINE;
    const half = (y2 - y1) / 2;
    return s("g", { class: "edge", "aria-hidden": "true" }, [
      s("path", { d: `M${from} ${y1}C${from} ${y1 + half} ${x} ${y2 - half} ${x} ${y2}` }),
      s("text", { x, y: y2 + 10, class: "move" }, node.move),
    ]);
  }

  /** The stubs of what was not looked at, each crossed by two strokes, and the bound beside them.
   *  @param {Node} node @param {number} x @param {number} level */
  #cut(node, x, level) {
    const y = this.#top(level) + this.height;
    const end = y + STUB_DROP;
    const more = node.pruned.length - MOST_STUBS;
    let at = this.#x(node.children.at(-1) ?? node) + STUBS_APART - STUB / 2;
    const stubs = node.pruned.slice(0, MOST_STUBS).map((move, number) => {
      at += STUB;
      return [
        s("path", { class: "stub", d: `M${x} ${y}C${x} ${y + 26} ${at} ${end - 26} ${at} ${end}` }),
        s("path", { class: "cross", d: `M${at - 5} ${end - 6}l10-5M${at - 5} ${end - 2}l10-5` }),
        s("text", { x: at, y: end + 12, class: "small past" }, [
          number === MOST_STUBS - 1 && more > 0 ? `+${more + 1}` : move,
        ]),
      ];
    });
    return s("g", { class: "cut", "aria-hidden": "true" }, [
      stubs.flat(),
      s("text", { x: at + 12, y: end - 2, class: "start bound" }, text.cutAt(node)),
    ]);
  }

  // ------------------------------------------------------------ what changes from step to step

  /** @param {Search} search @param {(node: Node) => boolean} hidden is its value still to be guessed? */
  update(search, hidden) {
    const known = search.known();
    const top = hidden(/** @type {Node} */ (search.root));
    const current = search.ended ? null : search.step.node;
    const who = text.sides(this.position);
    for (const one of this.drawn.values()) {
      const { node, x, level, group, value, foot, edge, cut } = one;
      const now = known.get(node);
      const secret = hidden(node);
      // Of a tree of numbers the leaves are what is given.
      const given = Boolean(node.end) && !this.height;
      const shown = given || (now?.done && !secret);
      const best = search.ended && node.best && !top;
      const bounds = now?.way && search.how.prune ? windowAfter(node, now.seen) : null;
      const y = this.#top(level);
      set(group, {
        class: ["node", !now && "later", node === current && "current", now?.way && "way", best && "best"],
        "aria-expanded": opens(node) ? String(node.children.length > 0) : null,
        "aria-selected": String(node === current),
        tabindex: node === this.focused ? 0 : -1,
        "aria-label": text.treeNode(who, node, {
          entered: Boolean(now),
          value: Boolean(shown),
          secret,
          bounds,
          best,
          prune: search.how.prune,
        }),
      });
      const said = shown
        ? (node.said ?? text.treeValue(node.score))
        : now?.done && secret
          ? "?"
          : now
            ? "…"
            : "";
      const flat = this.rows === FLAT;
      const left = flat ? x + this.width / 2 + ASIDE : x - wide(said.length) / 2;
      const mid = flat ? y + 8 : y - 11;
      const kind = shown
        ? `${node.score.kind === "estimate" ? "estimate" : ""} ${node.score.result ?? ""}`
        : "";
      put(value, [
        node.end && node.end !== "horizon"
          ? s("rect", { class: `shape ${kind}`, x: left, y: mid - 5, width: 10, height: 10 })
          : triangle(left + 5, mid, node.level === "max", kind),
        s("text", { x: left + 15, y: mid + 5, class: `start value ${kind}` }, said),
      ]);
      let line = flat ? y + 14 : y + this.height - 2;
      /** A line below what stands there: to the left of the middle, to its right, or on it. */
      const under = (/** @type {string} */ words, side = "", by = 0) => {
        if (flat || side !== "start") line += LINE;
        return s(
          "text",
          {
            x: flat ? left : x + by,
            y: line,
            class: [side ? "window" : "small past", flat ? "start" : side],
          },
          words,
        );
      };
      put(foot, [
        bounds && [
          under(`α ${text.bound(bounds.alpha, "alpha")}`, "end", -5),
          under(`β ${text.bound(bounds.beta, "beta")}`, "start", 5),
        ],
        closed(node) && under(`▸ ${number(node.below)}`),
      ]);
      set(one.beside, { class: now || given ? "words" : "words later" });
      if (edge)
        set(edge, { class: `edge${now ? "" : " later"}${best ? " best" : ""}${now?.way ? " way" : ""}` });
      if (cut)
        set(cut, {
          class: `cut${search.ended ? (top ? " later" : "") : now?.cut || now?.done ? "" : " later"}`,
        });
    }
    if (current) this.show(current);
  }

  /** Scroll a node into sight within what holds the tree, whose page stays where it is.
   *  @param {Node} node @param {boolean} [middle] of what is seen */
  show(node, middle = false) {
    const seen = this.drawn.get(node)?.group.getBoundingClientRect();
    const box = this.svg.parentElement;
    if (!seen || !box) return;
    const { left, right, top, bottom } = box.getBoundingClientRect();
    // What stands beside the levels stays in sight where it can.
    const across = !middle
      ? beyond(seen.left, seen.right, left, right)
      : seen.right + box.scrollLeft <= right
        ? -box.scrollLeft
        : (seen.left + seen.right - left - right) / 2;
    box.scrollBy(across, beyond(seen.top, seen.bottom, top, bottom));
  }

  // ------------------------------------------------------------ choosing

  /** @param {EventTarget | null} target @returns {Node | null} */
  #nodeOf(target) {
    const group = target instanceof Element ? target.closest("[role=treeitem]") : null;
    return [...this.drawn.values()].find(one => one.group === group)?.node ?? null;
  }

  /** @param {EventTarget | null} target */
  #chosen(target) {
    const node = this.#nodeOf(target);
    if (!node) return;
    this.#focus(node, true);
    this.onchoose(node);
  }

  /** @param {Node} node @param {boolean} move have the browser's focus go there */
  #focus(node, move) {
    if (this.focused) this.drawn.get(this.focused)?.group.setAttribute("tabindex", "-1");
    this.focused = node;
    const group = this.drawn.get(node)?.group;
    group?.setAttribute("tabindex", "0");
    if (move) group?.focus();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const node = this.focused;
    if (!node || event.altKey || event.ctrlKey || event.metaKey) return;
    const level = this.drawn.get(node)?.level;
    const same = [...this.drawn.values()]
      .filter(one => one.level === level)
      .sort((one, other) => one.x - other.x)
      .map(one => one.node);
    const at = same.indexOf(node);
    const to = {
      ArrowUp: node.above,
      ArrowDown: node.children[0],
      ArrowLeft: same[at - 1],
      ArrowRight: same[at + 1],
      Home: same[0],
      End: same.at(-1),
    }[event.key];
    if (to === undefined && event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    if (to) this.#focus(to, true);
    else if (event.key === "Enter" || event.key === " ") this.onchoose(node);
  }
}

/** How far to go so that a stretch is within another one.
 *  @param {number} from @param {number} to @param {number} least @param {number} most */
const beyond = (from, to, least, most) => (from < least ? from - least : Math.max(0, to - most));

/** @param {number} x @param {number} y @param {boolean} up @param {string} [kind] */
const triangle = (x, y, up, kind = "") =>
  s("path", { class: `shape ${kind}`, d: up ? `M${x} ${y - 6}l6 11h-12z` : `M${x} ${y + 6}l6-11h-12z` });

/** How much room a value of so many characters takes. @param {number} characters */
const wide = characters => 8.2 * characters + 16;

/** What stands to the right of a node's last child. @param {Node} node */
const beside = node =>
  node.pruned.length && node.children.length
    ? STUBS_APART + Math.min(node.pruned.length, MOST_STUBS) * STUB + BOUND
    : 0;

/** The middle of each node; where the leftmost edge of all is `start`.
 *  @param {Node} root @param {number[]} reach of a node to the left and to the right @param {number} start */
function layOut(root, [before, after], start) {
  /** From a parent's middle to its child's. @type {Map<Node, number>} */
  const offsets = new Map();
  const offset = (/** @type {Node | undefined} */ node) => (node ? (offsets.get(node) ?? 0) : 0);
  /** A subtree's edges, from its root's middle: at its root, half a level below that, and so on.
   *  @param {Node} node */
  const outline = node => {
    /** @type {number[]} */
    const left = [];
    /** @type {number[]} */
    const right = [];
    const below = node.children;
    for (const child of below) {
      const part = outline(child);
      const shift = Math.max(
        0,
        ...part.left.slice(0, right.length).map((edge, at) => right[at] - edge + GAP),
      );
      offsets.set(child, shift);
      left.push(...part.left.slice(left.length).map(edge => edge + shift));
      part.right.forEach((edge, at) => {
        right[at] = edge + shift;
      });
    }
    const middle = (offset(below[0]) + offset(below.at(-1))) / 2;
    for (const child of below) offsets.set(child, offset(child) - middle);
    const last = offset(below.at(-1));
    const stubs = beside(node);
    return {
      left: [-before, stubs ? last : 0, ...left.map(edge => edge - middle)],
      right: [after, stubs ? last + stubs : 0, ...right.map(edge => edge - middle)],
    };
  };
  const middles = new Map([[root, start - Math.min(...outline(root).left)]]);
  const place = (/** @type {Node} */ node) =>
    node.children.forEach(child => {
      middles.set(child, (middles.get(node) ?? 0) + offset(child));
      place(child);
    });
  place(root);
  return middles;
}

/** The edges of small boards within a board. @param {BoardView} position */
function walls({ groups, rows, columns }) {
  if (!groups) return null;
  let d = "";
  for (let at = groups.width; at < columns.length; at += groups.width)
    d += `M${at * CELL} 0v${rows.length * CELL}`;
  for (let at = groups.height; at < rows.length; at += groups.height)
    d += `M0 ${at * CELL}h${columns.length * CELL}`;
  return s("path", { class: "walls", d });
}
