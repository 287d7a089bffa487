/** The race of the searches that are taught: one position, one depth, one search after the other. */
import { Board } from "../board/board.js";
import { Refusal } from "../core/client.js";
import { announce, button, h, put, render } from "../core/dom.js";
import { retry } from "../core/retry.js";
import { replaceUrl } from "../core/router.js";
import * as text from "../game/board_text.js";
import { Study } from "../game/boards.js";
import { ENTRANTS } from "../game/entrants.js";
import { link, linked } from "../game/games.js";
import { chooser } from "../panels/chooser.js";
import { copyText } from "../panels/invitation.js";
import { movesPanel, stepKeys } from "../panels/moves.js";
import { span } from "../text.js";
import { number, say } from "../words.js";

/** @import {Client} from "../core/client.js" */
/** @import {Given} from "../game/games.js" */
/** @import {Page, Route} from "../core/router.js" */
/** @import {Entrant, Raced, Report, Score} from "../protocol.d.ts" */
/** @typedef {{entrant: Entrant, report: Report | null, depth: number | null, waits: string,
 *  expected?: number}} Run */

/** @param {Client} client @param {HTMLElement} root @param {Route} route @returns {Page} */
export function open(client, root, route) {
  const study = new Study(client, sentence => {
    wrong.textContent = sentence;
  });
  const choose = chooser(client, root, begin);
  const list = movesPanel(step);
  const board = new Board({ onmove: move => play([...moves.slice(0, ply), move]) });
  const depth = h("input", { type: "number", min: 1, max: 20, placeholder: say("page.lab.fair_depth") });
  const start = button(say("page.lab.race"), () => (running ? stop() : race()), { class: "main" });
  const status = h("p", { class: "status" });
  const wrong = h("p", { class: "refusal", role: "alert" });
  const words = h("div", { class: "stack" });
  const rows = h("ol", { class: "race stack" });
  const copies = h("div", { class: "row" }, [
    button(say("page.lab.copy_json"), () => copyText(JSON.stringify(written(), null, 2))),
    button(say("page.lab.copy_csv"), () => copyText(csv())),
  ]);
  put(root, [
    h("div", { class: "lab" }, [
      h("section", { class: "stack" }, [
        h("h1", null, say("page.lab.title")),
        h("p", { class: "past" }, say("page.lab.about")),
        h("div", { class: "played" }, board.element),
        status,
        wrong,
        h("div", { class: "row" }, [
          h("label", { class: "field grow" }, say("page.analysis.depth"), depth),
          start,
        ]),
        list.element,
        choose.element,
      ]),
      h("section", { class: "panel stack", "aria-label": say("page.lab.race") }, [
        h("h2", null, say("page.lab.the_race")),
        words,
        rows,
        copies,
      ]),
    ]),
  ]);

  let moves = /** @type {string[]} */ ([]);
  let ply = 0;
  /** @type {Run[]} */
  let runs = [];
  /** @type {AbortController | null} */
  let running = null;

  // ------------------------------------------------------------ which position

  /** @param {Given} given */
  async function begin(given) {
    const answer = await study.begin(given);
    if (answer) play(answer.moves);
  }

  /** @param {string[]} line */
  function play(line) {
    moves = line;
    step(line.length);
  }

  /** @param {number} to */
  function step(to) {
    if (running) stop();
    ply = to;
    runs = [];
    wrong.textContent = "";
    const here = moves.slice(0, to);
    replaceUrl(`/lab#${link(study.game, here)}`);
    choose.update(study.game, here);
    study.show(here, ({ position, winner }, animate) => {
      status.textContent = text.standsAt(position, winner);
      if (moves.length) announce(`${here.at(-1) ?? say("page.table.beginning")} ${status.textContent}`);
      board.show(position, { yours: !winner, animate });
      draw();
    });
    draw();
  }

  // ------------------------------------------------------------ the race

  function stop() {
    running?.abort();
    running = null;
    draw();
  }

  async function race() {
    const mine = (running = new AbortController());
    const { signal } = mine;
    const asked = { game: study.game, moves: moves.slice(0, ply).join(" "), progress: true };
    let deep = depth.valueAsNumber || undefined;
    runs = [];
    wrong.textContent = "";
    try {
      for (const entrant of ENTRANTS) {
        /** @type {Run} */
        const run = { entrant, report: null, depth: null, waits: "" };
        runs.push(run);
        draw();
        /** @type {(notice: {report: Report}) => void} */
        const progress = ({ report }) => {
          run.waits = text.waitsFor(entrantName(entrant), report);
          if (!run.waits && running === mine) run.report = report;
          draw();
        };
        /** @type {Raced | null} */
        const answer = await retry(
          () => client.ask("race", { ...asked, entrant, depth: deep }, { signal, progress }),
          signal,
        ).catch(error => {
          // A server may have no engine.
          if (entrant === "engine" && error instanceof Refusal && error.code === "unknown_bot") return null;
          throw error;
        });
        if (running !== mine) return;
        if (!answer) runs.pop();
        else {
          [run.report, run.depth, run.waits, deep] = [answer.report, answer.depth, "", answer.depth];
          run.expected = answer.expected;
        }
      }
      announce(verdict(runs.flatMap(finished)).join(" "));
    } catch (error) {
      study.fail(error);
    }
    if (running === mine) running = null;
    if (!study.closed) draw();
  }

  /** @param {Run} run */
  const finished = ({ entrant, report, depth, expected }) =>
    report && depth !== null ? [{ entrant, report, depth, expected }] : [];

  // ------------------------------------------------------------ what is shown

  function draw() {
    const done = runs.flatMap(finished);
    const most = Math.log10(Math.max(10, ...runs.map(one => one.report?.nodes ?? 0)));
    list.update(moves, ply);
    start.textContent = running ? say("page.stop") : say("page.lab.race");
    start.disabled = !study.shown || Boolean(study.shown.winner);
    render(
      rows,
      ENTRANTS.map((entrant, at) => {
        const run = runs.find(one => one.entrant === entrant);
        const before = done.find(one => one.entrant === ENTRANTS[at - 1]);
        return entrantLine(entrant, run, before, most);
      }),
    );
    render(words, running ? null : verdict(done).map(one => h("p", null, one)));
    copies.hidden = !done.length || Boolean(running);
  }

  /** Much as `parlour lab --json` writes it, with the moves. */
  function written() {
    const done = runs.flatMap(finished);
    return {
      game: study.game,
      moves: moves.slice(0, ply).join(" "),
      depth: done[0]?.depth,
      same_value: sameValue(done),
      runs: done.map(({ entrant, report, expected }) => ({
        search: entrant,
        score: report.candidates[0]?.score ?? null,
        expected: expected ?? null,
        ...report,
      })),
    };
  }

  function csv() {
    const lines = runs.flatMap(finished).map(({ entrant, report, depth, expected }) => {
      const { points = "", kind = "" } = report.candidates[0]?.score ?? {};
      return [
        entrant,
        depth,
        points,
        kind,
        report.nodes,
        report.cutoffs,
        report.table_hits,
        report.seconds,
        report.finished,
        expected ?? "",
      ];
    });
    const names = [
      "search",
      "depth",
      "points",
      "kind",
      "positions",
      "cutoffs",
      "table_hits",
      "seconds",
      "finished",
      "expected",
    ];
    return [names, ...lines].map(line => line.join(",")).join("\n");
  }

  begin(linked(route.hash) ?? { game: route.hash || "tictactoe", moves: "" });
  study.ends = [
    () => running?.abort(),
    choose.close,
    stepKeys(
      () => [ply, moves.length],
      step,
      () => {
        if (running) stop();
      },
    ),
  ];
  return study;
}

/**
 * A search in the race: how far it is, and how much it spares.
 * @param {Entrant} entrant @param {Run | undefined} run @param {Ran | undefined} before the one before it,
 * where that is done
 * @param {number} most the logarithm of the most positions that any of them has visited
 */
function entrantLine(entrant, run, before, most) {
  const { report = null, waits = "" } = run ?? {};
  const over = run?.depth != null;
  const found = over && report?.finished;
  const best = found ? report.candidates[0]?.score : null;
  const wide = report ? (100 * Math.log10(Math.max(1, report.nodes))) / most : 0;
  return h("li", { class: found ? "done" : run && "runs" }, [
    h("div", { class: "row" }, [
      h("h3", { class: "grow" }, entrantName(entrant)),
      h("span", { class: best?.result }, best ? text.outlook(best) : over && say("page.lab.stopped")),
    ]),
    h("p", { class: "past" }, say(`page.lab.${entrant}.idea`)),
    h("div", { class: "bar" }, [
      h("i", { style: { width: `${report ? Math.max(1, wide) : 0}%` } }),
      run?.expected !== undefined &&
        h("b", { style: { left: `${Math.min(99, (100 * Math.log10(run.expected)) / most)}%` } }),
    ]),
    h("p", { class: "past numbers" }, waits || (report ? raced(report) : run && say("page.searching"))),
    h("p", { class: "numbers" }, [
      found && before?.report.finished && factor(before.report.nodes / Math.max(1, report.nodes)),
    ]),
  ]);
}

/** @typedef {{entrant: Entrant, report: Report, depth: number, expected?: number}} Ran */
/** @param {Entrant} entrant */
const entrantName = entrant => say(`page.lab.${entrant}.name`);
/** @param {Report} report */
const raced = ({ nodes, cutoffs, table_hits, seconds, left }) =>
  [
    say("count.position", { count: nodes }),
    cutoffs && say("count.cutoff", { count: cutoffs }),
    table_hits && say("search.table_hits", { number: table_hits }),
    seconds < 0.1
      ? say("span.milliseconds", { number: number(1000 * seconds, 1) })
      : say("span.seconds", { number: number(seconds, 2) }),
    left !== undefined && say("search.left", { span: span(left) }),
  ]
    .filter(Boolean)
    .join(" · ");
/** @param {number} times */
const multiple = times => (times >= 10 ? number(Math.round(times)) : number(times, 1));
/** Would it be called 1.0 times as many? @param {number} times */
const alike = times => Math.max(times, 1 / times) < 1.05;
/** @param {number} times how many times fewer than the one before */
const factor = times => {
  if (alike(times)) return say("page.lab.similar");
  return times > 1
    ? say("page.lab.fewer", { times: multiple(times) })
    : say("page.lab.more", { times: multiple(1 / times) });
};
/** Did all that came to their end find the same value? The engine counts where its value is proven.
 *  @param {Ran[]} runs */
const sameValue = runs =>
  new Set(
    runs
      .filter(
        one =>
          one.report.finished &&
          one.report.candidates[0] &&
          (one.entrant !== "engine" || one.report.candidates[0].score.kind === "exact"),
      )
      .map(one => one.report.candidates[0].score.points),
  ).size <= 1;
/** What a score is to the side to move, within a sentence. @param {Score} score */
function toMove(score) {
  if (score.kind === "estimate") return say("lab.worth_estimate", { outlook: text.outlook(score) });
  if (score.result === "draw") return say("lab.worth_draw");
  return say("lab.worth", { outlook: text.outlook(score) });
}
/** What the race shows. @param {Ran[]} runs @returns {string[]} */
function verdict(runs) {
  const done = runs.filter(one => one.report.finished && one.report.candidates.length);
  const plain = done.filter(one => one.entrant !== "engine");
  const engine = done.find(one => one.entrant === "engine");
  if (plain.length < 2) return [];
  const score = plain[0].report.candidates[0].score;
  const worth = text.outlook(score);
  const alone = engine && text.outlook(engine.report.candidates[0].score) !== worth;
  const fewest = plain.reduce((best, one) => (one.report.nodes < best.report.nodes ? one : best));
  const first = plain[0];
  const stopped = runs.filter(one => !one.report.finished);
  const nodesOf = (/** @type {Entrant} */ name) =>
    done.find(one => one.entrant === name)?.report.nodes ?? Number.NaN;
  const [whole, half] = ["minimax", "alphabeta"].map(
    name => done.find(one => one.entrant === name)?.expected,
  );
  const found = { depth: say("count.ply", { count: first.depth }), worth: toMove(score) };
  return [
    !sameValue(runs) ? say("lab.disagree") : say(alone ? "lab.agree_but_engine" : "lab.agree", found),
    alone ? say("lab.engine_differs") : "",
    first.entrant === "minimax" && !alike(first.report.nodes / fewest.report.nodes)
      ? say("lab.saving", {
          positions: say("count.position", { count: first.report.nodes }),
          search: say(`lab.phrase.${fewest.entrant}`),
          fewest: say("count.position", { count: fewest.report.nodes }),
          times: multiple(first.report.nodes / fewest.report.nodes),
        })
      : "",
    whole !== undefined && half !== undefined
      ? say("lab.expected", {
          moves: number(whole ** (1 / first.depth), 1),
          depth: first.depth,
          whole,
          half,
        })
      : "",
    nodesOf("ordering") > nodesOf("alphabeta") ? say("lab.order_costs") : "",
    stopped.length
      ? say("page.lab.too_slow", { searches: stopped.map(one => entrantName(one.entrant)).join(", ") })
      : "",
    say("page.lab.logarithmic"),
  ].filter(Boolean);
}
