"""Settings as options. Written by `make options` out of the protocol's models."""

from typing import Any

Row = dict[str, Any]

ROOM: list[Row] = [
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

TOURNAMENT: list[Row] = [
    {
        "name": "format",
        "default": "swiss",
        "kind": "choice",
        "choices": ["round_robin", "double_round_robin", "swiss", "knockout", "gauntlet", "arena"],
    },
    {"name": "clock", "default": "5+3", "kind": "clock", "value": "5+3|30/move"},
    {"name": "rounds", "default": None, "kind": "whole", "least": 1, "most": 30, "value": "NUMBER"},
    {"name": "minutes", "default": 30, "kind": "whole", "least": 1, "most": 600, "value": "NUMBER"},
    {"name": "pause", "default": 15.0, "kind": "seconds", "least": 0, "most": 3600, "value": "SECONDS"},
    {"name": "games", "default": 1, "kind": "whole", "least": 1, "most": 10, "value": "NUMBER"},
    {
        "name": "forfeit_minutes",
        "default": 5.0,
        "kind": "seconds",
        "least": 0.1,
        "most": 600,
        "value": "MINUTES",
    },
    {"name": "late_until", "default": None, "kind": "whole", "least": 0, "most": 600, "value": "NUMBER"},
]
