/** The running games for a screen in the room: large, changing by themselves, with codes to join by; and the
 *  tournament that is under way. */
import { catalogue, titleOf } from "../core/catalogue.js";
import { button, h, put, render, set } from "../core/dom.js";
import { Listing } from "../core/listing.js";
import * as text from "../game/room_text.js";
import { gameTile } from "../panels/game_tile.js";
import { linkTo, unreachable } from "../panels/invitation.js";
import { qrCode } from "../panels/qr.js";
import { result, said, standings } from "../panels/standings.js";
import { say } from "../words.js";

/** @import {Catalogue} from "../core/catalogue.js" */
/** @import {Client} from "../core/client.js" */
/** @import {Page} from "../core/router.js" */
/** @import {RoomLine, TournamentView} from "../protocol.d.ts" */
/** @import {Tile} from "../panels/game_tile.js" */

const MOST = 9;
const TURN_MS = 12_000;
const TICK_MS = 250;
/** So often it is asked whether there is a tournament, and so long one that is over stays to be seen. */
const ASK_MS = 5_000;
const WINNER_MS = 60_000;
/** Pixels: of the smallest board that can be seen from afar, of what stands above or beside one, and of names
 *  with clocks. */
const SMALLEST = 190;
const ABOVE = 150;
const BESIDE = 220;
const NAMES = 240;
/** Narrower than this the tiles stand one below the other, and the page scrolls. */
const NARROW = 640;

/** How large a board is where so many tiles stand in so many columns.
 *  @param {number} count @param {number} columns @param {number} width @param {number} height */
function boardSize(count, columns, width, height) {
  const wide = width / columns;
  const high = height / Math.ceil(count / columns);
  return Math.max(wide < NAMES ? 0 : Math.min(wide, high - ABOVE), Math.min(wide - BESIDE, high - ABOVE / 3));
}

/** The columns for so many tiles that have the boards as large as may be.
 *  @param {number} count @param {number} width @param {number} height */
function columnsFor(count, width, height) {
  if (width < NARROW) return 1;
  const all = Array.from({ length: Math.max(1, count) }, (_, at) => at + 1);
  const sizes = all.map(columns => boardSize(count, columns, width, height));
  return all[sizes.indexOf(Math.max(...sizes))];
}

/** How many tiles are large enough to be seen. @param {number} width @param {number} height */
export function placesIn(width, height) {
  if (width < NARROW) return MOST;
  let places = MOST;
  while (places > 1 && boardSize(places, columnsFor(places, width, height), width, height) < SMALLEST)
    places -= 1;
  return places;
}

/**
 * Which rooms are shown: as many as there are places. Who waits for a player has a third of them, games that
 * run the
 * rest, then games that are over; what is shown already keeps its place.
 * @param {RoomLine[]} lines
 * @param {string[]} shown before, each at its place
 * @param {number} places
 * @param {(code: string) => number} last when a room was last shown: the longer ago, the sooner it is again
 * @param {boolean} turn a third of those shown make way, where others wait for it
 */
export function choose(lines, shown, places, last, turn = false) {
  // A game that ends is shown until the next turn.
  const group = (/** @type {RoomLine} */ line) =>
    line.phase === "finished" && !turn && shown.includes(line.room) ? "playing" : line.phase;
  const [waiting, playing, finished] = ["waiting", "playing", "finished"].map(phase =>
    lines.filter(line => group(line) === phase).map(line => line.room),
  );
  /** @param {string[]} all @param {number} most */
  const some = (all, most) => {
    const there = shown.filter(code => all.includes(code)).sort((one, other) => last(one) - last(other));
    const going = turn && all.length > most ? Math.ceil(most / 3) : 0;
    const kept = there.slice(Math.max(going, there.length - most));
    const others = all.filter(code => !kept.includes(code));
    return [...kept, ...others.sort((one, other) => last(one) - last(other))].slice(0, most);
  };
  const first = some(
    waiting,
    Math.min(waiting.length, Math.max(Math.ceil(places / 3), places - playing.length)),
  );
  const wanted = [...first, ...some(playing, places - first.length)];
  wanted.push(...some(finished, places - wanted.length));
  const fresh = wanted.filter(code => !shown.includes(code));
  return [...shown.map(code => (wanted.includes(code) ? code : (fresh.shift() ?? ""))), ...fresh].filter(
    Boolean,
  );
}

/** @param {Client} client @param {HTMLElement} root @returns {Page} */
export function open(client, root) {
  const count = h("span", { class: "past" });
  const way = h("div", { class: "way" });
  const hold = button(
    say("page.wall.hold"),
    () => {
      held = !held;
      set(hold, { "aria-pressed": String(held) });
    },
    { "aria-pressed": "false" },
  );
  const turns = h("span", { class: "row", hidden: true }, [
    hold,
    button(say("page.wall.next"), () => arrange(true)),
  ]);
  const list = h("ul", { class: "tiles", "aria-label": say("page.wall.list") });
  const empty = h("section", { class: "empty", hidden: true });
  const place = h("div", { class: "place" }, list, empty);
  const cup = tournament(client, () => arrange(false));
  put(root, [
    h("div", { class: "wall" }, [
      h("div", { class: "head" }, h("div", null, h("h1", null, say("page.wall.title")), count, turns), way),
      h("div", { class: "middle" }, place, cup.element),
    ]),
  ]);

  let held = false;
  let closed = false;
  let clock = 0;
  let address = "";
  /** @type {string[]} */
  let shown = [];
  /** When each room had its place, in turns. @type {Map<string, number>} */
  const last = new Map();
  /** @type {Map<string, Tile>} */
  const tiles = new Map();
  /** @type {Catalogue | null} */
  let known = null;
  const listing = new Listing(client, () => arrange(false));

  catalogue(client).then(
    found => {
      known = found;
      if (!closed) arrange(false);
    },
    () => {},
  );

  /** @param {boolean} turn */
  function arrange(turn) {
    const { clientWidth: width, clientHeight: height } = place;
    const lines = cup.rooms() ?? [...(listing.rooms?.values() ?? [])];
    const found = new Map(lines.map(line => [line.room, line]));
    shown = choose(lines, shown, placesIn(width, height), code => last.get(code) ?? -1, turn);
    clock += 1;
    for (const code of shown) if (!last.has(code) || !tiles.has(code)) last.set(code, clock);
    for (const code of last.keys()) if (!found.has(code)) last.delete(code);
    const there = shown.map(code => /** @type {RoomLine} */ (found.get(code)));
    for (const [code, tile] of tiles)
      if (!shown.includes(code)) {
        tile.close();
        tiles.delete(code);
      }
    for (const line of there) tileOf(line).update(line);
    render(
      list,
      there.map(line => tileOf(line).element),
    );
    const columns = columnsFor(shown.length, width, height);
    set(list, {
      style: { "--columns": String(columns), "--lines": String(Math.ceil(shown.length / columns)) },
    });
    turns.hidden = lines.length <= shown.length;
    const playing = lines.filter(line => line.phase === "playing").length;
    put(count, [
      `${say("count.game", { count: playing })} · ${say("page.lobby.players", { count: listing.players })}`,
    ]);
    invite();
  }

  /** The tile of a room: a game, or a sign for what is not to be subscribed to. @param {RoomLine} line */
  function tileOf(line) {
    const kind = line.phase === "waiting" ? "sign" : "game";
    const there = tiles.get(line.room);
    if (there?.kind === kind) return there;
    there?.close();
    const made =
      kind === "sign" ? sign(client, line.room, game => titleOf(known, game)) : gameTile(client, line.room);
    tiles.set(line.room, made);
    return made;
  }

  /** How to join in: above the games, or alone where there are none. */
  function invite() {
    const link = linkTo(client, "/");
    const none = !shown.length;
    list.hidden = none;
    if (address === link && empty.hidden === !none) return;
    address = link;
    const words = h("p", null, [
      say("page.wall.play_along"),
      " ",
      h("a", { href: "/" }, link.replace(/\/$/, "")),
    ]);
    put(way, !none && [words, qrCode(client, link), unreachable(link)]);
    put(empty, [
      none && [
        h("h2", null, say("page.wall.empty")),
        !unreachable(link) && h("p", null, say("page.wall.invitation")),
        words,
        qrCode(client, link),
        unreachable(link),
      ],
    ]);
    empty.hidden = !none;
  }

  const timers = [
    setInterval(() => {
      tiles.forEach(tile => tile.tick());
      cup.tick();
    }, TICK_MS),
    setInterval(() => {
      if (!held) arrange(true);
    }, TURN_MS),
  ];
  const awake = keepAwake();
  const resized = new ResizeObserver(() => arrange(false));
  resized.observe(place);
  return {
    close() {
      closed = true;
      timers.forEach(clearInterval);
      resized.disconnect();
      awake();
      cup.close();
      tiles.forEach(tile => tile.close());
      listing.close();
    },
  };
}

/** The tournament that is under way, beside the boards: what comes next, the standings, and this round's pairings.
 *  @param {Client} client @param {() => void} changed */
function tournament(client, changed) {
  const title = h("h2");
  const status = h("p", { class: "status" });
  const table = h("table", { class: "standings" });
  const pairings = h("ul", { class: "lines" });
  const element = h("aside", { class: "panel cup", hidden: true }, [title, status, table, pairings]);
  /** @type {TournamentView | null} */
  let view = null;
  let ahead = 0;
  let over = 0;

  /** @param {TournamentView} found */
  function take(found) {
    if (found.phase === "over" && view?.phase !== "over") over = Date.now();
    view = found;
    ahead = found.at - Date.now();
    put(title, h("a", { href: `/${found.tournament}` }, found.title));
    render(table, standings(found));
    render(
      pairings,
      found.boards
        .filter(line => line.round === found.round)
        .map(line =>
          h("li", { key: `${line.round}.${line.board}`, class: "line" }, [
            h("span", { class: "grow" }, line.names.join(" – ")),
            h("span", { class: "past" }, result(line)),
          ]),
        ),
    );
    element.hidden = false;
    tick();
    changed();
  }

  async function look() {
    if (view?.phase === "over" && Date.now() - over > WINNER_MS) {
      view = null;
      element.hidden = true;
      changed();
    }
    if ((view && view.phase !== "over") || client.connection.kind !== "connected") return;
    const { tournaments } = await client.ask("tournaments", {});
    const playing = tournaments.find(line => line.phase === "playing");
    if (!playing) return;
    const { tournament: code } = playing;
    take((await client.ask("tournament", { tournament: code, subscribe: true })).view);
  }

  function tick() {
    if (view) set(status, { textContent: said(view, Date.now() + ahead) });
  }

  const ask = () => look().catch(() => {});
  const ends = [
    client.on("tournament_changed", notice => {
      if (notice.view.tournament === view?.tournament) take(notice.view);
    }),
    client.on("connection", ({ kind }) => {
      // It is subscribed to anew.
      if (kind === "connected") {
        view = null;
        ask();
      }
    }),
  ];
  const timer = setInterval(ask, ASK_MS);
  ask();
  return {
    element,
    tick,
    /** Its games that run, and those of this round that are over; nothing where there is none.
     *  @returns {RoomLine[] | undefined} */
    rooms() {
      const round = view?.round;
      const lines = view?.boards.filter(
        line => line.rooms.length && (line.state === "playing" || line.round === round),
      );
      if (!lines?.length) return;
      return lines.map(
        line =>
          /** @type {any} */ ({
            room: line.rooms.at(-1),
            phase: line.state === "playing" ? "playing" : "finished",
          }),
      );
    },
    close() {
      clearInterval(timer);
      for (const end of ends) end();
      if (view && client.connection.kind === "connected")
        client.ask("tournament", { tournament: view.tournament }).catch(() => {});
    },
  };
}

/** A room where somebody waits: how to get there, in huge letters.
 *  @param {Client} client @param {string} code @param {(game: string) => string} title @returns {Tile} */
function sign(client, code, title) {
  const head = h("h2");
  const words = h("p");
  const picture = qrCode(client, linkTo(client, `/${code}`));
  const how = picture ? say("page.wall.scan") : say("page.wall.type");
  const element = h("li", { key: `sign ${code}`, class: "tile panel sign" }, [
    h("div", null, [
      h("div", { class: "words" }, head, words, h("a", { class: "code", href: `/${code}` }, code)),
      picture,
    ]),
  ]);
  return {
    kind: "sign",
    element,
    tick() {},
    close() {},
    update(line) {
      put(head, title(line.game), line.clock && h("span", { class: "past" }, ` ${line.clock}`));
      put(words, `${waits(line)} ${how}`);
    },
  };
}

/** A screen that nobody touches goes dark, where the browser can't be asked to leave it on (it can over
 *  https). */
function keepAwake() {
  /** @type {WakeLockSentinel | null} */
  let held = null;
  let over = false;
  const ask = () => {
    if (!document.hidden)
      navigator.wakeLock?.request("screen").then(
        lock => {
          if (over) lock.release();
          else held = lock;
        },
        () => {},
      );
  };
  ask();
  document.addEventListener("visibilitychange", ask);
  return () => {
    over = true;
    document.removeEventListener("visibilitychange", ask);
    void held?.release();
  };
}

/** Who waits in a room. @param {RoomLine} line */
function waits({ seats }) {
  const names = seats.filter(seat => seat.kind !== "open").map(text.seatName);
  return names.length ? say("page.wall.waits", { names }) : say("page.wall.free");
}
