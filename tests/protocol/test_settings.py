"""A room's settings as data: a form made of nothing else can send every one of them."""

from typing import Any

import pytest
from pydantic import ValidationError

from parlour_protocol.commands import AskedSettings
from parlour_protocol.settings import RoomSettings, SettingLine, setting_lines
from parlour_protocol.words import ENGLISH

LINES = {line.name: line for line in setting_lines()}


def values(line: SettingLine) -> list[Any]:
    """What a form can send of a setting."""
    match line.kind:
        case "choice":
            return line.choices
        case "switch":
            return [True, False]
        case "number":
            return [line.least, line.greatest]
        case "text":
            return line.examples
        case "bot":
            return ["medium", "minimax:depth=2"]


def test_every_setting_has_its_line_with_its_default() -> None:
    assert list(LINES) == list(RoomSettings.model_fields)
    assert RoomSettings(**{line.name: line.default for line in LINES.values()}) == RoomSettings()
    assert all(line.title and line.description.endswith(".") for line in LINES.values())
    assert all(f"setting.value.{one}" in ENGLISH for line in LINES.values() for one in line.choices)


@pytest.mark.parametrize("name", LINES)
def test_what_a_line_offers_can_be_sent(name: str) -> None:
    offered = values(LINES[name])
    assert offered
    for value in offered:
        assert getattr(AskedSettings(**{name: value}), name) == value


@pytest.mark.parametrize("line", [line for line in LINES.values() if line.kind == "number"])
def test_a_number_beyond_its_bounds_can_not(line: SettingLine) -> None:
    assert line.least is not None
    assert line.greatest is not None
    for value in (line.least - 1, line.greatest + 1, *([line.least + 0.5] if line.whole else [])):
        with pytest.raises(ValidationError):
            AskedSettings.model_validate({line.name: value})


def test_what_matters_to_bots_alone_says_so() -> None:
    assert [line.name for line in LINES.values() if line.bots_only] == ["pace", "games"]
