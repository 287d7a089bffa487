"""What a tournament's host may decide beside its game, as keywords: see `parlour_protocol.tournaments`."""

from typing import TypedDict

from parlour_protocol.tournaments import Format


class TournamentSettings(TypedDict, total=False):
    """Each may be left out."""

    format: Format
    rounds: int | None
    minutes: int
    clock: str
    games: int
    forfeit_minutes: float
    late_until: int | None
    pause: float
