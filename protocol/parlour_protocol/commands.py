"""What a client may ask. Each command carries an `id` and is answered once, by a message with that id.

A signal has no `id` and is not answered. A field that is not named here is refused, and so is `"1"` where a
number belongs. Each class of command names the type of its answer, `Command[Accepted]`; any may be answered
by `refused` instead.
"""

from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from parlour_protocol import (
    LONGEST_CHAT,
    LONGEST_GAME,
    LONGEST_MOVES,
    LONGEST_QR_LINK,
    LONGEST_SEEK,
    LONGEST_WORD,
    MOST_NODES,
)
from parlour_protocol.actions import Offer, PlainAction, QuickWord
from parlour_protocol.answers import (
    Accepted,
    Analysis,
    Board,
    Bots,
    Cancelled,
    Carried,
    CheckedBot,
    Closing,
    Exercise,
    Exported,
    ExportFormat,
    Games,
    GameTree,
    HeadToHead,
    Hint,
    History,
    Lecture,
    Lesson,
    PlayerRating,
    Playouts,
    Puzzle,
    QrCode,
    Raced,
    Ratings,
    Record,
    Removed,
    Renamed,
    Review,
    RoomGames,
    RoomRatings,
    Rooms,
    Rules,
    Thoughts,
    Tournament,
    Tournaments,
    Welcome,
)
from parlour_protocol.ids import Both, CommandId, RoomCode, Seat, TournamentCode, Version
from parlour_protocol.messages import AnswerT, Request, Signal, messages_of
from parlour_protocol.settings import RoomSettings
from parlour_protocol.tournaments import TournamentSettings
from parlour_protocol.views.reports import Entrant, Points, ProgramReport, ReportedMove
from parlour_protocol.words import Sentence

BotText = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_WORD)]

GameText = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_GAME)]

MOST_EXERCISES = 1_000_000
"""The highest number of an exercise."""
MOST_CHOSEN = 20
MOST_PLAYOUTS = 300
"""Each adds a board to what is sent."""
Word = Annotated[str, StringConstraints(max_length=LONGEST_WORD)]

QrLink = Annotated[str, StringConstraints(max_length=LONGEST_QR_LINK, pattern=r"^https?://[!-~]+$")]
"""A web address in ASCII."""


def _no_lookalike(value: Any) -> Any:
    """To Python 1, 1.0 and True are the same; to the protocol they are not."""
    if value is not None and type(value) is not int:
        raise ValueError(Sentence("refusal.no_seat_number"))
    return value


After = Annotated[int, Field(ge=0)]
"""A long answer comes in parts: where the next one begins."""

Depth = Annotated[int, Field(ge=1, le=99)]
"""In plies."""

AskedSeat = Annotated[Seat | None, BeforeValidator(_no_lookalike, json_schema_input_type=Seat | None)]


class Command(Request[AnswerT]):
    """A command, answered by an `AnswerT` with its id."""

    id: CommandId


class RoomCommand(Command[AnswerT]):
    """A command for a room, which a server may have to load first."""

    room: RoomCode


class AskedSettings(RoomSettings):
    """Room settings as a client sends them: here an unknown one is refused."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)


class AskedBot(BaseModel):
    """A seat for one of the server's bots."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)

    bot: BotText


class AskedGuest(BaseModel):
    """A seat for somebody who plays at the same device: one plays for both, whoever's turn it is."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)

    guest: Annotated[str, StringConstraints(max_length=200)]
    """The guest's name, as others shall see it: see `Hello.name`."""


SeatChoice = Literal["me", "open"] | AskedBot | AskedGuest
"""Who sits in a new room's seat: oneself, a bot, somebody beside oneself, or the next player who comes."""


class Hello(Command[Welcome]):
    """The first message of a connection. Answered by `welcome`."""

    type: Literal["hello"] = "hello"
    protocols: Annotated[list[int], Field(min_length=1, max_length=16)]
    """The protocol versions that the client knows."""
    name: Annotated[str, StringConstraints(max_length=200)]
    """What the others shall see: 1 to 24 characters once it is normalised. With `carry` it may be empty: the
    player's present one."""
    token: Annotated[str, StringConstraints(max_length=200)] | None = None
    """The player's secret from an earlier welcome; without one, a new player is made."""
    carry: Annotated[str, StringConstraints(max_length=32)] | None = None
    """In place of the token: a code from `carried`, for which the welcome brings the token."""
    client: Annotated[str, StringConstraints(max_length=100)] = ""
    capabilities: list[str] = Field(default=[], max_length=16)


class CarryPlayer(Command[Carried]):
    """Open the way for another device to become this player, once. Answered by `carried`."""

    type: Literal["carry"] = "carry"
    token: Annotated[str, StringConstraints(max_length=200)]
    """The player's own secret, which the server doesn't keep."""


class RenamePlayer(Command[Renamed]):
    """Be called otherwise from now on, also where one sits. Answered by `renamed`."""

    type: Literal["rename"] = "rename"
    name: Annotated[str, StringConstraints(max_length=200)]


class AskQrCode(Command[QrCode]):
    """Draw a link as a QR code. Answered by `qr_code`."""

    type: Literal["qr"] = "qr"
    text: QrLink


class CreateRoom(Command[Accepted]):
    """Make a room with all who sit in it from the beginning, or nothing. Answered by `accepted`."""

    type: Literal["create"] = "create"
    game: GameText
    settings: AskedSettings = AskedSettings()
    moves: Annotated[str, StringConstraints(max_length=LONGEST_MOVES)] = ""
    """Moves to the position where its games begin: to play on from there."""
    seats: Both[SeatChoice] | None = None
    """Who sits where. With it one is subscribed to the room, as by `sit`; without it both seats are open."""
    program: bool = False
    """Is the one who sits down a program? See `TakeSeat`."""


class QuickMatch(Command[Accepted]):
    """Find a game: a seat with the next person who wants the same. Answered by `accepted`, as by `sit`."""

    type: Literal["quick"] = "quick"
    game: GameText
    settings: AskedSettings = AskedSettings()
    bot: BotText | None = None
    """The bot that takes the other seat where no one has come for so long."""
    bot_after: Annotated[float, Field(ge=0, le=LONGEST_SEEK)] = 30.0
    """In seconds. It waits until the one who seeks is connected."""


class TakeSeat(RoomCommand[Accepted]):
    """Sit down in a free seat, and subscribe to the room. Answered by `accepted`, then a `snapshot`."""

    type: Literal["sit"] = "sit"
    seat: AskedSeat = None
    """The seat wanted; without one, any that is free."""
    program: bool = False
    """Is it a program that plays, and no person? Everybody sees it marked as a bot."""


class AddBot(RoomCommand[Accepted]):
    """Put a bot in a free seat: for the room's owner and its players."""

    type: Literal["add_bot"] = "add_bot"
    bot: BotText
    """A name with optional settings: `perfect`, `minimax:depth=4,seed=7`."""
    seat: AskedSeat = None


class PlayMove(RoomCommand[Accepted]):
    """Play a move in the position that stood at `version`."""

    type: Literal["play"] = "play"
    version: Version
    move: Annotated[str, StringConstraints(max_length=LONGEST_WORD)]
    report: ProgramReport | None = None
    """How it was found: from a seat that was taken as a program's alone."""


class PlayerAction(RoomCommand[Accepted]):
    """What a player does at a table that needs no more words than its name: see `actions`."""

    type: PlainAction


class Decline(RoomCommand[Accepted]):
    """Turn an offer down, or withdraw one's own."""

    type: Literal["decline"] = "decline"
    offer: Offer


class Claim(RoomCommand[Accepted]):
    """Take the game, a draw or a bot in the other's place, once its player has been away for too long."""

    type: Literal["claim"] = "claim"
    what: Literal["win", "draw", "bot"] = "win"
    bot: BotText = "medium"
    """The bot that plays on, where one is claimed."""


class TakeOver(RoomCommand[Accepted]):
    """Sit down where a bot sits, and play on: for the room's owner, and for anyone where two bots play."""

    type: Literal["take_over"] = "take_over"
    seat: AskedSeat = None


class Say(RoomCommand[Accepted]):
    """Chat: players write to players, spectators to spectators."""

    type: Literal["say"] = "say"
    text: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_CHAT)] | None = None
    quick: QuickWord | None = None
    """In place of a text, never beside one: each reads it in their own language."""


class Subscribe(RoomCommand[Accepted]):
    """Get a room's events from now on; first a `snapshot`, unless `since` is its version."""

    type: Literal["subscribe"] = "subscribe"
    since: Version | None = None
    """The last version that the client has: how it comes back after a lost connection."""
    present: bool = True
    """Whether somebody sits before it: a wall of boards counts neither as a spectator nor as its player."""


class Unsubscribe(RoomCommand[Accepted]):
    """Get no more events of a room. A seat stays taken."""

    type: Literal["unsubscribe"] = "unsubscribe"


class AskHint(RoomCommand[Hint]):
    """Search the present position for its player. Answered by `hint`."""

    type: Literal["hint"] = "hint"
    progress: bool = False
    """Whether to send progress notices while it searches."""


class AskThoughts(RoomCommand[Thoughts]):
    """The reports kept with the bots' moves of a room's present game. Answered by `thoughts`, in parts."""

    type: Literal["thoughts"] = "thoughts"
    after: After = 0
    """How many of the reports the client has already."""


class AskRecord(Command[Record]):
    """A game of a room as it was played. Answered by `record`, in parts where it is long."""

    type: Literal["record"] = "record"
    room: RoomCode
    number: Annotated[int, Field(ge=1)] | None = None
    """Which of the room's games; without one, the last with moves that was not aborted, if there is any."""
    after: After = 0
    """How many of its moves the client has already."""


class AskRoomGames(Command[RoomGames]):
    """The games that were begun in a room, over or not. Answered by `room_games`, in parts."""

    type: Literal["room_games"] = "room_games"
    room: RoomCode
    after: After = 0
    """How many of the games the client has already."""


class AskBoard(Command[Board]):
    """A position of a game, drawn. Answered by `board`."""

    type: Literal["board"] = "board"
    game: GameText
    moves: Annotated[str, StringConstraints(max_length=LONGEST_MOVES)] = ""


class AskRules(Command[Rules]):
    """How a game is played. Answered by `rules`."""

    type: Literal["rules"] = "rules"
    game: GameText


class RemoveRoom(Command[Removed]):
    """Leave a room out of one's `history`: one that is over, or where one plays a bot. Answered by `removed`.

    Whoever sits down there again, or begins another game, has it back in the list.
    """

    type: Literal["remove"] = "remove"
    room: RoomCode
    back: bool = False
    """Is it to be in the list again?"""


class AskRoomRatings(RoomCommand[RoomRatings]):
    """How a room's players are rated, and what its last game changed. Answered by `room_ratings`."""

    type: Literal["room_ratings"] = "room_ratings"


class AskHeadToHead(RoomCommand[HeadToHead]):
    """How one's games against the other player of a room have ended. Answered by `head_to_head`."""

    type: Literal["head_to_head"] = "head_to_head"


class AskHistory(Command[History]):
    """The player's own rooms, those that are over too. Answered by `history`, in parts."""

    type: Literal["history"] = "history"
    after: After = 0
    """How many of the rooms the client has already."""


class AskRatings(Command[Ratings]):
    """Who is rated in a game, or in which games anybody is. Answered by `ratings`."""

    type: Literal["ratings"] = "ratings"
    game: GameText | None = None


class AskRating(Command[PlayerRating]):
    """A player's rating in a game. Answered by `player_rating`."""

    type: Literal["rating"] = "rating"
    game: GameText
    player: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_WORD)]
    """A name, a bot's settings, or a `key` of `ratings`."""


class CloseServer(Command[Closing]):
    """End a shared server before leaving it, if no one else is there. Answered by `closing`."""

    type: Literal["close_server"] = "close_server"
    force: bool = False
    """Whether to end it though others are connected: they get a `goodbye`."""


class ListRooms(Command[Rooms]):
    """Answered by `rooms`."""

    type: Literal["rooms"] = "rooms"
    subscribe: bool = False
    """Whether to get what changes in the list from now on, by `lobby` notices; false ends that."""


class ListGames(Command[Games]):
    """Answered by `games`."""

    type: Literal["games"] = "games"


class ListBots(Command[Bots]):
    """Answered by `bots`."""

    type: Literal["bots"] = "bots"


class CheckBot(Command[CheckedBot]):
    """Is there such a bot? Answered by `checked_bot`, or refused with what is wrong; nothing is searched."""

    type: Literal["check_bot"] = "check_bot"
    bot: BotText
    game: GameText | None = None
    """The game that it is to play; without one, all of them."""


class Analyse(Command[Analysis]):
    """Score every legal move of a position. Answered by `analysis`."""

    type: Literal["analyse"] = "analyse"
    game: GameText
    moves: Annotated[str, StringConstraints(max_length=LONGEST_MOVES)] = ""
    """The moves that lead there, with spaces, commas or nothing between them."""
    bot: BotText = "perfect"
    """The bot that searches."""
    played: Annotated[str, StringConstraints(max_length=LONGEST_WORD)] | None = None
    """A legal move to be graded against the others."""
    progress: bool = False
    """Whether to send progress notices while it searches."""


class AskReview(Command[Review]):
    """Grade each move of a game: of a room's game, or of a `game` and its `moves`. Answered by `review`."""

    type: Literal["review"] = "review"
    room: RoomCode | None = None
    number: Annotated[int, Field(ge=1)] | None = None
    """Which of the room's games; without one, the last with moves that was not aborted, if there is any."""
    game: GameText | None = None
    moves: Annotated[str, StringConstraints(max_length=LONGEST_MOVES)] = ""
    started_with: Annotated[int, Field(ge=0)] = 0
    """How many of these the game began with: they are nobody's, and are not graded."""
    bot: BotText = "perfect"
    """The bot that searches: its time is for each position."""
    progress: bool = False
    """Whether to send a progress notice for each graded move, with the report on the position before it."""


class AskExport(Command[Exported]):
    """Write a game down, or draw it: a room's game, or a `game` and its `moves`. Answered by `exported`."""

    type: Literal["export"] = "export"
    format: ExportFormat
    room: RoomCode | None = None
    number: Annotated[int, Field(ge=1)] | None = None
    """Which of the room's games; without one, the last with moves that was not aborted, if there is any."""
    game: GameText | None = None
    moves: Annotated[str, StringConstraints(max_length=LONGEST_MOVES)] = ""


class AskPuzzle(Command[Puzzle]):
    """A position in which the right move is to be found. Answered by `puzzle`.

    The day's, which is the same for everybody; with a `game` the day's of that game; with its `moves`, too,
    the position that they lead to, where every move can be proven.
    """

    type: Literal["puzzle"] = "puzzle"
    game: GameText | None = None
    day: Annotated[str, StringConstraints(max_length=LONGEST_WORD)] | None = None
    """As `2026-11-30`, and not after the server's day, which it is without one."""
    moves: Annotated[str, StringConstraints(max_length=LONGEST_MOVES)] | None = None


class AskExercise(Command[Exercise]):
    """An exercise on searches, or whether an answer to it is right. Answered by `exercise`."""

    type: Literal["exercise"] = "exercise"
    lesson: Lesson
    number: Annotated[int, Field(ge=1, le=MOST_EXERCISES)] = 1
    """Which of the lesson's: one of the same number is the same for everybody."""
    answer: Annotated[list[Word], Field(max_length=MOST_CHOSEN)] | None = None
    """A number, or what was chosen of the exercise's `choices`."""


class AskTree(Command[GameTree]):
    """Search a position and keep the tree, to be drawn. Answered by `game_tree`.

    A tree that is too large is opened node by node: `levels` are sent of a search that goes deeper, and
    `path`, `alpha` and `beta` name a node of it to be searched again by itself.
    """

    type: Literal["tree"] = "tree"
    game: GameText
    moves: Annotated[str, StringConstraints(max_length=LONGEST_MOVES)] = ""
    depth: Depth | None = None
    """How deep the search is, from the root; without one, as deep as the tree may be sent, or with `levels`
    as deep as plain minimax can be waited for."""
    prune: bool = True
    """Whether branches that can't matter are cut off, by alpha-beta."""
    order: bool = True
    """Whether alpha-beta tries good moves first and so cuts off more; else they come in their fixed order."""
    limit: Annotated[int, Field(ge=1, le=MOST_NODES)] = 400
    """More boards than this are not sent."""
    levels: Annotated[int, Field(ge=1, le=99)] | None = None
    """How many levels of nodes are sent below the first one, as far as they are within the limit."""
    path: list[ReportedMove] = Field(default=[], max_length=99)
    """The moves from the root to the node that is sent first; scores stay the root's."""
    alpha: Points | None = None
    """The window with which alpha-beta enters that node: the `alpha` and `beta` that it had."""
    beta: Points | None = None


class AskPlayouts(Command[Playouts]):
    """Search a position by Monte Carlo tree search, and keep every playout. Answered by `playouts`."""

    type: Literal["playouts"] = "playouts"
    game: GameText
    moves: Annotated[str, StringConstraints(max_length=LONGEST_MOVES)] = ""
    playouts: Annotated[int, Field(ge=1, le=MOST_PLAYOUTS)] = 60


class AskLecture(Command[Lecture]):
    """The lecture on game trees as one file that needs no server. Answered by `lecture`."""

    type: Literal["lecture"] = "lecture"
    language: Annotated[str, StringConstraints(max_length=LONGEST_WORD)] = "en"
    """The tag of the language that it is to speak; English where the server does not have it."""


class Race(Command[Raced]):
    """Search a position with one of the algorithms that are taught. Answered by `raced`."""

    type: Literal["race"] = "race"
    game: GameText
    moves: Annotated[str, StringConstraints(max_length=LONGEST_MOVES)] = ""
    entrant: Entrant = "minimax"
    depth: Depth | None = None
    """The horizon; without one, as deep as plain minimax can be waited for."""
    progress: bool = False
    """Whether to send progress notices while it waits and searches."""


class Cancel(Command[Cancelled]):
    """Stop this connection's search, which is then refused as `cancelled`. Answered by `cancelled`."""

    type: Literal["cancel"] = "cancel"
    search: CommandId
    """The id of the `hint`, `analyse`, `review`, `puzzle`, `tree` or `race` that is searched."""


class AskedTournament(TournamentSettings):
    """A tournament's settings as a client sends them."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)


class CreateTournament(Command[Accepted]):
    """Make a tournament, to which people come by its code. Answered by `accepted`, with that code."""

    type: Literal["create_tournament"] = "create_tournament"
    title: Annotated[str, StringConstraints(min_length=1, max_length=60)]
    settings: AskedTournament


class ListTournaments(Command[Tournaments]):
    """Answered by `tournaments`."""

    type: Literal["tournaments"] = "tournaments"


class TournamentCommand(Command[AnswerT]):
    """A command for a tournament."""

    tournament: TournamentCode


class AskTournament(TournamentCommand[Tournament]):
    """How a tournament stands. Answered by `tournament`."""

    type: Literal["tournament"] = "tournament"
    subscribe: bool = False
    """Whether to get each change from now on, by `tournament_changed` notices; false ends that."""
    round: Annotated[int, Field(ge=1)] | None = None
    """The round whose boards are wanted; without one those where games run, and the last ones."""


class JoinTournament(TournamentCommand[Accepted]):
    """Take part, or take part again: in a room of one's own for each game."""

    type: Literal["join_tournament"] = "join_tournament"
    program: bool = False
    """Is it a program that plays, and no person?"""


class EnterBot(TournamentCommand[Accepted]):
    """Have one of the server's bots take part: for the host."""

    type: Literal["enter_bot"] = "enter_bot"
    bot: BotText


class WithdrawFromTournament(TournamentCommand[Accepted]):
    """Be paired no more, and lose the game that runs; for the host, with another's number: have them so."""

    type: Literal["withdraw"] = "withdraw"
    entrant: Annotated[int, Field(ge=1)] | None = None


class StartTournament(TournamentCommand[Accepted]):
    """Begin the first round: for the host."""

    type: Literal["start_tournament"] = "start_tournament"


class EndTournament(TournamentCommand[Accepted]):
    """End it before its last round: for the host. Games that run no longer count."""

    type: Literal["end_tournament"] = "end_tournament"


class ForfeitGame(TournamentCommand[Accepted]):
    """Decide the game that runs at a board against one of its two, or against both: for the host."""

    type: Literal["forfeit_game"] = "forfeit_game"
    round: Annotated[int, Field(ge=1)]
    board: Annotated[int, Field(ge=1)]
    loser: Annotated[int, Field(ge=1)] | None = None
    """An entrant's number."""


class ReplayGame(TournamentCommand[Accepted]):
    """Have the last decided game of a board played again: for the host, in the same round."""

    type: Literal["replay_game"] = "replay_game"
    round: Annotated[int, Field(ge=1)]
    board: Annotated[int, Field(ge=1)]


class ShowTyping(Signal):
    """The player writes in the chat: those who will read it get a `typing` notice.

    To be sent every half of `TYPING_SECONDS`; what comes more often is dropped.
    """

    type: Literal["typing"] = "typing"
    room: RoomCode


TableCommand = TakeSeat | TakeOver | AddBot | PlayMove | PlayerAction | Decline | Claim | Say
"""What acts on a room, through its inbox."""

TABLE_COMMANDS: tuple[type[Command[Any]], ...] = get_args(TableCommand)

InTournament = (
    JoinTournament
    | EnterBot
    | WithdrawFromTournament
    | StartTournament
    | EndTournament
    | ForfeitGame
    | ReplayGame
)
"""What acts on a tournament, through its inbox."""

COMMANDS: tuple[type[Command[Any]], ...] = messages_of(Command)
"""Every command."""

SIGNALS: tuple[type[Signal], ...] = messages_of(Signal)
"""Every message that wants no answer."""

ToServer = Command[Any] | Signal
"""What a client sends."""

TO_SERVER: tuple[type[ToServer], ...] = (*COMMANDS, *SIGNALS)

SEATING = (TakeSeat, QuickMatch)
"""Commands that take a free seat."""
SUBSCRIBING = (*SEATING, TakeOver, Subscribe)
"""Commands that subscribe to their room once they are accepted; a `CreateRoom` does where it has `seats`."""
SEARCHING = (AskHint, Analyse, AskReview, AskPuzzle, AskTree, AskPlayouts, Race)
"""Commands whose search `Cancel` stops."""
