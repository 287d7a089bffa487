/** A board to analyse on: any game and position, its variations, and what the engine thinks of each while it
 *  goes on. */
import { Board } from "../board/board.js";
import { sideOf, slides, texts } from "../board/position.js";
import { catalogue } from "../core/catalogue.js";
import { announce, button, h, put, set } from "../core/dom.js";
import { pause, retry } from "../core/retry.js";
import { replaceUrl } from "../core/router.js";
import { read, write } from "../core/storage.js";
import * as text from "../game/board_text.js";
import { Study } from "../game/boards.js";
import { link, linked } from "../game/games.js";
import * as lines from "../game/lines.js";
import { nothing } from "../game/scores.js";
import { chooser } from "../panels/chooser.js";
import { decided, evaluationBar } from "../panels/evaluation.js";
import { botField } from "../panels/forms.js";
import { copyText, linkTo } from "../panels/invitation.js";
import { stepKeys } from "../panels/moves.js";
import { playOn } from "../panels/play_on.js";
import { thinkingPanel } from "../panels/thinking.js";
import { variations } from "../panels/variations.js";
import { say } from "../words.js";

/** @import {Client} from "../core/client.js" */
/** @import {Given} from "../game/games.js" */
/** @import {Mark} from "../board/board.js" */
/** @import {Page, Route} from "../core/router.js" */
/** @import {Board as BoardAnswer, BotLine, Report} from "../protocol.d.ts" */

/** So long a position must be shown before it is searched; and so often the best line's moves are drawn anew.
 *  */
const QUIET_MS = 200;
const TRACE_MS = 500;
const TRACED = 6;
const BARS = 12;
/** For so long a search is asked to go on; the server may end it before. */
const SECONDS = 60;
/** @param {Client} client @param {HTMLElement} root @param {Route} route @returns {Page} */
export function open(client, root, route) {
  const study = new Study(client, sentence => {
    wrong.textContent = sentence;
  });
  const board = new Board({ onmove: move => go(lines.add(here, move)) });
  const evaluation = evaluationBar(board);
  const choose = chooser(client, root, show);
  const moves = variations(go, plies => go(lines.step(here, plies)));
  const thinking = thinkingPanel({
    most: BARS,
    onmove: move => go(lines.add(here, move)),
    onbest: line => go(line.reduce(lines.add, here)),
  });
  const heading = h("h1");
  const status = h("p", { class: "status" });
  const wrong = h("p", { class: "refusal", role: "alert" });
  const go_on = button(say("page.stop"), toggle);
  const engine = h("div", { onchange: anew });
  const heat = checkbox("heat", say("page.analysis.worth"));
  const trace = checkbox("trace", say("page.analysis.line"));
  const play = playOn(client, () => ({ game: study.game, moves: study.shown?.moves ?? [] }));
  const review = h("a", { class: "button" }, say("action.review.label"));
  const settings = h("details", { class: "panel" }, [
    h("summary", null, say("page.analysis.engine")),
    engine,
    h("p", { class: "past" }, say("page.analysis.legend")),
  ]);
  // Who plays with the mouse steps with the arrows, which move the focus within a board that has it.
  board.grid.addEventListener("click", event => {
    if (event.detail) /** @type {HTMLElement | null} */ (document.activeElement)?.blur();
  });
  put(root, [
    h("div", { class: "table" }, [
      h("div", { class: "stage" }, board.element),
      h("div", { class: "side" }, [
        h("div", { class: "stack near" }, [
          h(
            "div",
            { class: "said row" },
            h("div", { class: "grow" }, heading, status, wrong),
            board.loose,
            go_on,
          ),
          h("div", { class: "actions" }, [
            heat.element,
            trace.element,
            button(say("page.copy_link"), () => copyText(linkTo(client, location.pathname + location.hash))),
            play,
            review,
          ]),
        ]),
        thinking.element,
        settings,
        moves.element,
        choose.element,
      ]),
    ]),
  ]);

  let beginning = lines.begin();
  let here = beginning;
  let on = true;
  /** What is known of its moves. @type {Report | null} */
  let report = null;
  /** The search under way. @type {AbortController | null} */
  let searching = null;
  /** The best line's first moves, as they are drawn. @type {{moves: string[], marks: Mark[]}} */
  let traced = { moves: [], marks: [] };
  let tracing = false;
  /** @type {BotLine[]} */
  let listed = [];
  /** @type {ReturnType<typeof botField> | null} */
  let bots = null;

  /** @param {string} name @param {string} label */
  function checkbox(name, label) {
    const input = h("input", {
      type: "checkbox",
      checked: read(name) !== "off",
      onchange: () => {
        write(name, input.checked ? null : "off");
        draw();
      },
    });
    return { input, element: h("label", { class: "tick" }, input, label) };
  }

  // ------------------------------------------------------------ which position

  /** Show a game from a link, a file or a form, once the server has read its moves. @param {Given} given */
  async function show(given) {
    // A link may have variations; who typed or exported moves may have written them as they liked.
    const branched = /[(*]/.test(given.moves) ? lines.readLines(given.moves) : null;
    const main = branched && lines.movesTo(lines.mainEnd(branched.root)).join(" ");
    const answer = await study.begin({ ...given, moves: main ?? given.moves });
    if (!answer) return showFirst(given);
    write("game", study.game);
    beginning = branched?.root ?? lines.begin(answer.moves);
    go(branched?.here ?? lines.end(beginning));
  }

  /** In place of a game that can't be shown: the first one that the server lists.
   *  @param {Given} given what failed */
  async function showFirst(given) {
    const why = wrong.textContent ?? "";
    const first = (await choose.listed.catch(() => []))[0]?.name;
    if (!why || study.game || study.closed || !first || (!given.moves && given.game === first)) return;
    await show({ game: first, moves: "" });
    wrong.textContent = why;
  }

  /** @param {lines.Node} node */
  function go(node) {
    here = lines.choose(node);
    stop();
    wrong.textContent = "";
    const played = lines.movesTo(node);
    replaceUrl(`/analysis#${link(study.game, [lines.written(beginning, here)])}`);
    moves.update(beginning, here);
    choose.update(study.game, played);
    study.show(played, (answer, stepped) => arrived(node, answer, stepped));
  }

  /** @param {lines.Node} node @param {BoardAnswer} answer @param {boolean} stepped */
  function arrived(node, answer, stepped) {
    const title = choose.titleOf(study.game);
    report = null;
    traced = { moves: [], marks: [] };
    heading.textContent = title;
    document.title = `${say("page.nav.analysis")}: ${title}`;
    status.textContent = text.standsAt(answer.position, answer.winner);
    if (node.ply) announce(`${node.move}. ${status.textContent}`);
    play.hidden = Boolean(answer.winner);
    set(review, { href: `/review#${link(study.game, answer.moves)}`, hidden: !answer.moves.length });
    draw(stepped);
    if (node === here) look();
  }

  // ------------------------------------------------------------ what the engine thinks

  function stop() {
    searching?.abort();
    searching = null;
  }

  /** The bot as it was set: without a bound it goes on for as long as the server lets it. */
  function bot() {
    const chosen = bots?.value() ?? "perfect";
    const line = listed.find(one => one.name === chosen);
    return (line && !line.settings.some(one => one.name === "time")) || chosen.includes(":")
      ? chosen
      : `${chosen}:time=${SECONDS}`;
  }

  function toggle() {
    on = !searching;
    stop();
    if (on) look();
    else draw();
  }

  function anew() {
    on = true;
    report = null;
    wrong.textContent = "";
    look();
  }

  /** Search the position that is shown; one search at a time. */
  async function look() {
    const { shown } = study;
    stop();
    if (!on || !shown || shown.winner || study.closed) return draw();
    const mine = (searching = new AbortController());
    const { signal } = mine;
    const asked = { game: shown.game, moves: shown.moves.join(" "), bot: bot(), progress: true };
    draw();
    try {
      await pause(QUIET_MS, signal);
      const answer = await retry(
        () =>
          client.ask("analyse", asked, {
            signal,
            progress: notice => {
              if (searching !== mine) return;
              // That it waits says nothing about the moves.
              report =
                notice.report.candidates.length || !report
                  ? notice.report
                  : { ...report, queued: notice.report.queued, compiling: notice.report.compiling };
              draw();
            },
          }),
        signal,
      );
      if (searching !== mine) return;
      report = answer.report;
      if (report.finished && report.best) announce(bestIs(report));
    } catch (error) {
      if (searching === mine) study.fail(error);
    }
    if (searching === mine) searching = null;
    if (!study.closed) draw();
  }

  /** Find where the best line's moves go: each is drawn as the server draws the position behind it. */
  async function traceLine() {
    const line = report?.line.slice(0, TRACED) ?? [];
    const at = study.shown;
    if (!at || !trace.input.checked || tracing || line.join() === traced.moves.join()) return;
    tracing = true;
    const found = await Promise.all(
      line.map((_, ply) => study.boards.after(at.game, [...at.moves, ...line.slice(0, ply + 1)])),
    ).catch(() => null);
    if (found && study.shown === at) {
      traced = {
        moves: line,
        marks: found.flatMap(({ position }, ply) => {
          const [cell, from = null] = position.last;
          const before = ply ? found[ply - 1].position : at.position;
          if (cell === undefined) return [];
          const piece = texts(position)[cell];
          return [
            {
              cell,
              from: slides(before) ? from : null,
              label: String(ply + 1),
              text: piece,
              side: sideOf(position, piece),
            },
          ];
        }),
      };
      draw();
    }
    await pause(TRACE_MS);
    tracing = false;
    if (!study.closed && found) traceLine();
  }

  // ------------------------------------------------------------ what is shown

  function draw(animate = false) {
    const { shown } = study;
    if (!shown) return;
    const line = report?.line ?? [];
    const same = traced.moves.findIndex((move, at) => move !== line[at]);
    board.show(shown.position, {
      yours: !shown.winner,
      animate,
      report: heat.input.checked && report?.candidates.length ? report : null,
      marks: trace.input.checked ? traced.marks.slice(0, same < 0 ? undefined : same) : [],
    });
    evaluation.update(stands(shown, report));
    // A search that was stopped before it found anything has nothing to say.
    const said = searching || report?.candidates.length ? (report ?? nothing(bot())) : null;
    thinking.update(shown.winner ? null : said, bots?.value());
    go_on.textContent = searching ? say("page.stop") : say("page.analysis.think_on");
    go_on.hidden = Boolean(shown.winner) || (!searching && Boolean(report?.finished));
    traceLine();
  }

  catalogue(client).then(
    found => {
      listed = found.bots.filter(one => one.name !== "random");
      bots = botField(say("page.analysis.bot"), listed, [], "perfect");
      put(engine, bots.element);
    },
    () => {},
  );
  show(linked(route.hash) ?? { game: route.hash || read("game") || "connect4", moves: "" });
  study.ends = [
    stop,
    choose.close,
    stepKeys(
      () => [here.ply, lines.end(here).ply],
      ply => go(lines.step(here, ply - here.ply)),
      () => {
        if (searching) toggle();
      },
    ),
  ];
  return study;
}

/** @param {BoardAnswer} shown @param {Report | null} report */
function stands({ position, winner }, report) {
  const names = position.marks.map(marks => marks[0]);
  if (winner) return decided(winner === "draw" ? null : winner === "first" ? 0 : 1, names);
  const side = position.to_move ?? 0;
  return report?.candidates.length ? { score: report.candidates[0].score, side, name: names[side] } : null;
}
/** @param {Report} report */
const bestIs = ({ best = "", candidates }) =>
  say("page.analysis.best_is", {
    move: best,
    outlook: candidates.filter(one => one.move === best).map(one => text.outlook(one.score)),
  });
