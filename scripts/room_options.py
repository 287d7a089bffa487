"""Writes the table from which the command line's options of a room are made: `make options`.

The fields are `RoomSettings`', in their order. They are written down since a command line is to be parsed
before pydantic is loaded, which takes as long as all the rest of it. A test holds the table to the model.
"""

import types
from pathlib import Path
from typing import Any, get_args, get_origin

from annotated_types import Ge, Le
from pydantic.fields import FieldInfo

from parlour_protocol.settings import RoomSettings

TARGET = Path(__file__).parent.parent / "client" / "parlour_client" / "cli" / "room_options_table.py"


def table() -> list[dict[str, Any]]:
    """One row for each field: how its option is written, and what it takes."""
    return [_row(name, field) for name, field in RoomSettings.model_fields.items()]


def _row(name: str, field: FieldInfo) -> dict[str, Any]:
    extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
    row: dict[str, Any] = {"name": name, "default": field.default}
    row["help"] = extra.get("x-help", field.description)
    option = extra.get("x-option")
    if field.annotation is bool:
        row |= {"kind": "flag", "option": option or f"--no-{name}", "chosen": not field.default}
    elif option is not None:
        # A flag that chooses the value of its name.
        row |= {"kind": "flag", "option": option, "chosen": str(option).removeprefix("--")}
    elif _is_choice(field.annotation):
        row |= {"kind": "choice", "choices": list(get_args(field.annotation))}
    elif field.annotation is float:
        bounds = {type(one): one for one in field.metadata}
        row |= {"kind": "seconds", "least": bounds[Ge].ge, "most": bounds[Le].le, "value": "SECONDS"}
    else:
        row |= {"kind": "clock" if name == "clock" else "text", "value": extra["x-value"]}
    return row


def _is_choice(annotation: Any) -> bool:
    return get_origin(annotation) not in (None, types.UnionType) and all(
        isinstance(one, str) for one in get_args(annotation)
    )


def text() -> str:
    """The file's content."""
    rows = "".join(f"    {row!r},\n" for row in table())
    return f'''"""A room's settings as options. Written by `make options` out of `RoomSettings`."""

from typing import Any

Row = dict[str, Any]

ROWS: list[Row] = [
{rows}]
'''


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
