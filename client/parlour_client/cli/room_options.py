"""The options of a room's settings, made from the table that `make options` writes out of `RoomSettings`."""

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any, Literal

import typer

from parlour_client.cli.options import legible, seconds, time_control, whole
from parlour_client.cli.room_options_table import ROWS, Row
from parlour_protocol.words import say


def parameter(row: Row) -> inspect.Parameter:
    """A setting as a parameter from which typer makes its option."""
    kind: Any
    annotation: Any
    name, default = row["name"], row["default"]
    given: dict[str, Any] = {"help": _help(name, row["kind"]), "metavar": row.get("value")}
    match row["kind"]:
        case "flag":
            option: str = row["option"]
            name, default, kind = option.removeprefix("--").replace("-", "_"), False, bool
            annotation = Annotated[kind, typer.Option(option, help=given["help"])]
        case "choice":
            kind = Literal[tuple(row["choices"])]
            annotation = Annotated[kind, typer.Option(help=given["help"])]
        case "seconds":
            annotation = Annotated[float, typer.Option(parser=seconds(row["least"], row["most"]), **given)]
        case "whole":
            annotation = Annotated[int, typer.Option(parser=whole(row["least"], row["most"]), **given)]
        case "clock":
            annotation = Annotated[str | None, typer.Option(callback=time_control, **given)]
        case _:
            annotation = Annotated[str | None, typer.Option(callback=legible, **given)]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _help(name: str, kind: str) -> str:
    """What an option says of itself: a flag what it does, any other the same as its setting in a form."""
    return say(f"option.setting.{name}" if kind == "flag" else f"setting.{name}.help")


PARAMETERS = {row["name"]: parameter(row) for row in ROWS}


def _value(row: Row, given: Any) -> Any:
    """What was given, as the setting has it."""
    if row["kind"] != "flag":
        return given
    return row["chosen"] if given else row["default"]


def room_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of a room's settings; it is handed their values by name, as `settings`."""

    @functools.wraps(command)
    def with_options(**given: Any) -> None:
        values = {row["name"]: _value(row, given.pop(PARAMETERS[row["name"]].name)) for row in ROWS}
        command(settings=values, **given)

    own = inspect.signature(command, eval_str=True)
    parameters: list[inspect.Parameter] = []
    for name, parameter in own.parameters.items():
        named = parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        parameters += PARAMETERS.values() if name == "settings" else [named]
    with_options.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    return with_options
