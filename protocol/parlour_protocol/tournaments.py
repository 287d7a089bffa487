"""What a tournament's host decides: its format, and how it is played. A format's rules are the server's.

Wire, command line and dialogs derive from the fields of `TournamentSettings`, as from a room's. `formats` are
those that a field matters in.
"""

from math import ceil, log2
from typing import Annotated, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from parlour_protocol import LONGEST_WORD
from parlour_protocol.clocks import ClockText

Format = Literal["round_robin", "double_round_robin", "swiss", "knockout", "gauntlet", "arena"]

ROUNDS = tuple(one for one in get_args(Format) if one != "arena")
"""The formats that have rounds."""

Phase = Literal["joining", "playing", "over"]

MOST_ENTRANTS = 100


class TournamentSettings(BaseModel):
    """How a tournament is played."""

    model_config = ConfigDict(frozen=True, defer_build=True, extra="forbid")

    game: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_WORD)]
    format: Format = Field(default="swiss", json_schema_extra={"values": "tournament.format"})
    clock: ClockText = Field(
        default="5+3", json_schema_extra={"x-value": "5+3|30/move", "examples": ["1+0", "3+2", "10+5"]}
    )
    """Each game has one, so that every round ends."""
    rounds: int | None = Field(default=None, ge=1, le=30, json_schema_extra={"formats": ["swiss"]})
    """Of a Swiss; without it as many as leave one player without a loss. Other formats have their own."""
    minutes: int = Field(default=30, ge=1, le=600, json_schema_extra={"formats": ["arena"]})
    """How long new games of an arena begin."""
    pause: float = Field(
        default=15.0, ge=0, le=3600, allow_inf_nan=False, json_schema_extra={"formats": [*ROUNDS]}
    )
    """Seconds between two rounds."""
    games: int = Field(default=1, ge=1, le=10)
    """In each pairing, one after the other, the first move in turn."""
    forfeit_minutes: float = Field(
        default=5.0, ge=0.1, le=600, allow_inf_nan=False, json_schema_extra={"x-value": "MINUTES"}
    )
    """Who has not made a first move after so long has lost."""
    late_until: int | None = Field(
        default=None, ge=0, le=600, json_schema_extra={"formats": ["swiss", "arena"]}
    )
    """The last round (of an arena, minute) of which one may still be a part; without it, half of them. Only a
    Swiss and an arena can be joined late."""

    def rounds_of(self, entrants: int) -> int | None:
        """How many rounds so many play; None: as many as there is time for."""
        even = entrants + entrants % 2
        match self.format:
            case "swiss":
                return self.rounds or max(1, ceil(log2(max(2, entrants))))
            case "round_robin":
                return even - 1
            case "double_round_robin":
                return 2 * (even - 1)
            case "gauntlet":
                return entrants - 1
            case "knockout":
                return ceil(log2(max(2, entrants)))
            case "arena":
                return None

    def last_to_join(self, entrants: int) -> int:
        """The last round, or minute, of which one who comes late may be a part."""
        if self.format not in ("swiss", "arena"):
            return 0
        of = self.rounds_of(entrants) or self.minutes
        return of // 2 if self.late_until is None else self.late_until
