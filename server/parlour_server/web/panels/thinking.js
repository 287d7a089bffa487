/** How a search gets on: its candidates as bars. Proven, bounded and guessed never look alike. */
import { button, h, render } from "../core/dom.js";
import * as text from "../game/board_text.js";
import { fraction, look, mostPromising } from "../game/scores.js";
import { number, say } from "../words.js";

/** @import {Candidate, Report} from "../protocol.d.ts" */

/**
 * `onmove` is what a click on a candidate does, and `onbest` one on the best line, with its moves so far.
 * @param {{most?: number, title?: string, onmove?: (move: string) => void,
 *     onbest?: (moves: string[]) => void}} [how]
 */
export function thinkingPanel({ most = 7, title = say("page.table.thinking"), onmove, onbest } = {}) {
  const head = h("p", { class: "past numbers" });
  const bars = h("div", { class: "candidates", role: "list" });
  const line = h("p", { class: "past" });
  const lineMoves = h("span", { class: "best-line" });
  const caveats = h("p", { class: "past" });
  const element = h("section", { class: "panel thinking", "aria-label": title }, [
    h("h2", null, title),
    head,
    bars,
    line,
    lineMoves,
    caveats,
  ]);

  /** @param {Report | null | undefined} report @param {string} [who] */
  function update(report, who = report?.bot ?? "") {
    element.hidden = !report;
    if (!report) return;
    caveats.textContent = text.caveats(report).join(" ");
    const best = report.line?.slice(0, 12) ?? [];
    head.textContent = text.waitsFor(who, report) || [who, effort(report)].filter(Boolean).join(": ");
    const shown = mostPromising(report, most);
    const left = report.candidates.length - shown.length;
    render(bars, [
      shown.map(one => bar(one, one.move === report.best)),
      left > 0 &&
        h(
          "div",
          { role: "listitem" },
          h("span", { class: "past all" }, say("search.more_moves", { count: left })),
        ),
    ]);
    line.textContent = !best.length
      ? ""
      : onbest
        ? say("page.analysis.best_play")
        : say("search.best_play", { line: best.join(" ") });
    render(
      lineMoves,
      onbest &&
        best.map((move, at) => button(move, () => onbest(best.slice(0, at + 1)), { class: "plain code" })),
    );
  }

  /** @param {Candidate} one @param {boolean} chosen */
  function bar(one, chosen) {
    const { move, score } = one;
    const result = score.result ?? "";
    const how = { class: chosen ? "chosen code" : "code" };
    return h(
      "div",
      {
        key: move,
        role: "listitem",
        class: `${look(score)} ${result}`,
        "aria-label": candidate(one, chosen),
      },
      [
        onmove ? button(move, () => onmove(move), how) : h("span", how, move),
        h("span", { class: "bar" }, h("i", { style: { width: `${Math.max(1, 100 * fraction(score))}%` } })),
        h("span", { class: result }, leadsTo(one)),
      ],
    );
  }
  update(null);
  return { element, update };
}

/** A big number, short. @param {number} count */
const short = count =>
  count >= 1e9
    ? `${number(count / 1e9, 1)} G`
    : count >= 1e6
      ? `${number(count / 1e6, 1)} M`
      : count >= 1e4
        ? `${number(count / 1e3, 0)} k`
        : number(count);
/** How a search went, in a line. @param {Report} report */
function effort({ depth, nodes = 0, seconds, cutoffs }) {
  return [
    depth && say("search.depth", { depth }),
    say("search.positions", { count: nodes, number: short(nodes) }),
    seconds && say("span.seconds", { number: number(seconds, seconds < 10 ? 2 : 0) }),
    seconds && nodes > 1000 && say("search.speed", { number: short(Math.round(nodes / seconds)) }),
    cutoffs && say("search.cut_off", { number: short(cutoffs) }),
  ]
    .filter(Boolean)
    .join(" · ");
}
/** @param {Candidate} one @param {boolean} chosen */
const candidate = (one, chosen) =>
  [
    `${one.move} ${leadsTo(one)}`,
    say(one.score.kind === "estimate" ? "score.estimate" : "score.proven"),
    chosen && say("score.chosen"),
  ]
    .filter(Boolean)
    .join(", ");
/** @param {Candidate} one */
const leadsTo = ({ no_better_than: move, score, visits: number }) => {
  const worth = text.outlook(score);
  if (move) return say("score.no_better_than", { move });
  return number ? say("score.visits", { worth, number }) : worth;
};
