"""Writes down what the command line and the SDK take from the protocol's settings: `make options`.

For the command line tables of options, since it is to be parsed before pydantic is loaded, which takes
as long as all the rest of it. For the SDK dictionaries' types, since a type checker runs nothing. Tests hold
both to the models.
"""

import types
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from parlour_protocol.settings import RoomSettings, bound, kind_of
from parlour_protocol.tournaments import TournamentSettings

CLIENT = Path(__file__).parent.parent / "client" / "parlour_client"


def table(model: type[BaseModel] = RoomSettings) -> list[dict[str, Any]]:
    """One row for each setting: how its option is written, and what it takes. A game is named apart."""
    return [_row(name, field) for name, field in model.model_fields.items() if name != "game"]


def _row(name: str, field: FieldInfo) -> dict[str, Any]:
    extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
    row: dict[str, Any] = {"name": name, "default": field.default}
    option, hint = extra.get("x-option"), kind_of(field)
    if hint is bool:
        row |= {"kind": "flag", "option": option or f"--no-{name}", "chosen": not field.default}
    elif option is not None:
        # A flag that chooses the value of its name.
        row |= {"kind": "flag", "option": option, "chosen": str(option).removeprefix("--")}
    elif get_origin(hint) is Literal:
        row |= {"kind": "choice", "choices": list(get_args(hint))}
    elif hint in (int, float):
        kind, value = ("whole", "NUMBER") if hint is int else ("seconds", "SECONDS")
        row |= {"kind": kind, "least": bound(field, "ge"), "most": bound(field, "le")}
        row["value"] = extra.get("x-value", value)
    else:
        row |= {"kind": "clock" if name == "clock" else "text", "value": extra["x-value"]}
    return row


def options() -> str:
    """The content of the command line's file."""
    tables = "".join(
        f"\n{name}: list[Row] = [\n{''.join(f'    {row!r},{chr(10)}' for row in table(model))}]\n"
        for name, model in (("ROOM", RoomSettings), ("TOURNAMENT", TournamentSettings))
    )
    return f'''"""Settings as options. Written by `make options` out of the protocol's models."""

from typing import Any

Row = dict[str, Any]
{tables}'''


def types_of_settings(model: type[BaseModel], of: str, who: str, name: str) -> str:
    """The content of a file of the SDK's."""
    hints = get_type_hints(model)
    fields = "".join(f"    {one['name']}: {_written(hints[one['name']])}\n" for one in table(model))
    return f'''"""A {of}'s settings as keyword arguments. Written by `make options` out of the protocol's."""

from typing import Literal, TypedDict


class {name}(TypedDict, total=False):
    """What a {of}'s {who} decides: see `{model.__module__}.{model.__name__}` for each."""

{fields}'''


def _written(hint: Any) -> str:
    """A type as one writes it."""
    if get_origin(hint) in (Union, types.UnionType):
        return " | ".join(map(_written, get_args(hint)))
    if hint is types.NoneType:
        return "None"
    return hint.__name__ if isinstance(hint, type) else repr(hint).removeprefix("typing.")


FILES = {
    "cli/setting_options_table.py": options(),
    "sdk/room_settings.py": types_of_settings(RoomSettings, "room", "creator", "Settings"),
    "sdk/tournament_settings.py": types_of_settings(
        TournamentSettings, "tournament", "host", "TournamentSettings"
    ),
}


if __name__ == "__main__":
    for name, content in FILES.items():
        (CLIENT / name).write_text(content, encoding="utf-8")
