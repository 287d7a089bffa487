// The types of the wire. Written by `make types` out of the protocol's JSON Schema.

export type Action =
  | "draw"
  | "takeback"
  | "rematch"
  | "seat"
  | "leave"
  | "resign"
  | "abort"
  | "close"
  | "decline"
  | "sit"
  | "take_over"
  | "add_bot"
  | "play"
  | "hint"
  | "claim"
  | "say";

export type Bound = "at_least" | "at_most";

export type Channel = "players" | "spectators";

export type Entrant =
  | "minimax"
  | "alphabeta"
  | "ordering"
  | "table"
  | "deepening"
  | "killers"
  | "null_window"
  | "aspiration"
  | "engine";

export type GradeName = "perfect" | "good" | "inaccuracy" | "mistake" | "blunder";

export type Lesson = "tree" | "minimax" | "depth" | "alphabeta" | "ordering" | "horizon" | "mcts";

export type Offer = "draw" | "takeback" | "rematch" | "seat";

export type Phase = "waiting" | "playing" | "finished" | "closed";

export type Result = "win" | "loss" | "draw";

export type ScoreKind = "exact" | "at_least" | "at_most" | "estimate";

export type Termination =
  | "line"
  | "board_full"
  | "count"
  | "no_moves"
  | "goal"
  | "rules"
  | "resignation"
  | "agreement"
  | "time"
  | "time_insufficient"
  | "abandonment"
  | "aborted"
  | "bot_failure";

/** Done, and durable: the command's effect stands in the log up to `version`. */
export interface Accepted {
  id: string;
  room: string;
  version: number;
  type: "accepted";
}

/** Put a bot in a free seat: for the room's owner and its players. */
export interface AddBot {
  id: string;
  room: string;
  type: "add_bot";
  bot: string;
  seat?: 0 | 1;
}

/** Score every legal move of a position. */
export interface Analyse {
  id: string;
  type: "analyse";
  game: string;
  moves?: string;
  bot?: string;
  played?: string;
  progress?: boolean;
}

/** The answer to `analyse`. */
export interface Analysis {
  id: string;
  game: string;
  position: BoardView;
  report: Report;
  winner?: "first" | "second" | "draw";
  moves: string[];
  grade?: Grade;
  type: "analysis";
}

/** What the server's host says to everyone who is connected: show it. */
export interface Announcement {
  text: string;
  text_said?: Said;
  type: "announcement";
}

/** A position of a game, drawn. */
export interface AskBoard {
  id: string;
  type: "board";
  game: string;
  moves?: string;
}

/** An exercise on searches, or whether an answer to it is right. */
export interface AskExercise {
  id: string;
  type: "exercise";
  lesson: Lesson;
  number?: number;
  answer?: string[];
}

/** Write a game down, or draw it: a room's game, or a `game` and its `moves`. */
export interface AskExport {
  id: string;
  type: "export";
  format: "pgn" | "svg" | "png" | "gif";
  room?: string;
  number?: number;
  game?: string;
  moves?: string;
}

/** How one's games against the other player of a room have ended. */
export interface AskHeadToHead {
  id: string;
  room: string;
  type: "head_to_head";
}

/** Search the present position for its player. */
export interface AskHint {
  id: string;
  room: string;
  type: "hint";
  progress?: boolean;
}

/** The player's own rooms, those that are over too. */
export interface AskHistory {
  id: string;
  type: "history";
  after?: number;
}

/** The lecture on game trees as one file that needs no server. */
export interface AskLecture {
  id: string;
  type: "lecture";
  language?: string;
}

/** Search a position by Monte Carlo tree search, and keep every playout. */
export interface AskPlayouts {
  id: string;
  type: "playouts";
  game: string;
  moves?: string;
  playouts?: number;
}

/** A position in which the right move is to be found. */
export interface AskPuzzle {
  id: string;
  type: "puzzle";
  game?: string;
  day?: string;
  moves?: string;
}

/** Draw a link as a QR code. */
export interface AskQrCode {
  id: string;
  type: "qr";
  text: string;
}

/** A player's rating in a game. */
export interface AskRating {
  id: string;
  type: "rating";
  game: string;
  player: string;
}

/** Who is rated in a game, or in which games anybody is. */
export interface AskRatings {
  id: string;
  type: "ratings";
  game?: string;
}

/** A game of a room as it was played. */
export interface AskRecord {
  id: string;
  type: "record";
  room: string;
  number?: number;
  after?: number;
}

/** Grade each move of a game: of a room's game, or of a `game` and its `moves`. */
export interface AskReview {
  id: string;
  type: "review";
  room?: string;
  number?: number;
  game?: string;
  moves?: string;
  started_with?: number;
  bot?: string;
  progress?: boolean;
}

/** The games that were begun in a room, over or not. */
export interface AskRoomGames {
  id: string;
  type: "room_games";
  room: string;
  after?: number;
}

/** How a room's players are rated, and what its last game changed. */
export interface AskRoomRatings {
  id: string;
  room: string;
  type: "room_ratings";
}

/** How a game is played. */
export interface AskRules {
  id: string;
  type: "rules";
  game: string;
}

/** The reports kept with the bots' moves of a room's present game. */
export interface AskThoughts {
  id: string;
  room: string;
  type: "thoughts";
  after?: number;
}

/** How a tournament stands. */
export interface AskTournament {
  id: string;
  tournament: string;
  type: "tournament";
  subscribe?: boolean;
  round?: number;
}

/** Search a position and keep the tree, to be drawn. */
export interface AskTree {
  id: string;
  type: "tree";
  game: string;
  moves?: string;
  depth?: number;
  prune?: boolean;
  order?: boolean;
  limit?: number;
  levels?: number;
  path?: string[];
  alpha?: number;
  beta?: number;
}

/** A seat for one of the server's bots. */
export interface AskedBot {
  bot: string;
}

/** A seat for somebody who plays at the same device: one plays for both, whoever's turn it is. */
export interface AskedGuest {
  guest: string;
}

/** Room settings as a client sends them: here an unknown one is refused. */
export interface AskedSettings {
  /** Which seat begins each game; where the loser begins, the first game is begun by the first seat. */
  starts?: "first" | "second" | "random" | "loser" | "alternate";
  /** When a room shows how its bots think, to players and spectators. */
  reports?: "at_once" | "after" | "never";
  /** When a player may ask for a hint: only against bots, always, never. */
  hints?: "bots" | "always" | "never";
  /** Seconds from move to move while bots play each other. */
  pace?: number;
  /** How many games two bots play, one after the other. */
  games?: number;
  /** Time for each player: minutes+seconds (5+3), or seconds a move (30/move). */
  clock?: string;
  /** Public rooms appear in the lobby; private ones need the code. */
  visibility?: "public" | "private";
  /** Whether players and spectators may chat. */
  chat?: boolean;
  /** Whether a player may ask to take a move back. */
  takebacks?: boolean;
  /** Whether its games count for ratings, where the server rates. */
  rated?: boolean;
  /** Who may take over a bot's seat: nobody, whoever made the room, others, too, if they agree, or anyone who is there. */
  take_over?: "nobody" | "owner" | "asked" | "anyone";
  /** The bot that plays on for a player who is away, until they are back. */
  stand_in?: string;
  /** Seconds that a player may be away; then the stand-in plays, or the other may claim. */
  patience?: number;
}

/** A tournament's settings as a client sends them. */
export interface AskedTournament {
  game: string;
  format?: "round_robin" | "double_round_robin" | "swiss" | "knockout" | "gauntlet" | "arena";
  clock?: string;
  rounds?: number;
  minutes?: number;
  pause?: number;
  games?: number;
  forfeit_minutes?: number;
  late_until?: number;
}

/** The bot that takes the free seat unless a player comes first. */
export interface AwaitedBot {
  bot: string;
  at: number;
}

/** The answer to `board`. */
export interface Board {
  id: string;
  game: string;
  position: BoardView;
  moves: string[];
  winner?: "first" | "second" | "draw";
  tray: string[];
  extras: SettingLine[];
  type: "board";
}

/** Two who play each other in a round. */
export interface BoardLine {
  round: number;
  board: number;
  first: number;
  second: number;
  names: string[];
  state: "waiting" | "playing" | "done";
  rooms: string[];
  score: string;
  forfeit: boolean;
}

/** A position as cells with short texts, general enough for a client that knows no rules. */
export interface BoardView {
  rows: string[];
  columns: string[];
  cells: (string | string[])[];
  marks: [string[], string[]];
  to_move?: 0 | 1;
  legal: string[];
  paths: (number | number[])[];
  last: number[];
  line: number[];
  empty: string;
  note?: string;
  note_said?: Said;
  groups?: Groups;
  counts: Count[];
  kinds?: string[];
  layout?: "tray" | "hex" | "points" | "pits" | "edges";
  joins?: number[][];
  goals?: [string, string];
  above?: 0 | 1;
}

/** A bot takes the free seat from this moment on, unless a player comes first. */
export interface BotAwaited {
  bot: string;
  at: number;
  kind: "bot_awaited";
}

/** What a bot does in some of the server's games. */
export interface BotInGames {
  games: string[];
  does: string;
  timed: boolean;
  does_said?: Said;
}

/** A bot, or a level, that the server can seat. */
export interface BotLine {
  name: string;
  summary: string;
  settings: BotSetting[];
  plays: BotInGames[];
  summary_said?: Said;
}

/** A number that may follow a bot's name: `depth=4`. */
export interface BotSetting {
  name: string;
  least: number;
  greatest: number;
  whole: boolean;
  unit?: string;
}

/** The answer to `bots`. */
export interface Bots {
  id: string;
  bots: BotLine[];
  type: "bots";
}

/** Stop this connection's search, which is then refused as `cancelled`. */
export interface Cancel {
  id: string;
  type: "cancel";
  search: string;
}

/** The answer to `cancel`: that search does not run, or does not run any more. */
export interface Cancelled {
  id: string;
  type: "cancelled";
}

/** A move that was considered, and its score for the side that makes it. */
export interface Candidate {
  move: string;
  score: Score;
  no_better_than?: string;
  visits?: number;
}

/** The answer to `carry`. */
export interface Carried {
  id: string;
  code: string;
  seconds: number;
  type: "carried";
}

/** Open the way for another device to become this player, once. */
export interface CarryPlayer {
  id: string;
  type: "carry";
  token: string;
}

/** Something that was said. */
export interface ChatLine {
  channel: Channel;
  name: string;
  text: string;
  at: number;
  text_said?: Said;
}

/** A line of chat. */
export interface ChatPosted {
  channel: Channel;
  name?: string;
  text?: string;
  text_said?: Said;
  kind: "chat_posted";
}

/** Is there such a bot? Answered by `checked_bot`, or refused with what is wrong; nothing is searched. */
export interface CheckBot {
  id: string;
  type: "check_bot";
  bot: string;
  game?: string;
}

/** The answer to `check_bot`: the bot can be seated. */
export interface CheckedBot {
  id: string;
  bot: string;
  plays: BotInGames[];
  type: "checked_bot";
}

/** Take the game, a draw or a bot in the other's place, once its player has been away for too long. */
export interface Claim {
  id: string;
  room: string;
  type: "claim";
  what?: "win" | "draw" | "bot";
  bot?: string;
}

/** The players' time. */
export interface ClockView {
  left: [number, number];
  since: number;
  running?: 0 | 1;
}

/** The clocks go on, after they stood still or a bot's search waited for its turn. */
export interface ClocksResumed {
  kind: "clocks_resumed";
}

/** The server was down, or the room asleep: the clocks stand still until the side to move is back. */
export interface ClocksStopped {
  kind: "clocks_stopped";
}

/** End a shared server before leaving it, if no one else is there. */
export interface CloseServer {
  id: string;
  type: "close_server";
  force?: boolean;
}

/** The answer to `close_server`. */
export interface Closing {
  id: string;
  closing: boolean;
  others: string[];
  saved_in?: string;
  type: "closing";
}

/** The codes of every refusal: what stands on the wire, and what it is about. */
export type Code =
  | "not_json"
  | "binary"
  | "unknown_type"
  | "bad_message"
  | "hello_first"
  | "hello_twice"
  | "unsupported_protocol"
  | "wrong_token"
  | "unknown_carry"
  | "bad_name"
  | "banned"
  | "too_fast"
  | "busy"
  | "server_full"
  | "not_saved"
  | "unknown_room"
  | "unknown_tournament"
  | "unknown_game"
  | "unknown_bot"
  | "bad_setting"
  | "unknown_target"
  | "room_full"
  | "seat_taken"
  | "already_seated"
  | "not_seated"
  | "not_allowed"
  | "not_playing"
  | "not_finished"
  | "not_your_turn"
  | "game_over"
  | "invalid_move"
  | "illegal_move"
  | "stale"
  | "out_of_time"
  | "already_offered"
  | "nothing_offered"
  | "no_hints"
  | "too_large"
  | "cancelled"
  | "internal";

/** A search waits for its game's compiled code, which is made once and then kept: how far that is. */
export interface Compiling {
  game: string;
  done: number;
  of: number;
  title: string;
  title_said?: Said;
}

/** A number for each side that stands beside the board: its store, its discs. */
export interface Count {
  label: string;
  of: [number, number];
}

/** Make a room with all who sit in it from the beginning, or nothing. */
export interface CreateRoom {
  id: string;
  type: "create";
  game: string;
  settings?: AskedSettings;
  moves?: string;
  seats?: ["me" | "open" | AskedBot | AskedGuest, "me" | "open" | AskedBot | AskedGuest];
  program?: boolean;
}

/** Make a tournament, to which people come by its code. */
export interface CreateTournament {
  id: string;
  type: "create_tournament";
  title: string;
  settings: AskedTournament;
}

/** Turn an offer down, or withdraw one's own. */
export interface Decline {
  id: string;
  room: string;
  type: "decline";
  offer: Offer;
}

/** End it before its last round: for the host. */
export interface EndTournament {
  id: string;
  tournament: string;
  type: "end_tournament";
}

/** Have one of the server's bots take part: for the host. */
export interface EnterBot {
  id: string;
  tournament: string;
  type: "enter_bot";
  bot: string;
}

/** Somebody who takes part, and how they stand. */
export interface EntrantLine {
  number: number;
  rank: number;
  name: string;
  points: number;
  wins: number;
  draws: number;
  losses: number;
  buchholz: number;
  sonneborn_berger: number;
  bot?: string;
  program: boolean;
  here: boolean;
  withdrawn: boolean;
  streak: boolean;
  results: string[];
}

/** One event of one room. */
export interface Event {
  room: string;
  version: number;
  at: number;
  event:
    | RoomCreated
    | SeatTaken
    | SeatRenamed
    | SeatLeft
    | BotAwaited
    | StandInSeated
    | StandInLeft
    | GameStarted
    | MovePlayed
    | GameFinished
    | OfferMade
    | OfferDeclined
    | MovesTakenBack
    | ClocksStopped
    | ClocksResumed
    | ChatPosted
    | RoomClosed;
  set?: {[key: string]: unknown};
  splice?: {[key: string]: unknown[][]};
  type: "event";
}

/** The answer to `exercise`. */
export interface Exercise {
  id: string;
  lesson: Lesson;
  number: number;
  game: string;
  moves: string[];
  position: BoardView;
  asks: "number" | "one" | "several";
  question: string;
  choices: string[];
  depth?: number;
  tried: Tried[];
  right?: boolean;
  solution: string[];
  why?: string;
  question_said?: Said;
  why_said?: Said;
  type: "exercise";
}

/** The answer to `export`. */
export interface Exported {
  id: string;
  format: "pgn" | "svg" | "png" | "gif";
  data: string;
  type: "exported";
}

/** A program's error that ended a game of a match. */
export interface Fault {
  seat: 0 | 1;
  kind: "exception" | "no move" | "illegal move" | "too slow" | "died" | "memory" | "broken";
  error: string;
  trace: string;
}

/** Decide the game that runs at a board against one of its two, or against both: for the host. */
export interface ForfeitGame {
  id: string;
  tournament: string;
  type: "forfeit_game";
  round: number;
  board: number;
  loser?: number;
}

/** The game is over: won by a seat, or by neither. */
export interface GameFinished {
  termination: Termination;
  winner?: 0 | 1;
  reason: string;
  by?: 0 | 1;
  reason_said?: Said;
  unrated?:
    | "aborted"
    | "bot_failure"
    | "unplayed"
    | "shared"
    | "same_bot"
    | "position"
    | "hints"
    | "taken_over"
    | "stand_in"
    | "takeback"
    | "rules";
  kind: "game_finished";
}

/** A game that the server knows. */
export interface GameLine {
  name: string;
  title: string;
  summary: string;
  sample: BoardView;
  variants: string;
  usual: string[];
  title_said?: Said;
  summary_said?: Said;
  variants_said?: Said;
}

/** One game of a room as it was played: what is exported, stepped through and reviewed. */
export interface GameRecord {
  room: string;
  game: string;
  title: string;
  number: number;
  seats: [SeatView, SeatView];
  starter: 0 | 1;
  settings: RoomSettings;
  started: number;
  moves: RecordedMove[];
  started_with: number;
  result?: ResultView;
  fault?: Fault;
  chat: ChatLine[];
  title_said?: Said;
}

/** Both seats are taken, or a rematch was agreed on: a game began, `starter` to play the first side. */
export interface GameStarted {
  starter: 0 | 1;
  kind: "game_started";
}

/** What a rating or a tournament needs of a game that is over, beside how it ended. */
export interface GameSummary {
  game: string;
  number: number;
  starter: 0 | 1;
  plies: number;
  players: [PlayerSummary, PlayerSummary];
  clock?: string;
  started_with?: number;
  rated?: boolean;
}

/** The answer to `tree`: the positions that the search visited, parents first. */
export interface GameTree {
  id: string;
  game: string;
  position: BoardView;
  depth: number;
  pruned: boolean;
  nodes: TreeNode[];
  visited: number;
  cutoffs: number;
  type: "game_tree";
}

/** The answer to `games`. */
export interface Games {
  id: string;
  games: GameLine[];
  settings: SettingLine[];
  of_tournament: SettingLine[];
  type: "games";
}

/** The server ends this connection; come back after `retry_after` seconds where it is given. */
export interface Goodbye {
  code: "stopping" | "closed" | "too_fast" | "no_hello" | "kicked" | "banned";
  message: string;
  retry_after?: number;
  said?: Said;
  type: "goodbye";
}

/** How good a played move was, from the view of the side that made it. */
export interface Grade {
  move: string;
  grade: GradeName;
  exact: boolean;
  reason: string;
  loss: number;
  better?: string;
  mark: "" | "?!" | "?" | "??";
  reason_said?: Said;
}

/** How often each grade was given. */
export interface GradeCounts {
  perfect: number;
  good: number;
  inaccuracy: number;
  mistake: number;
  blunder: number;
}

/** Equal rectangles of cells that cover a board, such as the small boards of ultimate tic-tac-toe. */
export interface Groups {
  width: number;
  height: number;
  owners: (string | string[])[];
  active: number[];
}

/** The answer to `head_to_head`: the games of two players in all rooms. */
export interface HeadToHead {
  id: string;
  room: string;
  tally: Tally;
  type: "head_to_head";
}

/** The first message of a connection. */
export interface Hello {
  id: string;
  type: "hello";
  protocols: number[];
  name: string;
  token?: string;
  carry?: string;
  client?: string;
  capabilities?: string[];
}

/** The answer to `hint`: the position's moves with their scores. */
export interface Hint {
  id: string;
  room: string;
  version: number;
  report: Report;
  type: "hint";
}

/** The answer to `history`: a part of the player's own rooms, the last used first. */
export interface History {
  id: string;
  rooms: PastRoom[];
  more: boolean;
  met: Opponent[];
  type: "history";
}

/** Take part, or take part again: in a room of one's own for each game. */
export interface JoinTournament {
  id: string;
  tournament: string;
  type: "join_tournament";
  program?: boolean;
}

/** The answer to `lecture`. */
export interface Lecture {
  id: string;
  html: string;
  type: "lecture";
}

/** What a server lets one connection do, so that a client need not guess. */
export interface Limits {
  message_bytes: number;
  messages_per_second: number;
  burst: number;
  heartbeat_seconds: number;
}

/** Answered by `bots`. */
export interface ListBots {
  id: string;
  type: "bots";
}

/** Answered by `games`. */
export interface ListGames {
  id: string;
  type: "games";
}

/** Answered by `rooms`. */
export interface ListRooms {
  id: string;
  type: "rooms";
  subscribe?: boolean;
}

/** Answered by `tournaments`. */
export interface ListTournaments {
  id: string;
  type: "tournaments";
}

/** What has changed in the list of rooms, for those who asked for it by `rooms`. */
export interface Lobby {
  rooms: RoomLine[];
  gone: string[];
  players: number;
  type: "lobby";
}

/** The actions that are open now; any other is refused. */
export interface May {
  seats: [Action[], Action[]];
  spectator: Action[];
  owner: Action[];
  asker: Action[];
}

/** A move, as people write it. */
export interface MovePlayed {
  seat: 0 | 1;
  move: string;
  kind: "move_played";
}

/** The last moves are undone, for this seat. */
export interface MovesTakenBack {
  seat: 0 | 1;
  plies: number;
  kind: "moves_taken_back";
}

/** A sentence on a whole review: that there were no mistakes, or how far it can be trusted. */
export interface Note {
  text: string;
  text_said?: Said;
}

/** An offer no longer stands: this seat turned it down, or withdrew it. */
export interface OfferDeclined {
  seat: 0 | 1;
  offer: Offer;
  kind: "offer_declined";
}

/** A player offers a draw, or asks for a move back or for another game; or a spectator for a bot's seat. */
export interface OfferMade {
  seat: 0 | 1;
  offer: Offer;
  name?: string;
  kind: "offer_made";
}

/** A person whom a player has met, and how all their games ended for the player. */
export interface Opponent {
  wins: number;
  losses: number;
  draws: number;
  name: string;
  at: number;
}

/** A game of a room, in the list of its games. */
export interface PastGame {
  number: number;
  seats: [SeatView, SeatView];
  starter: 0 | 1;
  started: number;
  moves: number;
  result?: ResultView;
  you?: 0 | 1;
  goes_on: boolean;
}

/** A rated game of a player's. */
export interface PastRated {
  seats: [SeatView, SeatView];
  you: 0 | 1;
  opponent: 0 | 1;
  result: ResultView;
  rating: number;
  change: string;
  at: number;
  phase: "finished";
  your_turn: false;
}

/** A room in which a player has, or had, a seat. */
export interface PastRoom {
  room: string;
  game: string;
  title: string;
  phase: Phase;
  seats: [SeatView, SeatView];
  games: number;
  moves: number;
  at: number;
  you?: 0 | 1;
  result?: ResultView;
  wins: [number, number];
  draws: number;
  tally: Tally;
  removable: boolean;
  your_turn?: true;
  title_said?: Said;
}

/** Play a move in the position that stood at `version`. */
export interface PlayMove {
  id: string;
  room: string;
  type: "play";
  version: number;
  move: string;
  report?: ProgramReport;
}

/** What a player does at a table that needs no more words than its name: see `actions`. */
export interface PlayerAction {
  id: string;
  room: string;
  type: "draw" | "takeback" | "rematch" | "seat" | "leave" | "resign" | "abort" | "close";
}

/** The answer to `rating`: a player's rating in a game, and what it follows from. */
export interface PlayerRating {
  id: string;
  game: string;
  line: RatingLine;
  curve: number[];
  played: PastRated[];
  against: RatedAgainst[];
  type: "player_rating";
}

/** A player of a game that is over. */
export interface PlayerSummary {
  player: string;
  name: string;
  bot?: string;
  program?: boolean;
}

/** One playout of a Monte Carlo tree search. */
export interface Playout {
  node: number;
  points: number;
}

/** The answer to `playouts`: the tree that grew, parents first, and each playout in turn. */
export interface Playouts {
  id: string;
  game: string;
  position: BoardView;
  nodes: TreeNode[];
  played: Playout[];
  type: "playouts";
}

/** Who is connected, as changes of the view: fold it as an event. */
export interface Presence {
  room: string;
  set: {[key: string]: unknown};
  splice?: {[key: string]: unknown[][]};
  type: "presence";
}

/** A move that a program considered, and its score for the side to move. */
export interface ProgramCandidate {
  move: string;
  score: Score;
}

/** How a program thought: what it says with its move. */
export interface ProgramReport {
  candidates?: ProgramCandidate[];
  line?: string[];
  nodes?: number;
  cutoffs?: number;
  table_hits?: number;
  depth?: number;
  seconds?: number;
  finished?: boolean;
}

/** How the command with the id `about` gets on, where it asked for that with `progress`: true. */
export interface Progress {
  about: string;
  report: Report;
  move?: ReviewedMove;
  of?: number;
  grades?: [GradeCounts, GradeCounts];
  type: "progress";
}

/** The answer to `puzzle`: all that it takes to solve it, so that no answer need be waited for. */
export interface Puzzle {
  id: string;
  game: string;
  moves: string[];
  position: BoardView;
  find: "win" | "draw";
  candidates: Candidate[];
  solved: BoardView;
  only: boolean;
  line: string[];
  played: boolean;
  day?: string;
  before?: string;
  type: "puzzle";
}

/** The answer to `qr`. */
export interface QrCode {
  id: string;
  rows: string[];
  type: "qr_code";
}

/** Find a game: a seat with the next person who wants the same. */
export interface QuickMatch {
  id: string;
  type: "quick";
  game: string;
  settings?: AskedSettings;
  bot?: string;
  bot_after?: number;
}

/** Search a position with one of the algorithms that are taught. */
export interface Race {
  id: string;
  type: "race";
  game: string;
  moves?: string;
  entrant?: Entrant;
  depth?: number;
  progress?: boolean;
}

/** The answer to `race`: what one search found, and what that took. */
export interface Raced {
  id: string;
  game: string;
  position: BoardView;
  entrant: Entrant;
  depth: number;
  report: Report;
  expected?: number;
  type: "raced";
}

/** How a player's last games against one opponent went. */
export interface RatedAgainst {
  name: string;
  key: string;
  games: number;
  wins: number;
  draws: number;
  losses: number;
}

/** A game in which players are rated. */
export interface RatedGame {
  game: string;
  people: number;
  bots: number;
  games: number;
}

/** A player's rating in a game. */
export interface RatingLine {
  place: number;
  name: string;
  key: string;
  kind: "person" | "program" | "bot";
  rating: number;
  deviation: number;
  games: number;
  provisional?: true;
  you?: true;
}

/** The answer to `ratings`: in which games players are rated; and who, in the one that was named. */
export interface Ratings {
  id: string;
  games: RatedGame[];
  game?: string;
  lines: RatingLine[];
  type: "ratings";
}

/** The answer to `record`: a part of a game as it was played, and whether there is more of it. */
export interface Record {
  id: string;
  record: GameRecord;
  more: boolean;
  type: "record";
}

/** A move as it was played. */
export interface RecordedMove {
  seat: 0 | 1;
  move: string;
  at: number;
  left?: number;
  report?: Report;
  stand_in?: string;
}

/** Not done; nothing changed. */
export interface Refused {
  code: Code;
  message: string;
  id?: string;
  room?: string;
  version?: number;
  legal?: string[];
  retry_after?: number;
  field?: string;
  said?: Said;
  type: "refused";
}

/** Leave a room out of one's `history`: one that is over, or where one plays a bot. */
export interface RemoveRoom {
  id: string;
  type: "remove";
  room: string;
  back?: boolean;
}

/** The answer to `remove`: the room is not in the player's `history`, or is there again. */
export interface Removed {
  id: string;
  room: string;
  type: "removed";
}

/** Be called otherwise from now on, also where one sits. */
export interface RenamePlayer {
  id: string;
  type: "rename";
  name: string;
}

/** The answer to `rename`. */
export interface Renamed {
  id: string;
  name: string;
  type: "renamed";
}

/** Have the last decided game of a board played again: for the host, in the same round. */
export interface ReplayGame {
  id: string;
  tournament: string;
  type: "replay_game";
  round: number;
  board: number;
}

/** How a bot thought: what it shows while it searches and keeps with its move. */
export interface Report {
  bot: string;
  candidates: Candidate[];
  best?: string;
  line: string[];
  nodes: number;
  cutoffs: number;
  table_hits: number;
  playouts?: number;
  depth: number;
  seconds: number;
  finished: boolean;
  compiled?: boolean;
  compiling?: Compiling;
  queued?: number;
  cut_after?: number;
  unfinished?: UnfinishedRound;
  left?: number;
  weakened?: true;
}

/** How a game ended: the seat that won, or None, and why, as data and in words. */
export interface ResultView {
  termination: Termination;
  reason: string;
  winner?: 0 | 1;
  reason_said?: Said;
  unrated?:
    | "aborted"
    | "bot_failure"
    | "unplayed"
    | "shared"
    | "same_bot"
    | "position"
    | "hints"
    | "taken_over"
    | "stand_in"
    | "takeback"
    | "rules";
}

/** The answer to `review`: each move graded, and what every position was worth. */
export interface Review {
  id: string;
  game: string;
  bot: string;
  moves: ReviewedMove[];
  position: BoardView;
  result?: ResultView;
  seats?: [SeatView, SeatView];
  grades: [GradeCounts, GradeCounts];
  notes: Note[];
  type: "review";
}

/** A move of a game that is looked back on. */
export interface ReviewedMove {
  ply: number;
  side: 0 | 1;
  move: string;
  before?: Score;
  after?: Score;
  grade?: Grade;
  best?: Score;
  finished: boolean;
  compiled?: boolean;
  puzzle: boolean;
  given?: true;
}

/** The room's last event. */
export interface RoomClosed {
  reason: string;
  reason_said?: Said;
  kind: "room_closed";
}

/** Version 1 of every room. */
export interface RoomCreated {
  game: string;
  settings: RoomSettings;
  moves: string[];
  tournament?: string;
  rated: boolean;
  kind: "room_created";
}

/** The answer to `room_games`: a part of the games in it, the first one first. */
export interface RoomGames {
  id: string;
  history: RoomHistory;
  more: boolean;
  type: "room_games";
}

/** The games that were begun in a room. */
export interface RoomHistory {
  room: string;
  game: string;
  title: string;
  phase: Phase;
  games: PastGame[];
  default: number;
  tally?: Tally;
  title_said?: Said;
}

/** A room in the list of what is being played. */
export interface RoomLine {
  room: string;
  game: string;
  phase: Phase;
  seats: [SeatView, SeatView];
  moves: number;
  watching: number;
  version: number;
  clock?: string;
  wins: [number, number];
  draws: number;
  series?: Series;
}

/** The answer to `room_ratings`: of each seat whose player is rated in the room's game. */
export interface RoomRatings {
  id: string;
  room: string;
  ratings: [SeatRating | null, SeatRating | null];
  type: "room_ratings";
}

/** What a room's creator decides for it. */
export interface RoomSettings {
  /** Which seat begins each game; where the loser begins, the first game is begun by the first seat. */
  starts: "first" | "second" | "random" | "loser" | "alternate";
  /** When a room shows how its bots think, to players and spectators. */
  reports: "at_once" | "after" | "never";
  /** When a player may ask for a hint: only against bots, always, never. */
  hints: "bots" | "always" | "never";
  /** Seconds from move to move while bots play each other. */
  pace: number;
  /** How many games two bots play, one after the other. */
  games: number;
  /** Time for each player: minutes+seconds (5+3), or seconds a move (30/move). */
  clock?: string;
  /** Public rooms appear in the lobby; private ones need the code. */
  visibility: "public" | "private";
  /** Whether players and spectators may chat. */
  chat: boolean;
  /** Whether a player may ask to take a move back. */
  takebacks: boolean;
  /** Whether its games count for ratings, where the server rates. */
  rated: boolean;
  /** Who may take over a bot's seat: nobody, whoever made the room, others, too, if they agree, or anyone who is there. */
  take_over: "nobody" | "owner" | "asked" | "anyone";
  /** The bot that plays on for a player who is away, until they are back. */
  stand_in?: string;
  /** Seconds that a player may be away; then the stand-in plays, or the other may claim. */
  patience: number;
}

/** A room as one viewer may see it at one version: all that a screen or a bot needs. */
export interface RoomView {
  room: string;
  version: number;
  game: string;
  title: string;
  settings: RoomSettings;
  seats: [SeatView, SeatView];
  phase: Phase;
  may: May;
  online: [boolean, boolean];
  watching: number;
  away_since: [number | null, number | null];
  claim_from: [number | null, number | null];
  title_said?: Said;
  game_number: number;
  starter: 0 | 1;
  turn?: Turn;
  position?: BoardView;
  moves: string[];
  result?: ResultView;
  wins: [number, number];
  draws: number;
  series?: Series;
  awaited?: AwaitedBot;
  offers: {[key in Offer]?: 0 | 1};
  asker?: string;
  takes_back?: number;
  moved: [boolean, boolean];
  clock?: ClockView;
  chat: ChatLine[];
  started_with: number;
  tournament?: string;
  rated?: true;
  you?: 0 | 1;
  owner: boolean;
  asks?: true;
  shows_thoughts: boolean;
  report?: Report;
}

/** The answer to `rooms`. */
export interface Rooms {
  id: string;
  rooms: RoomLine[];
  players: number;
  type: "rooms";
}

/** A point of a game's rules, with a position that shows it. */
export interface RulePoint {
  text: string;
  position?: BoardView;
  marked: number[];
  text_said?: Said;
}

/** The answer to `rules`: a game's rules, point by point. */
export interface Rules {
  id: string;
  game: string;
  title: string;
  points: RulePoint[];
  title_said?: Said;
  type: "rules";
}

/** What a sentence is made of: its id in the catalogue, and what stands in its places. */
export interface Said {
  id: string;
  args?: {[key: string]: string | number | string[] | Said};
}

/** Chat: players write to players, spectators to spectators. */
export interface Say {
  id: string;
  room: string;
  type: "say";
  text?: string;
  quick?: "hello" | "good_luck" | "well_played" | "thanks" | "oops";
}

/** What a move or a position is worth to one side, and how far that is known. */
export interface Score {
  points: number;
  kind: ScoreKind;
  result?: Result;
  plies?: number;
  margin?: number;
  bound?: Bound;
  chance?: number;
}

/** A player stood up: the seat is free. */
export interface SeatLeft {
  seat: 0 | 1;
  kind: "seat_left";
}

/** How a seat's player is rated in the room's game. */
export interface SeatRating {
  rating: number;
  provisional?: true;
  change?: string;
}

/** A seat's player is called otherwise from now on. */
export interface SeatRenamed {
  seat: 0 | 1;
  name: string;
  kind: "seat_renamed";
}

/** A player, or a bot, sat down; a player also where a bot sat. */
export interface SeatTaken {
  seat: 0 | 1;
  name: string;
  bot?: string;
  program: boolean;
  kind: "seat_taken";
}

/** The player in a seat. */
export interface SeatView {
  kind: "open" | "human" | "bot";
  name: string;
  bot?: string;
  stand_in?: string;
  program?: true;
  relieved?: string;
  shared?: true;
}

/** The games that two bots play one after the other, by themselves. */
export interface Series {
  number: number;
  of: number;
}

/** A setting as a form asks for it: all that is to be known of it, so that a new one needs no new form. */
export interface SettingLine {
  name: string;
  title: string;
  description: string;
  kind: "choice" | "switch" | "number" | "text" | "bot";
  default?: string | boolean | number;
  choices: string[];
  least?: number;
  greatest?: number;
  whole: boolean;
  examples: string[];
  values: string;
  bots_only: boolean;
  formats: string[];
  title_said?: Said;
  description_said?: Said;
}

/** The player writes in the chat: those who will read it get a `typing` notice. */
export interface ShowTyping {
  type: "typing";
  room: string;
}

/** All of a room as this viewer may see it at its version; events go on from there. */
export interface Snapshot {
  room: string;
  version: number;
  at: number;
  view: RoomView;
  type: "snapshot";
}

/** The player is back and plays on. */
export interface StandInLeft {
  seat: 0 | 1;
  kind: "stand_in_left";
}

/** A bot plays on for a player who is away. */
export interface StandInSeated {
  seat: 0 | 1;
  bot: string;
  kind: "stand_in_seated";
}

/** Begin the first round: for the host. */
export interface StartTournament {
  id: string;
  tournament: string;
  type: "start_tournament";
}

/** Get a room's events from now on; first a `snapshot`, unless `since` is its version. */
export interface Subscribe {
  id: string;
  room: string;
  type: "subscribe";
  since?: number;
  present?: boolean;
}

/** Sit down where a bot sits, and play on: for the room's owner, and for anyone where two bots play. */
export interface TakeOver {
  id: string;
  room: string;
  type: "take_over";
  seat?: 0 | 1;
}

/** Sit down in a free seat, and subscribe to the room. */
export interface TakeSeat {
  id: string;
  room: string;
  type: "sit";
  seat?: 0 | 1;
  program?: boolean;
}

/** A player's games in a room. */
export interface Tally {
  wins: number;
  losses: number;
  draws: number;
}

/** What a bot thinks at this moment about the position at `version`, where the room shows it. */
export interface Thinking {
  room: string;
  version: number;
  seat: 0 | 1;
  report: Report;
  clock?: ClockView;
  type: "thinking";
}

/** One bot move of a game with the report that was kept with it. */
export interface ThoughtView {
  ply: number;
  seat: 0 | 1;
  move: string;
  report: Report;
}

/** The answer to `thoughts`: as many of the kept reports as the viewer may see, or a part of them. */
export interface Thoughts {
  id: string;
  room: string;
  thoughts: ThoughtView[];
  more: boolean;
  type: "thoughts";
}

export type ToClient =
  | Welcome
  | Carried
  | Renamed
  | QrCode
  | Accepted
  | Hint
  | Thoughts
  | Record
  | RoomGames
  | Board
  | Rules
  | Removed
  | RoomRatings
  | HeadToHead
  | History
  | Ratings
  | PlayerRating
  | Closing
  | Rooms
  | Games
  | Bots
  | CheckedBot
  | Analysis
  | Review
  | Exported
  | Puzzle
  | Exercise
  | GameTree
  | Playouts
  | Lecture
  | Raced
  | Cancelled
  | Tournaments
  | Tournament
  | Refused
  | Event
  | Snapshot
  | Presence
  | Thinking
  | Typing
  | Lobby
  | TournamentChanged
  | Progress
  | Announcement
  | Goodbye;

export type ToServer =
  | Hello
  | CarryPlayer
  | RenamePlayer
  | AskQrCode
  | CreateRoom
  | QuickMatch
  | TakeSeat
  | AddBot
  | PlayMove
  | PlayerAction
  | Decline
  | Claim
  | TakeOver
  | Say
  | Subscribe
  | Unsubscribe
  | AskHint
  | AskThoughts
  | AskRecord
  | AskRoomGames
  | AskBoard
  | AskRules
  | RemoveRoom
  | AskRoomRatings
  | AskHeadToHead
  | AskHistory
  | AskRatings
  | AskRating
  | CloseServer
  | ListRooms
  | ListGames
  | ListBots
  | CheckBot
  | Analyse
  | AskReview
  | AskExport
  | AskPuzzle
  | AskExercise
  | AskTree
  | AskPlayouts
  | AskLecture
  | Race
  | Cancel
  | CreateTournament
  | ListTournaments
  | AskTournament
  | JoinTournament
  | EnterBot
  | WithdrawFromTournament
  | StartTournament
  | EndTournament
  | ForfeitGame
  | ReplayGame
  | ShowTyping;

/** The answer to `tournament`: how it stands. */
export interface Tournament {
  id: string;
  view: TournamentView;
  type: "tournament";
}

/** How a tournament stands, for those who subscribed to it by `tournament`. */
export interface TournamentChanged {
  view: TournamentView;
  type: "tournament_changed";
}

/** A tournament in a list. */
export interface TournamentLine {
  tournament: string;
  title: string;
  game: string;
  format: "round_robin" | "double_round_robin" | "swiss" | "knockout" | "gauntlet" | "arena";
  phase: "joining" | "playing" | "over";
  players: number;
  round: number;
  rounds?: number;
}

/** How a tournament is played. */
export interface TournamentSettings {
  game: string;
  format: "round_robin" | "double_round_robin" | "swiss" | "knockout" | "gauntlet" | "arena";
  clock: string;
  rounds?: number;
  minutes: number;
  pause: number;
  games: number;
  forfeit_minutes: number;
  late_until?: number;
}

/** A tournament: all that a screen or a bot needs. */
export interface TournamentView {
  tournament: string;
  version: number;
  title: string;
  host: string;
  settings: TournamentSettings;
  phase: "joining" | "playing" | "over";
  round: number;
  entrants: EntrantLine[];
  boards: BoardLine[];
  byes: number[];
  heads: string[];
  may: ("join" | "withdraw" | "enter" | "start" | "remove" | "forfeit" | "replay" | "end")[];
  at: number;
  rounds?: number;
  next_at?: number;
  ends_at?: number;
  early: boolean;
  you?: number;
  room?: string;
}

/** The answer to `tournaments`: those that are not over, the last one first, and some that are. */
export interface Tournaments {
  id: string;
  tournaments: TournamentLine[];
  type: "tournaments";
}

/** A position of a game tree. */
export interface TreeNode {
  cells: (string | string[])[];
  level: "max" | "min";
  score: Score;
  parent?: number;
  move?: string;
  last: number[];
  line: number[];
  counts?: Count[];
  end?: "win" | "loss" | "draw" | "horizon";
  best: boolean;
  cut?: "alpha" | "beta";
  cut_at?: number;
  pruned: string[];
  alpha?: number;
  beta?: number;
  below: number;
}

/** A move that playouts began with. */
export interface Tried {
  move: string;
  playouts: number;
  points: number;
}

/** Whose move it is. */
export interface Turn {
  seat: 0 | 1;
  since: number;
}

/** A person writes in this `channel` of the chat; for those alone who read it. */
export interface Typing {
  room: string;
  channel: Channel;
  name: string;
  type: "typing";
}

/** What a search had found in its last round, one deeper than that of its candidates, when it ended. */
export interface UnfinishedRound {
  depth: number;
  candidates: Candidate[];
  chosen: boolean;
}

/** Get no more events of a room. */
export interface Unsubscribe {
  id: string;
  room: string;
  type: "unsubscribe";
}

/** The answer to `hello`. */
export interface Welcome {
  id: string;
  protocol: number;
  server: string;
  player: string;
  name: string;
  limits: Limits;
  token?: string;
  address?: string;
  saved: boolean;
  shared: boolean;
  rated?: true;
  type: "welcome";
}

/** Be paired no more, and lose the game that runs; for the host, with another's number: have them so. */
export interface WithdrawFromTournament {
  id: string;
  tournament: string;
  type: "withdraw";
  entrant?: number;
}

/** What comes of a room that is subscribed to. */
export type RoomMessage = Event | Snapshot | Presence | Thinking | Typing;

/** What belongs to no room. */
export type Notice = Lobby | TournamentChanged | Progress | Announcement | Goodbye;

/** What is answered. */
export type Command =
  | Hello
  | CarryPlayer
  | RenamePlayer
  | AskQrCode
  | CreateRoom
  | QuickMatch
  | TakeSeat
  | AddBot
  | PlayMove
  | PlayerAction
  | Decline
  | Claim
  | TakeOver
  | Say
  | Subscribe
  | Unsubscribe
  | AskHint
  | AskThoughts
  | AskRecord
  | AskRoomGames
  | AskBoard
  | AskRules
  | RemoveRoom
  | AskRoomRatings
  | AskHeadToHead
  | AskHistory
  | AskRatings
  | AskRating
  | CloseServer
  | ListRooms
  | ListGames
  | ListBots
  | CheckBot
  | Analyse
  | AskReview
  | AskExport
  | AskPuzzle
  | AskExercise
  | AskTree
  | AskPlayouts
  | AskLecture
  | Race
  | Cancel
  | CreateTournament
  | ListTournaments
  | AskTournament
  | JoinTournament
  | EnterBot
  | WithdrawFromTournament
  | StartTournament
  | EndTournament
  | ForfeitGame
  | ReplayGame;

/** What wants no answer. */
export type Signal = ShowTyping;

/** Each command by its `type`, and its answer where it is not refused. */
export interface Commands {
  hello: {command: Hello, answer: Welcome};
  carry: {command: CarryPlayer, answer: Carried};
  rename: {command: RenamePlayer, answer: Renamed};
  qr: {command: AskQrCode, answer: QrCode};
  create: {command: CreateRoom, answer: Accepted};
  quick: {command: QuickMatch, answer: Accepted};
  sit: {command: TakeSeat, answer: Accepted};
  add_bot: {command: AddBot, answer: Accepted};
  play: {command: PlayMove, answer: Accepted};
  draw: {command: PlayerAction, answer: Accepted};
  takeback: {command: PlayerAction, answer: Accepted};
  rematch: {command: PlayerAction, answer: Accepted};
  seat: {command: PlayerAction, answer: Accepted};
  leave: {command: PlayerAction, answer: Accepted};
  resign: {command: PlayerAction, answer: Accepted};
  abort: {command: PlayerAction, answer: Accepted};
  close: {command: PlayerAction, answer: Accepted};
  decline: {command: Decline, answer: Accepted};
  claim: {command: Claim, answer: Accepted};
  take_over: {command: TakeOver, answer: Accepted};
  say: {command: Say, answer: Accepted};
  subscribe: {command: Subscribe, answer: Accepted};
  unsubscribe: {command: Unsubscribe, answer: Accepted};
  hint: {command: AskHint, answer: Hint};
  thoughts: {command: AskThoughts, answer: Thoughts};
  record: {command: AskRecord, answer: Record};
  room_games: {command: AskRoomGames, answer: RoomGames};
  board: {command: AskBoard, answer: Board};
  rules: {command: AskRules, answer: Rules};
  remove: {command: RemoveRoom, answer: Removed};
  room_ratings: {command: AskRoomRatings, answer: RoomRatings};
  head_to_head: {command: AskHeadToHead, answer: HeadToHead};
  history: {command: AskHistory, answer: History};
  ratings: {command: AskRatings, answer: Ratings};
  rating: {command: AskRating, answer: PlayerRating};
  close_server: {command: CloseServer, answer: Closing};
  rooms: {command: ListRooms, answer: Rooms};
  games: {command: ListGames, answer: Games};
  bots: {command: ListBots, answer: Bots};
  check_bot: {command: CheckBot, answer: CheckedBot};
  analyse: {command: Analyse, answer: Analysis};
  review: {command: AskReview, answer: Review};
  export: {command: AskExport, answer: Exported};
  puzzle: {command: AskPuzzle, answer: Puzzle};
  exercise: {command: AskExercise, answer: Exercise};
  tree: {command: AskTree, answer: GameTree};
  playouts: {command: AskPlayouts, answer: Playouts};
  lecture: {command: AskLecture, answer: Lecture};
  race: {command: Race, answer: Raced};
  cancel: {command: Cancel, answer: Cancelled};
  create_tournament: {command: CreateTournament, answer: Accepted};
  tournaments: {command: ListTournaments, answer: Tournaments};
  tournament: {command: AskTournament, answer: Tournament};
  join_tournament: {command: JoinTournament, answer: Accepted};
  enter_bot: {command: EnterBot, answer: Accepted};
  withdraw: {command: WithdrawFromTournament, answer: Accepted};
  start_tournament: {command: StartTournament, answer: Accepted};
  end_tournament: {command: EndTournament, answer: Accepted};
  forfeit_game: {command: ForfeitGame, answer: Accepted};
  replay_game: {command: ReplayGame, answer: Accepted};
}

/** A command's own fields: what is sent beside `type` and `id`. */
export type Fields<Type extends keyof Commands> = Omit<Commands[Type]["command"], "type" | "id">;
