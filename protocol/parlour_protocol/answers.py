"""What answers a command, and carries its `id`. In JSON a field that is None is left out."""

import dataclasses
from dataclasses import dataclass, field
from typing import Literal

from parlour_protocol.errors import Code
from parlour_protocol.ids import Both, CommandId, Version
from parlour_protocol.settings import SettingLine
from parlour_protocol.views.boards import Position
from parlour_protocol.views.ratings import PastRated, RatedAgainst, RatedGame, RatingLine, SeatRating
from parlour_protocol.views.records import GameRecord, Opponent, PastRoom, RoomHistory, Tally
from parlour_protocol.views.reports import (
    Candidate,
    Entrant,
    Grade,
    GradeCounts,
    Note,
    Report,
    ReviewedMove,
    ThoughtView,
    TreeNode,
)
from parlour_protocol.views.rooms import (
    BotInGames,
    BotLine,
    GameLine,
    Limits,
    ResultView,
    RoomLine,
    RulePoint,
    SeatView,
)
from parlour_protocol.views.tournaments import TournamentLine, TournamentView
from parlour_protocol.words import Said, Translatable

ExportFormat = Literal["pgn", "svg", "png", "gif"]
"""A game as text; its last position as a picture, of shapes or of pixels; and all of it, animated."""


@dataclass(slots=True)
class Fulfilled:
    """What answers a command that is not refused."""

    id: CommandId


@dataclass(slots=True)
class Welcome(Fulfilled):
    """The answer to `hello`."""

    protocol: int
    server: str
    player: str
    """The player's public name for programs; no secret."""
    name: str
    limits: Limits
    token: str | None = None
    """A new player's secret, or a carried one's, sent this once: keep it and send it in the next hello."""
    address: str | None = None
    """Where others on the network reach the server, for links; None: where this client has reached it."""
    saved: bool = True
    """Are games kept when the server ends?"""
    shared: bool = False
    """It was started for the players of one machine, and ends when the last has left; see `close_server`."""
    rated: Literal[True] | None = None
    """Are players rated here? See `ratings`."""
    type: Literal["welcome"] = "welcome"


@dataclass(slots=True)
class Carried(Fulfilled):
    """The answer to `carry`."""

    code: str
    """For the `hello` of another device, once. A newer code of the same player takes its place."""
    seconds: float
    """For so long it can be used."""
    type: Literal["carried"] = "carried"


@dataclass(slots=True)
class Renamed(Fulfilled):
    """The answer to `rename`."""

    name: str
    """As others see it."""
    type: Literal["renamed"] = "renamed"


@dataclass(slots=True)
class QrCode(Fulfilled):
    """The answer to `qr`."""

    rows: list[str]
    """The modules, top to bottom: `#` is dark and `.` is light. Leave a margin of four light ones."""
    type: Literal["qr_code"] = "qr_code"


@dataclass(slots=True)
class Closing(Fulfilled):
    """The answer to `close_server`."""

    closing: bool
    """The server ends now. Where it doesn't, others are connected, or about to be."""
    others: list[str] = field(default_factory=list)
    """The names of the other players who are connected."""
    saved_in: str | None = None
    """The file that keeps its games; None: they end with it."""
    type: Literal["closing"] = "closing"


@dataclass(slots=True)
class Accepted(Fulfilled):
    """Done, and durable: the command's effect stands in the log up to `version`."""

    room: str
    """The code of the room, or of the tournament."""
    version: Version
    type: Literal["accepted"] = "accepted"


@dataclass(slots=True)
class Refused(Translatable):
    """Not done; nothing changed. Without an id: the message could not be read that far."""

    code: Code
    message: str
    """A sentence for people, in English: what was wrong and what to do."""
    id: CommandId | None = None
    room: str | None = None
    version: Version | None = None
    legal: list[str] | None = None
    """For a move: the legal ones."""
    retry_after: float | None = None
    """Seconds after which the same command may succeed, where waiting helps."""
    field: str | None = None
    """The command's field that is wrong, where that is known: `settings.clock`."""
    said: Said | None = dataclasses.field(default=None, compare=False)
    """What the sentence is made of, for those who have it in another language."""
    type: Literal["refused"] = "refused"


@dataclass(slots=True)
class Hint(Fulfilled):
    """The answer to `hint`: the position's moves with their scores. For the player who asked alone."""

    room: str
    version: Version
    report: Report
    type: Literal["hint"] = "hint"


@dataclass(slots=True)
class Thoughts(Fulfilled):
    """The answer to `thoughts`: as many of the kept reports as the viewer may see, or a part of them."""

    room: str
    thoughts: list[ThoughtView]
    more: bool = False
    type: Literal["thoughts"] = "thoughts"


@dataclass(slots=True)
class Rooms(Fulfilled):
    """The answer to `rooms`."""

    rooms: list[RoomLine]
    players: int = 0
    """How many players are connected."""
    type: Literal["rooms"] = "rooms"


@dataclass(slots=True)
class Games(Fulfilled):
    """The answer to `games`."""

    games: list[GameLine]
    settings: list[SettingLine] = field(default_factory=list)
    """What the creator of a room decides, in any game."""
    of_tournament: list[SettingLine] = field(default_factory=list)
    """What the host of a tournament decides beside its game."""
    type: Literal["games"] = "games"


@dataclass(slots=True)
class Bots(Fulfilled):
    """The answer to `bots`."""

    bots: list[BotLine]
    type: Literal["bots"] = "bots"


@dataclass(slots=True)
class CheckedBot(Fulfilled):
    """The answer to `check_bot`: the bot can be seated."""

    bot: str
    """As the server writes it: one text for each bot."""
    plays: list[BotInGames]
    """What it does in the game that was asked about, or in each of the server's games."""
    type: Literal["checked_bot"] = "checked_bot"


@dataclass(slots=True)
class Analysis(Fulfilled):
    """The answer to `analyse`."""

    game: str
    position: Position
    report: Report
    winner: Literal["first", "second", "draw"] | None = None
    """The side that has won the position already; None while the game goes on."""
    moves: list[str] = field(default_factory=list)
    """The moves that lead there, one by one, as the game writes them."""
    grade: Grade | None = None
    """Of the move that was played, where one was asked about and the search had come to it."""
    type: Literal["analysis"] = "analysis"


@dataclass(slots=True)
class Review(Fulfilled):
    """The answer to `review`: each move graded, and what every position was worth.

    What the search of a later position proves counts for the moves before it, too.
    """

    game: str
    bot: str
    """The bot that searched, without the seed."""
    moves: list[ReviewedMove]
    position: Position
    """The last one."""
    result: ResultView | None = None
    """How the game ended, its winner a side; None while it goes on."""
    seats: Both[SeatView] | None = None
    """The players of a room's game: first the side that began."""
    grades: Both[GradeCounts] = field(default_factory=lambda: [GradeCounts(), GradeCounts()])
    """How often each side was given each grade."""
    notes: list[Note] = field(default_factory=list)
    """Whether there were mistakes, and how far the grades can be trusted."""
    type: Literal["review"] = "review"


@dataclass(slots=True)
class Puzzle(Fulfilled):
    """The answer to `puzzle`: all that it takes to solve it, so that no answer need be waited for.

    Nobody is named in it. It may be a position of a public game of this server's that is over.
    """

    game: str
    moves: list[str]
    """The moves that lead there, one by one, as the game writes them."""
    position: Position
    find: Literal["win", "draw"]
    """What the right moves lead to against best play, and the others don't."""
    candidates: list[Candidate]
    """Every legal move with its proven score, best first; the right ones have the result `find`."""
    solved: Position
    """The position after the first of them."""
    only: bool = True
    """Is there one right move alone?"""
    line: list[str] = field(default_factory=list)
    """How it goes on from the first of them, that included; its first moves, where it is long."""
    played: bool = False
    """Did somebody miss it in a game on this server?"""
    day: str | None = None
    """Of a day's puzzle, as in `2026-11-30`."""
    before: str | None = None
    """The day of the one before it, if that can be asked for."""
    type: Literal["puzzle"] = "puzzle"


Lesson = Literal["tree", "minimax", "depth", "alphabeta", "ordering", "horizon", "mcts"]
"""What the exercises are about, in the order in which it is taught."""
Asks = Literal["number", "one", "several"]
"""What an answer is: a number, one of the choices, or several of them."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A move that playouts began with."""

    move: str
    playouts: int
    points: float
    """How many of these it won; a draw counts a half."""


@dataclass(slots=True)
class Exercise(Fulfilled, Translatable):
    """The answer to `exercise`."""

    lesson: Lesson
    number: int
    game: str
    """What the search goes through: a game, or a tree of numbers, unless there is a table of playouts."""
    moves: list[str]
    position: Position
    asks: Asks
    question: str
    choices: list[str] = field(default_factory=list)
    """What there is to choose from: moves, which name nodes of a tree of numbers."""
    depth: int | None = None
    """How far the search in question looks ahead."""
    tried: list[Tried] = field(default_factory=list)
    right: bool | None = None
    """Was the answer right? None: none was given, and neither the solution nor the reason is sent."""
    solution: list[str] = field(default_factory=list)
    why: str | None = None
    question_said: Said | None = None
    why_said: Said | None = None
    type: Literal["exercise"] = "exercise"


@dataclass(slots=True)
class GameTree(Fulfilled):
    """The answer to `tree`: the positions that the search visited, parents first."""

    game: str
    position: Position
    """The root's, also where a node below it was asked for."""
    depth: int
    """How many plies it looked ahead from the root."""
    pruned: bool
    """Was it alpha-beta that searched?"""
    nodes: list[TreeNode]
    visited: int = 0
    """How many nodes it visited from the first one on, sent or not."""
    cutoffs: int = 0
    """At how many of them moves were cut off."""
    type: Literal["game_tree"] = "game_tree"


@dataclass(frozen=True, slots=True)
class Playout:
    """One playout of a Monte Carlo tree search."""

    node: int
    """Where it left the tree: the node that it added, or one at which the game was over."""
    points: float
    """What it came to for the side to move at the root: 1, 0.5 for a draw, or 0."""


@dataclass(slots=True)
class Playouts(Fulfilled):
    """The answer to `playouts`: the tree that grew, parents first, and each playout in turn."""

    game: str
    position: Position
    nodes: list[TreeNode]
    played: list[Playout]
    type: Literal["playouts"] = "playouts"


@dataclass(slots=True)
class Lecture(Fulfilled):
    """The answer to `lecture`."""

    html: str
    """The page, with its scripts and styles in it. In place of its `{lecture}` belongs what it is about."""
    type: Literal["lecture"] = "lecture"


@dataclass(slots=True)
class Raced(Fulfilled):
    """The answer to `race`: what one search found, and what that took."""

    game: str
    position: Position
    entrant: Entrant
    depth: int
    """The horizon that it was given."""
    report: Report
    """Its one candidate is the best move; not finished where it was stopped."""
    expected: int | None = None
    """How many positions theory expects: b^d of plain minimax, b^(d/2) of alpha-beta at its best, where b
    moves lead on from a position and the horizon is d plies away. None where there is no such rule."""
    type: Literal["raced"] = "raced"


@dataclass(slots=True)
class Cancelled(Fulfilled):
    """The answer to `cancel`: that search does not run, or does not run any more."""

    type: Literal["cancelled"] = "cancelled"


@dataclass(slots=True)
class Record(Fulfilled):
    """The answer to `record`: a part of a game as it was played, and whether there is more of it."""

    record: GameRecord
    more: bool = False
    type: Literal["record"] = "record"


@dataclass(slots=True)
class Exported(Fulfilled):
    """The answer to `export`."""

    format: ExportFormat
    data: str
    """The file, in base64."""
    type: Literal["exported"] = "exported"


@dataclass(slots=True)
class Board(Fulfilled):
    """The answer to `board`."""

    game: str
    position: Position
    moves: list[str]
    """The moves that lead there, one by one, as the game writes them."""
    winner: Literal["first", "second", "draw"] | None = None
    tray: list[str] = field(default_factory=list)
    """What may be put into a cell where a position is set up, nothing (`empty`) last. None where cells hold
    numbers, or where the game reads no positions."""
    extras: list[SettingLine] = field(default_factory=list)
    """What a position says beside that, as fields of a form, each with its value in this one. These stand
    behind the side to move in brackets, in this order."""
    type: Literal["board"] = "board"


@dataclass(slots=True)
class Rules(Fulfilled, Translatable):
    """The answer to `rules`: a game's rules, point by point."""

    game: str
    title: str
    points: list[RulePoint]
    title_said: Said | None = dataclasses.field(default=None, compare=False)
    type: Literal["rules"] = "rules"


@dataclass(slots=True)
class History(Fulfilled):
    """The answer to `history`: a part of the player's own rooms, the last used first."""

    rooms: list[PastRoom]
    more: bool = False
    met: list[Opponent] = field(default_factory=list)
    """The people whom they played, the last one met first; in the first part alone."""
    type: Literal["history"] = "history"


@dataclass(slots=True)
class Removed(Fulfilled):
    """The answer to `remove`: the room is not in the player's `history`, or is there again."""

    room: str
    type: Literal["removed"] = "removed"


@dataclass(slots=True)
class Ratings(Fulfilled):
    """The answer to `ratings`: in which games players are rated; and who, in the one that was named."""

    games: list[RatedGame]
    game: str | None = None
    lines: list[RatingLine] = field(default_factory=list)
    """People first, then bots, the best first; the first hundred of each, and the one who asked."""
    type: Literal["ratings"] = "ratings"


@dataclass(slots=True)
class PlayerRating(Fulfilled):
    """The answer to `rating`: a player's rating in a game, and what it follows from."""

    game: str
    line: RatingLine
    curve: list[int]
    """The rating after each of the last games, the first of them first."""
    played: list[PastRated]
    """These games, the last one first."""
    against: list[RatedAgainst]
    """The same by opponents, who was met most first."""
    type: Literal["player_rating"] = "player_rating"


@dataclass(slots=True)
class RoomRatings(Fulfilled):
    """The answer to `room_ratings`: of each seat whose player is rated in the room's game."""

    room: str
    ratings: Both[SeatRating | None]
    type: Literal["room_ratings"] = "room_ratings"


@dataclass(slots=True)
class HeadToHead(Fulfilled):
    """The answer to `head_to_head`: the games of two players in all rooms. For the one who asked alone."""

    room: str
    tally: Tally
    """Of the last games that have ended, as they went for the one who asked."""
    type: Literal["head_to_head"] = "head_to_head"


@dataclass(slots=True)
class RoomGames(Fulfilled):
    """The answer to `room_games`: a part of the games in it, the first one first."""

    history: RoomHistory
    more: bool = False
    type: Literal["room_games"] = "room_games"


@dataclass(slots=True)
class Tournament(Fulfilled):
    """The answer to `tournament`: how it stands."""

    view: TournamentView
    type: Literal["tournament"] = "tournament"


@dataclass(slots=True)
class Tournaments(Fulfilled):
    """The answer to `tournaments`: those that are not over, the last one first, and some that are."""

    tournaments: list[TournamentLine]
    type: Literal["tournaments"] = "tournaments"


Answer = Fulfilled | Refused
"""What answers a command."""
