"""What a tournament's host decides: its format, and how it is played. A format's rules are the server's."""

from math import ceil, log2
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from parlour_protocol import LONGEST_WORD
from parlour_protocol.clocks import ClockText

Format = Literal["round_robin", "double_round_robin", "swiss", "knockout", "gauntlet", "arena"]

Phase = Literal["joining", "playing", "over"]

MOST_ENTRANTS = 100


class TournamentSettings(BaseModel):
    """How a tournament is played."""

    model_config = ConfigDict(frozen=True, defer_build=True, extra="forbid")

    game: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_WORD)]
    format: Format = "swiss"
    rounds: Annotated[int, Field(ge=1, le=30)] | None = None
    """Of a Swiss; without it as many as leave one player without a loss. Other formats have their own."""
    minutes: Annotated[int, Field(ge=1, le=600)] = 30
    """How long new games of an arena begin."""
    clock: ClockText = "5+3"
    """Each game has one, so that every round ends."""
    games: Annotated[int, Field(ge=1, le=10)] = 1
    """In each pairing, one after the other, the first move in turn."""
    forfeit_minutes: Annotated[float, Field(ge=0.1, le=600, allow_inf_nan=False)] = 5.0
    """Who has not made a first move after so long has lost."""
    late_until: Annotated[int, Field(ge=0, le=600)] | None = None
    """The last round (of an arena, minute) of which one may still be a part; without it, half of them. Only a
    Swiss and an arena can be joined late."""
    pause: Annotated[float, Field(ge=0, le=3600, allow_inf_nan=False)] = 15.0
    """Seconds between two rounds."""

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
