"""The options of a room are those of `RoomSettings`."""

import typer
from typer.testing import CliRunner

from parlour_client.cli.room_options import room_settings
from parlour_client.cli.room_options_table import ROWS
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


def test_the_table_is_the_models() -> None:
    assert room_options.table() == ROWS, "run `make options`"


def test_without_options_it_is_the_usual_room() -> None:
    assert settings() == RoomSettings()


def test_every_setting_has_its_option() -> None:
    chosen = settings(
        *"--starts loser --reports never --hints always --pace 0.5 --clock 5+3 --private".split(),
        *"--no-chat --no-takebacks --stand-in easy --patience 7".split(),
    )
    assert chosen == RoomSettings(
        starts="loser",
        reports="never",
        hints="always",
        pace=0.5,
        clock="5+3",
        visibility="private",
        chat=False,
        takebacks=False,
        stand_in="easy",
        patience=7,
    )
    assert all(getattr(chosen, name) != getattr(RoomSettings(), name) for name in RoomSettings.model_fields)
