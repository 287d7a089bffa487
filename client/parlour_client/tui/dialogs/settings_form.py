"""The rows of a room's or a tournament's settings in a dialog, made from what the protocol says of them."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import Any

from pydantic import BaseModel
from textual.widget import Widget
from textual.widgets import Input

from parlour_client.sdk.commands import checked
from parlour_client.sdk.errors import UsageError
from parlour_client.sdk.sanitize import clean
from parlour_client.text.names import localised
from parlour_client.tui.dialogs.fields import Choice, FormRow, UsualField, typed
from parlour_protocol.settings import RoomSettings, SettingLine, setting_lines
from parlour_protocol.words import say

NOBODY = ""


class YesNo(Choice):
    """A setting that is on or off."""

    def __init__(self, on: bool, *, id: str | None = None) -> None:  # noqa: A002
        options = [("yes", say("screen.yes")), ("no", say("screen.no"))]
        super().__init__(options, "yes" if on else "no", id=id)


class SettingsForm:
    """A row for each setting: its title, a field for its kind, its description. Defaults are chosen already.

    `bots` are the values of a setting that names one, with their words. With `names` it has these alone.
    """

    def __init__(
        self,
        bots: Sequence[tuple[str, str]],
        names: Collection[str] | None = None,
        model: type[BaseModel] = RoomSettings,
    ) -> None:
        self.lines = [line for line in setting_lines(model) if names is None or line.name in names]
        self._model = model
        self._needed = {name: "-" for name, info in model.model_fields.items() if info.is_required()}
        """What is asked for apart."""
        self._fields = {line.name: _field(line, bots) for line in self.lines}
        self.rows = {
            line.name: FormRow(
                localised(line.title, line.title_said),
                self._fields[line.name],
                localised(line.description, line.description_said),
            )
            for line in self.lines
        }

    def chosen(self) -> dict[str, Any]:
        """The settings that differ from their defaults. What is not valid stands there as it was typed."""
        settings = {}
        for name, value in self._values().items():
            with suppress(UsageError):
                value = self._read(name, value)
            if value != self._model.model_fields[name].default:
                settings[name] = value
        return settings

    def wrong(self) -> tuple[str, str] | None:
        """The first setting that is not valid, and why."""
        for name, value in self._values().items():
            try:
                self._read(name, value)
            except UsageError as fault:
                return name, str(fault)
        return None

    def _read(self, name: str, value: str | bool) -> Any:
        return getattr(checked(self._model, {**self._needed, name: value}), name)

    def _values(self) -> dict[str, str | bool]:
        """What is chosen or typed, by the names of the settings; what is hidden or left empty is left out."""
        values = {name: _value(field) for name, field in self._fields.items() if self.rows[name].display}
        return {name: value for name, value in values.items() if value != ""}


def _field(line: SettingLine, bots: Sequence[tuple[str, str]]) -> Widget:
    name, usual = line.name, "" if line.default is None else str(line.default)
    match line.kind:
        case "switch":
            return YesNo(bool(line.default), id=name)
        case "choice":
            return Choice([(one, say(f"{line.values}.{one}")) for one in line.choices], usual, id=name)
        case "bot":
            return Choice([(NOBODY, say("screen.form.nobody")), *bots], id=name)
        case "number":
            usual = say("page.new.as_usual") if line.default is None else f"{line.default:g}"
            return typed(name, usual, longest=16)
        case "text":
            field = UsualField(
                placeholder=usual or say("screen.form.none"), id=name, compact=True, max_length=16
            )
            field.usual = [("", field.placeholder), *((one, one) for one in line.examples)]
            return field


def _value(field: Widget) -> str | bool:
    if isinstance(field, Input):
        return " ".join(clean(field.value).split())
    assert isinstance(field, Choice)
    return field.value == "yes" if isinstance(field, YesNo) else field.value
