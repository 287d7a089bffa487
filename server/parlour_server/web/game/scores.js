/** Scores as people see them: how long a bar is, how a cell is coloured. Their words are in text.js. */

/** @import {Candidate, Report, Score} from "../protocol.d.ts" */

/** A report before a search has said anything. @type {(bot: string) => Report} */
export const nothing = bot => ({
  bot,
  candidates: [],
  line: [],
  nodes: 0,
  cutoffs: 0,
  table_hits: 0,
  depth: 0,
  seconds: 0,
  finished: false,
});

/** What a score is to the eye: exact, a bound, a guess. @param {Score} score */
export const look = score =>
  score.kind === "estimate"
    ? score.bound
      ? "guessed-bound"
      : "estimate"
    : score.kind === "exact"
      ? "exact"
      : "bound";

/** How good a move is, from 0 to 1: the chance to win; a draw counts half. @param {Score} score */
export function fraction(score) {
  if (score.result) return { win: 1, draw: 0.5, loss: 0 }[score.result];
  if (score.chance !== undefined) return score.chance / 100;
  return score.points === 0 || score.kind === "estimate" ? 0.5 : score.points > 0 ? 1 : 0;
}

/** @type {Record<string, number[]>} */
const PALE = { win: [128, 202, 140], loss: [240, 150, 138] };
const DEEP = { win: [14, 104, 44], loss: [176, 24, 20], draw: [150, 150, 150] };
const EVEN = [208, 206, 196];
const LIKELY = [98, 150, 222];
const UNLIKELY = [226, 168, 72];

/**
 * A cell's colours: a win deepens to green, a loss to red, a draw is grey; a guess goes from ochre to blue.
 * @param {Score} score
 * @returns {{ground: string, ink: string}}
 */
export function heat(score) {
  let colour;
  if (!score.result) {
    const off = score.chance === undefined ? 0 : score.chance / 50 - 1;
    // The root brings out small differences, and most are small.
    colour = mixed(EVEN, off > 0 ? LIKELY : UNLIKELY, Math.sqrt(Math.abs(off)));
  } else if (score.result === "draw") colour = DEEP.draw;
  else {
    // How soon it comes is what a bound does not know.
    const strength =
      score.kind === "exact" ? Math.min(Math.max((Math.abs(score.points) - 50) / 50, 0), 1) : 0;
    colour = mixed(PALE[score.result], DEEP[score.result], strength);
  }
  const light = luminance(colour);
  return {
    ground: `rgb(${colour.join(" ")})`,
    ink: (light + 0.05) / 0.05 >= 1.05 / (light + 0.05) ? "#000" : "#fff",
  };
}

/** @param {number[]} one @param {number[]} other @param {number} share */
const mixed = (one, other, share) => one.map((part, at) => Math.round(part + (other[at] - part) * share));

/** @param {number[]} colour as WCAG 2 has it: 0 is black, 1 white */
function luminance(colour) {
  const [red, green, blue] = colour
    .map(part => part / 255)
    .map(part => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The first so many candidates; the chosen move is always among them.
 *  @param {Report} report @param {number} most @returns {Candidate[]} */
export function mostPromising(report, most) {
  const shown = report.candidates.slice(0, most);
  const chosen = report.candidates.slice(most).find(one => one.move === report.best);
  return chosen ? [...shown.slice(0, -1), chosen] : shown;
}
