"""The options of settings, and the SDK's types, are the protocol's."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, get_args, get_type_hints

import pytest
import typer
from pydantic import BaseModel, Field
from typer.testing import CliRunner

from parlour_client.cli.setting_options import parameter, room_settings, tournament_settings
from parlour_client.cli.setting_options_table import ROOM, TOURNAMENT, Row
from parlour_client.sdk import room_settings as sdk_room
from parlour_client.sdk import tournament_settings as sdk_tournament
from parlour_protocol.settings import RoomSettings
from parlour_protocol.tournaments import TournamentSettings
from scripts import setting_options

BOTH = pytest.mark.parametrize(
    ("model", "rows", "decorate", "needed"),
    [
        (RoomSettings, ROOM, room_settings, {}),
        (TournamentSettings, TOURNAMENT, tournament_settings, {"game": "tictactoe"}),
    ],
)
TEXTS = {"clock": "7+3", "stand_in": "easy"}
Decorate = Callable[[Callable[..., None]], Callable[..., None]]


def settings(
    model: type[BaseModel], decorate: Decorate, needed: dict[str, str], *arguments: str
) -> BaseModel:
    """What a command is handed for these options."""
    given: dict[str, Any] = {}
    app = typer.Typer()

    @app.command()
    @decorate
    def make(*, settings: dict[str, object]) -> None:
        given.update(settings)

    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    return model.model_validate({**needed, **given})


def test_the_files_are_the_models() -> None:
    assert setting_options.table() == ROOM, "run `make options`"
    assert setting_options.table(TournamentSettings) == TOURNAMENT, "run `make options`"
    assert get_type_hints(sdk_room.Settings) == get_type_hints(RoomSettings), "run `make options`"
    of_tournament = {**get_type_hints(sdk_tournament.TournamentSettings), "game": str}
    assert of_tournament == get_type_hints(TournamentSettings), "run `make options`"


def test_a_whole_number_has_its_bounds() -> None:
    class Longer(RoomSettings):
        games: Annotated[int, Field(ge=1, le=9)] = 3

    row = next(row for row in setting_options.table(Longer) if row["name"] == "games")
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


@BOTH
def test_without_options_it_is_as_usual(
    model: type[BaseModel], rows: Sequence[Row], decorate: Decorate, needed: dict[str, str]
) -> None:
    assert settings(model, decorate, needed) == model.model_validate(needed)


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


@BOTH
def test_every_setting_has_its_option(
    model: type[BaseModel], rows: Sequence[Row], decorate: Decorate, needed: dict[str, str]
) -> None:
    values = {row["name"]: given(row) for row in rows}
    chosen = settings(model, decorate, needed, *(word for words, _ in values.values() for word in words))
    assert chosen.model_dump() == {**needed, **{name: value for name, (_, value) in values.items()}}
    assert all(chosen.model_dump()[row["name"]] != row["default"] for row in rows)
