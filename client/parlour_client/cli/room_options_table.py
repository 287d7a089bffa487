"""A room's settings as options. Written by `make options` out of `RoomSettings`."""

from typing import Any

Row = dict[str, Any]

ROWS: list[Row] = [
    {
        "name": "starts",
        "default": "alternate",
        "kind": "choice",
        "choices": ["first", "second", "random", "loser", "alternate"],
    },
    {"name": "reports", "default": "at_once", "kind": "choice", "choices": ["at_once", "after", "never"]},
    {"name": "hints", "default": "bots", "kind": "choice", "choices": ["bots", "always", "never"]},
    {"name": "pace", "default": 1.0, "kind": "seconds", "least": 0, "most": 60, "value": "SECONDS"},
    {"name": "games", "default": 1, "kind": "whole", "least": 1, "most": 1000, "value": "NUMBER"},
    {"name": "clock", "default": None, "kind": "clock", "value": "5+3|30/move"},
    {"name": "visibility", "default": "public", "kind": "flag", "option": "--private", "chosen": "private"},
    {"name": "chat", "default": True, "kind": "flag", "option": "--no-chat", "chosen": False},
    {"name": "takebacks", "default": True, "kind": "flag", "option": "--no-takebacks", "chosen": False},
    {"name": "rated", "default": True, "kind": "flag", "option": "--casual", "chosen": False},
    {
        "name": "take_over",
        "default": "owner",
        "kind": "choice",
        "choices": ["nobody", "owner", "asked", "anyone"],
    },
    {"name": "stand_in", "default": None, "kind": "text", "value": "BOT"},
    {"name": "patience", "default": 60.0, "kind": "seconds", "least": 5, "most": 86400, "value": "SECONDS"},
]
