"""A room's settings as options. Written by `make options` out of `RoomSettings`."""

from typing import Any

Row = dict[str, Any]

ROWS: list[Row] = [
    {
        "name": "starts",
        "default": "alternate",
        "help": "Which seat begins each game; the first game's loser is nobody.",
        "kind": "choice",
        "choices": ["first", "second", "random", "loser", "alternate"],
    },
    {
        "name": "reports",
        "default": "at_once",
        "help": "When a room shows how its bots think, to players and spectators.",
        "kind": "choice",
        "choices": ["at_once", "after", "never"],
    },
    {
        "name": "hints",
        "default": "bots",
        "help": "When a player may ask for a hint: only against bots, always, never.",
        "kind": "choice",
        "choices": ["bots", "always", "never"],
    },
    {
        "name": "pace",
        "default": 1.0,
        "help": "Seconds from move to move while bots play each other.",
        "kind": "seconds",
        "least": 0,
        "most": 60,
        "value": "SECONDS",
    },
    {
        "name": "games",
        "default": 1,
        "help": "How many games two bots play, one after the other.",
        "kind": "whole",
        "least": 1,
        "most": 1000,
        "value": "NUMBER",
    },
    {
        "name": "clock",
        "default": None,
        "help": "Time for each player: minutes+seconds (5+3), or seconds a move (30/move).",
        "kind": "clock",
        "value": "5+3|30/move",
    },
    {
        "name": "visibility",
        "default": "public",
        "help": "Keep the room out of the list: it is found by its code.",
        "kind": "flag",
        "option": "--private",
        "chosen": "private",
    },
    {
        "name": "chat",
        "default": True,
        "help": "No talk in this room.",
        "kind": "flag",
        "option": "--no-chat",
        "chosen": False,
    },
    {
        "name": "takebacks",
        "default": True,
        "help": "No move is taken back.",
        "kind": "flag",
        "option": "--no-takebacks",
        "chosen": False,
    },
    {
        "name": "stand_in",
        "default": None,
        "help": "The bot that plays on for a player who is away, until they are back.",
        "kind": "text",
        "value": "BOT",
    },
    {
        "name": "patience",
        "default": 60.0,
        "help": "Seconds that a player may be away; then the stand-in plays, or the other may claim.",
        "kind": "seconds",
        "least": 5,
        "most": 86400,
        "value": "SECONDS",
    },
]
