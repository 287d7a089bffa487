"""Which game is meant: one in a room, or one that is written down."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

if TYPE_CHECKING:  # so that a command line can be read without the wire's types
    from parlour_protocol.views.records import GameRecord


@dataclass(frozen=True, slots=True)
class Source:
    """Where a game is: in a `room` on a `server` (None: the usual one), or here with its `moves`."""

    server: str | None
    room: str | None = None
    number: int | None = None
    """Which of the room's games; None: the last with moves that was not aborted."""
    game: str | None = None
    moves: str = ""
    record: "GameRecord | None" = None
    """All that is known of it, where that was exported."""
    ply: int | None = None
    """The position that is meant: the one after so many moves; None: the last."""


_LINK = re.compile(r"https?://[^#\s]+(?:#([^=]+)=(.*)|/(?:analysis|lab)#([^=]+))", re.IGNORECASE | re.DOTALL)
"""The last sign may be lost where a link was copied, and its blanks may be written as such."""


def linked_position(text: str) -> tuple[str, str] | None:
    """The game and the moves in a link to a position, as the web page gives one; None for another text.

    Behind variations in brackets the main line goes on; a `*` marks the position that was looked at.
    """
    if (link := _LINK.fullmatch(text.strip())) is None:
        return None
    game, moves = (unquote(part) for part in (link[1] or link[3], link[2] or ""))
    path: list[str] = []
    branches: list[list[str]] = []
    here: list[str] | None = None
    for word in re.findall(r"[()]|[^\s,()]+", moves):
        if word == "(":
            branches.append(path)
            path = path[:-1]
        elif word == ")":
            path = branches.pop() if branches else path
        else:
            path = [*path, word.replace("*", "")] if word != "*" else path
            here = path if "*" in word else here
    return game, " ".join(path if here is None else here)
