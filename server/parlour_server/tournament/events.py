"""What happens in a tournament: facts, stored for ever. A field may be added with a default."""

from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from parlour_protocol.tournaments import TournamentSettings

How = Literal["played", "forfeit", "no_show"]


@dataclass(slots=True)
class TournamentCreated:
    """Version 1 of every tournament."""

    title: str
    settings: TournamentSettings
    host: str
    host_name: str
    seed: int
    """What all chance in it follows from."""
    kind: Literal["tournament_created"] = "tournament_created"


@dataclass(slots=True)
class EntrantJoined:
    """Somebody takes part from the next round on, by the next number: a player, or a bot of the server's."""

    player: str
    name: str
    bot: str | None = None
    program: bool = False
    kind: Literal["entrant_joined"] = "entrant_joined"


@dataclass(slots=True)
class EntrantReturned:
    """One who had withdrawn takes part again."""

    entrant: int
    kind: Literal["entrant_returned"] = "entrant_returned"


@dataclass(slots=True)
class EntrantRenamed:
    """One is called otherwise."""

    entrant: int
    name: str
    kind: Literal["entrant_renamed"] = "entrant_renamed"


@dataclass(slots=True)
class EntrantWithdrew:
    """One is paired no more."""

    entrant: int
    kind: Literal["entrant_withdrew"] = "entrant_withdrew"


@dataclass(slots=True)
class TournamentStarted:
    """The first round is due."""

    kind: Literal["tournament_started"] = "tournament_started"


@dataclass(slots=True)
class RoundPaired:
    """Who plays whom: the first of a pair plays the first move of its first game."""

    pairs: list[tuple[int, int]]
    byes: list[int] = field(default_factory=list)
    kind: Literal["round_paired"] = "round_paired"


@dataclass(slots=True)
class TableMade:
    """A game has a room, in which it has begun."""

    round: int
    board: int
    number: int
    room: str
    kind: Literal["table_made"] = "table_made"


@dataclass(slots=True)
class GameDecided:
    """How a game counts, by the order of its pair, whoever moved first in it."""

    round: int
    board: int
    number: int
    points: tuple[float, float]
    how: How = "played"
    kind: Literal["game_decided"] = "game_decided"


@dataclass(slots=True)
class GameAnnulled:
    """A game does not count: it is played again, under the next number."""

    round: int
    board: int
    number: int
    kind: Literal["game_annulled"] = "game_annulled"


@dataclass(slots=True)
class TournamentEnded:
    """Its last event."""

    closes_log: ClassVar[bool] = True
    early: bool = False
    """Did the host end it?"""
    kind: Literal["tournament_ended"] = "tournament_ended"


TournamentEvent = Annotated[
    TournamentCreated
    | EntrantJoined
    | EntrantReturned
    | EntrantRenamed
    | EntrantWithdrew
    | TournamentStarted
    | RoundPaired
    | TableMade
    | GameDecided
    | GameAnnulled
    | TournamentEnded,
    Field(discriminator="kind"),
]
