"""Writes down what the command line and the SDK take from `RoomSettings`: `make options`.

For the command line a table of its options, since it is to be parsed before pydantic is loaded, which takes
as long as all the rest of it. For the SDK a dictionary's type, since a type checker runs nothing. Tests hold
both to the model.
"""

import types
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

from annotated_types import Ge, Le
from pydantic.fields import FieldInfo

from parlour_protocol.settings import RoomSettings

CLIENT = Path(__file__).parent.parent / "client" / "parlour_client"


def table(model: type[RoomSettings] = RoomSettings) -> list[dict[str, Any]]:
    """One row for each field: how its option is written, and what it takes."""
    return [_row(name, field) for name, field in model.model_fields.items()]


def _row(name: str, field: FieldInfo) -> dict[str, Any]:
    extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
    row: dict[str, Any] = {"name": name, "default": field.default}
    option = extra.get("x-option")
    if field.annotation is bool:
        row |= {"kind": "flag", "option": option or f"--no-{name}", "chosen": not field.default}
    elif option is not None:
        # A flag that chooses the value of its name.
        row |= {"kind": "flag", "option": option, "chosen": str(option).removeprefix("--")}
    elif _is_choice(field.annotation):
        row |= {"kind": "choice", "choices": list(get_args(field.annotation))}
    elif field.annotation in (int, float):
        bounds = {type(one): one for one in field.metadata}
        kind, value = ("whole", "NUMBER") if field.annotation is int else ("seconds", "SECONDS")
        row |= {"kind": kind, "least": bounds[Ge].ge, "most": bounds[Le].le}
        row["value"] = extra.get("x-value", value)
    else:
        row |= {"kind": "clock" if name == "clock" else "text", "value": extra["x-value"]}
    return row


def _is_choice(annotation: Any) -> bool:
    return get_origin(annotation) not in (None, types.UnionType) and all(
        isinstance(one, str) for one in get_args(annotation)
    )


def options() -> str:
    """The content of the command line's file."""
    rows = "".join(f"    {row!r},\n" for row in table())
    return f'''"""A room's settings as options. Written by `make options` out of `RoomSettings`."""

from typing import Any

Row = dict[str, Any]

ROWS: list[Row] = [
{rows}]
'''


def types_of_settings() -> str:
    """The content of the SDK's file."""
    hints = get_type_hints(RoomSettings)
    fields = "".join(f"    {name}: {_written(hints[name])}\n" for name in RoomSettings.model_fields)
    return f'''"""A room's settings as keyword arguments. Written by `make options` out of `RoomSettings`."""

from typing import Literal, TypedDict


class Settings(TypedDict, total=False):
    """What a room's creator decides: see `parlour_protocol.settings.RoomSettings` for each."""

{fields}'''


def _written(hint: Any) -> str:
    """A type as one writes it."""
    if get_origin(hint) in (Union, types.UnionType):
        return " | ".join(map(_written, get_args(hint)))
    if hint is types.NoneType:
        return "None"
    return hint.__name__ if isinstance(hint, type) else repr(hint).removeprefix("typing.")


FILES = {"cli/room_options_table.py": options, "sdk/room_settings.py": types_of_settings}


if __name__ == "__main__":
    for name, content in FILES.items():
        (CLIENT / name).write_text(content(), encoding="utf-8")
