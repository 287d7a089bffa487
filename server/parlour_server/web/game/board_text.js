/** Which sentence is said of a board, of a move, and of what a search finds. */
import { sideOf } from "../board/position.js";
import { say, sayOr, translated } from "../words.js";

/** @import {BoardView, Report, Score} from "../protocol.d.ts" */

/** What a text is called: a king's mark is that of its side, with the word for it.
 *  @param {BoardView} board @param {string} text */
export function pieceName(board, text) {
  const side = sideOf(board, text);
  const at = side === null ? 0 : board.marks[side].indexOf(text);
  const kind = board.kinds?.[at];
  return side === null || !at || !kind
    ? text
    : `${board.marks[side][0]} ${sayOr(`game.kind.${kind}`, {}, kind)}`;
}
/** @param {string} name
 *  @param {string} what @param {{may: boolean, moves: boolean, last: boolean, line: boolean}} how */
export const cell = (name, what, { may, moves, last, line }) =>
  [
    `${name} ${what || say("page.cell.empty")}`,
    line && say("page.cell.line"),
    last && say("page.cell.last"),
    moves ? say("page.cell.source") : may && say("page.cell.open"),
  ]
    .filter(Boolean)
    .join(", ");
/** @param {number} ply @param {string} move */
export const moveNumber = (ply, move) => `${ply}. ${move}`;
const SIGNS = { exact: "", estimate: "~", at_least: ">=", at_most: "<=" };
/** @param {Score} score */
const signs = score => (score.bound ? SIGNS[score.bound] : "") + SIGNS[score.kind];
/** @param {Score} score */
const percent = score => (score.chance === undefined ? "?" : score.chance.toFixed(0));
/** What a bound would be if it were exact. @param {Score} score */
const resultOf = ({ points }) => (points === 0 ? "draw" : points > 0 ? "win" : "loss");
/** What a cell has room for: `W5`, `L4`, `D`, `~54`. @param {Score} score */
export function cellScore(score) {
  const { kind, result } = score;
  const sign = signs(score).slice(0, 1);
  if (kind === "estimate") return sign + percent(score);
  const letter = say(`score.letter.${result ?? resultOf(score)}`);
  const far =
    !result || result === "draw"
      ? ""
      : score.margin === undefined
        ? (score.plies ?? "")
        : Math.abs(score.margin);
  return sign + letter + far;
}
/** What a move leads to, as the protocol's `Score.outlook` has it: `wins in 3`, `a draw`, `57% to win`.
 *  @param {Score} score */
export function outlook(score) {
  const { kind, bound, result, margin, plies } = score;
  if (kind === "estimate")
    return say(bound ? `score.to_win_${bound}` : "score.to_win", { percent: percent(score) });
  if (!result) return say(`score.at_${kind === "at_most" ? "best" : "least"}.${resultOf(score)}`);
  if (result === "draw") return say("score.draw");
  const does = result === "win" ? "wins" : "loses";
  const exact = kind === "exact";
  if (margin !== undefined)
    return say(`score.${does}_by${exact ? "" : "_at_least"}`, { margin: Math.abs(margin) });
  return plies === undefined
    ? say(`score.${does}`)
    : say(`score.${does}_in${exact ? "" : "_at_most"}`, { plies });
}
/** What a game counts for each side, such as discs. @param {{label: string, of: number[]}} count */
export const countOf = ({ label, of: [first, second] }) =>
  say("table.count", { label: sayOr(`game.count.${label}`, {}, label), first, second });
/** Who is to move in a position, or how the game ended.
 *  @param {BoardView} position @param {string} [winner] */
export function standsAt({ marks, to_move = 0, note, note_said, counts = [] }, winner) {
  if (winner === "draw") return say("outcome.over_draw");
  if (winner) return say("outcome.over_wins", { name: marks[winner === "first" ? 0 : 1][0] });
  const counted = counts.map(countOf);
  return [say("table.to_move", { name: marks[to_move][0] }), note && translated(note_said, note), ...counted]
    .filter(Boolean)
    .join(" ");
}
/** What a search waits for; empty where it runs. @param {string} name @param {Report} report */
export function waitsFor(name, { queued, compiling }) {
  if (queued !== undefined)
    return queued ? say("search.waits", { name, ahead: queued }) : say("search.waits_next", { name });
  if (!compiling) return "";
  const { done, of, game, title, title_said } = compiling;
  return say("search.compiling_done", {
    done,
    of,
    game: translated(title_said, title || game),
    seconds: 10,
  });
}
/** Why the move isn't the best that the bot could find, a sentence each. @param {Report} report */
export const caveats = ({ weakened, best, cut_after, compiled, finished }) =>
  [
    weakened && say("search.weakened", { move: best ?? "" }),
    cut_after !== undefined && say("search.cut_after", { seconds: cut_after }),
    compiled === false && !finished && say("search.interpreted"),
  ].filter(one => one !== false && one !== undefined);
