"""The options of settings, made from the tables that `make options` writes out of the protocol's models."""

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

import typer

from parlour_client.cli.options import legible, seconds, time_control, whole
from parlour_client.cli.setting_options_table import ROOM, TOURNAMENT, Row
from parlour_protocol.words import say


def parameter(row: Row, words: str = "setting") -> inspect.Parameter:
    """A setting as a parameter from which typer makes its option."""
    kind: Any
    annotation: Any
    name, default = row["name"], row["default"]
    given: dict[str, Any] = {"help": _help(name, row["kind"], words), "metavar": row.get("value")}
    match row["kind"]:
        case "flag":
            option: str = row["option"]
            name, default, kind = option.removeprefix("--").replace("-", "_"), False, bool
            annotation = Annotated[kind, typer.Option(option, help=given["help"])]
        case "choice":
            kind = Literal[tuple(row["choices"])]
            annotation = Annotated[kind, typer.Option(help=given["help"])]
        case "seconds":
            needed = "input.number_needed" if row.get("value") == "MINUTES" else "input.seconds_needed"
            number = seconds(row["least"], row["most"], needed)
            annotation = Annotated[float, typer.Option(parser=number, **given)]
        case "whole":
            annotation = Annotated[int | None, typer.Option(parser=whole(row["least"], row["most"]), **given)]
        case "clock":
            annotation = Annotated[str | None, typer.Option(callback=time_control, **given)]
        case _:
            annotation = Annotated[str | None, typer.Option(callback=legible, **given)]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _help(name: str, kind: str, words: str) -> str:
    """What an option says of itself: a flag what it does, any other the same as its setting in a form."""
    return say(f"option.setting.{name}" if kind == "flag" else f"{words}.{name}.help")


def _value(row: Row, given: Any) -> Any:
    """What was given, as the setting has it."""
    if row["kind"] != "flag":
        return given
    return row["chosen"] if given else row["default"]


def _with_settings(rows: Sequence[Row], words: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    made = {row["name"]: parameter(row, words) for row in rows}

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def with_options(**given: Any) -> None:
            values = {row["name"]: _value(row, given.pop(made[row["name"]].name)) for row in rows}
            command(settings=values, **given)

        own = inspect.signature(command, eval_str=True)
        parameters: list[inspect.Parameter] = []
        for name, one in own.parameters.items():
            named = one.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            parameters += made.values() if name == "settings" else [named]
        with_options.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
        return with_options

    return decorate


room_settings = _with_settings(ROOM, "setting")
"""Gives a command the options of a room's settings; it is handed their values by name, as `settings`."""
tournament_settings = _with_settings(TOURNAMENT, "setting.tournament")
"""Likewise of a tournament's."""
