"""The options of a room are those of `RoomSettings`."""

from typing import Annotated, get_args, get_type_hints

import pytest
import typer
from pydantic import Field
from typer.testing import CliRunner

from parlour_client.cli.room_options import parameter, room_settings
from parlour_client.cli.room_options_table import ROWS, Row
from parlour_client.sdk.room_settings import Settings
from parlour_protocol.settings import RoomSettings
from scripts import room_options

GIVEN: list[dict[str, object]] = []
app = typer.Typer()


@app.command()
@room_settings
def make(*, settings: dict[str, object]) -> None:
    GIVEN.append(settings)


def settings(*arguments: str) -> RoomSettings:
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    return RoomSettings.model_validate(GIVEN.pop())


def test_the_files_are_the_models() -> None:
    assert room_options.table() == ROWS, "run `make options`"
    assert get_type_hints(Settings) == get_type_hints(RoomSettings), "run `make options`"


def test_a_whole_number_has_its_bounds() -> None:
    class Longer(RoomSettings):
        games: Annotated[int, Field(ge=1, le=9)] = 3

    row = next(row for row in room_options.table(Longer) if row["name"] == "games")
    assert row == {
        "name": "games",
        "default": 3,
        "kind": "whole",
        "least": 1,
        "most": 9,
        "value": "NUMBER",
    }
    read = get_args(parameter(row).annotation)[1].parser
    assert read("9") == 9
    with pytest.raises(typer.BadParameter):
        read("10")


def test_without_options_it_is_the_usual_room() -> None:
    assert settings() == RoomSettings()


TEXTS = {"clock": "5+3", "stand_in": "easy"}


def given(row: Row) -> tuple[list[str], object]:
    """How a setting is given that is not the usual one, and what comes of it."""
    option = f"--{row['name'].replace('_', '-')}"
    match row["kind"]:
        case "flag":
            return [row["option"]], row["chosen"]
        case "choice":
            value = next(one for one in row["choices"] if one != row["default"])
        case "whole" | "seconds":
            value = row["least"] if row["least"] != row["default"] else row["most"]
        case _:
            value = TEXTS[row["name"]]
    return [option, str(value)], value


def test_every_setting_has_its_option() -> None:
    values = {row["name"]: given(row) for row in ROWS}
    chosen = settings(*(word for words, _ in values.values() for word in words))
    assert chosen.model_dump() == {name: value for name, (_, value) in values.items()}
    assert all(getattr(chosen, name) != getattr(RoomSettings(), name) for name in RoomSettings.model_fields)
