/** A puzzle: the right move is to be found. All that it takes came with it, and is kept, so it needs no connection. */
import { Board } from "../board/board.js";
import { catalogue, titleOf } from "../core/catalogue.js";
import { announce, button, h, put, set } from "../core/dom.js";
import { keep, keepPage, recall } from "../core/kept.js";
import { retry } from "../core/retry.js";
import { replaceUrl } from "../core/router.js";
import { read, write } from "../core/storage.js";
import * as text from "../game/board_text.js";
import { link, linked } from "../game/games.js";
import { nothing } from "../game/scores.js";
import { dated } from "../text.js";
import { say } from "../words.js";

/** @import {Client} from "../core/client.js" */
/** @import {Page, Route} from "../core/router.js" */
/** @import {Catalogue} from "../core/catalogue.js" */
/** @import {Puzzle} from "../protocol.d.ts" */

/** So many solved days are remembered. */
const REMEMBERED = 400;
const DAY_MS = 86_400_000;

/** @param {Client} client @param {HTMLElement} root @param {Route} route @returns {Page} */
export function open(client, root, route) {
  const board = new Board({ onmove: tried });
  const heading = h("h1", null, say("puzzle.title"));
  const task = h("p", { class: "status" });
  const reply = h("p", { class: "reply" });
  const about = h("p", { class: "past" });
  const wrong = h("p", { class: "refusal", role: "alert" });
  const streak = h("p", { class: "past" });
  const games = h("select", { "aria-label": say("page.puzzle.any"), onchange: () => load(games.value) });
  const another = button(say("page.puzzle.another"), () => load(game, puzzle?.before), { class: "main" });
  const show = button(say("page.puzzle.show"), reveal);
  const analysis = h("a", { class: "button" }, say("action.analyse.label"));
  /** The review that it was found in. @type {string} */
  const from = history.state?.from ?? "";
  const back =
    from.startsWith("/review") && h("a", { class: "button", href: from }, say("page.puzzle.to_review"));
  put(root, [
    h("div", { class: "table" }, [
      h("div", { class: "stage" }, board.element),
      h("div", { class: "side" }, [
        h("div", { class: "stack near" }, [
          h("div", { class: "said" }, heading, task, reply, wrong),
          h("div", { class: "actions" }, show, another, analysis, back),
          board.loose,
          games,
          about,
          streak,
        ]),
      ]),
    ]),
  ]);

  /** @type {Catalogue | null} */
  let known = null;
  /** @type {Puzzle | null} */
  let puzzle = null;
  /** The game that was chosen; empty: any. */
  let game = "";
  /** The moves that were tried, the right one last. @type {string[]} */
  let moves = [];
  let over = false;
  let closed = false;
  /** The day, as the server has it once it has said so. */
  let today = written(Date.now());
  /** What was asked for last. */
  let asked = "";
  /** What is here, or on its way: the next one comes while this one is solved.
   *  @type {Map<string, Promise<Puzzle>>} */
  const fetched = new Map();

  const away = () => client.connection.kind === "lost" || client.connection.kind === "offline";
  /** Are we here without ever having been connected? @type {boolean} */
  let alone = false;
  /** @type {(() => void)[]} */
  let waiting = [];
  const end = client.on("connection", ({ kind }) => {
    // What was kept may be old.
    if (kind === "connected" && alone) location.reload();
    if (!away()) return;
    alone ||= !client.welcome;
    for (const go of waiting) go();
    waiting = [];
  });

  /** The server's answer, or where there is no connection the one that was kept.
   *  @template T @param {string} key @param {Promise<T>} asking @returns {Promise<T>} */
  async function answerOf(key, asking) {
    asking.then(
      found => keep(key, /** @type {object} */ (found)),
      () => {},
    );
    const without = away() ? Promise.resolve() : new Promise(resolve => waiting.push(() => resolve(null)));
    return Promise.race([
      asking,
      without.then(async () => {
        const kept = await recall(key);
        if (!kept) throw new Error(say("page.puzzle.not_kept"));
        return kept;
      }),
    ]);
  }

  /** @param {string} name @param {string} [day] @param {string} [line] */
  function fetch(name, day, line) {
    const key = [name, day, line].join("/");
    const fields = {
      ...(name && { game: name }),
      ...(day && { day }),
      ...(line !== undefined && { moves: line }),
    };
    const there =
      fetched.get(key) ??
      answerOf(
        key,
        retry(() => client.ask("puzzle", fields)),
      );
    fetched.set(key, there);
    there.catch(() => fetched.delete(key));
    return there;
  }

  /** @param {string} name @param {string} [day] @param {string} [line] */
  async function load(name, day, line) {
    game = name;
    asked = [name, day, line].join("/");
    const mine = asked;
    wrong.textContent = "";
    try {
      const found = await fetch(name, day, line);
      if (closed || mine !== asked) return;
      [puzzle, moves, over] = [found, [], false];
      if (!day && found.day) today = found.day;
      if (line === undefined) replaceUrl(`/puzzle${name || day ? "#" : ""}${name}${day ? `/${day}` : ""}`);
      draw();
      announce(`${heading.textContent}. ${task.textContent}`);
      if (found.before) fetch(name, found.before).catch(() => {});
    } catch (error) {
      if (!closed && mine === asked && error instanceof Error) wrong.textContent = error.message;
    }
  }

  /** @param {string} move */
  function tried(move) {
    if (!puzzle || over) return;
    moves = [...moves, move];
    over = puzzle.candidates.some(one => one.move === move && one.score.result === puzzle?.find);
    if (over && puzzle.day) remember(puzzle.day);
    draw();
    announce(reply.textContent ?? "");
  }

  /** Show the answer. */
  function reveal() {
    over = true;
    moves = [];
    draw();
    announce(reply.textContent ?? "");
  }

  function draw() {
    if (!puzzle) return;
    const { position, candidates, find, only, solved, day } = puzzle;
    const [best] = candidates;
    const last = candidates.find(one => one.move === moves.at(-1));
    const told = over && (!last || last === best);
    const title = titleOf(known, puzzle.game);
    const named = day
      ? day === today
        ? say("page.puzzle.today")
        : say("puzzle.of_day", { day: dateOf(day) })
      : say("page.puzzle.own");
    heading.textContent = `${named}: ${title}`;
    document.title = `${say("puzzle.title")}: ${title}`;
    const name = position.marks[position.to_move ?? 0][0];
    task.textContent = `${say("table.to_move", { name })} ${say(`puzzle.${only ? "only" : "any"}_${find}`)}`;
    reply.textContent = last
      ? say(over ? "puzzle.right" : "puzzle.wrong", { move: last.move, outlook: text.outlook(last.score) })
      : over
        ? say("puzzle.answer", {
            moves: candidates.filter(one => one.score.result === find).map(one => one.move),
            outlook: text.outlook(best.score),
          })
        : "";
    reply.className = last ? `reply ${over ? "win" : "loss"}` : "reply";
    if (told && puzzle.line.length > 1)
      reply.textContent += ` ${say("search.best_play", { line: puzzle.line.join(" ") })}`;
    about.textContent = puzzle.played ? say("puzzle.played") : "";
    // Each move that was tried says on its cell what it is worth.
    const report = {
      ...nothing(""),
      finished: true,
      candidates: candidates.filter(one => moves.includes(one.move)),
    };
    board.show(told ? solved : position, {
      yours: !over,
      animate: told,
      report: !told && report.candidates.length ? report : null,
    });
    show.hidden = over;
    another.hidden = !puzzle.before;
    another.classList.toggle("main", over);
    set(analysis, { href: `/analysis#${link(puzzle.game, puzzle.moves)}`, hidden: !over });
    const days = streakOf(solvedDays(), today);
    streak.textContent = days ? say("page.puzzle.streak", { count: days }) : "";
  }

  const watch = keepPage();
  answerOf("catalogue", catalogue(client)).then(
    found => {
      known = found;
      put(games, [
        h("option", { value: "" }, say("page.puzzle.any")),
        found.games.map(one =>
          h("option", { value: one.name, selected: one.name === game }, titleOf(found, one.name)),
        ),
      ]);
      draw();
    },
    () => {},
  );
  const given = linked(route.hash);
  const [name, day] = route.hash.split("/");
  if (given) load(given.game, undefined, given.moves);
  else load(name, day);
  return {
    close() {
      closed = true;
      end();
      watch.disconnect();
    },
  };
}

/** @param {string} day */
const dateOf = day => new Date(day).toLocaleDateString(dated(), { dateStyle: "long", timeZone: "UTC" });

/** The days whose puzzle was solved. @returns {string[]} */
function solvedDays() {
  try {
    const kept = JSON.parse(read("puzzles") ?? "[]");
    return Array.isArray(kept) ? kept.filter(one => typeof one === "string") : [];
  } catch {
    return [];
  }
}

/** @param {string} day */
function remember(day) {
  write("puzzles", JSON.stringify([...new Set([...solvedDays(), day])].sort().slice(-REMEMBERED)));
}

/** How many days in a row are solved, up to the last one: today's may still come.
 *  @param {string[]} days @param {string} today */
function streakOf(days, today) {
  let at = Date.parse(today);
  if (!days.includes(today)) at -= DAY_MS;
  let count = 0;
  while (days.includes(written(at - count * DAY_MS))) count++;
  return count;
}

/** A day as the server writes it. @param {number} at */
const written = at => new Date(at).toISOString().slice(0, 10);
