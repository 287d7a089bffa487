"""A game as text in the form that chess has for it (PGN): tags, numbered moves, and the result. Pure.

    [First "Ada"]
    [Second "Ben"]
    [Result "1-0"]
    [Game "connect4"]
    [TimeControl "300+3"]

    1. 4 4 2. 3 5 1-0

So that other programs, and people, can read it. First is the side that began, whichever seat that was.
"""

import textwrap
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType

from parlour_protocol.clocks import parse_time_control
from parlour_protocol.ids import Side
from parlour_protocol.views.records import GameRecord
from parlour_protocol.views.rooms import SeatView
from parlour_protocol.words import ENGLISH

WIDTH = 79
UNKNOWN, GOES_ON, NO_CLOCK = "?", "*", "-"
DAY = "%Y.%m.%d"
"""How a date is written, as `strftime` has it."""
RESULTS: Mapping[str, Side | None] = MappingProxyType({"1-0": 0, "0-1": 1, "1/2-1/2": None})
"""The side that has won, by how a result is written."""


def written(record: GameRecord) -> str:
    """The game as text."""
    first, second = record.side_seats()
    result = _result(record)
    tags = {
        "Event": record.title,
        "Site": record.room or UNKNOWN,
        "Date": _day(record.started) or "????.??.??",
        "Round": str(record.number),
        "First": _player(first),
        "Second": _player(second),
        "Result": result,
        "Game": record.game,
    }
    tags["TimeControl"] = _time_control(record.settings.clock)
    if record.started_with:
        tags["StartedWith"] = str(record.started_with)
    tags["Termination"] = "unterminated" if record.result is None else record.result.termination
    head = "".join(f'[{name} "{_escaped(value)}"]\n' for name, value in tags.items())
    return f"{head}\n{_moves([played.move for played in record.moves], result)}\n"


def _day(started: int) -> str:
    """The date of a game that began then; empty where nobody said when."""
    try:
        return datetime.fromtimestamp(started / 1000, UTC).strftime(DAY) if started > 0 else ""
    except (ValueError, OverflowError, OSError):
        return ""


def _time_control(clock: str | None) -> str:
    """In seconds, as PGN has it."""
    if not clock:
        return NO_CLOCK
    base, increment, per_move = parse_time_control(clock)
    return f"1/{base // 1000}" if per_move else f"{base // 1000}+{increment // 1000}"


def _player(seat: SeatView) -> str:
    if seat.bot or seat.program:
        return ENGLISH.say("seat.bot", name=seat.name)
    return seat.name or UNKNOWN


def _result(record: GameRecord) -> str:
    result = record.side_result()
    if result is None or result.termination == "aborted":
        return GOES_ON
    return next(text for text, winner in RESULTS.items() if winner == result.winner)


def _escaped(value: str) -> str:
    return " ".join(value.split()).replace("\\", r"\\").replace('"', r"\"")


def _moves(moves: Sequence[str], result: str) -> str:
    pairs = [f"{ply // 2 + 1}. {' '.join(moves[ply : ply + 2])}" for ply in range(0, len(moves), 2)]
    return textwrap.fill(" ".join([*pairs, result]), WIDTH, break_on_hyphens=False, break_long_words=False)
