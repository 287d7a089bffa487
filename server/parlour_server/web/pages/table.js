/** A room's table, to play at or to watch. What may be done the view says; the board is the server's. */
import { Board } from "../board/board.js";
import { choose, nameOf, openCells } from "../board/position.js";
import { attempt } from "../core/attempt.js";
import * as attention from "../core/attention.js";
import { announce, button, h, put, set } from "../core/dom.js";
import { retry } from "../core/retry.js";
import { acting, offersOf, openActions, thought, typists } from "../core/room.js";
import { go } from "../core/router.js";
import * as sound from "../core/sound.js";
import { read, write } from "../core/storage.js";
import { countOf, moveNumber } from "../game/board_text.js";
import { Boards } from "../game/boards.js";
import * as events from "../game/event_text.js";
import * as text from "../game/room_text.js";
import { actionsPanel } from "../panels/actions.js";
import { chatPanel } from "../panels/chat.js";
import { evaluationBar, inRoom } from "../panels/evaluation.js";
import { invitation } from "../panels/invitation.js";
import { movesPanel, stepKeys } from "../panels/moves.js";
import { playerLine, seatAbove } from "../panels/players.js";
import { rulesButton } from "../panels/rules_button.js";
import { thinkingPanel } from "../panels/thinking.js";
import { say, translated } from "../words.js";

/** @import {Client} from "../core/client.js" */
/** @import {Page, Route} from "../core/router.js" */
/** @import {BoardView, Event, Report, RoomView} from "../protocol.d.ts" */
/** @import {Action} from "../panels/actions.js" */
/** @import {NextGame} from "../panels/next_game.js" */

/** What may be done where no events come any more. */
const NOTHING = { seats: /** @type {[[], []]} */ ([[], []]), spectator: [], owner: [], asker: [] };

/** Is it the viewer's turn now, and was not? @param {RoomView} before @param {RoomView} view */
const turned = (before, view) => view.turn?.seat === view.you && before.turn?.seat !== view.you;

/** How an answer is called: by its cells, in games whose pieces fall by its column.
 *  @param {BoardView} board @param {number[]} cells */
const planCalled = (board, cells) =>
  cells
    .map(cell => (board.layout === "tray" ? board.columns[cell % board.columns.length] : nameOf(board, cell)))
    .join("");

/** Does a player wait for another person? @param {RoomView} view */
const awaitsPerson = view =>
  view.you !== undefined &&
  (view.phase === "waiting" ||
    (view.phase === "playing" && view.turn?.seat !== view.you && view.seats[1 - view.you].kind === "human"));

/** @param {Client} client @param {HTMLElement} root @param {Route} route @returns {Page} */
export function open(client, root, route) {
  const code = /** @type {string} */ (route.code);
  const room = client.open(code);
  const boards = new Boards(client);
  const board = new Board({ onmove: move => attempt(() => room.play(move)), onplan: plan });
  const evaluation = evaluationBar(board);
  const players = [playerLine(0), playerLine(1)];
  const actions = actionsPanel(room, () => board.focus());
  const chat = chatPanel(
    said => attempt(() => room.ask("say", said)),
    () => room.showTyping(),
    code,
    () => room.view?.at ?? 0,
  );
  const moves = movesPanel(step);
  const thinking = thinkingPanel();
  const invite = invitation(client, code);
  const rules = rulesButton(client, () => room.view?.game ?? "");
  const shownMoves = () => (room.view?.moves ?? []).slice(0, ply ?? undefined);
  const menu = button(
    say("page.more"),
    () => attempt(async () => (await import("../panels/table_menu.js")).openTableMenu(room, shownMoves)),
    { "aria-haspopup": "dialog" },
  );
  /** Is the worth of moves drawn on the board, too? */
  let onBoard = read("worth") === "on";
  const worth = button(
    say("page.table.worth"),
    () => {
      onBoard = !onBoard;
      write("worth", onBoard ? "on" : null);
      draw(false);
    },
    { class: "plain" },
  );
  const title = h("h1");
  const cup = h("p");
  const met = h("p", { class: "past" });
  const status = h("p", { class: "status", role: "status", "aria-live": "off" });
  const note = h("p", { class: "past" });
  const above = h("div", { class: "above" });
  const below = h("div");
  const near = h("div", { class: "stack near" }, [
    h("div", { class: "stack now" }, [
      below,
      h("div", { class: "said row" }, [
        h("div", { class: "grow" }, status, note),
        board.loose,
        actions.answers,
        worth,
      ]),
    ]),
    h("div", { class: "row" }, actions.element, h("div", { class: "pile" }, menu, rules)),
  ]);
  const table = h("div", { class: "table" }, [
    above,
    h("div", { class: "stage" }, board.element),
    h("div", { class: "side" }, [
      near,
      invite.element,
      h("div", null, title, cup, met),
      thinking.element,
      moves.element,
      chat.element,
    ]),
  ]);
  put(root, table);

  /** The earlier position that is shown: so many moves; null: the present one. @type {number | null} */
  let ply = null;
  /** @type {BoardView | null} */
  let beginning = null;
  /** What the present position's moves are worth, where that was asked. @type {Report | null} */
  let hint = null;
  /** @type {AbortController | null} */
  let asking = null;
  let closed = false;
  /** @type {NextGame | null} */
  let next = null;
  /** @type {(string | undefined)[]} */
  let ratings = [];
  /** The cells of the answer that was chosen before one's turn. @type {number[] | null} */
  let planned = null;

  // ------------------------------------------------------------ what happens

  room.onchange = (before, message) => {
    const view = room.view;
    if (!view) {
      if (room.refused) nothing();
      return;
    }
    if (message?.type === "snapshot") arrived(view);
    // What happened while we were away nobody has said.
    if (message?.type === "snapshot" && before && before.version !== view.version)
      announce(text.status(view));
    if (message?.type === "event" && before) happened(before, view, message.event);
    if (message?.type === "presence" && before)
      for (const sentence of events.cameAndWent(before, view)) tell(sentence);
    if (before && planned !== null) keepPlan(before, view);
    const noticed = message && events.noticed(view, message);
    if (noticed) tell(noticed);
    if (before && before.position !== view.position) forget();
    // A position that another game had, or that was taken back, is no longer to be shown.
    if (before && ply !== null && (ply > view.moves.length || before.game_number !== view.game_number))
      ply = null;
    draw(message?.type === "event" && message.event.kind === "move_played");
    next?.lead();
  };

  /** @param {string} sentence */
  function tell(sentence) {
    chat.news(sentence);
    announce(sentence);
  }

  /** Say what is known of the two beyond this game. */
  const meet = async () => {
    const { rated, you } = room.view ?? {};
    if (!rated && you === undefined) return void met.replaceChildren();
    const known = await import("../panels/acquaintance.js");
    if (rated)
      known
        .rate(room, (found, changed) => {
          ratings = found;
          if (closed) return;
          tick();
          if (changed) chat.news(changed);
        })
        .catch(() => {});
    met.textContent = await known.met(room);
  };

  /** Lead to the next game of the tournament. Asked for once: two that lead would open the next table for ever. */
  function follow() {
    next = { lead() {}, close() {} };
    import("../panels/next_game.js").then(
      ({ nextGame }) => {
        if (!closed) next = nextGame(client, room, cup);
      },
      () => {
        next = null;
      },
    );
  }

  /** @param {RoomView} view */
  function arrived(view) {
    meet().catch(() => {});
    if (view.tournament && !next) follow();
    chat.fill(
      view.chat.map(({ at, name, text, text_said: said }) => ({ at, name, words: translated(said, text) })),
    );
    if (view.position) beginning = view.position;
    else if (!beginning)
      retry(() => boards.after(view.game, [])).then(
        found => {
          beginning = found.position;
          draw(false);
        },
        () => {},
      );
  }

  /** @param {RoomView} before @param {RoomView} view @param {Event["event"]} event */
  function happened(before, view, event) {
    if (event.kind === "chat_posted") {
      if (event.name === undefined || event.text === undefined) return;
      const said = translated(event.text_said, event.text);
      chat.said(event.name, said);
      announce(say("event.chat", { name: event.name, text: said }));
      if (event.name !== client.name) {
        chat.call(event.name, said);
        sound.play("talk");
      }
      return;
    }
    if (event.kind === "seat_taken" || event.kind === "game_finished") {
      meet().catch(() => {});
    }
    const sentence = events.happened(before, view, event);
    const news = event.kind === "move_played" ? events.lapsed(before, view) : sentence;
    if (news) chat.news(news);
    if (sentence)
      announce(
        sentence +
          (event.kind === "move_played" && view.turn?.seat === acting(view) ? ` ${text.status(view)}` : ""),
      );
    if (event.kind === "offer_made" && openActions(view).has(event.offer)) attention.call(sentence ?? "");
    else if (view.you !== undefined && (event.kind === "game_started" || turned(before, view)))
      attention.call(text.status(view));
    if (event.kind === "move_played" && view.you !== undefined && event.seat !== view.you) offerSound();
    if (event.kind === "move_played") sound.play(event.seat === view.you ? "move" : "theirs");
    else if (event.kind === "game_started") sound.play("start");
    else if (event.kind === "game_finished")
      sound.play(
        view.result?.winner === undefined
          ? "draw"
          : view.result.winner === view.you || view.you === undefined
            ? "win"
            : "loss",
      );
  }

  /** Choose an answer before one's turn, or take it back. @param {number[]} cells */
  function plan(cells) {
    const position = room.view?.position;
    if (!position) return;
    const back = planned !== null && planCalled(position, planned) === planCalled(position, cells);
    planned = back ? null : cells;
    announce(
      back ? say("premove.withdrawn") : say("page.table.planned", { cell: planCalled(position, cells) }),
    );
    draw(false);
  }

  /** Play the chosen answer once that may be done; it means nothing in another game, or after moves taken back.
   *  @param {RoomView} before @param {RoomView} view */
  function keepPlan(before, view) {
    const { position, game_number: number, moves: played } = view;
    const cells = planned;
    const on =
      view.phase === "playing" && number === before.game_number && played.length >= before.moves.length;
    if (!on || !position || !cells) planned = null;
    else if (openActions(view).has("play")) {
      planned = null;
      const there = cells.length < 2 || openCells(position).has(cells[0]);
      const { moves } = choose(position, cells.slice(0, -1), cells[cells.length - 1]);
      if (there && moves.length === 1) attempt(() => room.play(moves[0]));
      else tell(say("premove.dropped", { cell: planCalled(position, cells) }));
    }
  }

  /** When there is something to be heard. */
  function offerSound() {
    if (read("sound") || read("sound.offered")) return;
    import("../panels/sound_offer.js").then(
      module => closed || module.offerSound(near),
      () => {},
    );
  }

  /** Another position: what was asked about the last one means nothing. */
  function forget() {
    asking?.abort();
    asking = hint = null;
  }

  // ------------------------------------------------------------ what is shown

  /** @param {boolean} animate */
  function draw(animate) {
    const view = room.view;
    const state = room.state;
    if (!view || !state || closed) return;
    const position = view.position ?? beginning;
    const up = seatAbove(view, position);
    const report = thought(state) ?? null;
    const last = view.moves.length;
    const called = translated(view.title_said, view.title);
    attention.setTitle(`${view.turn && view.turn.seat === view.you ? "● " : ""}${called} ${code}`);
    const counts = view.rated ? say("rated.rated") : !view.settings.rated && say("rated.casual");
    put(
      title,
      called,
      " ",
      h("span", { class: "code past" }, code),
      counts && h("span", { class: "past" }, ` ${counts}`),
    );
    put(above, players[up].element);
    put(below, players[1 - up].element);
    if (ply === null) {
      const yours = openActions(view).has("play");
      if (position)
        board.show(position, {
          yours,
          animate: view.phase === "waiting" ? undefined : animate,
          sent: room.sent,
          plans: !yours && view.phase === "playing" && view.you !== undefined && !room.sent,
          planned,
          report: hint ?? (onBoard && state.thinking ? report : null),
        });
    }
    // What a bot has thought before its last move is of another board. The place is kept, so that nothing moves.
    const drawable = ply === null && state.thinking && !hint;
    set(worth, {
      hidden: !report,
      style: { visibility: drawable ? "visible" : "hidden" },
      "aria-pressed": String(onBoard),
    });
    table.classList.toggle("earlier", ply !== null);
    moves.update(view.moves, ply ?? last);
    thinking.update(
      hint ?? report,
      hint ? say("action.hint.label") : state.thinking ? text.mover(view, state.thinking.seat) : undefined,
    );
    evaluation.update(ply === null ? inRoom(state, hint) : null, up === view.starter ? 1 : 0);
    chat.update(openActions(view).has("say"), view.you !== undefined);
    invite.update(view);
    tick();
  }

  /** What time alone changes. */
  function tick() {
    const view = room.view;
    if (!view) return;
    for (const seat of [0, 1]) players[seat].update(view, ratings[seat]);
    if (room.state) chat.typing(events.typing(typists(room.state, performance.now())));
    const offers = offersOf(view).map(([offer, by]) => events.offered(view, offer, by));
    const ready =
      planned !== null &&
      view.position &&
      say("page.table.planned", { cell: planCalled(view.position, planned) });
    const said = room.refused
      ? room.refused.message
      : room.sent
        ? say("page.table.sent")
        : [text.status(view), ready, ...offers].filter(Boolean).join(" ");
    set(status, { textContent: said });
    const about = [
      text.series(view),
      text.score(view.wins, view.draws),
      view.watching ? say("count.watching", { count: view.watching }) : "",
      text.claimIn(view),
      translated(view.position?.note_said, view.position?.note ?? ""),
      ...(view.position?.counts ?? []).map(countOf),
    ]
      .filter(Boolean)
      .join(" · ");
    set(note, { textContent: about, hidden: !about });
    if (room.refused)
      actions.update({ ...view, may: NOTHING }, [
        {
          name: "here",
          label: say("page.try_again"),
          main: true,
          answers: true,
          run: again,
        },
      ]);
    else actions.update(view, own(view));
  }

  function again() {
    room.subscribe();
    draw(false);
  }

  /** What this page does by itself. @param {RoomView} view @returns {Action[]} */
  function own(view) {
    /** @type {Action[]} */
    const found = [];
    if (openActions(view).has("hint"))
      // Not waited for: another press stops it.
      found.push({
        name: "hint",
        label: asking ? say("page.stop") : say("action.hint.label"),
        run: () => void askHint(),
      });
    if (ply !== null)
      found.push({
        name: "now",
        label: say("page.table.present"),
        main: true,
        answers: true,
        run: () => step(view.moves.length),
      });
    // Where one waits for a person is the moment to ask.
    if (awaitsPerson(view) && attention.askable())
      found.push({
        name: "notify",
        label: say("page.table.notify"),
        answers: true,
        run: () => attention.ask().then(() => draw(false)),
      });
    if (view.phase === "finished" && view.moves.length)
      found.push({ name: "review", label: say("action.review.label"), run: () => go(`/review#${code}`) });
    return found;
  }

  async function askHint() {
    if (asking) {
      forget();
      return draw(false);
    }
    const mine = (asking = new AbortController());
    draw(false);
    await attempt(async () => {
      const answer = await room.ask(
        "hint",
        { progress: true },
        {
          signal: mine.signal,
          progress: notice => {
            hint = notice.report;
            draw(false);
          },
        },
      );
      hint = answer.report;
    });
    if (asking === mine) asking = null;
    draw(false);
  }

  /** Show the position after so many moves. @param {number} to */
  async function step(to) {
    const view = room.view;
    if (!view) return;
    const before = ply ?? view.moves.length;
    ply = to >= view.moves.length ? null : Math.max(0, to);
    forget();
    draw(false);
    if (ply === null) return announce(text.status(view));
    const wanted = ply;
    await attempt(async () => {
      const found = await boards.after(view.game, view.moves.slice(0, wanted));
      if (ply !== wanted) return;
      board.show(found.position, { animate: wanted > before });
      announce(wanted ? moveNumber(wanted, view.moves[wanted - 1]) : say("page.table.beginning"));
    });
  }

  function nothing() {
    put(root, [
      h("h1", null, say("page.no_room", { code })),
      h("p", null, room.refused?.message),
      h("p", null, h("a", { href: "/" }, say("page.to_lobby"))),
    ]);
  }

  let beats = 0;
  // Ten times a second only while somebody's time runs.
  const timer = setInterval(() => {
    if (!(beats++ % 10) || room.view?.clock?.running !== undefined) tick();
  }, 100);
  const unkeyed = stepKeys(
    () => [ply ?? room.view?.moves.length ?? 0, room.view?.moves.length ?? 0],
    step,
    () => {
      if (planned !== null) plan(planned);
    },
  );
  if (room.state) {
    arrived(room.state.view);
    draw(false);
  }
  return {
    close() {
      closed = true;
      clearInterval(timer);
      unkeyed();
      chat.close();
      forget();
      room.close();
      next?.close();
    },
  };
}
