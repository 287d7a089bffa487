/** Which sentence is said of what. The sentences stand in the catalogue of words. */
import { sideOf } from "./board/position.js";
import { offers, shares } from "./core/room.js";
import { number, say, sayOr, translated } from "./words.js";

/** @import {Argument} from "./sentences.d.ts" */
/** @import {SeatView} from "./protocol.d.ts" */
/** @import {BoardView, Event, Offer, PastGame, PastRoom, Refused, Report, ResultView, RoomView, Score}
 *  from "./protocol.d.ts" */

// ------------------------------------------------------------ everywhere

export const NAME = "Parlour";

/** @param {Refused} refused */
export function refusal(refused) {
  const said = translated(refused.said, refused.message);
  const { code, legal, retry_after: seconds } = refused;
  if ((code === "illegal_move" || code === "invalid_move") && legal && legal.length <= 24)
    return `${said} ${say("table.free_moves", { moves: legal.join(", ") })}`;
  if (!seconds) return said;
  const wait = say("span.seconds", { number: Math.ceil(seconds) });
  return `${said} ${say("connection.try_again_in", { span: wait })}`;
}

/** @param {number} seconds */
export const span = seconds =>
  seconds < 120
    ? say("span.seconds", { number: Math.max(0, Math.round(seconds)) })
    : seconds < 7200
      ? say("span.minutes", { number: Math.round(seconds / 60) })
      : seconds < 172_800
        ? say("span.hours", { number: Math.round(seconds / 3600) })
        : say("span.days", { count: Math.round(seconds / 86_400) });

/** A player's time. @param {number} left in milliseconds */
export function clock(left) {
  if (left >= 0 && left < 10_000) return number(Math.floor(left / 100) / 10, 1);
  const all = Math.floor(Math.max(0, left) / 1000);
  const two = (/** @type {number} */ part) => String(part).padStart(2, "0");
  const hours = Math.floor(all / 3600);
  const minutes = Math.floor(all / 60) % 60;
  return hours ? `${hours}:${two(minutes)}:${two(all % 60)}` : `${minutes}:${two(all % 60)}`;
}

/** When something was, in the reader's own time. @param {number} at */
export function when(at) {
  const date = new Date(at);
  const now = new Date();
  /** @type {Intl.DateTimeFormatOptions} */
  const how =
    now.toDateString() === date.toDateString()
      ? { hour: "2-digit", minute: "2-digit" }
      : {
          day: "numeric",
          month: "short",
          ...(now.getFullYear() !== date.getFullYear() && { year: "numeric" }),
        };
  return date.toLocaleString(dated(), how);
}

/** The language that dates are written in: English is read in more countries than one. */
export const dated = () => document.documentElement.lang.replace(/^en$/, "en-GB");

const FRIENDLY = [
  "Amber",
  "Bold",
  "Brave",
  "Calm",
  "Clever",
  "Early",
  "Fair",
  "Gentle",
  "Happy",
  "Keen",
  "Kind",
  "Lucky",
  "Merry",
  "Nimble",
  "Quick",
  "Quiet",
  "Sunny",
  "Swift",
  "Warm",
  "Wise",
];
const CREATURES = [
  "Badger",
  "Beaver",
  "Crane",
  "Dolphin",
  "Falcon",
  "Finch",
  "Fox",
  "Hare",
  "Heron",
  "Ibis",
  "Lynx",
  "Marten",
  "Otter",
  "Owl",
  "Panda",
  "Raven",
  "Robin",
  "Seal",
  "Stork",
  "Tiger",
];
/** A name to begin with. */
export const proposedName = () =>
  `${FRIENDLY[Math.floor(Math.random() * 20)]} ${CREATURES[Math.floor(Math.random() * 20)]}`;

// ------------------------------------------------------------ boards and scores

/** What a text is called: a king's mark is that of its side, with the word for it.
 *  @param {BoardView} board @param {string} text */
export function pieceName(board, text) {
  const side = sideOf(board, text);
  const at = side === null ? 0 : board.marks[side].indexOf(text);
  const kind = board.kinds?.[at];
  return side === null || !at || !kind
    ? text
    : `${board.marks[side][0]} ${sayOr(`game.kind.${kind}`, {}, kind)}`;
}

/** @param {string} name
 *  @param {string} what @param {{may: boolean, moves: boolean, last: boolean, line: boolean}} how */
export const cell = (name, what, { may, moves, last, line }) =>
  [
    `${name} ${what || say("page.cell.empty")}`,
    line && say("page.cell.line"),
    last && say("page.cell.last"),
    moves ? say("page.cell.source") : may && say("page.cell.open"),
  ]
    .filter(Boolean)
    .join(", ");

const SIGNS = { exact: "", estimate: "~", at_least: ">=", at_most: "<=" };
/** @param {Score} score */
const signs = score => (score.bound ? SIGNS[score.bound] : "") + SIGNS[score.kind];
/** @param {Score} score */
const percent = score => (score.chance === undefined ? "?" : score.chance.toFixed(0));

/** What a bound would be if it were exact. @param {Score} score */
const resultOf = ({ points }) => (points === 0 ? "draw" : points > 0 ? "win" : "loss");

/** What a cell has room for: `W5`, `L4`, `D`, `~54`. @param {Score} score */
export function cellScore(score) {
  const { kind, result } = score;
  const sign = signs(score).slice(0, 1);
  if (kind === "estimate") return sign + percent(score);
  const letter = say(`score.letter.${result ?? resultOf(score)}`);
  const far =
    !result || result === "draw"
      ? ""
      : score.margin === undefined
        ? (score.plies ?? "")
        : Math.abs(score.margin);
  return sign + letter + far;
}

/** What a move leads to, as the protocol's `Score.outlook` has it: `wins in 3`, `a draw`, `57% to win`.
 *  @param {Score} score */
export function outlook(score) {
  const { kind, bound, result, margin, plies } = score;
  if (kind === "estimate")
    return say(bound ? `score.to_win_${bound}` : "score.to_win", { percent: percent(score) });
  if (!result) return say(`score.at_${kind === "at_most" ? "best" : "least"}.${resultOf(score)}`);
  if (result === "draw") return say("score.draw");
  const does = result === "win" ? "wins" : "loses";
  const exact = kind === "exact";
  if (margin !== undefined)
    return say(`score.${does}_by${exact ? "" : "_at_least"}`, { margin: Math.abs(margin) });
  return plies === undefined
    ? say(`score.${does}`)
    : say(`score.${does}_in${exact ? "" : "_at_most"}`, { plies });
}

/** What a game counts for each side, such as discs. @param {{label: string, of: number[]}} count */
export const countOf = ({ label, of: [first, second] }) =>
  say("table.count", { label: sayOr(`game.count.${label}`, {}, label), first, second });
/** Who is to move in a position, or how the game ended.
 *  @param {BoardView} position @param {string} [winner] */
export function standsAt({ marks, to_move = 0, note, note_said, counts = [] }, winner) {
  if (winner === "draw") return say("outcome.over_draw");
  if (winner) return say("outcome.over_wins", { name: marks[winner === "first" ? 0 : 1][0] });
  const counted = counts.map(countOf);
  return [say("table.to_move", { name: marks[to_move][0] }), note && translated(note_said, note), ...counted]
    .filter(Boolean)
    .join(" ");
}

// ------------------------------------------------------------ people at a table

/** @param {string} name */
export const botName = name => say("seat.bot", { name });
/** A player's name; a bot is always marked as one. @param {SeatView} seat */
export const seatName = seat =>
  seat.kind === "open"
    ? say("seat.free")
    : seat.kind === "bot" || seat.program
      ? botName(seat.name)
      : seat.name;
/** @param {RoomView} view @param {number} seat */
export const nameOf = (view, seat) => seatName(view.seats[seat]);
/** @param {RoomView} view @param {number} seat */
export function mover(view, seat) {
  const name = nameOf(view, seat);
  const bot = view.seats[seat].stand_in;
  return bot ? say("seat.stand_in", { bot, name }) : name;
}
/** @param {SeatView[]} seats */
export const against = ([first, last]) =>
  say("table.against", { first: seatName(first), last: seatName(last) });
/** @param {RoomView} view @param {number} seat */
export const markOf = (view, seat) => view.position?.marks[seat === view.starter ? 0 : 1][0] ?? "";
/** @param {number} ms */
export const awayFor = ms =>
  ms < 1000 ? say("presence.away") : say("presence.away_for", { span: span(ms / 1000) });
/** Who has gone or come back, to others.
 *  @param {RoomView} before @param {RoomView} now @returns {string[]} */
export const cameAndWent = (before, now) =>
  now.seats.flatMap((seat, at) =>
    seat.kind !== "human" ||
    at === now.you ||
    shares(now) ||
    (before.away_since[at] === null) === (now.away_since[at] === null)
      ? []
      : [
          say(now.away_since[at] === null ? "presence.is_back" : "presence.is_away", {
            name: seatName(seat),
          }),
        ],
  );
/** From when on the viewer may claim the game. @param {RoomView & {at: number}} view */
export function claimIn(view) {
  const from = view.you === undefined ? null : view.claim_from[view.you];
  if (from === null || view.phase !== "playing") return "";
  return from > view.at
    ? say("presence.claim_in", { span: span((from - view.at) / 1000) })
    : say("presence.claim_now");
}
/** @param {RoomView} view */
export function status(view) {
  if (view.phase === "closed") return say("table.closed");
  if (view.phase === "waiting")
    return view.you !== undefined
      ? say("table.waiting_for_friend")
      : say("table.waiting", { count: view.seats.filter(seat => seat.kind === "open").length });
  if (view.result) return ended(view.result, view.seats, view.you);
  if (!view.turn) return "";
  const { seat } = view.turn;
  if (shares(view) && view.moves.length > (view.started_with ?? 0))
    return say("table.hand_over", { name: nameOf(view, seat) });
  return seat === view.you ? say("table.your_turn") : say("table.to_move", { name: mover(view, seat) });
}
/** @param {ResultView} result @param {SeatView[]} seats @param {number | undefined} [you] */
export function ended({ termination, winner, ...result }, seats, you) {
  if (termination === "agreement") return say("outcome.agreement");
  const reason = translated(result.reason_said, result.reason).replace(/\.$/, "");
  if (termination === "aborted")
    return (result.reason_said?.id ?? "game.reason.aborted") === "game.reason.aborted"
      ? say("outcome.aborted")
      : say("outcome.aborted_because", { reason });
  if (winner === undefined)
    return !reason || reason.toLowerCase() === "draw"
      ? say("outcome.draw")
      : say("outcome.draw_because", { reason });
  if (winner === you) return reason ? say("outcome.you_win_because", { reason }) : say("outcome.you_win");
  const name = seatName(seats[winner]);
  return reason ? say("outcome.wins_because", { name, reason }) : say("outcome.wins", { name });
}
/** The score of a room's games.
 *  @param {[number, number]} wins @param {number} draws @param {boolean} fact one of several */
export function score([first, second], draws, fact = false) {
  if (first + second + draws < 1) return "";
  if (!draws) return say(fact ? "table.fact.score" : "table.score", { first, second });
  return say(fact ? "table.fact.score_drawn" : "table.score_drawn", {
    first,
    second,
    drawn: say("count.drawn", { count: draws }),
  });
}
/** @param {RoomView} view */
export const series = view =>
  view.series
    ? say("table.series", view.series)
    : view.game_number > 1
      ? say("table.game_number", { number: view.game_number })
      : "";
/** Who offers what, as the viewer is to read it.
 *  @param {RoomView} view @param {Offer} offer @param {number} seat */
export const offered = (view, offer, seat) =>
  say(`offer.${offer}.made_${offers(view, offer, seat) ? "you" : "them"}`, {
    name: (offer === "seat" && view.asker) || nameOf(view, seat),
  });

/** Who writes in the chat; empty where no one does. @param {string[]} names */
export function typing(names) {
  if (names.length === 1) return say("notice.typing", { name: names[0] });
  return names.length ? say("notice.several_typing", { count: names.length }) : "";
}
/** The sentence of a room's notice that has one: its fields stand in it, and a seat's player.
 *  @param {RoomView} view @param {{type: string, seat?: number}} notice */
export const noticed = (view, notice) =>
  notice.type === "typing"
    ? ""
    : sayOr(
        `notice.${notice.type}`,
        /** @type {Record<string, Argument>} */ ({
          ...notice,
          ...(notice.seat !== undefined && { name: nameOf(view, notice.seat) }),
        }),
        "",
      );
/**
 * What happened, in a sentence; empty where there is nothing to say.
 * @param {RoomView} before @param {RoomView} now @param {Event["event"]} event @returns {string}
 */
export function happened(before, now, event) {
  switch (event.kind) {
    case "seat_taken":
    case "stand_in_seated":
    case "stand_in_left":
      return seatTaken(before, now, event.seat);
    case "bot_awaited":
      return say("event.bot_awaited", { name: botName(event.bot) });
    case "seat_left":
      return say("event.seat_left", { name: nameOf(before, event.seat) });
    case "game_started":
      return say(`event.game_started.${now.starter === now.you ? "you" : "them"}`, {
        number: now.game_number,
        name: nameOf(now, now.starter),
      });
    case "move_played":
      return say(
        `event.move_played.${event.seat === now.you && !now.seats[event.seat].stand_in ? "you" : "them"}`,
        { name: mover(now, event.seat), move: event.move },
      );
    case "moves_taken_back":
      return say(`event.moves_taken_back.${event.seat === now.you ? "you" : "them"}`, {
        name: nameOf(now, event.seat),
        count: event.plies,
      });
    case "game_finished":
      return now.result ? ended(now.result, now.seats, now.you) : "";
    case "offer_made":
      return offered(now, event.offer, event.seat);
    case "offer_declined": {
      const { offer, seat } = event;
      return say(`offer.${offer}.${before.offers[offer] === seat ? "withdrawn" : "declined"}`);
    }
    case "clocks_resumed":
      return say("event.clocks_resumed");
    case "clocks_stopped":
      return say("event.clocks_stopped");
    case "room_closed":
      return say("table.closed_because", { reason: translated(event.reason_said, event.reason) });
    default:
      return "";
  }
}
/** That a move has left no offer where one stood. @param {RoomView} before @param {RoomView} now */
export const lapsed = (before, now) =>
  now.phase === "playing" && Object.keys(before.offers).some(offer => !(offer in now.offers))
    ? say("event.offer_lapsed")
    : "";

/** @param {RoomView} before @param {RoomView} now @param {number} seat */
function seatTaken(before, now, seat) {
  const was = before.seats[seat];
  const { kind, stand_in: bot } = now.seats[seat];
  const name = nameOf(now, seat);
  const own = seat === now.you ? "you" : "them";
  if (was.kind === "human" && kind === "human")
    return bot ? say("event.stand_in.begins", { bot, name }) : say(`event.stand_in.ends_${own}`, { name });
  if (was.kind === "bot")
    return say("event.seat_taken.from_bot", { name: now.seats[seat].name, bot: seatName(was) });
  return say(`event.seat_taken.${own}`, { name });
}
/** How a game of a room ended, or that it goes on. @param {PastGame} game */
export const gameResult = ({ result, seats, you, goes_on: goesOn }) =>
  result ? ended(result, seats, you) : say(goesOn ? "outcome.playing" : "outcome.not_over");
/** @param {number} ply @param {string} move */
export const moveNumber = (ply, move) => `${ply}. ${move}`;
/** What a search waits for; empty where it runs. @param {string} name @param {Report} report */
export function waitsFor(name, { queued, compiling }) {
  if (queued !== undefined)
    return queued ? say("search.waits", { name, ahead: queued }) : say("search.waits_next", { name });
  if (!compiling) return "";
  const { done, of, game, title, title_said } = compiling;
  return say("search.compiling_done", {
    done,
    of,
    game: translated(title_said, title || game),
    seconds: 10,
  });
}
/** Why the move isn't the best that the bot could find, a sentence each. @param {Report} report */
export const caveats = ({ weakened, best, cut_after, compiled, finished }) =>
  [
    weakened && say("search.weakened", { move: best ?? "" }),
    cut_after !== undefined && say("search.cut_after", { seconds: cut_after }),
    compiled === false && !finished && say("search.interpreted"),
  ].filter(one => one !== false && one !== undefined);

// ------------------------------------------------------------ the lobby

/** How a game stands for its player, and its class. @param {PastRoom} past @returns {[string, string]} */
export function stood({ phase, result, seats, you, your_turn: yours }) {
  if (yours) return [say("stood.your_turn"), "notice"];
  if (phase === "waiting") return [say("stood.waiting"), "notice"];
  if (phase === "playing") return [say("stood.playing"), "notice"];
  if (!result || result.termination === "aborted") return [say("stood.called_off"), "past"];
  if (result.winner === undefined) return [say("stood.drawn"), "draw"];
  if (you === undefined) return [say("stood.won_by", { name: seatName(seats[result.winner]) }), "past"];
  return result.winner === you ? [say("stood.won"), "win"] : [say("stood.lost"), "loss"];
}
