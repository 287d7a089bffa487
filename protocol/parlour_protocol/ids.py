"""Room codes, links and seats: the names by which people and programs find each other."""

import re
from collections.abc import Callable
from typing import Annotated, Literal, NamedTuple, TypeVar
from urllib.parse import urlsplit

from pydantic import Field, StringConstraints

CODE_ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""31 characters that are not confused, said aloud or written down: no I, L or O, no 0 or 1."""
CODE_LENGTH = 6

TOURNAMENT_CODE_LENGTH = 7
"""Another than a room's, so that one code tells what it is of."""

_TOURNAMENT = re.compile(f"[{CODE_ALPHABET}]{{{TOURNAMENT_CODE_LENGTH}}}")
_CODE = re.compile(f"[{CODE_ALPHABET}]{{{CODE_LENGTH}}}")

_CARRY = "carry="

Seat = Literal[0, 1]
"""0 is a room's first seat, 1 its second. Which of them begins a game is another matter: see `starter`."""

SEATS: tuple[Seat, Seat] = (0, 1)

Side = Literal[0, 1]
"""0 is the side that moves first in a game (X in tic-tac-toe), 1 the other."""

T = TypeVar("T")

Both = Annotated[list[T], Field(min_length=2, max_length=2)]
"""One for each seat, or for each side."""

Version = Annotated[int, Field(ge=0)]
"""How many events a room's log holds. Event n takes a room from version n - 1 to n."""

CommandId = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=r"^[^\x00]+$")]
"""The client's own name for a command, unlike any other of the same player: draw it at random.

Not every database can keep a NUL character.
"""

RoomCode = Annotated[str, StringConstraints(min_length=1, max_length=32)]
TournamentCode = Annotated[str, StringConstraints(min_length=1, max_length=32)]


def is_player_id(text: str) -> bool:
    """Is that written as servers write their players' ids?"""
    return re.fullmatch(r"p[0-9a-f]{16}", text) is not None


def other(seat: Seat) -> Seat:
    """The seat (or side) across the table."""
    return 1 if seat == 0 else 0


def parse_code(text: str) -> str | None:
    """The room code that a person meant (`kmr tqa`, `KMR-TQA`), or None if it can't be one."""
    code = without_frills(text)
    return code if _CODE.fullmatch(code) else None


def parse_tournament_code(text: str) -> str | None:
    """The tournament's code that a person meant, or None if it can't be one."""
    code = without_frills(text)
    return code if _TOURNAMENT.fullmatch(code) else None


def without_frills(text: str) -> str:
    """A code as it was drawn, from one as people write it: small letters, spaces and hyphens are forgiven."""
    return re.sub(r"[\s-]", "", text).upper()


class Link(NamedTuple):
    """Where a room is: the server's WebSocket address (None: not said) and the room's code."""

    server: str | None
    code: str
    carry: str | None = None
    """The code in it that carries a player over."""


def parse_link(text: str) -> Link | None:
    """Read a room's code, or a link to it (`http://host:port/KMRTQA`); None if it is neither."""
    return _link(text, parse_code)


def parse_tournament_link(text: str) -> Link | None:
    """Read a tournament's code, or a link to it (`http://host:port/KMRTQA7`); None if it is neither."""
    return _link(text, parse_tournament_code)


def _link(text: str, parse: Callable[[str], str | None]) -> Link | None:
    text = text.strip()
    if "/" not in text:
        code = parse(text)
        return Link(None, code) if code else None
    text, _, fragment = text.partition("#")
    base, _, last = text.rstrip("/").rpartition("/")
    server, code = server_address(base), parse(last)
    carry = fragment.removeprefix(_CARRY) if fragment.startswith(_CARRY) else None
    return Link(server, code, carry) if server and code else None


def server_address(text: str) -> str | None:
    """The WebSocket address that a person meant by `host:port`, `http://host` or `wss://host/`.

    None if it names no host, an impossible port, a scheme that is no web address, or a path: a server
    has a host, or a port, of its own.
    """
    text = text.strip()
    if "://" not in text:
        text = f"ws://{text}"
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    scheme = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}.get(parts.scheme)
    if (
        scheme is None
        or not host
        or port == 0
        or parts.path.strip("/")
        or parts.query
        or re.search(r"[^\w.:%-]", host)
    ):
        return None
    host = f"[{host}]" if ":" in host else host
    return f"{scheme}://{host}:{port}" if port else f"{scheme}://{host}"


def page_address(server: str) -> str:
    """Where a browser opens the page of a server, for its WebSocket address."""
    return server.replace("ws", "http", 1).rstrip("/")


def room_link(server: str, code: str) -> str:
    """The link to a room or a tournament, for a server's WebSocket address and its code."""
    return f"{page_address(server)}/{code}"


def carry_link(server: str, code: str, carry: str) -> str:
    """The link that opens a room on another device as the same player, by a code from `carried`.

    The code stands in the fragment, which a browser does not send.
    """
    return f"{room_link(server, code)}#{_CARRY}{carry}"
