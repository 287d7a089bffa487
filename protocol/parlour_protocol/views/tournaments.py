"""A tournament as one viewer may see it: standings, boards and the cross table, each ready to be drawn."""

from dataclasses import dataclass, field
from typing import Literal

from parlour_protocol.tournaments import Format, Phase, TournamentSettings

TournamentAction = Literal["join", "withdraw", "enter", "start", "remove", "forfeit", "replay", "end"]
"""What a viewer may do now; `remove`: withdraw another one."""


@dataclass(slots=True)
class EntrantLine:
    """Somebody who takes part, and how they stand."""

    number: int
    """By the order of joining; a seed in a knock-out."""
    rank: int
    """Those whom nothing parts share one."""
    name: str
    points: float
    wins: int
    draws: int
    losses: int
    buchholz: float
    """The points of all opponents."""
    sonneborn_berger: float
    """The points of those one has beaten, and half of those one drew with."""
    bot: str | None = None
    """A built-in bot's settings."""
    program: bool = False
    """Is it a player's own program?"""
    here: bool = False
    """Are they connected?"""
    withdrawn: bool = False
    streak: bool = False
    """Do the points of an arena count double for them?"""
    results: list[str] = field(default_factory=list)
    """Their row of the cross table."""


@dataclass(slots=True)
class BoardLine:
    """Two who play each other in a round."""

    round: int
    board: int
    first: int
    """The number of the one who moves first in the first game."""
    second: int
    names: list[str]
    state: Literal["waiting", "playing", "done"]
    """`waiting`: its room is being made."""
    rooms: list[str]
    """Of its games, the one that is played now last."""
    score: str = ""
    """`1-0`, of the games that are decided; empty while none is."""
    forfeit: bool = False
    """Was it decided without being played to its end?"""


@dataclass(slots=True)
class TournamentLine:
    """A tournament in a list."""

    tournament: str
    title: str
    game: str
    format: Format
    phase: Phase
    players: int
    round: int
    rounds: int | None = None
    """None where it has no number of them."""


@dataclass(slots=True)
class TournamentView:
    """A tournament: all that a screen or a bot needs. Moments are milliseconds since 1970, by the server."""

    tournament: str
    """Its code."""
    version: int
    title: str
    host: str
    settings: TournamentSettings
    phase: Phase
    round: int
    """How many rounds have begun."""
    entrants: list[EntrantLine]
    """The best first."""
    boards: list[BoardLine]
    """Of all rounds, the last round first."""
    byes: list[int]
    """The numbers of those who have one in this round."""
    heads: list[str]
    """The headings of the cross table, whose rows are the entrants' `results`."""
    may: list[TournamentAction]
    at: int
    rounds: int | None = None
    """How many there are; None where that is not settled."""
    next_at: int | None = None
    """When the next round begins, unless games run."""
    ends_at: int | None = None
    """When an arena begins no more games."""
    early: bool = False
    """Did its host end it?"""
    you: int | None = None
    """The viewer's own number."""
    room: str | None = None
    """The room in which the viewer plays now."""
