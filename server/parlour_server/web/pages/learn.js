/** The lecture: how a search of any position goes, step by step. */
import { Board } from "../board/board.js";
import { attempt } from "../core/attempt.js";
import { button, h, put } from "../core/dom.js";
import { retry } from "../core/retry.js";
import { replaceUrl } from "../core/router.js";
import { Boards } from "../game/boards.js";
import { NUMBERS } from "../game/search.js";
import { lecture } from "../panels/lecture.js";
import { NAME } from "../text.js";
import { bring, say, translated } from "../words.js";

/** @import {Client} from "../core/client.js" */
/** @import {Page, Route} from "../core/router.js" */
/** @import {Board as GameBoard, Commands, Fields} from "../protocol.d.ts" */

const FIRST = "tictactoe";
const EXAMPLES = /** @type {const} */ ([
  { name: "empty", moves: "" },
  { name: "win", moves: "a1 b2 c3 a3" },
  { name: "draw", moves: "b2 a1 c3" },
  { name: "late", moves: "a3 b2 c2 b1 b3 c3" },
]);

/** What names an exercise in the address, where a game's name stands. */
const EXERCISE = "exercise:";

/** Small enough to be seen through at once. */
const BEGINNING = `${FIRST}=a3,b2,c2,b1,b3,c3`;

/** @param {Client} client
 *  @param {HTMLElement} root @param {Route} route its hash is `game=moves` @returns {Page} */
export function open(client, root, route) {
  const boards = new Boards(client);
  const linked = route.hash?.startsWith(EXERCISE) ? route.hash.slice(EXERCISE.length).split("=") : null;
  const [name, played = ""] = (linked ? BEGINNING : route.hash || BEGINNING).split("=");
  let game = name || FIRST;
  let moves = played.split(",").filter(Boolean);
  let turn = 0;
  const board = new Board({
    onmove: move => {
      moves = [...moves, move];
      search();
    },
    label: say("page.learn.position"),
  });
  // A server searches for one question at a time; those about another position it need not answer any more.
  let asking = new AbortController();
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();
  /** @template {"tree" | "playouts"} Type @param {Type} type
   *  @returns {(question: Fields<Type>) => Promise<Commands[Type]["answer"]>} */
  const inTurn = type => question => {
    const { signal } = asking;
    const asked = last.catch(() => {}).then(() => client.ask(type, question, { signal }));
    last = asked;
    return asked;
  };
  const ask = inTurn("tree");
  const lesson = lecture(ask, attempt, undefined, node => editor?.choose(node) ?? false);
  /** What changes a tree of numbers; it comes with the first one.
   *  @type {ReturnType<typeof import("../panels/numbers.js").numbersEditor> | undefined} */
  let editor;
  const games = h("select", {
    onchange: () => {
      game = games.value;
      moves = [];
      search();
    },
  });
  const examples = h("select", {
    onchange: () => {
      moves = EXAMPLES[Number(examples.value)]?.moves.split(" ").filter(Boolean) ?? moves;
      search();
    },
  });
  const depth = h("input", {
    type: "number",
    min: 1,
    max: 99,
    placeholder: "–",
    title: say("page.learn.auto"),
    onchange: () => search(),
  });
  const field = (/** @type {string} */ label, /** @type {HTMLElement} */ input) =>
    h("label", { class: "field" }, label, input);
  const deep = field(say("page.learn.depth"), depth);
  const prepared = field(say("page.learn.example"), examples);
  const line = h("p", { class: "past code" });
  const over = h("p", { class: "notice", role: "status", hidden: true });
  const back = button(say("action.takeback.label"), () => {
    moves = moves.slice(0, -1);
    search();
  });
  const anew = button(say("page.learn.from_beginning"), () => {
    moves = [];
    search();
  });
  const choose = h("section", { class: "panel stack" }, [
    h("h2", null, say("page.learn.position")),
    field(say("page.game"), games),
    prepared,
    board.element,
    line,
    over,
    h("div", { class: "row" }, back, anew),
    deep,
  ]);
  const keep = h("div", { class: "row" }, [
    button(say("page.copy_link"), async () => {
      const { copyText, linkTo } = await import("../panels/invitation.js");
      await copyText(linkTo(client, location.pathname + location.hash));
    }),
    button(say("page.learn.save"), async () => {
      const { saveDrawing } = await import("../panels/keep_tree.js");
      for (const tree of lesson.trees()) saveDrawing(tree, `${game}-${moves.join("")}`);
    }),
  ]);
  const practice = h("div", { hidden: true });
  const more = h("div", { class: "row" }, [
    button(say("page.learn.exercises"), () => begin()),
    button(say("page.learn.playouts"), () => playouts()),
  ]);
  const ofGames = [board.element, line, back, anew, deep];
  const side = h("div", { class: "side stack" }, more, lesson.counts, choose, keep, lesson.notes);
  put(root, [
    h("div", { class: "learn" }, [
      h("div", { class: "stack" }, [h("h1", null, say("page.learn.title")), practice, lesson.stage]),
      side,
    ]),
  ]);
  document.title = `${say("page.learn.title")} · ${NAME}`;

  /** What is practised hides the lecture, which would tell it. @param {boolean} on */
  function practising(on) {
    practice.hidden = !on;
    lesson.stage.hidden = side.hidden = on;
  }

  /** @type {ReturnType<typeof import("../panels/exercises.js").exercises> | undefined} */
  let drill;
  /** Open an exercise, or the first one that was not solved. @param {string} [of] @param {number} [which] */
  async function begin(of, which) {
    const mine = ++turn;
    asking.abort();
    asking = new AbortController();
    await bring("exercises");
    const { exercises } = await import("../panels/exercises.js");
    if (mine !== turn) return;
    practising(true);
    drill ??= exercises(client, ask, attempt, {
      opened: (lesson, number) => replaceUrl(`/learn#${EXERCISE}${lesson}=${number}`),
      left: (tree, line) => {
        if (tree) [game, moves] = [tree, line ?? []];
        drill?.close();
        practising(false);
        search();
      },
    });
    put(practice, drill.element);
    await drill.open(of, which);
  }

  /** The same position, searched by playouts. */
  async function playouts() {
    const mine = turn;
    await bring("playouts");
    const panel = (await import("../panels/playouts.js")).playouts(inTurn("playouts"), attempt, () =>
      practising(false),
    );
    if (mine !== turn) return;
    practising(true);
    put(practice, panel.element);
    await panel.load(game, moves);
  }

  /** Search what is chosen now. */
  async function search() {
    const mine = ++turn;
    const here = moves;
    asking.abort();
    asking = new AbortController();
    replaceUrl(`/learn#${game}=${moves.join(",")}`);
    const numbers = game.startsWith(NUMBERS);
    games.value = numbers ? NUMBERS : game;
    if (numbers && !editor) {
      await bring("numbers");
      const { numbersEditor } = await import("../panels/numbers.js");
      if (mine !== turn) return;
      editor = numbersEditor(tree => {
        game = tree;
        search();
      });
      lesson.desk.prepend(editor.element);
    }
    if (editor?.element.hidden === numbers) editor.update(game);
    for (const one of ofGames) one.hidden = numbers;
    prepared.hidden = game !== FIRST;
    if (numbers) return void lesson.load({ game });
    put(examples, [
      EXAMPLES.map(({ name, moves: of }, at) =>
        h("option", { value: at, selected: of === moves.join(" ") }, say(`page.learn.examples.${name}`)),
      ),
      h("option", { value: -1, selected: EXAMPLES.every(one => one.moves !== moves.join(" ")) }, [
        say("page.learn.own"),
      ]),
    ]);
    put(line, moves.join(" "));
    back.disabled = anew.disabled = !moves.length;
    const found = /** @type {GameBoard | null} */ (
      await attempt(() => retry(() => boards.after(game, here)))
    );
    if (mine !== turn) return;
    if (!found) {
      // The link names what is not there.
      if (game !== FIRST || moves.length) {
        [game, moves] = [FIRST, []];
        search();
      }
      return;
    }
    const goesOn = found.position.to_move !== undefined;
    board.show(found.position, { yours: goesOn });
    over.hidden = goesOn;
    put(over, goesOn ? "" : say("page.learn.over"));
    if (goesOn)
      await lesson.load({ game, moves: moves.join(" "), ...(depth.value && { depth: Number(depth.value) }) });
  }

  attempt(async () => {
    const { games: offered } = await client.ask("games", {});
    put(games, [
      offered.map(one =>
        h("option", { value: one.name, selected: one.name === game }, translated(one.title_said, one.title)),
      ),
    ]);
    games.append(h("option", { value: NUMBERS }, say("page.learn.numbers")));
    const shown = game.startsWith(NUMBERS) ? NUMBERS : game;
    if (!offered.some(one => one.name === shown) && shown !== NUMBERS)
      games.append(h("option", { value: game }, game));
    games.value = shown;
  });
  if (linked) begin(linked[0], Number(linked[1]) || 1);
  else search();
  return {
    close() {
      turn++;
      asking.abort();
      drill?.close();
      lesson.close();
    },
  };
}
