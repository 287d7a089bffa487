/** Reading a board that the server describes; nothing here knows a game. */

/** @import {BoardView} from "../protocol.d.ts" */
/** @typedef {{move: string, target: number, source: number}} Choice */

/** What stands in the cells, one after the other. @param {BoardView} board @returns {string[]} */
export const texts = board => board.cells.flatMap(row => [...row]);

/** Is that what stands in an empty cell? @param {BoardView} board @param {string} text */
export const isEmpty = (board, text) => text === board.empty;

/** The side whose piece a text is; null for an empty cell and what is nobody's.
 *  @param {BoardView} board @param {string} text */
export const sideOf = (board, text) =>
  board.marks[0].includes(text) ? 0 : board.marks[1].includes(text) ? 1 : null;

/** Every legal move with the cells that it goes from and to; -1 for none.
 *  @param {BoardView} board @returns {Choice[]} */
export const choices = board =>
  board.legal.map((move, at) => ({
    move,
    target: board.targets[at] ?? -1,
    source: board.sources[at] ?? -1,
  }));

/** The moves without a cell, such as a pass. @param {BoardView} board */
export const unplaced = board => choices(board).filter(one => one.target < 0);

/**
 * The moves that a click on a cell can mean, from a piece that was picked where one was.
 * @param {BoardView} board @param {number} cell @param {number | null} picked
 */
export function movesAt(board, cell, picked = null) {
  const all = choices(board).filter(one => (picked === null ? one.source < 0 : one.source === picked));
  const there = all.filter(one => one.target === cell);
  if (there.length || !board.falls) return there;
  const width = board.columns.length;
  return all.filter(one => one.target >= 0 && one.target % width === cell % width);
}

/** Where a piece comes to lie that is put into a cell before anybody knows what may be played: there, or where
 *  it falls; null where that is taken. @param {BoardView} board @param {number} cell */
export function landing(board, cell) {
  const all = texts(board);
  const width = board.columns.length;
  if (!board.falls) return isEmpty(board, all[cell]) ? cell : null;
  const column = all.map((_, at) => at).filter(at => at % width === cell % width);
  return column.findLast(at => isEmpty(board, all[at])) ?? null;
}

/** For each cell that some moves lead to the first of those: the best one, where the best come first.
 *  @param {BoardView} board @param {string[]} moves @returns {Map<number, string>} */
export function firstAt(board, moves) {
  const targets = new Map(choices(board).map(one => [one.move, one.target]));
  const placed = moves.filter(move => (targets.get(move) ?? -1) >= 0);
  return new Map(placed.reverse().map(move => [targets.get(move) ?? -1, move]));
}

/** What a move puts on its cell; null where the marks don't stand on the board, as in games of counts.
 *  @param {BoardView} board @param {Choice} choice */
export function placed(board, { target, source }) {
  const all = texts(board);
  if (source >= 0) return all[source];
  return isEmpty(board, all[target]) || sideOf(board, all[target]) !== null
    ? board.marks[board.to_move ?? 0][0]
    : null;
}

/** Can a piece in this cell move? @param {BoardView} board @param {number} cell */
export const isSource = (board, cell) => board.sources.includes(cell);

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
 * @returns {{come: number[], gone: number[], turned: number[], from: number | null, to: number | null}}
 */
export function difference(before, now) {
  const none = { come: [], gone: [], turned: [], from: null, to: null };
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
  const to = now.last[0] ?? null;
  const from = now.last[1] ?? null;
  const slid = from !== null && to !== null && gone.includes(from) && fresh[to] === old[from];
  return {
    come,
    gone,
    turned: slid ? turned.filter(cell => cell !== to) : turned,
    from: slid ? from : null,
    to: slid ? to : null,
  };
}
