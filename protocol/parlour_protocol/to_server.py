"""What a client may ask. Each message carries an `id` and is answered once, by a message with that id.

A field that is not named here is refused, and so is `"1"` where a number belongs.
"""

from dataclasses import field
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints
from pydantic.dataclasses import dataclass

from parlour_protocol import (
    LONGEST_MOVES,
    LONGEST_SAYING,
    LONGEST_WORD,
    MOST_NODES,
    MOST_POINTS,
    MOST_REPORTED,
)
from parlour_protocol.ids import CommandId, RoomCode, Seat, Version
from parlour_protocol.views import Candidate, Entrant, Offer, Report, Result, RoomSettings, ScoreKind

BotText = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_WORD)]
GameText = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_WORD)]


def _no_lookalike(value: Any) -> Any:
    """To Python 1, 1.0 and True are the same; to the protocol they are not."""
    if value is not None and type(value) is not int:
        raise ValueError("a seat is the number 0 or 1")
    return value


Depth = Annotated[int, Field(ge=1, le=99)]
"""In plies."""

AskedSeat = Annotated[Seat | None, BeforeValidator(_no_lookalike, json_schema_input_type=Seat | None)]


class _Message(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    id: CommandId


class AskedSettings(RoomSettings):
    """Room settings as a client sends them: here an unknown one is refused."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("a sign in it can't be seen")
    return text


ReportedMove = Annotated[str, StringConstraints(min_length=1, max_length=16), AfterValidator(_printable)]
_Points = (
    Annotated[int, Field(ge=-MOST_POINTS, le=MOST_POINTS)]
    | Annotated[float, Field(ge=-MOST_POINTS, le=MOST_POINTS, allow_inf_nan=False)]
)
_Count = Annotated[int, Field(ge=0, le=2**53)]
_Plies = Annotated[int, Field(ge=0, le=10_000)]
_GIVEN = ConfigDict(strict=True, extra="forbid")


@dataclass(frozen=True, slots=True, config=_GIVEN)
class GivenCandidate:
    """A move that a program considered, and its score for the side to move."""

    move: ReportedMove
    score: _Points
    kind: ScoreKind = "estimate"
    """How far the score can be trusted: `exact` where it is proven."""
    result: Result = "unknown"
    """What the move leads to against best play, where that is proven."""
    plies: _Plies | None = None
    """Moves of either side until that result, this one counted."""

    def candidate(self) -> Candidate:
        """The same, as everybody is told it."""
        return Candidate(self.move, self.score, self.kind, self.result, self.plies)


@dataclass(frozen=True, slots=True, config=_GIVEN)
class GivenReport:
    """How a program thought: what it says with its move. The server adds the name and the move."""

    candidates: Annotated[list[GivenCandidate], Field(max_length=MOST_REPORTED)] = field(default_factory=list)
    """Best first."""
    line: Annotated[list[ReportedMove], Field(max_length=MOST_REPORTED)] = field(default_factory=list)
    """Best play for both from here, the chosen move first."""
    nodes: _Count = 0
    """Positions visited."""
    cutoffs: _Count = 0
    table_hits: _Count = 0
    depth: _Plies = 0
    """The deepest ply that was searched in full."""
    seconds: Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)] = 0.0
    finished: bool = True
    """False where the search was stopped before its end."""

    def report(self) -> Report:
        """The same, as everybody is told it, still without a name and a chosen move."""
        return Report(
            bot="",
            candidates=[one.candidate() for one in self.candidates],
            line=list(self.line),
            nodes=self.nodes,
            cutoffs=self.cutoffs,
            table_hits=self.table_hits,
            depth=self.depth,
            seconds=self.seconds,
            finished=self.finished,
        )


class Hello(_Message):
    """The first message of a connection. Answered by `welcome`."""

    type: Literal["hello"] = "hello"
    protocols: Annotated[list[int], Field(min_length=1, max_length=16)]
    """The protocol versions that the client knows."""
    name: Annotated[str, StringConstraints(max_length=200)]
    """What the others shall see: 1 to 24 characters once it is normalised."""
    token: Annotated[str, StringConstraints(max_length=200)] | None = None
    """The player's secret from an earlier welcome; without one, a new player is made."""
    client: Annotated[str, StringConstraints(max_length=100)] = ""
    capabilities: Annotated[list[str], Field(max_length=16)] = []


class CreateRoom(_Message):
    """Make a room without sitting down. Answered by `accepted` with its code."""

    type: Literal["create"] = "create"
    game: GameText
    settings: AskedSettings = AskedSettings()
    moves: Annotated[str, StringConstraints(max_length=LONGEST_MOVES)] = ""
    """Moves to the position where its games begin: to play on from there."""


class QuickMatch(_Message):
    """Find a game: a seat with the next person who wants the same. Answered by `accepted`, as by `sit`."""

    type: Literal["quick"] = "quick"
    game: GameText
    settings: AskedSettings = AskedSettings()


class TakeSeat(_Message):
    """Sit down in a free seat, and follow the room. Answered by `accepted`, then a `snapshot`."""

    type: Literal["sit"] = "sit"
    room: RoomCode
    seat: AskedSeat = None
    """The seat wanted; without one, any that is free."""
    program: bool = False
    """Is it a program that plays, and no person? Everybody sees it marked as a bot."""


class LeaveSeat(_Message):
    """Stand up, while no game runs."""

    type: Literal["leave"] = "leave"
    room: RoomCode


class AddBot(_Message):
    """Put a bot in a free seat: for the room's owner and its players."""

    type: Literal["add_bot"] = "add_bot"
    room: RoomCode
    bot: BotText
    """A name with optional settings: `perfect`, `minimax:depth=4,seed=7`."""
    seat: AskedSeat = None


class PlayMove(_Message):
    """Play a move in the position that stood at `version`."""

    type: Literal["play"] = "play"
    room: RoomCode
    version: Version
    move: Annotated[str, StringConstraints(max_length=LONGEST_WORD)]
    report: GivenReport | None = None
    """How it was found: from a seat that was taken as a program's alone."""


class Resign(_Message):
    """Give the game up."""

    type: Literal["resign"] = "resign"
    room: RoomCode


class OfferDraw(_Message):
    """Offer a draw; where the other player has offered one, take it."""

    type: Literal["offer_draw"] = "offer_draw"
    room: RoomCode


class AskTakeback(_Message):
    """Ask to take one's last move back; where the other player has asked, let them."""

    type: Literal["ask_takeback"] = "ask_takeback"
    room: RoomCode


class Decline(_Message):
    """Turn an offer down, or take one's own back."""

    type: Literal["decline"] = "decline"
    room: RoomCode
    offer: Offer


class Abort(_Message):
    """End a game that has hardly begun, for nobody: before the second move."""

    type: Literal["abort"] = "abort"
    room: RoomCode


class Claim(_Message):
    """Take the game, a draw or a bot in the other's place, once its player has been away for too long."""

    type: Literal["claim"] = "claim"
    room: RoomCode
    what: Literal["win", "draw", "bot"] = "win"
    bot: BotText = "medium"
    """Who plays on, where a bot is claimed."""


class TakeOver(_Message):
    """Sit down where a bot sits, and play on: for the room's owner, and for anyone where two bots play."""

    type: Literal["take_over"] = "take_over"
    room: RoomCode
    seat: AskedSeat = None


class Say(_Message):
    """Say something: players to players, those who look on to those who look on."""

    type: Literal["say"] = "say"
    room: RoomCode
    text: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_SAYING)]


class Rematch(_Message):
    """Ask for another game; it begins when both have asked. Bots agree at once.

    Where two bots sit, the room's owner asks.
    """

    type: Literal["rematch"] = "rematch"
    room: RoomCode


class CloseRoom(_Message):
    """Close a room for good: for its owner. A search that runs for it stops."""

    type: Literal["close"] = "close"
    room: RoomCode


class Watch(_Message):
    """Follow a room's events. Answered by `accepted`, then a `snapshot` unless `since` is its version."""

    type: Literal["watch"] = "watch"
    room: RoomCode
    since: Version | None = None
    """The last version that the client has: how it comes back after a lost connection."""


class Unwatch(_Message):
    """No longer follow a room. A seat stays taken."""

    type: Literal["unwatch"] = "unwatch"
    room: RoomCode


class AskHint(_Message):
    """Search the present position for its player. Answered by `hint`."""

    type: Literal["hint"] = "hint"
    room: RoomCode


class AskThoughts(_Message):
    """The reports kept with the bots' moves of a room's present game. Answered by `thoughts`."""

    type: Literal["thoughts"] = "thoughts"
    room: RoomCode


class AskRecord(_Message):
    """A game of a room as it was played. Answered by `record`, in parts where it is long."""

    type: Literal["record"] = "record"
    room: RoomCode
    number: Annotated[int, Field(ge=1)] | None = None
    """Which of the room's games; without one, the last."""
    after: Annotated[int, Field(ge=0)] = 0
    """How many of its moves the client has already."""


class AskBoard(_Message):
    """A position of a game, drawn. Answered by `board`."""

    type: Literal["board"] = "board"
    game: GameText
    moves: Annotated[str, StringConstraints(max_length=LONGEST_MOVES)] = ""


class AskHistory(_Message):
    """The player's own rooms, those that are over too. Answered by `history`."""

    type: Literal["history"] = "history"


class ListRooms(_Message):
    """Answered by `rooms`."""

    type: Literal["rooms"] = "rooms"
    follow: bool = False
    """Whether to be told of what changes in the list from now on, by notices; false ends that."""


class ListGames(_Message):
    """Answered by `games`."""

    type: Literal["games"] = "games"


class ListBots(_Message):
    """Answered by `bots`."""

    type: Literal["bots"] = "bots"


class Analyse(_Message):
    """Score every legal move of a position. Answered by `analysis`."""

    type: Literal["analyse"] = "analyse"
    game: GameText
    moves: Annotated[str, StringConstraints(max_length=LONGEST_MOVES)] = ""
    """The moves that lead there, with spaces, commas or nothing between them."""
    bot: BotText = "perfect"
    """Who searches."""
    played: Annotated[str, StringConstraints(max_length=LONGEST_WORD)] | None = None
    """A legal move to be graded against the others."""
    progress: bool = False
    """Whether to be told how the search gets on, by notices."""


class AskTree(_Message):
    """Search a position and keep the whole tree, to be drawn. Answered by `game_tree`."""

    type: Literal["tree"] = "tree"
    game: GameText
    moves: Annotated[str, StringConstraints(max_length=LONGEST_MOVES)] = ""
    depth: Depth | None = None
    """How deep the tree is; without one, as deep as it may be."""
    prune: bool = True
    """Whether branches that can't matter are cut off, by alpha-beta."""
    limit: Annotated[int, Field(ge=1, le=MOST_NODES)] = 400
    """More boards than this are refused."""


class Race(_Message):
    """Search a position with one of the algorithms that are taught. Answered by `raced`."""

    type: Literal["race"] = "race"
    game: GameText
    moves: Annotated[str, StringConstraints(max_length=LONGEST_MOVES)] = ""
    entrant: Entrant = "minimax"
    depth: Depth | None = None
    """The horizon; without one, as deep as plain minimax can be waited for."""


RoomCommand = (
    TakeSeat
    | LeaveSeat
    | AddBot
    | PlayMove
    | Resign
    | OfferDraw
    | AskTakeback
    | Decline
    | Abort
    | Claim
    | TakeOver
    | Say
    | Rematch
    | CloseRoom
)
"""What acts on one room, through its inbox."""

ToServer = Annotated[
    Hello
    | CreateRoom
    | TakeSeat
    | LeaveSeat
    | AddBot
    | PlayMove
    | Resign
    | OfferDraw
    | AskTakeback
    | Decline
    | Abort
    | Claim
    | TakeOver
    | Say
    | Rematch
    | CloseRoom
    | QuickMatch
    | Watch
    | Unwatch
    | AskHint
    | AskThoughts
    | AskRecord
    | AskBoard
    | AskHistory
    | ListRooms
    | ListGames
    | ListBots
    | Analyse
    | AskTree
    | Race,
    Field(discriminator="type"),
]
