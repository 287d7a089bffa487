/** A tournament: who takes part and how they stand, boards with games that run, and what its host does. */
import { attempt } from "../core/attempt.js";
import { catalogue, titleOf } from "../core/catalogue.js";
import { Refusal } from "../core/client.js";
import { announce, button, dialog, h, put, render, set } from "../core/dom.js";
import { retry } from "../core/retry.js";
import { go } from "../core/router.js";
import { confirm } from "../panels/confirm.js";
import { gameTile } from "../panels/game_tile.js";
import { copyField, linkTo, unreachable } from "../panels/invitation.js";
import { qrCode } from "../panels/qr.js";
import { byes, result, said, standings } from "../panels/standings.js";
import { say } from "../words.js";

/** @import {Catalogue} from "../core/catalogue.js" */
/** @import {Client} from "../core/client.js" */
/** @import {Page, Route} from "../core/router.js" */
/** @import {BoardLine, EntrantLine, TournamentView} from "../protocol.d.ts" */

const TICK_MS = 1000;
/** So many boards are drawn, on screens that have room for them. */
const DRAWN = 8;
const WIDE = "(min-width: 640px)";

/** @param {Client} client @param {HTMLElement} root @param {Route} route @returns {Page} */
export function open(client, root, route) {
  const code = /** @type {string} */ (route.code);
  const link = linkTo(client, `/${code}`);
  const title = h("h1");
  const about = h("p", { class: "past" });
  const status = h("p", { class: "status", role: "status", "aria-live": "off" });
  const own = h("div", { class: "buttons" });
  const name = h("input", { value: client.name, maxlength: 200, required: true, autocomplete: "nickname" });
  const enter = h("button", { type: "submit" });
  /** Before it begins one may still be called otherwise. */
  const as = h("form", { class: "row as", hidden: true, onsubmit: takePart }, [
    h("label", { class: "field" }, say("page.tournament.as"), name),
    enter,
  ]);
  const host = h("div", { class: "buttons" });
  const bot = h("select", { "aria-label": say("page.tournament.add_bot") });
  const invite = h("details", null, [
    h("summary", null, say("page.tournament.invite")),
    h("div", { class: "stack" }, copyField(link), qrCode(client, link), unreachable(link)),
  ]);
  const table = h("table", { class: "standings" });
  const boards = h("ul", { class: "lines", "aria-label": say("page.tournament.boards") });
  const drawn = h("ul", { class: "tiles", "aria-label": say("page.tournament.running"), hidden: true });
  const bye = h("p", { class: "past" });
  const played = h("section", { class: "panel boards", hidden: true }, [
    h("h2", null, say("page.tournament.boards")),
    drawn,
    boards,
    bye,
  ]);
  put(root, [
    h("div", { class: "tournament" }, [
      h("div", { class: "head stack" }, title, about, status, own, as, host, invite),
      h("section", { class: "panel" }, [
        h("h2", null, say("page.tournament.standings")),
        h(
          "div",
          { class: "scroll", tabIndex: 0, role: "region", "aria-label": say("page.tournament.standings") },
          table,
        ),
      ]),
      played,
    ]),
  ]);

  /** @type {TournamentView | null} */
  let view = null;
  /** By how much the server's clock is ahead of ours. */
  let ahead = 0;
  /** @type {Catalogue | null} */
  let known = null;
  let refused = "";
  const closing = new AbortController();
  const wide = matchMedia(WIDE);
  /** @type {Map<string, ReturnType<typeof gameTile>>} */
  const tiles = new Map();

  async function load() {
    const { signal } = closing;
    try {
      const answer = await retry(
        () => client.ask("tournament", { tournament: code, subscribe: true }, { signal }),
        signal,
      );
      take(answer.view);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof Refusal)) throw error;
      refused = error.message;
      draw();
    }
  }

  /** @param {TournamentView} found */
  function take(found) {
    const before = view;
    view = found;
    ahead = found.at - Date.now();
    // Who waits here for a game is taken to it.
    if (before && found.room && found.room !== before.room) return go(`/${found.room}`);
    if (before && before.phase !== found.phase) announce(said(found));
    draw();
  }

  /** Ask for something, and say why where it is refused.
   *  @template {"withdraw" | "enter_bot" | "start_tournament" | "end_tournament" |
   *    "forfeit_game" | "replay_game"} T
   *  @param {T} type @param {object} [fields] */
  const act = (type, fields = {}) =>
    attempt(() => client.ask(type, /** @type {any} */ ({ tournament: code, ...fields })));

  /** Under the name that stands there. @param {Event} event */
  function takePart(event) {
    event.preventDefault();
    const wanted = name.value.trim();
    return attempt(async () => {
      if (wanted && wanted !== client.name) await client.rename(wanted);
      if (view?.may.includes("join")) await client.ask("join_tournament", { tournament: code });
      name.blur();
    });
  }

  function draw() {
    if (!view) {
      put(title, refused || say("page.loading"));
      return;
    }
    const { settings } = view;
    document.title = view.title;
    put(title, view.title);
    put(
      about,
      [
        titleOf(known, settings.game),
        say(`tournament.format.${settings.format}`),
        settings.clock,
        say("tournament.hosted", { name: view.host }),
      ].join(" · "),
    );
    const may = new Set(view.may);
    render(own, [
      view.room && h("a", { class: "button main", href: `/${view.room}` }, say("page.tournament.to_table")),
      may.has("withdraw") &&
        button(say("page.tournament.leave"), () =>
          confirm(say("page.tournament.sure_leave"), () => act("withdraw")),
        ),
    ]);
    const joins = may.has("join");
    as.hidden = !joins && !(may.has("withdraw") && view.phase === "joining");
    set(enter, {
      textContent: say(joins ? "page.tournament.join" : "page.tournament.rename"),
      class: joins ? "main" : null,
    });
    render(host, [
      may.has("start") &&
        button(say("page.tournament.start"), () => act("start_tournament"), { class: "main" }),
      may.has("enter") && bot,
      may.has("enter") && button(say("page.tournament.add_bot"), () => act("enter_bot", { bot: bot.value })),
      may.has("end") &&
        button(say("page.tournament.end"), () =>
          confirm(say("page.tournament.sure_end"), () => act("end_tournament")),
        ),
    ]);
    invite.hidden = view.phase === "over";
    render(table, standings(view, out));
    const running = view.boards.filter(line => line.state === "playing");
    tile(wide.matches ? running.slice(0, DRAWN) : []);
    played.hidden = !view.boards.length;
    render(boards, view.boards.map(boardLine));
    put(bye, byes(view));
    tick();
  }

  /** Games that run are seen on wide screens. @param {BoardLine[]} lines */
  function tile(lines) {
    const wanted = lines.map(line => /** @type {string} */ (line.rooms.at(-1)));
    for (const [room, one] of tiles)
      if (!wanted.includes(room)) {
        one.close();
        tiles.delete(room);
      }
    for (const room of wanted) if (!tiles.has(room)) tiles.set(room, gameTile(client, room, { link: false }));
    drawn.hidden = !wanted.length;
    render(
      drawn,
      wanted.map(room => tiles.get(room)?.element),
    );
  }

  /** What takes somebody out. @param {EntrantLine} line */
  const out = line =>
    view?.may.includes("remove") &&
    !line.withdrawn && [
      " ",
      button(
        "✕",
        () =>
          confirm(say("page.tournament.sure_remove", { name: line.name }), () =>
            act("withdraw", { entrant: line.number }),
          ),
        { class: "plain", "aria-label": say("page.tournament.remove", { name: line.name }) },
      ),
    ];

  /** @param {BoardLine} line */
  function boardLine(line) {
    const room = line.rooms.at(-1);
    const names = line.names.join(" – ");
    const shown = say("page.tournament.board", { round: line.round, board: line.board });
    const href = line.state === "done" ? `/review#${room}` : `/${room}`;
    return h("li", { key: `${line.round}.${line.board}`, class: "line" }, [
      h("div", { class: "grow" }, [
        h("p", null, room ? h("a", { href }, names) : names),
        h("p", { class: "past" }, `${shown} · ${result(line)}`),
      ]),
      view?.may.includes("forfeit") &&
        line.state !== "done" &&
        button(say("page.tournament.decide"), () => decide(line), {
          "aria-label": `${say("page.tournament.decide")}: ${names}`,
          "aria-haspopup": "dialog",
        }),
      view?.may.includes("replay") &&
        line.state === "done" &&
        line.round === view.round &&
        button(say("page.tournament.replay"), () => act("replay_game", keyOf(line)), {
          "aria-label": `${say("page.tournament.replay")}: ${names}`,
        }),
    ]);
  }

  /** @param {BoardLine} line */
  const keyOf = ({ round, board }) => ({ round, board });

  /** Who has lost it? @param {BoardLine} line */
  function decide(line) {
    /** @type {[string, number | undefined][]} */
    const choices = [
      [say("page.tournament.lost_by", { name: line.names[0] }), line.first],
      [say("page.tournament.lost_by", { name: line.names[1] }), line.second],
      [say("page.tournament.lost_by_both"), undefined],
    ];
    dialog(line.names.join(" – "), close => [
      h("div", { class: "buttons" }, [
        choices.map(([words, loser]) =>
          button(words, () => {
            close();
            act("forfeit_game", { ...keyOf(line), ...(loser && { loser }) });
          }),
        ),
        button(say("page.cancel"), close),
      ]),
    ]);
  }

  function tick() {
    if (view) set(status, { textContent: said(view, Date.now() + ahead) });
    for (const one of tiles.values()) one.tick();
  }

  catalogue(client).then(
    found => {
      known = found;
      put(bot, [found.bots.map(one => h("option", { value: one.name }, one.name))]);
      if (!closing.signal.aborted) draw();
    },
    () => {},
  );
  const ends = [
    client.on("tournament_changed", notice => {
      if (notice.view.tournament === code) take(notice.view);
    }),
    client.on("connection", ({ kind }) => {
      name.value = client.name;
      if (kind === "connected") load();
    }),
  ];
  wide.addEventListener("change", draw);
  const timer = setInterval(tick, TICK_MS);
  draw();
  if (client.connection.kind === "connected") load();
  return {
    close() {
      clearInterval(timer);
      wide.removeEventListener("change", draw);
      for (const end of ends) end();
      closing.abort();
      for (const one of tiles.values()) one.close();
      if (client.connection.kind === "connected")
        client.ask("tournament", { tournament: code }).catch(() => {});
    },
  };
}
