/** A game looked back on: each move graded by the server, and the curve of the game. */
import { Board } from "../board/board.js";
import { sideOf, stepOf, ways } from "../board/position.js";
import { attempt } from "../core/attempt.js";
import { announce, button, h, put, set } from "../core/dom.js";
import { retry } from "../core/retry.js";
import { go, replaceUrl } from "../core/router.js";
import * as text from "../game/board_text.js";
import { Study } from "../game/boards.js";
import { link, linked } from "../game/games.js";
import { recordOf } from "../game/record.js";
import { ended, seatName } from "../game/room_text.js";
import { GRADES, OWN_ROOMS } from "../lists.js";
import { chooser } from "../panels/chooser.js";
import { evaluationBar } from "../panels/evaluation.js";
import { item, table } from "../panels/list.js";
import { movesPanel, stepKeys } from "../panels/moves.js";
import { playOn } from "../panels/play_on.js";
import { thinkingPanel } from "../panels/thinking.js";
import { say, translated } from "../words.js";
import { curve } from "./curve.js";

/** @import {Client} from "../core/client.js" */
/** @import {Given} from "../game/games.js" */
/** @import {Mark} from "../board/board.js" */
/** @import {Page, Route} from "../core/router.js" */
/** @import {GradeCounts, Note, Progress, Report, ReviewedMove} from "../protocol.d.ts" */

/** @param {Client} client @param {HTMLElement} root @param {Route} route @returns {Page} */
export function open(client, root, route) {
  const study = new Study(client, sentence => {
    wrong.textContent = sentence;
  });
  const board = new Board({ onmove: move => analyse(ply, [move]) });
  const evaluation = evaluationBar(board);
  const drawn = curve(step);
  const list = movesPanel(step);
  const choose = chooser(client, root, given => {
    players.textContent = "";
    others.hidden = true;
    kept = {};
    replaceUrl(`/review#${link(given.game, given.moves.split(/[\s,]+/).filter(Boolean))}`);
    begin(given);
  });
  const analyse = (/** @type {number} */ at, /** @type {string[]} */ line) =>
    go(`/analysis#${link(study.game, [...moves.slice(0, at), ...line])}`);
  const thinking = thinkingPanel({
    title: say("page.review.before"),
    onmove: move => analyse(ply - 1, [move]),
    onbest: line => analyse(ply - 1, line),
  });
  const title = h("h1", null, say("action.review.label"));
  const players = h("p");
  const status = h("p", { class: "status" });
  const better = h("p", { class: "past" });
  const wrong = h("p", { class: "refusal", role: "alert" });
  const bar = h("progress", { "aria-label": say("action.review.label") });
  const far = h("p", { class: "past numbers" });
  const stop = button(say("page.stop"), () => {
    running?.abort();
    running = null;
    draw();
  });
  const busy = h("div", { class: "row" }, h("span", { class: "grow" }, bar, far), stop);
  const again = button(say("page.review.again"), run);
  const up = h("p", { class: "past" });
  const counts = h("table", { class: "numbers grades" });
  const notes = h("p", { class: "past" });
  const others = button(
    say("action.games.label"),
    () => attempt(async () => (await import("../panels/room_games.js")).showGames(client, room)),
    {
      hidden: true,
    },
  );
  const panel = h("section", { class: "panel stack", "aria-label": say("action.review.label") }, [
    h("h2", null, say("action.review.label")),
    drawn.element,
    up,
    busy,
    again,
    counts,
    notes,
  ]);
  const faults = [
    button(say("page.review.last_fault"), () => fault(-1)),
    button(say("page.review.next_fault"), () => fault(1)),
  ];
  const there = h("a", { class: "button" }, say("action.analyse.label"));
  const play = playOn(client, () => ({ game: study.game, moves: moves.slice(0, ply) }));
  const solve = h("a", { class: "button" }, say("page.puzzle.solve"));
  const keep = button(say("action.export.label"), () =>
    attempt(async () =>
      (await import("../panels/export.js")).exportGame(client, {
        game: study.game,
        moves,
        shown: moves.slice(0, ply),
        ...kept,
      }),
    ),
  );
  const past = h("ul", { class: "stack" });
  const which = h("section", { class: "panel stack" }, h("p", null, say("page.review.which")), past);
  const actions = h("div", { class: "actions" }, faults, solve, there, play, keep, others);
  put(root, [
    h("div", { class: "table" }, [
      h("div", { class: "stage" }, which, board.element),
      h("div", { class: "side" }, [
        h("div", { class: "stack near" }, [
          h("div", null, title, players),
          actions,
          h("div", { class: "said" }, status, better, wrong),
        ]),
        panel,
        list.element,
        thinking.element,
        choose.element,
      ]),
    ]),
  ]);
  const ofGame = [board.element, panel, list.element, actions];
  for (const one of ofGame) one.hidden = true;

  let moves = /** @type {string[]} */ ([]);
  let ply = 0;
  let room = "";
  /** What of it is kept in a room. @type {{room?: string, number?: number}} */
  let kept = {};
  let done = false;
  /** @type {[string, string] | null} */
  let names = null;
  /** The moves as far as they are graded, and by ply what was found before each. @type {ReviewedMove[]} */
  let graded = [];
  /** How often each side was given each grade. @type {GradeCounts[]} */
  let grades = [];
  /** What there is to say of the whole review. @type {Note[]} */
  let noted = [];
  /** @type {Map<number, Report>} */
  let reports = new Map();
  /** @type {AbortController | null} */
  let running = null;
  /** What the review waits for. */
  let waits = "";
  /** What was better than the move that led here. @type {Mark[]} */
  let marks = [];

  // ------------------------------------------------------------ which game

  async function load() {
    const given = linked(route.hash);
    const [code, number] = route.hash.split("/");
    if (given) return begin(given);
    if (!code) return recent().catch(error => study.fail(error));
    which.hidden = true;
    room = code.toUpperCase();
    const record = await study.read(() => recordOf(client, room, Number(number) || undefined));
    if (!record) return;
    players.textContent = record.result ? ended(record.result, record.seats) : "";
    const [first, second] = (record.starter ? record.seats.toReversed() : record.seats).map(seatName);
    others.hidden = false;
    kept = { room: record.room, number: record.number };
    begin({
      game: record.game,
      moves: record.moves.map(one => one.move).join(" "),
      names: [first, second],
    });
  }

  /** List one's own games that are over. */
  async function recent() {
    const { rooms } = await retry(() => client.ask("history", {}));
    put(past, [
      rooms
        .filter(one => one.phase !== "playing" && one.moves)
        .map(one => h("li", null, h("a", { href: `/review#${one.room}` }, item(OWN_ROOMS, one)))),
    ]);
  }

  /** @param {Given} given */
  async function begin(given) {
    which.hidden = true;
    running?.abort();
    running = null;
    // What is wrong with it can be put right in the form.
    choose.update(given.game, given.moves.split(/[\s,]+/).filter(Boolean));
    const answer = await study.begin(given);
    if (!answer) return;
    [moves, names] = [answer.moves, given.names ?? null];
    [graded, grades, noted, reports, done] = [[], [], [], new Map(), false];
    choose.update(study.game, moves);
    const called = choose.titleOf(study.game);
    put(title, called);
    document.title = `${say("action.review.label")}: ${called}`;
    step(moves.length);
    if (moves.length) run();
  }

  async function run() {
    running?.abort();
    const mine = (running = new AbortController());
    const { signal } = mine;
    [graded, grades, noted] = [[], [], []];
    waits = wrong.textContent = "";
    draw();
    /** @param {Progress} notice */
    const progress = ({ report, move, grades: counted }) => {
      if (running !== mine) return;
      waits = text.waitsFor(say("action.review.label"), report);
      if (move) {
        graded = [...graded.slice(0, move.ply - 1), move];
        grades = counted ?? [];
        reports.set(move.ply, report);
      }
      draw();
    };
    try {
      const asked = { game: study.game, moves: moves.join(" "), progress: true };
      const answer = await retry(() => client.ask("review", asked, { signal, progress }), signal);
      if (running !== mine) return;
      [graded, grades, noted, done] = [answer.moves, answer.grades, answer.notes, true];
      const faults = grades.reduce((sum, one) => sum + one.mistake + one.blunder, 0);
      announce(say("page.review.done", { count: faults }));
    } catch (error) {
      study.fail(error);
    }
    if (running === mine) running = null;
    if (!study.closed) draw();
  }

  // ------------------------------------------------------------ what is shown

  /** Show the position after so many moves. @param {number} to */
  function step(to) {
    ply = to;
    marks = [];
    study.show(moves.slice(0, to), (_, animate) => {
      draw(animate);
      announce(`${status.textContent} ${better.textContent}`);
      show();
    });
    draw();
  }

  /** Draw what was better. */
  async function show() {
    const at = ply;
    const wanted = graded[at - 1]?.grade?.better;
    if (!wanted || marks.length) return;
    const before = await study.boards.after(study.game, moves.slice(0, at - 1)).catch(() => null);
    const one = before && ways(before.position).find(one => one.move === wanted);
    const { from, to } = before ? stepOf(before.position, one?.path ?? []) : { from: null, to: null };
    if (!before || to === null || at !== ply || graded[at - 1]?.grade?.better !== wanted) return;
    const standing = before.position.marks[before.position.to_move ?? 0][0];
    marks = [
      {
        cell: to,
        from,
        label: "✓",
        text: standing,
        side: sideOf(before.position, standing),
      },
    ];
    draw();
  }

  /** To the next move worth a look, or the one before. @param {number} to */
  function fault(to) {
    const all = graded.filter(one => one.grade?.mark).map(one => one.ply);
    const next = to > 0 ? all.find(one => one > ply) : all.findLast(one => one < ply);
    if (next !== undefined) step(next);
  }

  function draw(animate = false) {
    const { shown } = study;
    if (!shown) return;
    for (const one of ofGame) one.hidden = false;
    const { position } = shown;
    const sides = /** @type {[string, string]} */ (names ?? [position.marks[0][0], position.marks[1][0]]);
    const one = graded[ply - 1];
    if (shown.moves.length === ply) board.show(position, { yours: !shown.winner, animate, marks });
    if (graded.length && !marks.length) show();
    status.textContent = one
      ? gradedMove(one)
      : ply
        ? text.moveNumber(ply, moves[ply - 1])
        : say("page.table.beginning");
    status.className = `status ${one?.grade?.grade ?? ""}`;
    better.textContent = one ? betterMove(one) : "";
    if (names && !players.textContent) players.textContent = names.join(" – ");
    const points = graded.map(one => ({
      score: one.after ?? null,
      sign: one.grade?.mark ?? "",
      name: one.grade?.grade ?? "",
    }));
    up.textContent = say("review.up", { name: sides[0] });
    drawn.update(
      [{ score: graded[0]?.before ?? null, sign: "", name: "" }, ...points],
      moves.length,
      ply,
      sides,
    );
    const score = ply ? one?.after : graded[0]?.before;
    evaluation.update(score && { score, side: 0, name: sides[0] });
    list.update(moves, ply, at =>
      graded[at]?.grade
        ? {
            name: graded[at].grade?.grade ?? "",
            sign: graded[at].grade?.mark ?? "",
            label: gradedMove(graded[at]),
          }
        : null,
    );
    set(bar, { max: Math.max(1, moves.length), value: graded.length });
    busy.hidden = !running;
    far.textContent = running
      ? waits || say("page.review.progress", { done: graded.length, of: moves.length })
      : "";
    again.hidden = Boolean(running) || done || !moves.length;
    put(
      counts,
      table(
        GRADES,
        sides.map((name, side) => ({ ...grades[side], name, side })),
      ),
    );
    notes.textContent = noted.map(one => translated(one.text_said, one.text)).join(" ");
    for (const one of faults) one.hidden = !graded.some(({ grade }) => grade?.mark);
    thinking.update(reports.get(ply));
    set(solve, { href: `/puzzle#${link(study.game, moves.slice(0, ply - 1))}`, hidden: !one?.puzzle });
    set(there, { href: `/analysis#${link(study.game, moves.slice(0, ply))}` });
    play.hidden = Boolean(shown.winner) && ply === moves.length;
  }

  choose.listed.then(
    () => {
      if (study.game) title.textContent = choose.titleOf(study.game);
    },
    () => {},
  );
  load();
  study.ends = [() => running?.abort(), choose.close, stepKeys(() => [ply, moves.length], step)];
  return study;
}

/** @param {ReviewedMove} one */
function gradedMove(one) {
  const { grade } = one;
  const move = `${text.moveNumber(one.ply, one.move)}${grade?.mark ?? ""}`;
  return grade
    ? say("page.review.graded", {
        move,
        grade: say(`grade.${grade.grade}`),
        reason: `${grade.exact ? "" : "~ "}${translated(grade.reason_said, grade.reason)}`,
      })
    : say("page.review.not_judged", { move });
}
/** @param {ReviewedMove} one */
function betterMove({ grade, best }) {
  if (!grade?.better || !best) return "";
  return say(
    best.kind === "estimate"
      ? "page.review.better"
      : best.kind === "exact"
        ? "page.review.better_exact"
        : "page.review.better_proven",
    { move: grade.better, outlook: text.outlook(best) },
  );
}
