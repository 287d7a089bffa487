/** Reading a board that the server describes; nothing here knows a game. */

/** @import {BoardView} from "../protocol.d.ts" */
/** A legal move, and the cells that are chosen for it in turn; none for a pass.
 *  @typedef {{move: string, path: number[]}} Way */

/** What stands in the cells, one after the other. @param {BoardView} board @returns {string[]} */
export const texts = board => board.cells.flatMap(row => [...row]);

/** Is there no cell at all where this text stands? @param {string} text */
export const isVoid = text => text === " ";

/** Is that what stands in an empty cell? @param {BoardView} board @param {string} text */
export const isEmpty = (board, text) => text === board.empty;

/** The side whose piece a text is; null for an empty cell and what is nobody's.
 *  @param {BoardView} board @param {string} text */
export const sideOf = (board, text) =>
  board.marks[0].includes(text) ? 0 : board.marks[1].includes(text) ? 1 : null;

/** @param {BoardView} board @returns {Way[]} */
export const ways = board =>
  board.legal.map((move, at) => ({ move, path: [board.paths[at]].flat().filter(cell => cell >= 0) }));

/** Is there a move for which more than one cell is chosen? @param {BoardView} board */
export const slides = board => board.paths.some(Array.isArray);

/** Does a piece move in one of them? Where men are placed, one that is taken may be a second cell, too.
 *  @param {BoardView} board */
export const moves = board =>
  ways(board).some(
    ({ path }) => path.length > 1 && sideOf(board, texts(board)[path[0]]) === (board.to_move ?? 0),
  );

/** @param {number[]} path @param {number[]} chosen */
const begins = (path, chosen) => chosen.every((cell, at) => path[at] === cell);

/** The cells to choose from, behind those that were chosen: what continues the path of a legal move.
 *  @param {BoardView} board @param {number[]} [chosen] @returns {Set<number>} */
export function openCells(board, chosen = []) {
  const on = ways(board).filter(({ path }) => path.length > chosen.length && begins(path, chosen));
  return new Set(on.map(({ path }) => path[chosen.length]));
}

/** The legal moves whose path this is: behind none, those without a cell, such as a pass.
 *  @param {BoardView} board @param {number[]} [chosen] */
export const doneAt = (board, chosen = []) =>
  ways(board).filter(({ path }) => path.length === chosen.length && begins(path, chosen));

/**
 * The moves that choosing a cell can mean, behind those that were chosen. In a tray any cell of a column means
 * its move.
 * @param {BoardView} board @param {number} cell @param {number[]} [chosen]
 */
export function movesAt(board, cell, chosen = []) {
  const at = chosen.length;
  const on = ways(board).filter(({ path }) => path.length > at && begins(path, chosen));
  const there = on.filter(({ path }) => path[at] === cell);
  if (there.length || board.layout !== "tray") return there;
  const width = board.columns.length;
  return on.filter(({ path }) => path[at] % width === cell % width);
}

/**
 * What is chosen with one cell more, and the moves that this means: one to be played, or several to ask about;
 * none where more is to be chosen. As `BoardView.choose` of the protocol says.
 * @param {BoardView} board @param {number[]} chosen @param {number} cell
 * @returns {{chosen: number[], moves: string[]}}
 */
export function choose(board, chosen, cell) {
  const at = chosen.length;
  const alike = (/** @type {Way[]} */ found) => found.every(({ path }) => `${path}` === `${found[0].path}`);
  let found = movesAt(board, cell, chosen);
  if (!found.length && at) {
    found = ways(board).filter(
      ({ path }) => path.length > at && begins(path, chosen) && path.at(-1) === cell,
    );
    // Which way it takes there is asked.
    if (!alike(found)) return { chosen, moves: found.map(one => one.move) };
  }
  if (!found.length)
    return !at || chosen.includes(cell) ? { chosen: [], moves: [] } : choose(board, [], cell);
  const { path } = found[0];
  if (alike(found) && (at || path.length === 1)) return { chosen: path, moves: found.map(one => one.move) };
  return { chosen: [...chosen, path[at]], moves: [] };
}

/** Where a piece comes to lie that is put into a cell before anybody knows what may be played: there, or where
 *  it falls; null where that is taken. @param {BoardView} board @param {number} cell */
export function landing(board, cell) {
  const all = texts(board);
  const width = board.columns.length;
  if (board.layout === "pits") return null;
  if (board.layout !== "tray") return isEmpty(board, all[cell]) ? cell : null;
  const column = all.map((_, at) => at).filter(at => at % width === cell % width);
  return column.findLast(at => isEmpty(board, all[at])) ?? null;
}

/** For each cell to choose from, behind those chosen, the first of some moves that go on there: the best one,
 *  where the best come first.
 *  @param {BoardView} board @param {string[]} moves @param {number[]} chosen @returns {Map<number, string>} */
export function firstAt(board, moves, chosen) {
  const paths = new Map(ways(board).map(one => [one.move, one.path]));
  /** @type {Map<number, string>} */
  const found = new Map();
  for (const move of moves) {
    const path = paths.get(move) ?? [];
    const cell = path[chosen.length];
    if (cell !== undefined && begins(path, chosen) && !found.has(cell)) found.set(cell, move);
  }
  return found;
}

/** Where the piece of a move comes from, and where it comes to lie: as `BoardView.step_of` of the protocol says.
 *  @param {BoardView} board @param {number[]} path
 *  @returns {{from: number | null, to: number | null}} */
export function stepOf(board, path) {
  const all = texts(board);
  const moves = path.length > 1 && sideOf(board, all[path[0]]) === (board.to_move ?? 0);
  const [from, way] = moves ? [path[0], path.slice(1)] : [null, path];
  const to = way.findLast(cell => cell === from || isEmpty(board, all[cell])) ?? way[0] ?? null;
  return { from, to };
}

/** What a move puts there; null where the marks don't stand on the board, as in games of counts.
 *  @param {BoardView} board @param {number[]} path */
export function placed(board, path) {
  const all = texts(board);
  const { from, to } = stepOf(board, path);
  if (from !== null) return all[from];
  if (to === null) return null;
  return isEmpty(board, all[to]) || sideOf(board, all[to]) !== null
    ? board.marks[board.to_move ?? 0][0]
    : null;
}

/** A cell by the labels of its column and row; by its numbers where a game has none.
 *  @param {BoardView} board @param {number} cell */
export function nameOf(board, cell) {
  const width = board.columns.length;
  const column = cell % width;
  const row = Math.floor(cell / width);
  const [across, down] = [board.columns[column] ?? "", board.rows[row] ?? ""];
  // As people say it: the letter first.
  if (across && down) return /^\d/.test(across) && !/^\d/.test(down) ? down + across : across + down;
  return down || `${board.columns[column] || column + 1}, ${board.rows.length - row}`;
}

/**
 * What moved between two positions of one game: found in their difference.
 * @param {BoardView | null} before @param {BoardView} now
 * @returns {{come: number[], gone: number[], turned: number[], way: number[]}} `way`: from where a piece slid
 *     to where, and over which cells
 */
export function difference(before, now) {
  const none = { come: [], gone: [], turned: [], way: [] };
  if (!before || before.rows.length !== now.rows.length || before.columns.length !== now.columns.length)
    return none;
  const old = texts(before);
  const fresh = texts(now);
  const empty = now.empty;
  /** @type {number[][]} */
  const [come, gone, turned] = [[], [], []];
  fresh.forEach((text, cell) => {
    if (old[cell] === text) return;
    (old[cell] === empty ? come : text === empty ? gone : turned).push(cell);
  });
  const [to] = now.last;
  // What a piece is may change on its way, whose it is does not; and it may end where it began.
  const start = now.last.findLastIndex(
    (cell, at) =>
      at && (gone.includes(cell) || cell === to) && sideOf(before, old[cell]) === sideOf(now, fresh[to]),
  );
  // Or it alone looks so, and stood elsewhere.
  const left = old.flatMap((text, cell) => (text === fresh[to] && fresh[cell] !== text ? cell : []));
  const ends = start > 0 ? now.last.slice(0, start + 1).reverse() : left.length === 1 ? [left[0], to] : [];
  const known = ways(before).filter(
    ({ path }) => path.length > 1 && path[0] === ends[0] && path.at(-1) === to,
  );
  const way = known.length === 1 ? known[0].path : ends;
  /** @param {number[]} cells */
  const others = cells => cells.filter(cell => !way.length || (cell !== to && cell !== way[0]));
  return { come: others(come), gone: others(gone), turned: others(turned), way };
}
