/** Every sentence of the page. No other module has words. */

/** @import {BoardView, Candidate, ChatLine, Event, PastGame, PastRoom, Refused, Report, ResultView, RoomLine, RoomView, Score, SeatView} from "./protocol.d.ts" */

// ------------------------------------------------------------ everywhere

export const NAME = "Parlour";
export const BOARD = "The board";
export const NAV = { lobby: "Play", analysis: "Analyse", learn: "Learn", lab: "Lab", wall: "Wall" };
export const CLOSE = "Close", BACK = "Back", CANCEL = "Cancel", COPY = "Copy", COPIED = "Copied.", SAVE = "Save", YES = "Yes", NO = "No";
/** @param {string} name */
export const settingsOf = name => `${name}: settings`;
export const SETTINGS = "Settings", YOUR_NAME = "Your name", THEME = "Colours", MOTION = "Motion", SOUND = "Sounds";
export const THEMES = { "": "As the system", dark: "Ink", light: "Paper" }, MOTIONS = { "": "As the system", off: "Still" }, SOUNDS = { "": "Off", on: "On" };
export const CONNECTING = "Connecting ...", CONNECTED = "Connected", OFFLINE = "You are offline. Waiting for the network; your seat is kept.";
export const NOT_FOUND = "There is nothing here.", TO_LOBBY = "To the lobby";
export const UNREADABLE_ANSWER = "The server's answer could not be read.", UNREADABLE_ROOM = "This page can't show that room.";
export const NEW_SERVER = "This server doesn't know you any more: you are a new player here.";
export const CLOSED_CONNECTION = "The server has ended this connection.", RECONNECT = "Connect again";
/** @param {number} seconds */
export const lost = seconds => `Connection lost. Trying again ${seconds >= 1 ? `in ${Math.ceil(seconds)} s` : "now"} (your seat is kept).`;
/** @param {string} words */
export const announced = words => `The host says: ${words}`;
/** @param {Refused} refused */
export function refusal(refused) {
  const said = refused.message;
  if ((refused.code === "illegal_move" || refused.code === "invalid_move") && refused.legal && refused.legal.length <= 24 && !said.includes("Free:"))
    return `${said} Free: ${refused.legal.join(", ")}.`;
  return refused.retry_after ? `${said} Try again in ${Math.ceil(refused.retry_after)} s.` : said;
}
/** @param {number} count @param {string} one @param {string} [several] */
export const so = (count, one, several = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : several}`;
/** A big number, short. @param {number} count */
export const short = count => count >= 1e9 ? `${(count / 1e9).toFixed(1)} G` : count >= 1e6 ? `${(count / 1e6).toFixed(1)} M` : count >= 1e4 ? `${(count / 1e3).toFixed(0)} k` : count.toLocaleString("en");
/** @param {number} seconds */
export const span = seconds => seconds < 120 ? `${Math.max(0, Math.round(seconds))} s` : seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
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
export const LOOKS = { exact: "exact", bound: "bound", estimate: "estimate", "guessed-bound": "estimated bound" };

// ------------------------------------------------------------ people at a table

/** A player's name; a bot is always marked as one. @param {SeatView} seat */
export const seatName = seat => seat.kind === "open" ? "the free seat" : `${seat.name}${seat.kind === "bot" || seat.program ? " (bot)" : ""}`;
/** @param {RoomView} view @param {number} seat */
export const nameOf = (view, seat) => seatName(view.seats[seat]);
/** @param {RoomView} view @param {number} seat */
export const mover = (view, seat) => view.seats[seat].stand_in ? `${view.seats[seat].stand_in} (bot), for ${nameOf(view, seat)},` : nameOf(view, seat);
/** @param {RoomView} view @param {number} seat */
export const markOf = (view, seat) => view.position?.marks[seat === view.starter ? 0 : 1][0] ?? "";
export const FREE_SEAT = "Free seat", YOU = "you", TO_MOVE = "to move", AWAY = "away", THINKING = "is thinking";
/** @param {number} ms */
export const awayFor = ms => ms < 1000 ? AWAY : `${AWAY} for ${span(ms / 1000)}`;
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
  return `${result.winner === you ? "You win" : `${seatName(seats[result.winner])} wins`}${because}.`.replace("..", ".");
}
/** @param {RoomView} view */
export function standing(view) {
  const [first, second] = view.wins;
  return first + second + view.draws < 1 ? "" : `Score ${first}–${second}${view.draws ? `, ${view.draws} drawn` : ""}`;
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
    case "game_started": return `Game ${now.game_number}: ${nameOf(now, now.starter)} begins.`;
    case "move_played": return `${event.seat === now.you && !now.seats[event.seat].stand_in ? "You" : mover(now, event.seat)} played ${event.move}.`;
    case "moves_taken_back": return `${event.seat === now.you ? "You take" : `${nameOf(now, event.seat)} takes`} ${event.plies === 1 ? "a move" : `${event.plies} moves`} back.`;
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
  decline_draw: "Decline", decline_takeback: "Decline", decline_rematch: "Decline", agree: "Agree", withdraw: "Withdraw",
  review: "Review", analyse: "Analyse", play_on: "Play on from here", export: "Export", games: "Games of this room", share: "Share this table", carry: "Play on another device",
};
export const RESIGN_QUESTION = "Give this game up?", CLOSE_QUESTION = "Close this room for good?", CALL_WHOM = "Which bot?";
export const CLAIM_QUESTION = "The other player is away. What do you claim?", CLAIMS = { win: "The win", draw: "A draw", bot: "A bot plays on for them" };
export const PLAYERS = "Players", MOVES = "Moves", TALK = "Talk", THOUGHT = "Thinking", TALK_TO = { players: "Say something to the other player", spectators: "Say something to those who watch" };
export const SEND = "Send", NOW = "Present position", STEPS = { first: "First position", back: "Position before", forward: "Next position", last: "Present position" };
export const WORTH = "Show on the board", MORE = "More", LINK = "Link", CARRY_TERMINAL = "Or in a terminal";
/** @param {number} seconds */
export const carry = seconds => `Scan this with the other device within ${span(seconds)}: it sits down there in your place, as you.`;
/** @param {PastGame} game */
export const pastGame = game => `Game ${game.number}: ${game.seats.map(seatName).join(" against ")}, ${so(game.moves, "move")}. ${game.result ? ended(game.result, game.seats, game.you) : "Not over."}`;
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
/** @param {string} who @param {number} queued */
export const queued = (who, queued) => `${who} waits for a turn to think: ${queued ? `${queued} before it` : "it is next"}.`;
/** @param {{game: string, done: number, of: number}} compiling */
export const compiling = compiling => `Compiling ${compiling.game} (once; about 10 s): ${compiling.done} of ${compiling.of}`;
/** How a search went, in a line. @param {Report} report */
export const effort = report => [report.depth ? `depth ${report.depth}` : "", `${short(report.nodes ?? 0)} positions`,
  report.seconds ? `${report.seconds < 10 ? report.seconds.toFixed(2) : report.seconds.toFixed(0)} s` : "",
  report.seconds && report.nodes > 1000 ? `${short(Math.round(report.nodes / report.seconds))}/s` : "",
  report.cutoffs ? `${short(report.cutoffs)} cut off` : ""].filter(Boolean).join(" · ");
/** @param {string[]} line */
export const bestPlay = line => `Best play: ${line.join(" ")}`;

// ------------------------------------------------------------ the lobby

export const LOBBY = "Lobby", PLAY = "Play", ROOMS = "Rooms", YOURS = "Yours", AGAINST = "Against", FRIEND = "a friend", NEXT_PLAYER = "the next player";
export const NEW_GAME = "New game", MATCH = "Quick match", TWO_BOTS = "Watch two bots", CODE_OR_LINK = "Code or link", JOIN = "Join", WATCH = "Watch", GO_BACK = "Go back", REVIEW = "Review";
export const WAITING_HERE = "Nobody waits for a game. Start one against a bot, or make a room for a friend.", NOTHING_RUNS = "No game is being played.";
export const NO_GAMES_YET = "Your games will be here: those to go back to, and those to look back on.", MORE_GAMES = "Show more", TRY_AGAIN = "Try again", LOADING = "Loading ...";
export const STANDINGS = { waiting: "Waiting for a player", playing: "Being played", finished: "Over", empty: "Nobody there yet" }, GO_ON = "To go back to", LOOK_BACK = "To look back on";
export const OTHERS_JOIN = "Others in your network join here", IN_A_TERMINAL = "In a terminal:", NO_CODE = "Type a room's code, such as KMRTQA, or paste its link.";
/** @param {string} link */
export const qrCode = link => `QR code of the link ${link}`;
/** @param {string} host */
export const elsewhere = host => `That room is on another server. Open its link: ${host}`;
/** @param {string} bot */
export const botName = bot => `${bot} (bot)`;
/** @param {string} opponent @param {boolean} person */
export const versus = (opponent, person) => `against ${person ? opponent : botName(opponent)}`;
/** @param {number} players */
export const playersHere = players => `${so(players, "player")} here`;
/** How a room stands, in a few words each. @param {RoomLine} line */
export const roomFacts = line => [line.clock ?? "", line.phase === "playing" ? so(line.moves, "move") : "", line.series ? `game ${line.series.number} of ${line.series.of}` : "",
  line.wins[0] || line.wins[1] || line.draws ? `score ${line.wins.join("–")}${line.draws ? `, ${line.draws} drawn` : ""}` : "", line.watching ? watching(line.watching) : ""].filter(Boolean).join(" · ");
/** @param {string} what @param {RoomLine} line */
export const inRoom = (what, line) => `${what}: ${line.seats.map(seatName).join(" against ")}, room ${line.room}`;
/** How a game stands for its player, and its class. @param {PastRoom} past @returns {[string, string]} */
export function stood({ phase, result, seats, you, moves }) {
  if (phase === "waiting") return ["waits for a player", "notice"];
  if (phase === "playing") return [so(moves, "move"), "notice"];
  if (!result || result.termination === "aborted") return ["called off", "past"];
  if (result.winner === undefined) return ["drawn", "draw"];
  return you === undefined ? [`${seatName(seats[result.winner])} won`, "past"] : result.winner === you ? ["won", "win"] : ["lost", "loss"];
}
/** @param {PastRoom} past */
export const opponents = past => past.you === undefined ? past.seats.map(seatName).join(" against ") : past.seats[1 - past.you].kind === "open" ? "" : `against ${seatName(past.seats[1 - past.you])}`;
/** @param {number} games */
export const gamesPlayed = games => so(games, "game");
/** When something was, in the reader's own time. @param {number} at */
export function when(at) {
  const date = new Date(at), today = new Date().toDateString() === date.toDateString();
  return date.toLocaleString("en-GB", today ? { hour: "2-digit", minute: "2-digit" } : { day: "numeric", month: "short", ...new Date().getFullYear() !== date.getFullYear() && { year: "numeric" } });
}

// ------------------------------------------------------------ a new game

export const GAME = "Game", VARIANT = "Size or variant", SIDE = "You take", SIDES = { first: "The first seat (begins)", second: "The second seat", random: "Either, by lot", none: "None: watch two bots" };
export const OPPONENT = "Against", FIRST_BOT = "First seat", SECOND_BOT = "Second seat", FRIEND_JOINS = "The table shows a link for your friend.", BOT_SETTINGS = "Settings of this bot", NOBODY = "nobody";
export const FROM_MOVES = "Begin after these moves", MOVES_HOW = "None: the game begins at its beginning.", MORE_SETTINGS = "More settings", PLAY_BUTTON = "Play", ASKING = "Asking ...";
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
  return rooms.length ? `${rooms.length === 1 ? "1 other waits" : `${rooms.length} others wait`}: ${Object.entries(clocks).map(([clock, count]) => count > 1 ? `${count} with ${clock}` : clock).join(", ")}` : "Nobody waits for this just now.";
}
/** @param {string} title @param {string | undefined} clock */
export const lookingFor = (title, clock) => `Looking for somebody to play ${title}${clock ? `, ${clock}` : ""} ...`;
/** @param {string} bot @param {number} left */
export const botComes = (bot, left) => `${botName(bot)} sits down ${left > 0 ? `in ${left} s` : "now"}.`;
/** @param {string} bot */
export const botNow = bot => `Play ${botName(bot)} now`;
// ------------------------------------------------------------ analysis

export const POSITION = "Position", ITS_MOVES = "Its moves", SHOW_POSITION = "Show", OPEN_FILE = "Open a file", WHICH_GAME = "Which game?";
export const PROMOTE = "Make it the main line", CUT = "Cut off from here", LAST_POSITION = "Last position", COPY_LINK = "Copy link", THINK_ON = "Think on";
export const ENGINE = "Who thinks", BOT = "Bot", DEPTH = "Depth, in plies", ANY_DEPTH = "as deep as time allows", SHOW_WORTH = "Worth on the board", SHOW_LINE = "Best play on the board", BEST_PLAY = "Best play, as it is seen from here:";
/** @param {string} name */
export const fileTooLarge = name => `${name} is too large: no game has more than 16 MB.`;
/** @param {string} name */
export const noGameIn = name => `${name} holds no game: that is a JSON object with its game and its moves, as Export writes it.`;
/** @param {string} name */
export const lacksGame = name => `${name} lacks its "game" (a name), or its "moves" (a list, or a text).`;
/** @param {{game: string, names?: [string, string], number?: number}} one @param {number} at */
export const gameOfFile = (one, at) => `${one.number ?? at}. ${one.game}${one.names ? `: ${one.names.join(" against ")}` : ""}`;
/** @param {BoardView} position @param {string} [winner] */
export const standsAt = (position, winner) => winner === "draw" ? "The game is over: a draw."
  : winner ? `The game is over: ${position.marks[winner === "first" ? 0 : 1][0]} wins.` : `${position.marks[position.to_move ?? 0][0]} is to move.${position.note ? ` ${position.note}` : ""}`;
/** @param {Report} report */
export const found = report => `${report.best} is best: ${outlook(/** @type {Candidate} */ (report.candidates.find(one => one.move === report.best)).score)}.`;
/** What kept a search from seeing more. @param {Report} report */
export const caveats = report => report.finished ? "" : [report.cut_after !== undefined ? `It was stopped at this server's limit of ${report.cut_after} s.` : "",
  report.compiled === false ? "It ran in plain Python, not compiled, so it saw less." : ""].filter(Boolean).join(" ");

// ------------------------------------------------------------ the wall

export const WALL = "On now", WALL_LIST = "Rooms of this server", HOLD = "Hold", NEXT = "Next", PLAY_ALONG = "Play along at";
export const WALL_EMPTY = "The boards are free", WALL_INVITATION = "Begin a game on a phone or a laptop, and it is shown here. Scan the code, or open the address.";
/** @param {number} games @param {number} players */
export const onNow = (games, players) => `${so(games, "game")} · ${so(players, "player")} here`;
/** Who waits in a room. @param {RoomLine} line */
export function waits(line) {
  const here = line.seats.filter(seat => seat.kind !== "open").map(seatName);
  return line.phase === "waiting" ? here.length ? `${here.join(" and ")} waits for you. Scan, or type the code.` : "Both seats are free. Scan, or type the code."
    : `${here.join(" against ")}, ${so(line.moves, "move")}`;
}
