"""A tournament's settings as keyword arguments. Written by `make options` out of `TournamentSettings`."""

from typing import Literal, TypedDict


class TournamentSettings(TypedDict, total=False):
    """What a tournament's host decides: see `parlour_protocol.tournaments.TournamentSettings` for each."""

    format: Literal["round_robin", "double_round_robin", "swiss", "knockout", "gauntlet", "arena"]
    clock: str
    rounds: int | None
    minutes: int
    pause: float
    games: int
    forfeit_minutes: float
    late_until: int | None
