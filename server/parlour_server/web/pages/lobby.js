/** The lobby: what can be played, what is being played, and one's own games. */
import { Board } from "../board/board.js";
import { attempt } from "../core/attempt.js";
import { catalogue, titleOf } from "../core/catalogue.js";
import { Refusal } from "../core/client.js";
import { button, h, put, render, set } from "../core/dom.js";
import { Listing, standing } from "../core/listing.js";
import { acting, seated } from "../core/room.js";
import { go, replaceUrl } from "../core/router.js";
import { FRIEND, HERE, NEXT, opponent, start } from "../core/start.js";
import { write } from "../core/storage.js";
import { linked } from "../game/games.js";
import * as text from "../game/room_text.js";
import { MET, OWN_ROOMS, ROOMS } from "../lists.js";
import { copyField, linkTo } from "../panels/invitation.js";
import { item } from "../panels/list.js";
import { isLocal, qrCode } from "../panels/qr.js";
import { rulesButton } from "../panels/rules_button.js";
import { say, translated } from "../words.js";

/** @import {Client} from "../core/client.js" */
/** @import {Catalogue} from "../core/catalogue.js" */
/** @import {Page, Route} from "../core/router.js" */
/** @import {GameLine, Lobby, Opponent, PastRoom, RoomLine} from "../protocol.d.ts" */

const COLUMNS = { play: say("page.play"), rooms: say("page.lobby.rooms"), yours: say("page.lobby.yours") };
const CODE = /^[A-Z0-9]{6}$/;
const TOURNAMENT = /^[A-Z0-9]{7}$/;
/** Refused a seat where others have both, or where one sits: the table is there to see. */
const SEEN = new Set(["room_full", "already_seated"]);
/** Own rooms have changed: so long others may follow. */
const HISTORY_MS = 1000;

/** @param {string} url */
const hostOf = url => {
  try {
    return new URL(url).host;
  } catch {
    return null;
  }
};

/** @param {Client} client @param {HTMLElement} root @param {Route} route @returns {Page} */
export function open(client, root, route) {
  /** @type {Catalogue | null} */
  let known = null;
  /** @type {PastRoom[] | null} */
  let past = null;
  let more = false;
  /** @type {Opponent[]} */
  let met = [];
  let busy = false;
  let closed = false;
  let loads = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let later;

  // ------------------------------------------------------------ the page

  const play = column("play");
  const rooms = column("rooms");
  const yours = column("yours");
  const tabs = h("div", { class: "tabs", role: "group", "aria-label": say("page.lobby.title") }, [
    Object.entries(COLUMNS).map(([name, label]) => button(label, () => turn(name), { "data-tab": name })),
  ]);
  const code = h("input", {
    id: "code",
    autocomplete: "off",
    autocapitalize: "none",
    spellcheck: "false",
    maxlength: 300,
    enterkeyhint: "go",
    "aria-describedby": "wrong",
    oninput: () => wrong(""),
  });
  const joins = h("button", null, say("page.lobby.join"));
  const fault = h("p", { id: "wrong", class: "refusal", role: "alert" });
  const lobby = h("div", { class: "lobby" }, play.element, rooms.element, yours.element);
  const terminal = h("code");
  const address = h("div");
  put(root, [
    h("h1", { class: "unseen" }, say("page.lobby.title")),
    h(
      "form",
      {
        class: "go row",
        onsubmit: async (/** @type {Event} */ event) => {
          event.preventDefault();
          // It may have to wait for the connection.
          if (joins.hasAttribute("aria-busy")) return;
          set(joins, { "aria-busy": "true" });
          await enter(code.value).finally(() => set(joins, { "aria-busy": null }));
        },
      },
      [h("label", { for: "code" }, say("page.lobby.code")), h("span", { class: "grow" }, code), joins, fault],
    ),
    tabs,
    lobby,
    h("footer", { class: "past" }, say("page.lobby.terminal"), " ", terminal),
  ]);

  const whom = h("select", {
    "aria-label": say("page.lobby.against"),
    onchange: () => {
      write("opponent", whom.value);
      showCards();
    },
  });
  const about = h("small", { class: "past" });
  const cards = h("ul", { class: "cards", onkeydown: between });
  const list = {
    waiting: group(say("standing.waiting")),
    playing: group(say("standing.playing")),
    finished: group(say("standing.finished")),
    empty: group(say("standing.empty")),
  };
  /** What was removed last, and the way back. */
  const removed = h("p", { class: "past", role: "status" });
  const cups = group(say("page.tournament.list"));
  cups.element.hidden = true;
  const going = group(say("page.lobby.to_play_on"));
  const over = group(say("page.lobby.look_back"));
  const people = group(say("page.lobby.met"));
  const next = button(say("page.lobby.more_games"), () => attempt(() => history(past?.length ?? 0)));

  /** @param {keyof typeof COLUMNS} name */
  function column(name) {
    const heading = h("h2", null, COLUMNS[name]);
    const body = h("div", { class: "stack" });
    const said = h("p", { class: "past" }, say("page.loading"));
    return {
      element: h("section", { class: `panel column ${name}`, "aria-label": COLUMNS[name] }, [
        heading,
        said,
        body,
      ]),
      heading,
      body,
      said,
    };
  }

  /** @param {string} title */
  function group(title) {
    const lines = h("ul", { class: "lines", "aria-label": title });
    return { element: h("div", null, h("h3", null, title), lines), lines };
  }

  /** Show another column, where there is no room for three. @param {string} name */
  function turn(name) {
    lobby.dataset.column = name;
    for (const tab of tabs.children)
      set(tab, { "aria-pressed": String(/** @type {HTMLElement} */ (tab).dataset.tab === name) });
  }
  turn("play");

  // ------------------------------------------------------------ what the server says

  const listing = new Listing(client, showRooms);

  async function load() {
    const mine = ++loads;
    try {
      const found = await catalogue(client);
      if (closed || mine !== loads) return;
      known = found;
      showPlay();
      await Promise.all([history(0), tournaments()]);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (!closed && mine === loads)
        for (const one of [play, yours])
          if (!one.body.hasChildNodes())
            put(one.said, error.message, " ", button(say("page.try_again"), load));
    }
    if (!closed && mine === loads) showAddress();
  }

  /** One's own rooms, from so many on. @param {number} after */
  async function history(after) {
    const found = await client.ask("history", { after });
    if (closed) return;
    past = [...(past ?? []).slice(0, after), ...found.rooms];
    more = found.more;
    if (!after) met = found.met ?? [];
    showPast();
  }

  async function tournaments() {
    const { tournaments: found } = await client.ask("tournaments", {});
    if (closed) return;
    cups.element.hidden = !found.length;
    render(
      cups.lines,
      found.map(line =>
        h("li", { key: line.tournament, class: "line" }, [
          h("div", { class: "grow" }, [
            h("p", null, line.title),
            h("p", { class: "past" }, [
              `${titleOf(known, line.game)} · ${say(`tournament.format.${line.format}`)} · `,
              say(`tournament.phase.${line.phase}`),
            ]),
          ]),
          h(
            "a",
            {
              class: "button",
              href: `/${line.tournament}`,
              "aria-label": `${say("page.tournament.show")}: ${line.title}`,
            },
            say("page.tournament.show"),
          ),
        ]),
      ),
    );
  }

  /** @param {string} room */
  const own = room => {
    const view = client.rooms.get(room)?.view;
    const sits = view && acting(view) !== undefined;
    return sits || (past?.some(one => one.room === room && seated(one)) ?? false);
  };

  // ------------------------------------------------------------ play

  function showPlay() {
    if (!known) return;
    const chosen = opponent(known);
    const opponents = [
      ...known.bots.map(bot => [bot.name, text.botName(bot.name)]),
      [FRIEND, say("page.lobby.friend")],
      [HERE, say("page.lobby.guest")],
      [NEXT, say("page.lobby.next_player")],
    ];
    put(whom, [opponents.map(([value, words]) => h("option", { value, selected: value === chosen }, words))]);
    play.said.hidden = true;
    if (!play.body.hasChildNodes())
      put(play.body, [
        h("div", { class: "buttons" }, [
          button(say("page.lobby.new_game"), () => askGame(), { class: "main" }),
          button(say("page.lobby.match"), () => askMatch()),
          button(say("page.lobby.two_bots"), () => askGame({ side: "none" })),
          button(say("page.tournament.new"), () => askTournament()),
          h("a", { class: "button", href: "/puzzle" }, say("page.puzzle.today")),
          client.welcome?.rated && h("a", { class: "button", href: "/ratings" }, say("ratings.title")),
        ]),
        h("div", null, h("label", { class: "row" }, say("page.lobby.against"), whom), about),
        cards,
      ]);
    showCards();
  }

  function showCards() {
    if (!known) return;
    const person = [FRIEND, HERE, NEXT].includes(whom.value);
    const name = whom.selectedOptions[0]?.textContent ?? "";
    const bot = known.bots.find(one => one.name === whom.value);
    about.textContent = bot ? translated(bot.summary_said, bot.summary) : "";
    const versus = say("page.lobby.versus", { name: person ? name : text.botName(whom.value) });
    render(
      cards,
      known.games.map(game => card(game, versus)),
    );
  }

  /** @param {GameLine} game @param {string} versus */
  function card(game, versus) {
    const board = new Board({ labels: false });
    board.show(game.sample);
    board.grid.remove();
    return h("li", { class: "card" }, [
      h("div", { class: "mini", "aria-hidden": "true" }, board.element),
      h("div", null, [
        h("h3", null, [
          button(translated(game.title_said, game.title), () => begin(game.name), { class: "plain" }),
        ]),
        h("span", { class: "versus" }, versus),
        h("p", { class: "past" }, translated(game.summary_said, game.summary)),
      ]),
      rulesButton(client, () => game.name),
    ]);
  }

  /** A click on a card is a game. @param {string} game */
  async function begin(game) {
    if (whom.value === NEXT) return void askMatch(game);
    if (busy) return;
    busy = true;
    set(cards, { "aria-busy": "true" });
    await attempt(() => start(client, { game, bot: whom.value || undefined }));
    set(cards, { "aria-busy": null });
    busy = false;
  }

  /** Arrows go from card to card. @param {KeyboardEvent} event */
  function between(event) {
    const all = /** @type {NodeListOf<HTMLElement>} */ (cards.querySelectorAll("h3 button"));
    const at = [...all].indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const to = {
      ArrowRight: at + 1,
      ArrowDown: at + 1,
      ArrowLeft: at - 1,
      ArrowUp: at - 1,
      Home: 0,
      End: all.length - 1,
    }[event.key];
    if (at < 0 || to === undefined || !all[to]) return;
    event.preventDefault();
    all[to].focus();
  }

  /** @param {{game?: string, moves?: string[], side?: "none"}} [given] */
  const askGame = given =>
    attempt(async () => dismiss(await (await import("../panels/new_game.js")).newGame(client, given)));
  const askTournament = () =>
    attempt(async () => dismiss(await (await import("../panels/new_tournament.js")).newTournament(client)));
  /** @param {string} [game] */
  const askMatch = game =>
    attempt(async () => dismiss(await (await import("../panels/match.js")).match(client, { game, others })));
  /** Where this page was left before it came. @param {HTMLDialogElement} box */
  const dismiss = box => {
    if (closed) box.close();
  };

  // ------------------------------------------------------------ rooms

  /** The rooms in which others wait for a game. */
  const others = () =>
    [...(listing.rooms?.values() ?? [])].filter(
      line =>
        standing(line) === "waiting" && !own(line.room) && line.seats.some(seat => seat.kind === "human"),
    );

  /** @param {Lobby | null} changed */
  function showRooms(changed) {
    const all = [...(listing.rooms?.values() ?? [])];
    if (!listing.rooms)
      return void (
        listing.refused &&
        put(rooms.said, [listing.refused.message, " ", button(say("page.try_again"), () => listing.load())])
      );
    put(rooms.heading, [
      say("page.lobby.rooms"),
      " ",
      h("small", null, say("page.lobby.players", { count: listing.players })),
    ]);
    set(/** @type {Element} */ (tabs.children[1]), {
      textContent: all.length ? `${say("page.lobby.rooms")} (${all.length})` : say("page.lobby.rooms"),
    });
    rooms.said.hidden = all.length > 0;
    rooms.said.textContent = say("page.lobby.none_wait");
    for (const [name, { element, lines }] of Object.entries(list)) {
      const there = all.filter(line => standing(line) === name);
      element.hidden = !there.length;
      render(lines, there.map(roomLine));
    }
    if (!rooms.body.hasChildNodes())
      put(rooms.body, [cups.element, Object.values(list).map(one => one.element), address]);
    if (changed && [...changed.rooms.map(line => line.room), ...(changed.gone ?? [])].some(own)) {
      clearTimeout(later);
      later = setTimeout(() => history(0).catch(() => {}), HISTORY_MS);
    }
  }

  /** @param {RoomLine} line */
  function roomLine(line) {
    const { room } = line;
    const mine = own(room);
    const free = standing(line) === "waiting" || standing(line) === "empty";
    const label = mine ? say("page.lobby.go_back") : say("page.lobby.watch");
    const join = { class: "main", hidden: mine || !free, "aria-label": inRoom(say("page.lobby.join"), line) };
    const watch = { class: ["button", mine && "main"], href: `/${room}`, "aria-label": inRoom(label, line) };
    return h("li", { key: room, class: "line" }, [
      h("div", { class: "grow" }, item(ROOMS, line, { known, without: ["standing"] })),
      button(say("page.lobby.join"), () => enter(room), join),
      h("a", watch, label),
    ]);
  }

  // ------------------------------------------------------------ one's own games

  function showPast() {
    if (!past) return;
    const running = past.filter(one => seated(one) && (one.phase === "waiting" || one.phase === "playing"));
    // What was called off before its first move is not worth a look, unless there were games before it.
    const ended = past.filter(
      one => (one.phase === "finished" || one.phase === "closed") && (one.moves || one.games > 1),
    );
    yours.said.hidden = running.length + ended.length + met.length > 0;
    yours.said.textContent = say("page.lobby.no_games");
    const waits = running.some(one => one.your_turn);
    const mark = () =>
      waits && [" ", h("span", { class: "notice", role: "img", "aria-label": say("table.your_turn") }, "●")];
    const { yours: called } = COLUMNS;
    put(yours.heading, called, mark());
    put(tabs.children[2], running.length ? `${called} (${running.length})` : called, mark());
    for (const [{ element, lines }, found] of /** @type {[typeof going, PastRoom[]][]} */ ([
      [going, running],
      [over, ended],
    ])) {
      element.hidden = !found.length;
      render(lines, found.map(pastLine));
    }
    people.element.hidden = !met.length;
    render(
      people.lines,
      met.map((one, at) => h("li", { key: at, class: "line" }, h("div", { class: "grow" }, item(MET, one)))),
    );
    next.hidden = !more;
    if (!yours.body.hasChildNodes())
      put(yours.body, removed, going.element, over.element, next, people.element);
    if (listing.rooms) showRooms(null);
  }

  /** @param {string} room */
  const games = async room => (await import("../panels/room_games.js")).showGames(client, room);

  /** Remove a room, or have it back. @param {string} room @param {boolean} [back] */
  const remove = (room, back = false) =>
    attempt(async () => {
      await client.ask("remove", { room, back });
      await history(0);
      put(
        removed,
        back
          ? []
          : [
              say("command.history.removed", { room }),
              " ",
              button(say("page.undo"), () => remove(room, true)),
            ],
      );
    });

  /** @param {PastRoom} one */
  function pastLine(one) {
    const running = one.phase === "waiting" || one.phase === "playing";
    const title = titleOf(known, one.game);
    const label = running ? say("page.lobby.go_back") : say("action.review.label");
    return h("li", { key: one.room, class: "line" }, [
      h("div", { class: "grow" }, item(OWN_ROOMS, one, { known, without: ["games"] })),
      one.games > 1 &&
        button(say("count.game", { count: one.games }), () => attempt(() => games(one.room)), {
          "aria-label": `${say("count.game", { count: one.games })}, ${one.room}`,
        }),
      h(
        "a",
        {
          class: running ? "button main" : "button",
          href: running ? `/${one.room}` : `/review#${one.room}`,
          "aria-label": `${label}: ${title} ${one.room}`,
        },
        [label],
      ),
      one.removable &&
        button("✕", () => remove(one.room), {
          class: "plain",
          "aria-label": `${say("page.lobby.remove")}: ${title} ${one.room}`,
          title: say("page.lobby.remove"),
        }),
    ]);
  }

  // ------------------------------------------------------------ codes, links, addresses

  /** @param {string} sentence */
  function wrong(sentence) {
    fault.textContent = sentence;
    set(code, { "aria-invalid": sentence ? "true" : null });
  }

  /** Take a free seat there, or go back to one's own; where others have both, watch.
   *  @param {string} typed a code or a link */
  async function enter(typed) {
    const words = typed.trim();
    const slash = words.replace(/\/+$/, "").lastIndexOf("/");
    const room = words
      .slice(slash + 1)
      .replace(/[\s/-]|[#?].*$/g, "")
      .toUpperCase();
    wrong("");
    const cup = TOURNAMENT.test(room);
    if (!CODE.test(room) && !cup) return fail(say("page.lobby.no_code"));
    if (slash >= 0) {
      const url = words.includes("://") ? words.replace(/^ws/, "http") : `http://${words}`;
      const host = hostOf(url);
      if (!host) return fail(say("page.lobby.no_code"));
      if (![location.host, hostOf(linkTo(client, "/"))].includes(host))
        return fail(say("page.lobby.elsewhere", { link: url }));
      // One that carries a seat to this device.
      if (new URL(url).hash) return go(`/${room}${new URL(url).hash}`);
    }
    if (cup) return go(`/${room}`);
    try {
      await client.ask("sit", { room });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (!SEEN.has(error.code)) return fail(error.message);
    }
    if (!closed) go(`/${room}`);
  }

  /** @param {string} sentence */
  function fail(sentence) {
    wrong(sentence);
    code.focus();
  }

  /** What is pasted anywhere here is a code or a link. @param {ClipboardEvent} event */
  const pasted = event => {
    if (/** @type {HTMLElement} */ (event.target).closest?.("input, textarea, dialog")) return;
    code.value = (event.clipboardData?.getData("text") ?? "").trim().slice(0, 300);
    code.focus();
  };
  document.addEventListener("paste", pasted);

  /** Where others reach this server, if they can. */
  function showAddress() {
    const link = linkTo(client, "/");
    const { hostname } = new URL(link);
    terminal.textContent = `parlour join ${linkTo(client, "/CODE")}`;
    if (address.hasChildNodes() || isLocal(hostname)) return;
    put(address, [
      h("details", { open: innerWidth > 900 }, [
        h("summary", null, say("page.lobby.others_join")),
        h("div", { class: "stack" }, copyField(link), qrCode(client, link)),
      ]),
    ]);
  }

  const ends = client.on("connection", ({ kind }) => {
    if (kind === "connected") load();
  });
  if (client.connection.kind === "connected") load();
  if (route.hash.startsWith("new=")) {
    const { game, moves } = linked(route.hash.slice(4)) ?? { moves: "" };
    replaceUrl("/");
    askGame({ game, moves: moves.split(/[\s,]+/).filter(Boolean) });
  }
  return {
    close() {
      closed = true;
      clearTimeout(later);
      ends();
      listing.close();
      document.removeEventListener("paste", pasted);
    },
  };
}

/** @param {string} action @param {RoomLine} line */
const inRoom = (action, line) =>
  say("page.lobby.in_room", { action, seats: text.against(line.seats), room: line.room });
