"""A room's settings: what its creator decides.

Wire, command line and dialogs derive from the fields here. Where an option of the command line isn't spelled
as its field, or its sentence differs, `x-option`, `x-value` and `x-help` say so; after a change run
`make options`.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from parlour_protocol import LONGEST_WORD
from parlour_protocol.clocks import ClockText


class RoomSettings(BaseModel):
    """What a room's creator decides for it."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    starts: Literal["first", "second", "random", "loser", "alternate"] = Field(
        default="alternate", description="Which seat begins each game; the first game's loser is nobody."
    )
    reports: Literal["at_once", "after", "never"] = Field(
        default="at_once", description="When a room shows how its bots think, to players and spectators."
    )
    hints: Literal["bots", "always", "never"] = Field(
        default="bots", description="When a player may ask for a hint: only against bots, always, never."
    )
    pace: Annotated[float, Field(ge=0, le=60, allow_inf_nan=False)] = Field(
        default=1.0,
        description="Seconds from move to move while bots play each other.",
    )
    games: Annotated[int, Field(ge=1, le=1000)] = Field(
        default=1,
        description="How many games two bots play, one after the other.",
    )
    clock: ClockText | None = Field(
        default=None,
        description="Time for each player: minutes+seconds (5+3), or seconds a move (30/move).",
        json_schema_extra={"x-value": "5+3|30/move"},
    )
    visibility: Literal["public", "private"] = Field(
        default="public",
        description="Whether it stands in the list of rooms; a private one is found by its code.",
        json_schema_extra={
            "x-option": "--private",
            "x-help": "Keep the room out of the list: it is found by its code.",
        },
    )
    chat: bool = Field(
        default=True,
        description="Whether players and spectators may chat.",
        json_schema_extra={"x-help": "No talk in this room."},
    )
    takebacks: bool = Field(
        default=True,
        description="Whether a player may ask to take a move back.",
        json_schema_extra={"x-help": "No move is taken back."},
    )
    stand_in: Annotated[str, Field(min_length=1, max_length=LONGEST_WORD)] | None = Field(
        default=None,
        title="Stand-in",
        description="The bot that plays on for a player who is away, until they are back.",
        json_schema_extra={"names": "bot", "x-value": "BOT"},
    )
    patience: Annotated[float, Field(ge=5, le=86_400, allow_inf_nan=False)] = Field(
        default=60.0,
        description="Seconds that a player may be away; then the stand-in plays, or the other may claim.",
    )
