"""Every reason for which a server refuses, for wire and screen alike.

A refusal is data: a code for programs, a sentence for people that says what to do, and what helps
to choose again (the legal moves, when to retry).
"""

from enum import StrEnum


class Code(StrEnum):
    """The codes of every refusal. The value is what stands on the wire."""

    # The message could not be understood; nothing was done.
    NOT_JSON = "not_json"
    BINARY = "binary"
    UNKNOWN_TYPE = "unknown_type"
    BAD_MESSAGE = "bad_message"

    # What the hello says of the player.
    HELLO_FIRST = "hello_first"
    HELLO_TWICE = "hello_twice"
    UNSUPPORTED_PROTOCOL = "unsupported_protocol"
    WRONG_TOKEN = "wrong_token"  # noqa: S105 - a code, not a secret
    UNKNOWN_CARRY = "unknown_carry"
    BAD_NAME = "bad_name"
    BANNED = "banned"

    # Not now: waiting helps, and retry_after says how long.
    TOO_FAST = "too_fast"
    BUSY = "busy"
    SERVER_FULL = "server_full"
    NOT_SAVED = "not_saved"

    # What was named does not exist.
    UNKNOWN_ROOM = "unknown_room"
    UNKNOWN_GAME = "unknown_game"
    UNKNOWN_BOT = "unknown_bot"
    BAD_SETTING = "bad_setting"
    UNKNOWN_TARGET = "unknown_target"

    # Seats.
    ROOM_FULL = "room_full"
    SEAT_TAKEN = "seat_taken"
    ALREADY_SEATED = "already_seated"
    NOT_SEATED = "not_seated"
    NOT_ALLOWED = "not_allowed"

    # The game.
    NOT_PLAYING = "not_playing"
    NOT_FINISHED = "not_finished"
    NOT_YOUR_TURN = "not_your_turn"
    GAME_OVER = "game_over"
    INVALID_MOVE = "invalid_move"
    ILLEGAL_MOVE = "illegal_move"
    STALE = "stale"
    OUT_OF_TIME = "out_of_time"
    ALREADY_OFFERED = "already_offered"
    NOTHING_OFFERED = "nothing_offered"
    NO_HINTS = "no_hints"
    TOO_LARGE = "too_large"
    CANCELLED = "cancelled"

    # Our own fault.
    INTERNAL = "internal"


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
