"""Every reason for which a server refuses, for wire and screen alike.

A refusal is data: a code for programs, a sentence for people that says what to do, and what helps
to choose again (the legal moves, when to retry).
"""

from enum import StrEnum
from typing import Literal, Self

About = Literal["message", "hello", "later", "unknown", "seat", "game", "server"]
"""What a refusal is about: clients go by it where they need not know the code."""


class Code(StrEnum):
    """The codes of every refusal: what stands on the wire, and what it is about."""

    about: About

    def __new__(cls, value: str, about: About) -> Self:
        """A code of that value."""
        code = str.__new__(cls, value)
        code._value_, code.about = value, about
        return code

    # The message could not be understood; nothing was done.
    NOT_JSON = "not_json", "message"
    BINARY = "binary", "message"
    UNKNOWN_TYPE = "unknown_type", "message"
    BAD_MESSAGE = "bad_message", "message"

    # What the hello says of the player.
    HELLO_FIRST = "hello_first", "hello"
    HELLO_TWICE = "hello_twice", "hello"
    UNSUPPORTED_PROTOCOL = "unsupported_protocol", "hello"
    WRONG_TOKEN = "wrong_token", "hello"
    UNKNOWN_CARRY = "unknown_carry", "hello"
    BAD_NAME = "bad_name", "hello"
    BANNED = "banned", "hello"

    # Not now: waiting helps, and retry_after says how long.
    TOO_FAST = "too_fast", "later"
    BUSY = "busy", "later"
    SERVER_FULL = "server_full", "later"
    NOT_SAVED = "not_saved", "later"

    # What was named does not exist.
    UNKNOWN_ROOM = "unknown_room", "unknown"
    UNKNOWN_TOURNAMENT = "unknown_tournament", "unknown"
    UNKNOWN_GAME = "unknown_game", "unknown"
    UNKNOWN_BOT = "unknown_bot", "unknown"
    BAD_SETTING = "bad_setting", "unknown"
    UNKNOWN_TARGET = "unknown_target", "unknown"

    # Seats.
    ROOM_FULL = "room_full", "seat"
    SEAT_TAKEN = "seat_taken", "seat"
    ALREADY_SEATED = "already_seated", "seat"
    NOT_SEATED = "not_seated", "seat"
    NOT_ALLOWED = "not_allowed", "seat"

    # The game.
    NOT_PLAYING = "not_playing", "game"
    NOT_FINISHED = "not_finished", "game"
    NOT_YOUR_TURN = "not_your_turn", "game"
    GAME_OVER = "game_over", "game"
    INVALID_MOVE = "invalid_move", "game"
    ILLEGAL_MOVE = "illegal_move", "game"
    STALE = "stale", "game"
    OUT_OF_TIME = "out_of_time", "game"
    ALREADY_OFFERED = "already_offered", "game"
    NOTHING_OFFERED = "nothing_offered", "game"
    NO_HINTS = "no_hints", "game"
    TOO_LARGE = "too_large", "game"
    CANCELLED = "cancelled", "game"

    # Our own fault.
    INTERNAL = "internal", "server"


RETRIED = frozenset(code for code in Code if code.about in ("later", "server"))
"""Refusals after which the same command may succeed a moment later."""

INPUT_FAULTS = frozenset(
    {Code.UNKNOWN_GAME, Code.UNKNOWN_BOT, Code.BAD_SETTING, Code.BAD_NAME, Code.INVALID_MOVE,
     Code.ILLEGAL_MOVE, Code.GAME_OVER, Code.BAD_MESSAGE, Code.TOO_LARGE}
)  # fmt: skip
"""Refusals of what a person typed rather than of what they may do: a usage fault on a command line."""


class CloseCode:
    """WebSocket close codes beyond RFC 6455's, from its range for private use."""

    NO_HELLO = 4002
    TURNED_AWAY = 4003
    """The host has ended this player's connection, or bans the player: don't come back by yourself."""
    TOO_SLOW = 4008
    """The peer read so slowly that its outbox overflowed. It may come back and ask for a snapshot."""
