"""A room's settings: what its creator decides.

Wire, command line and dialogs derive from the fields here. Where an option of the command line isn't spelled
as its field, `x-option` and `x-value` say so; what it says of itself is `option.setting.NAME` in the
catalogue. After a change run `make options`.
"""

from dataclasses import dataclass, field
from functools import cache, partial
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field
from pydantic.fields import FieldInfo

from parlour_protocol import LONGEST_WORD
from parlour_protocol.clocks import ClockText


class RoomSettings(BaseModel):
    """What a room's creator decides for it."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    starts: Literal["first", "second", "random", "loser", "alternate"] = Field(
        default="alternate",
        description="Which seat begins each game; with `loser` the first seat begins the first one.",
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
        json_schema_extra={"bots-only": True},
    )
    games: Annotated[int, Field(ge=1, le=1000)] = Field(
        default=1,
        description="How many games two bots play, one after the other.",
        json_schema_extra={"bots-only": True},
    )
    clock: ClockText | None = Field(
        default=None,
        description="Time for each player: minutes+seconds (5+3), or seconds a move (30/move).",
        json_schema_extra={"x-value": "5+3|30/move", "examples": ["3+2", "5+3", "10+5", "30/move"]},
    )
    visibility: Literal["public", "private"] = Field(
        default="public",
        description="Whether it stands in the list of rooms; a private one is found by its code.",
        json_schema_extra={"x-option": "--private"},
    )
    chat: bool = Field(
        default=True,
        description="Whether players and spectators may chat.",
    )
    takebacks: bool = Field(
        default=True,
        description="Whether a player may ask to take a move back.",
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


@dataclass(frozen=True, slots=True)
class SettingLine:
    """A setting as a form asks for it: all that is to be known of it, so that a new one needs no new form."""

    name: str
    title: str
    description: str
    kind: Literal["choice", "switch", "number", "text", "bot"]
    """One of `choices`; true or false; a number; a text; a bot, as `bots` lists them, with its settings."""
    default: str | bool | int | float | None = None
    """What holds where nothing is sent; None: nothing does."""
    choices: list[str] = field(default_factory=list)
    least: float | None = None
    greatest: float | None = None
    whole: bool = False
    """Must the number be a whole one?"""
    examples: list[str] = field(default_factory=list)
    """Texts that would do."""
    bots_only: bool = False
    """Does it matter only where two bots play each other?"""


@cache
def setting_lines() -> tuple[SettingLine, ...]:
    """Every setting of a room."""
    return tuple(_line(name, info) for name, info in RoomSettings.model_fields.items())


def _line(name: str, info: FieldInfo) -> SettingLine:
    extra: dict[str, Any] = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
    title, bots_only = info.title or name.replace("_", " ").capitalize(), "bots-only" in extra
    line = partial(
        SettingLine, name, title, info.description or "", default=info.default, bots_only=bots_only
    )
    if info.annotation is bool:
        return line("switch")
    if get_origin(info.annotation) is Literal:
        return line("choice", choices=list(get_args(info.annotation)))
    if info.annotation in (int, float):
        least, greatest = _bound(info, "ge"), _bound(info, "le")
        return line("number", least=least, greatest=greatest, whole=info.annotation is int)
    return line("bot" if extra.get("names") == "bot" else "text", examples=extra.get("examples", []))


def _bound(info: FieldInfo, name: str) -> float | None:
    return next((getattr(one, name) for one in info.metadata if hasattr(one, name)), None)
