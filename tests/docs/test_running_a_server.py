"""docs/running-a-server.md: every setting is told, with its default, and every command is one."""

import re
from pathlib import Path
from typing import Any

from parlour_server.net import connection
from parlour_server.settings import ServerSettings
from tests.docs.markdown import named, page, tables

PAGE = page("docs/running-a-server.md")


def option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def reported_defaults() -> dict[str, str]:
    return {name: row[1] for row in tables(PAGE)["Option"] for name in named([row])}


def test_every_setting_is_reported_and_no_other() -> None:
    assert list(reported_defaults()) == [option(name) for name in ServerSettings.model_fields]


def as_reported(default: Any) -> str:
    match default:
        case bool():
            return "on" if default else "off"
        case None | []:
            return "none"
        case int() | float():
            return f"{default:,.0f}"
        case _:
            return f"`{default}`"


def test_every_default_is_reported() -> None:
    reported = reported_defaults()
    for name, info in ServerSettings.model_fields.items():
        if name == "data":
            assert Path(info.get_default(call_default_factory=True)).name in reported["--data"]
        elif name == "port":
            assert reported["--port"] == f"`{info.default}`"
        else:
            assert reported[option(name)] == as_reported(info.get_default(call_default_factory=True)), name


def test_settings_named_in_the_environment_are_settings() -> None:
    named_there = re.findall(r"PARLOUR_([A-Z_]+)", PAGE)
    assert named_there
    # The cache is everybody's who searches, not the server's alone.
    assert {name.lower() for name in named_there} - {"cache"} <= set(ServerSettings.model_fields)


def test_the_bounds_of_an_outbox_are_those_of_the_code() -> None:
    assert f"{connection.OUTBOX_BYTES // 1024} KiB or {connection.OUTBOX_MESSAGES} further messages" in PAGE
