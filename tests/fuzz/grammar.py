"""What messages are made of: the protocol's own words, and values that lead somewhere."""

from typing import Any

from hypothesis import strategies as st

from parlour_protocol.commands import TO_SERVER
from parlour_protocol.messages import types_of
from tests.fuzz.conversation import ROOM

VALUES: dict[str, tuple[Any, ...]] = {
    "room": (ROOM, ROOM, ROOM, "AAAAAA", "", None),
    "game": ("tictactoe", "tictactoe", "connect4", "mnk:3,3,3", "reversi", "nonsense", None),
    "moves": ("", "a1 b2", "a1 a1", "4 4 4", "x"),
    "move": ("a1", "b2", "c3", "a2", "b3", "z9", ""),
    "played": ("a1", "b2", "z9", None),
    "version": (1, 2, 3, 4, 5, 6, 7, 9, 0, -1, True, "4", 2**70),
    "since": (None, 0, 3, 4, 5, 99),
    "seat": (None, 0, 1, 2, "0"),
    "bot": ("easy", "random", "minimax:depth=2", "perfect", "nonsense:x=1", ""),
    "text": ("hello", "\u202eolleh", " ", "x" * 400, "http://192.0.2.1/", "http://a/" + "x" * 200),
    "token": ("token-1", "token-2", "nonsense", None),
    "carry": ("ABCDEFGHJK", "nonsense", None),
    "settings": (
        {},
        {"clock": "1+0"},
        {"games": 3, "pace": 0},
        {"reports": "never"},
        {"clock": "x"},
        [],
        None,
    ),
    "protocols": ([1], [2], [], None),
    "name": ("Ada", "Аdа", "", "Server"),
    "entrant": ("minimax", "alphabeta", "engine", "nobody"),
    "depth": (1, 3, 0, 99, None),
    "what": ("win", "draw", "bot", "nobody"),
}
"""For fields of these names; what fits is likelier than what doesn't."""
JUNK: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1.5,
    2**65,
    "",
    "\x00",
    "\ud800",
    [],
    {},
    [[[[]]]],
    {"type": "play"},
)
KINDS = {kind: tuple(message.model_fields) for message in TO_SERVER for kind in types_of(message)}
"""The fields of each message, by its type."""


@st.composite
def messages(draw: st.DrawFn) -> dict[str, Any]:
    """A message with most of its fields, most of them likely ones."""
    kind = draw(st.sampled_from(sorted(KINDS)))
    found: dict[str, Any] = {"type": kind}
    if "id" in KINDS[kind]:
        found["id"] = draw(st.sampled_from(["1", "2", "3", "", 7]))
    for field in KINDS[kind]:
        if field not in found and draw(st.integers(0, 5)):
            likely = VALUES.get(field, (True, False, 1))
            found[field] = draw(st.sampled_from(likely if draw(st.integers(0, 9)) else JUNK))
    return found


def words() -> list[str]:
    """Every word of the commands, for a fuzzer's dictionary."""
    fields = {field for fields in KINDS.values() for field in fields}
    values = {value for values in VALUES.values() for value in values if isinstance(value, str) and value}
    return sorted(
        {
            *KINDS,
            *fields,
            *(value for value in values if value.isascii() and value.isprintable() and len(value) < 40),
        }
    )
