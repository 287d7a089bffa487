// Reads boards, scores and rows of lists with the page's own modules: a line of JSON in, what they say out.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

/** As much of an element as a list needs: what was put into it, as text. */
globalThis.Node = class {
  parts = [];
  append(...parts) {
    this.parts.push(...parts);
  }
  getAttribute() {
    return null;
  }
  setAttribute() {}
  toString() {
    return this.parts.join("");
  }
};
globalThis.Text = class extends Node {
  constructor(text) {
    super();
    this.append(text);
  }
};
globalThis.document = {
  documentElement: { lang: "en", dataset: {} },
  getElementById: () => null,
  createElement: () => new Node(),
};

const page = pathToFileURL(process.argv[2]);
const { bring } = await import(`${page}/words.js`);
await bring("lobby");
const position = await import(`${page}/board/position.js`);
const { fraction } = await import(`${page}/game/scores.js`);
const lists = await import(`${page}/lists.js`);
const { item } = await import(`${page}/panels/list.js`);

const { boards, prefixes, moved, scores, rows } = JSON.parse(readFileSync(0, "utf8"));
console.log(
  JSON.stringify({
    boards: boards.map((board, number) => ({
      moves: board.cells
        .flatMap(row => [...row])
        .map((_, cell) => position.movesAt(board, cell).map(one => one.move)),
      chosen: prefixes[number].map(chosen =>
        position.texts(board).map((_, cell) => {
          const found = position.choose(board, chosen, cell);
          return [found.chosen, found.moves];
        }),
      ),
      steps: position.ways(board).map(({ path }) => {
        const { from, to } = position.stepOf(board, path);
        return [[from, to], position.placed(board, path)];
      }),
      first: Object.fromEntries(position.firstAt(board, board.legal.toReversed(), [])),
    })),
    ways: moved.map(([before, after]) => position.difference(before, after).way),
    scores: scores.map(fraction),
    rows: rows.map(([name, row]) => lists[name].map(column => item([column], row).join(""))),
  }),
);
