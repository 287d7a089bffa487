"""The rows of a room's settings in a dialog, generated from `RoomSettings`."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo
from textual.widget import Widget
from textual.widgets import Input

from parlour_client.sdk.commands import checked
from parlour_client.sdk.errors import UsageError
from parlour_client.sdk.sanitize import clean
from parlour_client.tui.dialogs.fields import Choice, FormRow, UsualField, typed
from parlour_protocol.settings import RoomSettings
from parlour_protocol.words import say

NOBODY = ""


class YesNo(Choice):
    """A setting that is on or off."""

    def __init__(self, on: bool, *, id: str | None = None) -> None:  # noqa: A002
        options = [("yes", say("screen.yes")), ("no", say("screen.no"))]
        super().__init__(options, "yes" if on else "no", id=id)


class SettingsForm:
    """A row for each setting: its title, a field for its type, its description. Defaults are chosen already.

    `bots` are the values of a setting that names one, with their words. With `names` it has these alone.
    """

    def __init__(
        self, bots: Sequence[tuple[str, str]], names: Iterable[str] = RoomSettings.model_fields
    ) -> None:
        settings = {name: RoomSettings.model_fields[name] for name in names}
        self._fields = {name: _field(name, info, bots) for name, info in settings.items()}
        self.rows = {
            name: FormRow(say(f"setting.{name}.title"), self._fields[name], say(f"setting.{name}.help"))
            for name in settings
        }

    def chosen(self) -> dict[str, Any]:
        """The settings that differ from their defaults. What is not valid stands there as it was typed."""
        settings = {}
        for name, value in self._values().items():
            with suppress(UsageError):
                value = getattr(checked(RoomSettings, {name: value}), name)
            if value != RoomSettings.model_fields[name].default:
                settings[name] = value
        return settings

    def wrong(self) -> tuple[str, str] | None:
        """The first setting that is not valid, and why."""
        for name, value in self._values().items():
            try:
                checked(RoomSettings, {name: value})
            except UsageError as fault:
                return name, str(fault)
        return None

    def _values(self) -> dict[str, str | bool]:
        """What is chosen or typed, by the names of the settings; what is left empty is left out."""
        values = {name: _value(field) for name, field in self._fields.items()}
        return {name: value for name, value in values.items() if value != ""}


def _field(name: str, info: FieldInfo, bots: Sequence[tuple[str, str]]) -> Widget:
    if info.annotation is bool:
        return YesNo(info.default, id=name)
    if get_origin(info.annotation) is Literal:
        words = [(value, say(f"setting.value.{value}")) for value in get_args(info.annotation)]
        return Choice(words, info.default, id=name)
    extra: dict[str, Any] = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
    if extra.get("names") == "bot":
        return Choice([(NOBODY, say("screen.form.nobody")), *bots], id=name)
    if (examples := extra.get("examples")) is not None:
        none = say("screen.form.none")
        field = UsualField(placeholder=none, id=name, compact=True, max_length=16)
        field.usual = [("", none), *((one, one) for one in examples)]
        return field
    return typed(name, say("screen.form.none") if info.default is None else f"{info.default:g}", longest=16)


def _value(field: Widget) -> str | bool:
    if isinstance(field, Input):
        return " ".join(clean(field.value).split())
    assert isinstance(field, Choice)
    return field.value == "yes" if isinstance(field, YesNo) else field.value
