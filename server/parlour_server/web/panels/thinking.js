/** How a search gets on: its candidates as bars. Proven, bounded and guessed never look alike. */
import { h, keyed, put } from "../core/dom.js";
import { fraction, look, mostPromising } from "../core/scores.js";
import * as text from "../text.js";

/** @import {Candidate, Report} from "../protocol.d.ts" */

/** @param {{most?: number, onmove?: (move: string) => void}} [how] `onmove`: a candidate is clicked */
export function thinkingPanel({ most = 7, onmove } = {}) {
  const head = h("p", { class: "past numbers" }), bars = h("div", { class: "candidates", role: "list" }), line = h("p", { class: "past" });
  const element = h("section", { class: "panel", "aria-label": text.THOUGHT }, h("h2", null, text.THOUGHT), head, bars, line);

  /** @param {Report | null | undefined} report @param {string} [who] */
  function update(report, who = report?.bot ?? "") {
    element.hidden = !report;
    if (!report) return;
    head.textContent = report.queued !== undefined ? text.queued(who, report.queued) : report.compiling ? text.compiling(report.compiling)
      : [who, text.effort(report)].filter(Boolean).join(": ");
    keyed(bars, mostPromising(report, most), one => one.move, create, change);
    line.textContent = report.line?.length ? text.bestPlay(report.line.slice(0, 12)) : "";

    /** @param {HTMLElement} row @param {Candidate} one */
    function change(row, one) {
      const kind = look(one.score), chosen = one.move === report?.best;
      row.className = `${kind} ${one.score.result ?? ""}`;
      const [name, bar, words] = row.children;
      name.className = chosen ? "chosen code" : "code";
      put(name, one.move);
      /** @type {HTMLElement} */ (bar.firstElementChild).style.width = `${Math.max(1, 100 * fraction(one.score))}%`;
      words.className = one.score.result ?? "";
      words.textContent = text.leadsTo(one);
      row.setAttribute("aria-label", text.candidate(one, chosen));
    }
  }
  /** @param {Candidate} one */
  const create = one => h("div", { role: "listitem" }, onmove ? h("button", { class: "plain", onclick: () => onmove(one.move) }) : h("span"),
    h("span", { class: "bar" }, h("i")), h("span"));
  update(null);
  return { element, update };
}
