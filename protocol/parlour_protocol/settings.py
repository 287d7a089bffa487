"""A room's settings: what its creator decides.

Wire, command line and dialogs derive from the fields here. Where an option of the command line isn't spelled
as its field, `x-option` and `x-value` say so; what it says of itself is `option.setting.NAME` in the
catalogue. After a change run `make options`.
"""

from dataclasses import dataclass, field
from functools import cache, partial
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field
from pydantic.fields import FieldInfo

from parlour_protocol import LONGEST_WORD
from parlour_protocol.clocks import ClockText
from parlour_protocol.words import Said, Sentence, Translatable


class RoomSettings(BaseModel):
    """What a room's creator decides for it."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    starts: Literal["first", "second", "random", "loser", "alternate"] = Field(
        default="alternate",
        description=Sentence("setting.starts.help"),
    )
    reports: Literal["at_once", "after", "never"] = Field(
        default="at_once", description=Sentence("setting.reports.help")
    )
    hints: Literal["bots", "always", "never"] = Field(
        default="bots", description=Sentence("setting.hints.help")
    )
    pace: Annotated[float, Field(ge=0, le=60, allow_inf_nan=False)] = Field(
        default=1.0,
        description=Sentence("setting.pace.help"),
        json_schema_extra={"bots-only": True},
    )
    games: Annotated[int, Field(ge=1, le=1000)] = Field(
        default=1,
        description=Sentence("setting.games.help"),
        json_schema_extra={"bots-only": True},
    )
    clock: ClockText | None = Field(
        default=None,
        description=Sentence("setting.clock.help"),
        json_schema_extra={"x-value": "5+3|30/move", "examples": ["1+0", "3+2", "5+3", "10+5"]},
    )
    visibility: Literal["public", "private"] = Field(
        default="public",
        description=Sentence("setting.visibility.help"),
        json_schema_extra={"x-option": "--private"},
    )
    chat: bool = Field(
        default=True,
        description=Sentence("setting.chat.help"),
    )
    takebacks: bool = Field(
        default=True,
        description=Sentence("setting.takebacks.help"),
    )
    rated: bool = Field(
        default=True,
        description=Sentence("setting.rated.help"),
        json_schema_extra={"x-option": "--casual"},
    )
    take_over: Literal["nobody", "owner", "asked", "anyone"] = Field(
        default="owner",
        description=Sentence("setting.take_over.help"),
    )
    stand_in: Annotated[str, Field(min_length=1, max_length=LONGEST_WORD)] | None = Field(
        default=None,
        description=Sentence("setting.stand_in.help"),
        json_schema_extra={"names": "bot", "x-value": "BOT"},
    )
    patience: Annotated[float, Field(ge=5, le=86_400, allow_inf_nan=False)] = Field(
        default=60.0,
        description=Sentence("setting.patience.help"),
    )


@dataclass(frozen=True, slots=True)
class SettingLine(Translatable):
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
    values: str = "setting.value"
    """The group of sentences that name its choices."""
    bots_only: bool = False
    """Does it matter only where two bots play each other?"""
    formats: list[str] = field(default_factory=list)
    """The formats of a tournament that it matters in; none: all, or it is none of a tournament's."""
    title_said: Said | None = field(default=None, compare=False)
    description_said: Said | None = field(default=None, compare=False)


@cache
def setting_lines(model: type[BaseModel] = RoomSettings) -> tuple[SettingLine, ...]:
    """Every setting of a room, or of a tournament, whose game is asked for apart."""
    return tuple(
        _line(name, info, "setting" if model is RoomSettings else "setting.tournament")
        for name, info in model.model_fields.items()
        if name != "game"
    )


def kind_of(info: FieldInfo) -> Any:
    """A field's type, but for None."""
    kinds = [one for one in get_args(info.annotation) if one is not NoneType]
    return kinds[0] if get_origin(info.annotation) in (Union, UnionType) else info.annotation


def _line(name: str, info: FieldInfo, words: str) -> SettingLine:
    extra: dict[str, Any] = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
    texts, kind = (Sentence(f"{words}.{name}.title"), Sentence(f"{words}.{name}.help")), kind_of(info)
    line = partial(
        SettingLine,
        name,
        *texts,
        default=info.default,
        values=extra.get("values", "setting.value"),
        bots_only="bots-only" in extra,
        formats=extra.get("formats", []),
    )
    if kind is bool:
        return line("switch")
    if get_origin(kind) is Literal:
        return line("choice", choices=list(get_args(kind)))
    if kind in (int, float):
        return line("number", least=bound(info, "ge"), greatest=bound(info, "le"), whole=kind is int)
    return line("bot" if extra.get("names") == "bot" else "text", examples=extra.get("examples", []))


def bound(info: FieldInfo, name: str) -> float | None:
    """A number's least (`ge`) or greatest (`le`) value."""
    return next((getattr(one, name) for one in info.metadata if hasattr(one, name)), None)
