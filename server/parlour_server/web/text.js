/** Every sentence of the page. No other module has words. */
import { say, translated } from "./words.js";

/** @import {BoardView, Candidate, ChatLine, Entrant, Event, GameTree, PastGame, PastRoom, Refused, Report, ResultView, ReviewedMove, RoomLine, RoomView, Score, SeatView, TreeNode} from "./protocol.d.ts" */

/** @import {Node, Step} from "./game/search.js" */

// ------------------------------------------------------------ everywhere

export const NAME = "Parlour";
export const BOARD = "The board";
export const NAV = { lobby: "Play", analysis: "Analyse", learn: "Learn", lab: "Lab", wall: "Wall" };
export const CLOSE = "Close", CANCEL = "Cancel", COPY = "Copy", COPIED = "Copied.", NOT_COPIED = "The browser did not let the page copy it.", SAVE = "Save", YES = "Yes", NO = "No";
/** @param {string} name */
export const settingsOf = name => `${name}: settings`;
export const SETTINGS = "Settings", YOUR_NAME = "Your name", LANGUAGE = say("page.language"), AS_BROWSER = say("page.as_browser"), THEME = "Colours", MOTION = "Motion", SOUND = "Sounds";
export const THEMES = { "": "As the system", dark: "Ink", light: "Paper" }, MOTIONS = { "": "As the system", off: "Still" }, SOUNDS = { "": "Off", on: "On" };
export const CONNECTING = "Connecting ...", CONNECTED = "Connected", OFFLINE = "You are offline. Waiting for the network; your seat is kept.";
export const TOO_LONG = "That is too long for this server.";
export const NOT_FOUND = "There is nothing here.", NOT_LOADED = "This page could not be loaded.", TO_LOBBY = "To the lobby";
export const UNREADABLE_ANSWER = "The server's answer could not be read.", UNREADABLE_ROOM = "This page can't show that room.";
export const NEW_SERVER = "This server doesn't know you any more: you are a new player here.";
export const BROKEN = "Something went wrong in this page. If that happens again, reload it.";
export const CLOSED_CONNECTION = "The server has ended this connection.", RECONNECT = "Connect again";
/** @param {number} seconds */
export const lost = seconds => `Connection lost. Trying again ${seconds >= 1 ? "in " + span(Math.ceil(seconds)) : "now"} (your seat is kept).`;
/** @param {string} words */
export const announced = words => `The host says: ${words}`;
/** @param {Refused} refused */
export function refusal(refused) {
  const said = translated(refused.said, refused.message);
  if ((refused.code === "illegal_move" || refused.code === "invalid_move") && refused.legal && refused.legal.length <= 24 && !said.includes("Free:"))
    return `${said} Free: ${refused.legal.join(", ")}.`;
  return refused.retry_after ? `${said} Try again in ${Math.ceil(refused.retry_after)} s.` : said;
}
/** @param {number} count @param {string} one @param {string} [several] */
const counted = (count, one, several = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : several}`;
/** A big number, short. @param {number} count */
const short = count => count >= 1e9 ? `${(count / 1e9).toFixed(1)} G` : count >= 1e6 ? `${(count / 1e6).toFixed(1)} M` : count >= 1e4 ? `${(count / 1e3).toFixed(0)} k` : count.toLocaleString("en");
/** @param {number} seconds */
const span = seconds => seconds < 120 ? `${Math.max(0, Math.round(seconds))} s` : seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
/** A player's time. @param {number} left in milliseconds */
export function clock(left) {
  if (left >= 0 && left < 10_000) return (Math.floor(left / 100) / 10).toFixed(1);
  const all = Math.floor(Math.max(0, left) / 1000), two = (/** @type {number} */ part) => String(part).padStart(2, "0");
  const hours = Math.floor(all / 3600), minutes = Math.floor(all / 60) % 60;
  return hours ? `${hours}:${two(minutes)}:${two(all % 60)}` : `${minutes}:${two(all % 60)}`;
}
const FRIENDLY = ["Amber", "Bold", "Brave", "Calm", "Clever", "Early", "Fair", "Gentle", "Happy", "Keen", "Kind", "Lucky", "Merry", "Nimble", "Quick", "Quiet", "Sunny", "Swift", "Warm", "Wise"];
const CREATURES = ["Badger", "Beaver", "Crane", "Dolphin", "Falcon", "Finch", "Fox", "Hare", "Heron", "Ibis", "Lynx", "Marten", "Otter", "Owl", "Panda", "Raven", "Robin", "Seal", "Stork", "Tiger"];
/** A name to begin with. */
export const proposedName = () => `${FRIENDLY[Math.floor(Math.random() * 20)]} ${CREATURES[Math.floor(Math.random() * 20)]}`;

// ------------------------------------------------------------ boards and scores

/** @param {string} name @param {string} what @param {{may: boolean, moves: boolean, last: boolean, line: boolean}} how */
export const cell = (name, what, { may, moves, last, line }) =>
  `${name} ${what || "empty"}${line ? ", on the winning line" : ""}${last ? ", last move" : ""}${moves ? ", can be moved" : may ? ", can be played" : ""}`;
/** @type {Record<string, string>} */
const SIGNS = { exact: "", estimate: "~", at_least: ">", at_most: "<" };
/** @param {Score} score */
const signs = score => (score.bound ? SIGNS[score.bound] : "") + SIGNS[score.kind];
/** @param {Score} score */
const percent = score => score.chance === undefined ? "?" : score.chance.toFixed(0);
/** What a cell has room for: `W5`, `L4`, `D`, `~54`. @param {Score} score */
export function cellScore(score) {
  const sign = signs(score).slice(0, 1);
  if (score.kind === "estimate") return sign + percent(score);
  if (!score.result) return sign + (score.points === 0 ? "D" : score.points > 0 ? "W" : "L");
  const far = score.result === "draw" ? "" : score.margin === undefined ? score.plies ?? "" : Math.abs(score.margin);
  return `${sign}${{ win: "W", loss: "L", draw: "D" }[score.result]}${far}`;
}
/** What a move leads to: `wins in 3`, `loses in at most 4`, `draw`, `~54%`. @param {Score} score */
export function outlook(score) {
  if (score.kind === "estimate") return `${signs(score).replace(/([<>])/, "$1=")}${percent(score)}%`;
  if (!score.result) return `${(score.kind === "at_most") ? "at best" : "at least"} ${score.points === 0 ? "a draw" : score.points > 0 ? "a win" : "a loss"}`;
  return { win: "wins", loss: "loses", draw: "draw" }[score.result] + (score.result === "draw" ? "" : distance(score));
}
/** @param {Score} score */
function distance(score) {
  const exact = score.kind === "exact";
  if (score.margin !== undefined) return ` by ${exact ? "" : "at least "}${Math.abs(score.margin)}`;
  return score.plies === undefined ? "" : ` in ${exact ? "" : "at most "}${score.plies}`;
}
/** @param {Candidate} one */
export const leadsTo = one => one.no_better_than ? `no better than ${one.no_better_than} (cut off)` : outlook(one.score);
/** @param {Candidate} one @param {boolean} chosen */
export const candidate = (one, chosen) => `${one.move} ${leadsTo(one)}, ${one.score.kind === "estimate" ? "an estimate" : "proven"}${chosen ? ", the chosen move" : ""}`;

// ------------------------------------------------------------ people at a table

/** A player's name; a bot is always marked as one. @param {SeatView} seat */
export const seatName = seat => seat.kind === "open" ? "the free seat" : `${seat.name}${seat.kind === "bot" || seat.program ? " (bot)" : ""}`;
/** @param {RoomView} view @param {number} seat */
export const nameOf = (view, seat) => seatName(view.seats[seat]);
/** @param {RoomView} view @param {number} seat */
export const mover = (view, seat) => view.seats[seat].stand_in ? `${view.seats[seat].stand_in} (bot), for ${nameOf(view, seat)},` : nameOf(view, seat);
/** @param {RoomView} view @param {number} seat */
export const markOf = (view, seat) => view.position?.marks[seat === view.starter ? 0 : 1][0] ?? "";
export const FREE_SEAT = "Free seat", YOU = "you", TO_MOVE = "to move";
/** @param {number} ms */
export const awayFor = ms => ms < 1000 ? "away" : `away for ${span(ms / 1000)}`;
/** Who has gone or come back, to others. @param {RoomView} before @param {RoomView} now @returns {string[]} */
export const cameAndWent = (before, now) => now.seats.map((seat, at) => seat.kind !== "human" || at === now.you || (before.away_since[at] === null) === (now.away_since[at] === null) ? ""
  : now.away_since[at] === null ? `${seatName(seat)} is back.` : `${seatName(seat)} is away.`).filter(Boolean);
/** From when on the viewer may claim the game. @param {RoomView & {at: number}} view */
export function claimIn(view) {
  const from = view.you === undefined ? null : view.claim_from[view.you];
  return from === null || view.phase !== "playing" ? "" : from > view.at ? `you may claim the game in ${span((from - view.at) / 1000)}` : "you may claim the game";
}
/** @param {number} count */
export const watching = count => `${count} watching`;
/** @param {RoomView} view */
export function status(view) {
  if (view.phase === "closed") return "The room is closed.";
  if (view.phase === "waiting") return view.you === undefined ? "Waiting for players." : "Waiting for another player. Send them the link.";
  if (view.result) return ended(view.result, view.seats, view.you);
  if (!view.turn) return "";
  const seat = view.turn.seat;
  return seat === view.you ? "Your turn." : `${mover(view, seat)} is to move.`;
}
/** @param {ResultView} result @param {SeatView[]} seats @param {number | undefined} [you] */
export function ended(result, seats, you) {
  if (result.termination === "aborted") return "The game was aborted. It doesn't count.";
  if (result.termination === "agreement") return "A draw was agreed.";
  const because = result.reason ? `: ${result.reason}` : "";
  if (result.winner === undefined) return `A draw${result.reason.toLowerCase() === "draw" ? "" : because}.`.replace("..", ".");
  return `${result.winner === you ? "You win" : seatName(seats[result.winner]) + " wins"}${because}.`.replace("..", ".");
}
const drawn = (/** @type {number} */ draws) => draws ? `, ${draws} drawn` : "";
/** @param {RoomView} view */
export function standing(view) {
  const [first, second] = view.wins;
  return first + second + view.draws < 1 ? "" : `Score ${first}–${second}${drawn(view.draws)}`;
}
/** @param {RoomView} view */
export const series = view => view.series ? `Game ${view.series.number} of ${view.series.of}` : view.game_number > 1 ? `Game ${view.game_number}` : "";
/** Who offers what, as the viewer is to read it. @param {RoomView} view @param {string} offer @param {number} seat */
export const offered = (view, offer, seat) => ({
  draw: [`You offer a draw.`, `${nameOf(view, seat)} offers a draw.`],
  takeback: ["You ask to take your move back.", `${nameOf(view, seat)} asks to take a move back.`],
  rematch: ["You ask for a rematch.", `${nameOf(view, seat)} asks for a rematch.`],
}[offer]?.[seat === view.you ? 0 : 1] ?? "");
/** @param {string} offer @param {boolean} own */
const declinedWhat = (offer, own) => ({ draw: ["declines the draw", "takes the offer of a draw back"], takeback: ["does not give the move back", "asks for no move back any more"],
  rematch: ["does not want another game", "asks for no rematch any more"] }[offer]?.[own ? 1 : 0] ?? "");
/**
 * What happened, in a sentence; empty where there is nothing to say.
 * @param {RoomView} before @param {RoomView} now @param {Event["event"]} event @returns {string}
 */
export function happened(before, now, event) {
  switch (event.kind) {
    case "seat_taken": case "stand_in_seated": case "stand_in_left": return seatTaken(before, now, event.seat);
    case "seat_left": return `${nameOf(before, event.seat)} has left.`;
    case "game_started": return `Game ${now.game_number}: ${now.starter === now.you ? "you begin" : `${nameOf(now, now.starter)} begins`}.`;
    case "move_played": return `${event.seat === now.you && !now.seats[event.seat].stand_in ? "You" : mover(now, event.seat)} played ${event.move}.`;
    case "moves_taken_back": return `${event.seat === now.you ? "You take" : nameOf(now, event.seat) + " takes"} ${event.plies === 1 ? "a move" : counted(event.plies, "move")} back.`;
    case "game_finished": return now.result ? ended(now.result, now.seats, now.you) : "";
    case "offer_made": return offered(now, event.offer, event.seat);
    case "offer_declined": {
      const own = { draw: before.turn?.draw_offer === event.seat, takeback: before.turn?.takeback_offer === event.seat, rematch: (before.rematch ?? []).includes(event.seat) }[event.offer];
      return `${nameOf(before, event.seat)} ${declinedWhat(event.offer, Boolean(own))}.`;
    }
    case "clocks_resumed": return "The clocks go on.";
    case "clocks_stopped": return "The clocks stand still until the player to move is back, for 30 s at most.";
    case "room_closed": return `The room is closed: ${event.reason}.`;
    default: return "";
  }
}
/** @param {RoomView} before @param {RoomView} now @param {number} seat */
function seatTaken(before, now, seat) {
  const was = before.seats[seat], who = now.seats[seat];
  if (was.kind === "human" && who.kind === "human") return who.stand_in ? `${who.stand_in} (bot) plays for ${seatName(who)} until they are back.`
    : seat === now.you ? "You play on yourself." : `${seatName(who)} plays on.`;
  if (was.kind === "bot") return `${who.name} takes the seat of ${seatName(was)}.`;
  return seat === now.you ? "You sit down." : `${seatName(who)} sits down.`;
}

// ------------------------------------------------------------ what one may do at a table

/** The label of each action that `may` lists, and of those that the page does by itself. @type {Record<string, string>} */
export const ACTIONS = {
  sit: "Sit down", add_bot: "Call a bot", take_over: "Take over the bot's seat", leave: "Leave the seat", hint: "Hint", draw: "Offer a draw", takeback: "Take back",
  resign: "Resign", abort: "Abort", rematch: "Rematch", claim: "Claim", close: "Close the room",
  decline: "Decline", agree: "Agree", withdraw: "Withdraw",
  review: "Review", analyse: "Analyse", play_on: "Play on from here", export: "Export", games: "Games of this room", share: "Share this table", carry: "Play on another device",
};
export const RESIGN_QUESTION = "Give this game up?", CLOSE_QUESTION = "Close this room for good?", CALL_WHOM = "Which bot?";
export const CLAIM_QUESTION = "The other player is away. What do you claim?", CLAIMS = { win: "The win", draw: "A draw", bot: "A bot plays on for them" };
export const MOVES = "Moves", TALK = "Talk", SAY_SOMETHING = "Say something", THOUGHT = "Thinking", TALK_TO = { players: "Say something to the other player", spectators: "Say something to those who watch" };
export const SEND = "Send", NOW = "Present position", STEPS = { first: "First position", back: "Position before", forward: "Next position", last: "Present position" };
export const WORTH = "Show on the board", MORE = "More", LINK = "Link", CARRY_TERMINAL = "Or in a terminal";
/** @param {number} seconds */
export const carry = seconds => `Scan this with the other device within ${span(seconds)}: it sits down there in your place, as you.`;
/** @param {string} name */
export const takeOver = name => `Become the player of the device that gave this link? ${name}, who you are in this browser, is left behind with all seats and games.`;
/** @param {PastGame} game */
export const pastGame = game => `Game ${game.number}: ${game.seats.map(seatName).join(" against ")}, ${counted(game.moves, "move")}. ${game.result ? ended(game.result, game.seats, game.you) : "Not over."}`;
export const INVITE = "Send this link to a friend: it opens the table and offers the seat.", SHARE = "Share";
export const WATCH_LINK = "Both seats are taken. The link lets others watch.";
export const REPLACED = "You have this room open in another place, and play there.", PLAY_HERE = "Play here";
export const ON_ITS_WAY = "Your move is on its way.", SEARCHING = "Searching ...", STOP = "Stop";
/** @param {string} code */
export const noRoom = code => `There is no room ${code} here, or it is closed.`;
/** @param {ChatLine} line */
export const said = line => `${line.name}: ${line.text}`;
/** @param {number} ply @param {string} move */
export const moveNumber = (ply, move) => `${ply}. ${move}`;
/** What a search waits for; empty where it runs. @param {string} who @param {Report} report */
export const waitsFor = (who, { queued, compiling }) => queued !== undefined ? `${who} waits for a turn to think: ${queued ? queued + " before it" : "it is next"}.`
  : compiling ? `Compiling ${compiling.game} (once; about 10 s): ${compiling.done} of ${compiling.of}` : "";
/** How a search went, in a line. @param {Report} report */
export const effort = report => [report.depth ? `depth ${report.depth}` : "", `${short(report.nodes ?? 0)} positions`,
  report.seconds ? `${report.seconds < 10 ? report.seconds.toFixed(2) : report.seconds.toFixed(0)} s` : "",
  report.seconds && report.nodes > 1000 ? `${short(Math.round(report.nodes / report.seconds))}/s` : "",
  report.cutoffs ? `${short(report.cutoffs)} cut off` : ""].filter(Boolean).join(" · ");
/** @param {string[]} line */
export const bestPlay = line => `Best play: ${line.join(" ")}`;

// ------------------------------------------------------------ the lecture

/** @typedef {{max: string, min: string}} Sides the marks of who maximises and who minimises */
export const LEARN = {
  title: "How a search thinks", maximises: "maximises", minimises: "minimises", tree: "The tree", position: "The position", search: "Search", counts: "Positions visited",
  searches: { minimax: "Minimax", alphabeta: "Alpha-beta", both: "Side by side" }, bars: { minimax: "plain minimax", alphabeta: "alpha-beta", ordered: "good moves first" },
  ordered: "Good moves first", guessing: "Guess the values", depth: "Depth", auto: "to the end, or as far as can be waited for", example: "Example", own: "Played here", game: "Game",
  start: "To the start", back: "Step back", forward: "Step forward", end: "To the end", play: "Play", pause: "Pause", step: "Step", speed: "Speed", all: "Open all that fits", none: "Close all",
  larger: "Larger", smaller: "Smaller", empty: "From the beginning", show: "Show it", guess: "Guess", number: "or its number",
  absent: "This file goes no further here. The page of a server does.",
  over: "The game is over here: there is nothing to search. Take a move back.",
  keys: "In the tree: arrow keys go from board to board, Enter opens and closes one. Elsewhere: ← and → step through the search, space plays it.",
  how: "Each board is a position. ▲ wants the highest value, ▼ the lowest. The value of each is passed up; the heavy line is best play for both.",
  scores: "A win after n moves counts 100 − n, a loss n − 100 (more than 100 in long games): the sooner a win and the later a loss, the better. A draw is 0, an estimate (~) lies between.",
};
/** @type {{label: string, moves: string}[]} of tic-tac-toe */
export const EXAMPLES = [{ label: "The empty board", moves: "" }, { label: "X can force a win", moves: "a1 b2 c3 a3" }, { label: "O must find the draw", moves: "b2 a1 c3" }, { label: "Three moves from the end", moves: "b2 a1 c3 a3 a2 c2" }];
/** @param {number} value */
const minus = value => String(value).replace("-", "−");
/** @param {number | undefined} value @param {"alpha" | "beta"} which */
export const bound = (value, which) => value === undefined || !Number.isFinite(value) ? which === "alpha" ? "−∞" : "∞" : minus(value);
/** @param {BoardView} position @returns {Sides} */
export const sides = position => ({ max: position.marks[position.to_move ?? 0][0], min: position.marks[1 - (position.to_move ?? 0)][0] });
/** @param {string} mark */
export const toMove = mark => `${mark} to move`;
/** @param {Score} score */
const limit = score => score.kind === "at_least" || score.kind === "at_most" ? score.kind : score.bound;
/** The value that a node passes up: `95`, `≥ 0`, `~3.42`. @param {Score} score */
export const treeValue = score => `${{ at_least: "≥ ", at_most: "≤ ", "": "" }[limit(score) ?? ""]}${score.kind === "estimate" ? "~" : ""}${minus(score.points)}`;
/** @param {Score} score */
const spoken = score => `${{ at_least: "at least ", at_most: "at most ", "": "" }[limit(score) ?? ""]}${score.kind === "estimate" ? "an estimated " : ""}${minus(score.points)}`;
/** @param {number} count */
export const below = count => `▸ ${count.toLocaleString("en")}`;
/** @param {TreeNode} node */
export const cutAt = node => node.cut ? `${node.cut === "alpha" ? "α" : "β"} = ${bound(node.cut_at, node.cut)}` : "";
/** @param {GameTree} answer */
const visits = ({ visited, cutoffs }) => counted(visited, "position") + (cutoffs ? `, cut off at ${cutoffs.toLocaleString("en")} of them` : "");
/** @param {GameTree} answer */
export const searched = answer => `${counted(answer.depth, "move")} deep: ${visits(answer)}`;
/** How a leaf is scored. @param {Sides} who @param {TreeNode} node */
export function leafValue(who, { end, score }) {
  const points = Math.abs(score.points), { plies, margin } = score;
  if (end === "horizon") return `The search looks no further: it guesses ${treeValue(score)}, from ${who.max}'s view.`;
  if (end === "draw") return "The game is over: a draw counts 0.";
  const wins = `${end === "win" ? who.max : who.min} has won`;
  if (margin !== undefined) return `${wins} by ${Math.abs(margin)}: it counts ${minus(score.points)}.`;
  if (plies === undefined) return `${wins}: it counts ${minus(score.points)}.`;
  return end === "win" ? `${wins}, ${counted(plies, "move")} from the top: ${points + plies} − ${plies} = ${points}. Sooner would be more.`
    : `${wins}, ${counted(plies, "move")} from the top: ${plies} − ${points + plies} = −${points}. Later would be better for ${who.max}.`;
}
/** @param {{alpha?: number, beta?: number}} window */
const windowed = ({ alpha, beta }) => `alpha ${bound(alpha, "alpha")}, beta ${bound(beta, "beta")}`;
/** Why the rest of a node is not looked at. @param {Sides} who @param {TreeNode} node */
function whyCut(who, node) {
  const [mover, other] = node.level === "max" ? [who.max, who.min] : [who.min, who.max];
  return `${mover} already has a reply worth ${minus(node.score.points)} here, and elsewhere ${other} is sure of ${bound(node.cut_at, node.cut ?? "alpha")}, which is no worse for ${other}. So ${other} will never come here: the rest is cut (${node.pruned.join(", ")}).`;
}
/**
 * What a step does, in a sentence or two.
 * @param {Sides} who @param {Step} step @param {GameTree} answer @param {{alpha?: number, beta?: number}} before @param {{alpha?: number, beta?: number}} now
 */
export function treeStep(who, { kind, node, at }, answer, before, now) {
  const mover = node.level === "max" ? who.max : who.min, wants = node.level === "max" ? "highest" : "lowest", name = answer.pruned ? "Alpha-beta" : "Minimax";
  if (kind === "end") return `${name} has visited ${visits(answer)}. The top is worth ${treeValue(node.score)}${node.score.result === "draw" ? ", a draw" : node.score.result ? `, ${node.score.result === "win" ? who.max : who.min} wins${distance(node.score)}` : ""}: the heavy line is best play for both.`;
  if (kind === "cut") return whyCut(who, node);
  if (kind === "up") {
    const child = node.children[at], which = node.level === "max" ? "alpha" : "beta", changed = before[which] !== now[which];
    const passed = `${child.move} passes ${spoken(child.score)} up. ${mover} wants the ${wants}`;
    if (!answer.pruned) return `${passed}.`;
    return changed ? `${passed}, and is now sure of ${bound(now[which], which)}: ${which} ${which === "alpha" ? "rises" : "falls"} from ${bound(before[which], which)}.` : `${passed}: that is no better than what is sure, so ${which} stays ${bound(now[which], which)}.`;
  }
  const came = node.move ? `${node.level === "max" ? who.min : who.max} plays ${node.move}. ` : "";
  if (node.end) return came + leafValue(who, node);
  const sure = answer.pruned ? ` It is entered with ${windowed(node)}.` : "", seen = node.children.length ? "" : ` ${counted(node.below, "position")} below it gave ${spoken(node.score)}: open it to see them.`;
  return `${came}${mover} is to move and wants the ${wants} value.${sure}${seen}`;
}
/**
 * A node for those who hear it.
 * @param {Sides} who @param {Node} node @param {{entered: boolean, value: boolean, secret: boolean, best: boolean, prune: boolean, bounds: {alpha?: number, beta?: number} | null}} how
 */
export function treeNode(who, node, { entered, value, secret, best, prune, bounds }) {
  const max = node.level === "max", rows = node.cells.map(row => [...row].join(" ")).join("; ");
  return [node.move ? `${max ? who.min : who.max} ${node.move}` : "The top", node.end && node.end !== "horizon" ? "" : `${max ? who.max : who.min} ${max ? "maximises" : "minimises"}`,
    value ? node.end ? leafValue(who, node) : `value ${spoken(node.score)}` : secret ? "value hidden, guess it" : entered ? "being searched" : "not reached yet",
    prune && bounds ? windowed(bounds) : "", value && node.cut ? `cut by ${node.cut} ${bound(node.cut_at, node.cut)}, not looked at: ${node.pruned.join(" ")}` : "",
    best ? "on the line of best play" : "", node.below && !node.children.length ? `${counted(node.below, "position")} below, closed` : "", `board ${rows}`].filter(Boolean).join(", ");
}
/** @param {Sides} who @param {TreeNode} node */
export const guessWhat = (who, node) => `${node.level === "max" ? who.max : who.min} is to move${node.move ? ` after ${node.move}` : ""}. What is this worth to ${who.max}?`;
/** @param {Sides} who @param {boolean} estimated @returns {[string, number][]} */
export const guesses = (who, estimated) => estimated ? [[`${who.max} is better`, 1], ["Even", 0], [`${who.min} is better`, -1]] : [[`${who.max} wins`, 1], ["A draw", 0], [`${who.min} wins`, -1]];
/** @param {boolean} right @param {Score} score */
export const guessed = (right, score) => `${right ? "✓ Right" : "✗ Not so"}: it is worth ${treeValue(score)}.`;
/** @param {number} right @param {number} of */
export const tally = (right, of) => of ? `${right} of ${of} right` : "";
/** @param {number} at @param {number} of */
export const stepOf = (at, of) => `${at} of ${of}`;
// ------------------------------------------------------------ the lobby

export const LOBBY = "Lobby", PLAY = "Play", ROOMS = "Rooms", YOURS = "Yours", AGAINST = "Against", FRIEND = "a friend", NEXT_PLAYER = "the next player";
export const NEW_GAME = "New game", MATCH = "Quick match", TWO_BOTS = "Watch two bots", CODE_OR_LINK = "Code or link", JOIN = "Join", WATCH = "Watch", GO_BACK = "Go back", REVIEW = "Review";
export const WAITING_HERE = "Nobody waits for a game. Start one against a bot, or make a room for a friend.";
export const NO_GAMES_YET = "Your games will be here: those to go back to, and those to look back on.", MORE_GAMES = "Show more", TRY_AGAIN = "Try again", LOADING = "Loading ...";
export const STANDINGS = { waiting: "Waiting for a player", playing: "Being played", finished: "Over", empty: "Nobody there yet" }, TO_PLAY_ON = "To go back to", LOOK_BACK = "To look back on";
export const OTHERS_JOIN = "Others join at this address", IN_A_TERMINAL = "In a terminal:", NO_CODE = "Type a room's code, such as KMRTQA, or paste its link.";
/** @param {string} link */
export const qrCode = link => `QR code of the link ${link}`;
/** @param {string} host */
export const elsewhere = host => `That room is on another server. Open its link: ${host}`;
/** @param {string} bot */
export const botName = bot => `${bot} (bot)`;
/** @param {string} opponent @param {boolean} person */
export const versus = (opponent, person) => `vs ${person ? opponent : botName(opponent)}`;
/** @param {number} players */
export const playersHere = players => `${counted(players, "player")} here`;
/** How a room stands, in a few words each. @param {RoomLine} line */
export const roomFacts = line => [line.clock ?? "", line.phase === "playing" ? counted(line.moves, "move") : "", line.series ? `game ${line.series.number} of ${line.series.of}` : "",
  line.wins[0] || line.wins[1] || line.draws ? `score ${line.wins.join("–")}${drawn(line.draws)}` : "", line.watching ? watching(line.watching) : ""].filter(Boolean).join(" · ");
/** @param {string} what @param {RoomLine} line */
export const inRoom = (what, line) => `${what}: ${line.seats.map(seatName).join(" against ")}, room ${line.room}`;
/** How a game stands for its player, and its class. @param {PastRoom} past @returns {[string, string]} */
export function stood({ phase, result, seats, you, moves }) {
  if (phase === "waiting") return ["waits for a player", "notice"];
  if (phase === "playing") return [counted(moves, "move"), "notice"];
  if (!result || result.termination === "aborted") return ["called off", "past"];
  if (result.winner === undefined) return ["drawn", "draw"];
  return you === undefined ? [`${seatName(seats[result.winner])} won`, "past"] : result.winner === you ? ["won", "win"] : ["lost", "loss"];
}
/** @param {PastRoom} past */
export const opponents = past => past.you === undefined ? past.seats.map(seatName).join(" against ") : past.seats[1 - past.you].kind === "open" ? "" : `against ${seatName(past.seats[1 - past.you])}`;
/** @param {number} games */
export const gamesPlayed = games => counted(games, "game");
/** When something was, in the reader's own time. @param {number} at */
export function when(at) {
  const date = new Date(at), today = new Date().toDateString() === date.toDateString();
  return date.toLocaleString("en-GB", today ? { hour: "2-digit", minute: "2-digit" } : { day: "numeric", month: "short", ...new Date().getFullYear() !== date.getFullYear() && { year: "numeric" } });
}

// ------------------------------------------------------------ a new game

export const GAME = "Game", VARIANT = "Size or variant";
export const SIDE = "You take", SIDES = { first: "The first seat (begins)", second: "The second seat", random: "Either, by lot", none: "None: watch two bots" };
export const OPPONENT = "Against", FIRST_BOT = "First seat", SECOND_BOT = "Second seat", FRIEND_JOINS = "The table shows a link for your friend.", BOT_SETTINGS = "Settings of this bot", NOBODY = "nobody";
export const NONE = "none", FROM_POSITION = "Begin in another position", FROM_MOVES = "Begin after the moves", MOVES_HOW = "One after the other, as the game writes them. None: it begins at its beginning.", MORE_SETTINGS = "More settings", PLAY_BUTTON = "Play", ASKING = "Asking ...";
export const IF_NOBODY = "If nobody comes", WAIT_ON = "wait on", AFTER = "After so many seconds", SEEK = "Find a player", BY_ITSELF = "as usual";
/** A value of a setting. @param {string} value */
export const choice = value => value.replaceAll("_", " ");
/** @param {string} name @param {string | undefined} unit */
export const botSetting = (name, unit) => unit && unit !== "plies" ? `${name} (${unit})` : name;
/** What the server refused, beside the field that it is about. @param {Refused} refused */
export function fieldFault(refused) {
  const said = refusal(refused).replace(/^`[^`]*` is wrong: /, "");
  return said[0].toUpperCase() + said.slice(1);
}
/** How many wait for this game, and with which clocks. @param {RoomLine[]} rooms */
export function othersWait(rooms) {
  /** @type {Record<string, number>} */
  const clocks = {};
  for (const { clock = "no clock" } of rooms) clocks[clock] = (clocks[clock] ?? 0) + 1;
  const which = Object.entries(clocks).map(([clock, count]) => count > 1 ? `${count} with ${clock}` : clock).join(", ");
  return rooms.length ? `${counted(rooms.length, "other waits", "others wait")}: ${which}` : "Nobody waits for this just now.";
}
/** @param {string} title @param {string | undefined} clock */
export const lookingFor = (title, clock) => `Looking for somebody to play ${clock ? title + ", " + clock : title} ...`;
/** @param {string} bot @param {number} left */
export const botComes = (bot, left) => `${botName(bot)} sits down ${left > 0 ? "in " + span(left) : "now"}.`;
/** @param {string} bot */
export const botNow = bot => `Play ${botName(bot)} now`;

// ------------------------------------------------------------ analysis

export const POSITION = "Position", ITS_MOVES = "Its moves", SHOW_POSITION = "Show", OPEN_FILE = "Open a file", WHICH_GAME = "Which game?";
export const PROMOTE = "Make it the main line", CUT = "Cut off from here", LAST_POSITION = "Last position", COPY_LINK = "Copy link", THINK_ON = "Think on";
export const ENGINE = "Who thinks", BOT = "Bot", DEPTH = "Depth, in plies", LEGEND = "Solid: proven, with how many moves it takes. Dotted: proven, but only a bound. Hatched, and in italics: an estimate.", SHOW_WORTH = "Worth on the board", SHOW_LINE = "Best play on the board", BEST_PLAY = "Best play, as it is seen from here:";
/** @param {string} name */
export const fileTooLarge = name => `${name} is too large: no game has more than 16 MB.`;
/** @param {string} name */
export const noGameIn = name => `${name} holds no game: that is a JSON object with its game and its moves, as Export writes it.`;
/** @param {string} name */
export const lacksGame = name => `${name} lacks its "game" (a name), or its "moves" (a list, or a text).`;
/** @param {{game: string, names?: [string, string], number?: number}} one @param {number} at */
export const gameOfFile = (one, at) => `${one.number ?? at}. ${one.game}${one.names ? ": " + one.names.join(" against ") : ""}`;
/** @param {BoardView} position @param {string} [winner] */
export const standsAt = (position, winner) => winner === "draw" ? "The game is over: a draw."
  : winner ? `The game is over: ${position.marks[winner === "first" ? 0 : 1][0]} wins.` : [`${position.marks[position.to_move ?? 0][0]} is to move.`, position.note, ...(position.counts ?? []).map(count => `${count.label}: ${count.of.join(" to ")}.`)].filter(Boolean).join(" ");
/** @param {Report} report */
export const found = report => `${report.best} is best: ${report.candidates.filter(one => one.move === report.best).map(one => outlook(one.score))}.`;
/** What kept a search from seeing more. @param {Report} report */
export const caveats = report => report.finished ? "" : [report.cut_after !== undefined ? `It was stopped at this server's limit of ${report.cut_after} s.` : "",
  report.compiled === false ? "It ran in plain Python, not compiled, so it saw less." : ""].filter(Boolean).join(" ");

// ------------------------------------------------------------ the wall

export const WALL = "On now", WALL_LIST = "Rooms of this server", HOLD = "Hold", NEXT = "Next", PLAY_ALONG = "Play along at";
export const WALL_EMPTY = "The boards are free", WALL_INVITATION = "Begin a game on a phone or a laptop, and it is shown here. Scan the code, or open the address.";
/** @param {number} games @param {number} players */
export const onNow = (games, players) => `${counted(games, "game")} · ${counted(players, "player")} here`;
/** Who waits in a room. @param {RoomLine} line */
export function waits(line) {
  const here = line.seats.filter(seat => seat.kind !== "open").map(seatName);
  return line.phase === "waiting" ? here.length ? `${here.join(" and ")} waits for you. Scan, or type the code.` : "Both seats are free. Scan, or type the code."
    : `${here.join(" against ")}, ${counted(line.moves, "move")}`;
}

// ------------------------------------------------------------ review

export const REVIEW_WHICH = "Which game? Choose one of yours, open a file, or say the game and its moves.", MOVES_BEFORE = "What the moves were worth", FAULT_BEFORE = "Fault before", NEXT_FAULT = "Next fault", BEGINNING = "The beginning.", WHICH_SIDE = "Side", GO_ON_REVIEW = "Review it";
export const GRADES = ["perfect", "good", "mistake", "blunder"], LEVELS = ["win", "draw", "loss"];
/** What stands behind a move. @param {ReviewedMove} one */
export const sign = ({ grade }) => !grade ? "" : grade.grade === "blunder" ? "??" : grade.grade === "mistake" ? "?" : grade.notable ? "?!" : "";
/** @param {ReviewedMove} one */
export const gradedMove = one => `${moveNumber(one.ply, one.move)}${sign(one)} ${one.grade ? `${one.grade.grade}: ${one.grade.exact ? "" : "~ "}${one.grade.reason}` : "was not judged"}`;
/** @param {ReviewedMove} one */
export const better = ({ grade, best }) => grade?.better && best ? `Better: ${grade.better} (${outlook(best)}${best.kind === "estimate" ? "" : best.kind === "exact" ? ", exact" : ", proven"})` : "";
/** @param {[string, string]} names */
export const curve = ([first]) => `The game's score from move to move, as ${first} saw it. The list of moves says the same in words.`;
/** @param {number} done @param {number} of */
export const reviewing = (done, of) => `Looking at each position: ${done} of ${of}`;
/** @param {number} faults */
export const reviewed = faults => `The review is done: ${faults ? counted(faults, "mistake or blunder", "mistakes and blunders") : "no mistakes"}.`;
/** @param {PastRoom} past */
export const pastRoom = past => [past.title, opponents(past), stood(past)[0], when(past.at)].filter(Boolean).join(", ");
/** How far a review can be trusted. @param {ReviewedMove[]} moves */
export function reviewNotes(moves) {
  const guessed = moves.filter(one => one.grade && !one.grade.exact).length, missing = moves.filter(one => !one.grade).length, cut = moves.filter(one => !one.finished).length;
  return [moves.some(one => ["mistake", "blunder"].includes(one.grade?.grade ?? "")) || missing ? "" : "No mistakes.",
    guessed ? `~ ${guessed} of ${counted(moves.length, "grade")} ${guessed === 1 ? "is an estimate" : "are estimates"}, by the chance to win; a draw counts half.` : "",
    missing ? `${counted(missing, "move")} not judged: the search knows too little of them.` : "",
    cut ? `${counted(cut, "search", "searches")} cut short by the time limit, so another review may differ.` : ""].filter(Boolean).join(" ");
}

// ------------------------------------------------------------ the lab

/** @typedef {{entrant: Entrant, report: Report, depth: number}} Ran */
export const LAB = "The lab", LAB_SAYS = "One position, one depth, searched in six ways. Each has one idea more than the one before, and finds the same score.", FAIR_DEPTH = "what plain minimax can do";
export const RACE = "Race", THE_RACE = "The race", COPY_JSON = "Copy as JSON", COPY_CSV = "Copy as CSV", STOPPED = "stopped: it took too long";
/** @type {Record<Entrant, [string, string]>} */
export const ENTRANTS = {
  minimax: ["Plain minimax", "Looks at the whole tree, down to the depth."],
  alphabeta: ["Alpha-beta", "Leaves out what can't change the score."],
  ordering: ["+ good moves first", "Tries the likely best moves first, so that more is left out."],
  table: ["+ transposition table", "Remembers positions, and searches none twice."],
  deepening: ["+ iterative deepening", "Searches 1, 2, 3, ... plies deep: each round tells the next one what to try first."],
  engine: ["The engine", "All of this in the server's own engine, in machine code where there is some."],
};
/** @param {Report} report */
export const raced = report => [counted(report.nodes, "position"), report.cutoffs ? counted(report.cutoffs, "cut-off") : "", report.table_hits ? `${report.table_hits.toLocaleString("en")} found in the table` : "",
  report.seconds < 0.1 ? `${(1000 * report.seconds).toFixed(1)} ms` : `${report.seconds.toFixed(2)} s`].filter(Boolean).join(" · ");
/** @param {number} times */
const multiple = times => times >= 10 ? Math.round(times).toLocaleString("en") : times.toFixed(1);
/** @param {number} times how many times fewer than the one before */
export const factor = times => times >= 1 ? `${multiple(times)} times fewer positions than the one before` : `${multiple(1 / times)} times more positions than the one before`;
/** Did all that came to their end find the same value? The engine counts where its value is proven. @param {Ran[]} runs */
export const sameValue = runs => new Set(runs.filter(one => one.report.finished && one.report.candidates[0] && (one.entrant !== "engine" || one.report.candidates[0].score.kind === "exact"))
  .map(one => one.report.candidates[0].score.points)).size <= 1;
/** What the race shows. @param {Ran[]} runs @returns {string[]} */
export function verdict(runs) {
  const done = runs.filter(one => one.report.finished && one.report.candidates.length), plain = done.filter(one => one.entrant !== "engine"), engine = done.find(one => one.entrant === "engine");
  if (plain.length < 2) return [];
  const score = plain[0].report.candidates[0].score, worth = outlook(score), alone = engine && outlook(engine.report.candidates[0].score) !== worth;
  const fewest = plain.reduce((best, one) => one.report.nodes < best.report.nodes ? one : best), first = plain[0], stopped = runs.filter(one => !one.report.finished);
  return [sameValue(runs) ? `${alone ? "All but the engine" : "All"} find the same value, ${counted(first.depth, "ply", "plies")} deep: for the side to move, ${worth}.` : "They do not agree on the value: that is an error of ours.",
    alone ? "The engine follows threats beyond that depth, so its estimate differs." : "",
    first.entrant === "minimax" && fewest !== first ? `Plain minimax visits ${counted(first.report.nodes, "position")}, ${ENTRANTS[fewest.entrant][0].toLowerCase().replace("+", "with")} ${counted(fewest.report.nodes, "position")}: ${multiple(first.report.nodes / fewest.report.nodes)} times fewer.` : "",
    stopped.length ? `${stopped.map(one => ENTRANTS[one.entrant][0]).join(", ")}: stopped, since it took too long. Try a smaller depth.` : "",
    "The bars are logarithmic."].filter(Boolean);
}
