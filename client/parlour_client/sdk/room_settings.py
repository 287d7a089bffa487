"""A room's settings as keyword arguments. Written by `make options` out of `RoomSettings`."""

from typing import Literal, TypedDict


class Settings(TypedDict, total=False):
    """What a room's creator decides: see `parlour_protocol.settings.RoomSettings` for each."""

    starts: Literal["first", "second", "random", "loser", "alternate"]
    reports: Literal["at_once", "after", "never"]
    hints: Literal["bots", "always", "never"]
    pace: float
    games: int
    clock: str | None
    visibility: Literal["public", "private"]
    chat: bool
    takebacks: bool
    rated: bool
    take_over: Literal["nobody", "owner", "asked", "anyone"]
    stand_in: str | None
    patience: float
