"""Lists as CSV, for programs and spreadsheets: the same text in every language, by one rule for each kind."""

import csv
import io
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from parlour_client.render.lists import ranked, stood
from parlour_protocol.views.lists import Column, Columns, RowT
from parlour_protocol.views.rooms import SeatView

FORMULA = ("=", "+", "-", "@", "\t")
"""What begins like this is a formula to a spreadsheet."""


def csv_text(columns: Columns[RowT], rows: Sequence[RowT]) -> str:
    """A list as CSV below its columns' names.

    Numbers and seconds are numbers with a point, moments are in ISO 8601, phases and endings are the codes
    of the protocol, a server's sentences are in English, and what has several parts has `;` between them.
    What is missing is empty.
    """
    named = [column for column in columns if column.name]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([column.name for column in named])
    writer.writerows([[_field(column, row) for column in named] for row in rows])
    return out.getvalue()


def _field(column: Column[RowT], row: RowT) -> str | float:
    value = column.value(row) if column.raw is None else column.raw(row)
    value = "" if value is None else _raw(column.kind, value)
    if isinstance(value, int | float):
        return value
    # No field has lines of its own: many programs read CSV line by line.
    text = " ".join(_joined(value).split())
    return f"'{text}" if text.startswith(FORMULA) else text


def _raw(kind: str, value: Any) -> Any:
    match kind:
        case "moment":
            return datetime.fromtimestamp(value / 1000, UTC).isoformat().replace("+00:00", "Z")
        case "span":
            return round(value, 3)
        case "side":
            return value.name
        case "counts":
            return [f"{name}={count}" for name, count in ranked(value)]
        case "seat":
            return _player(value)
        case "seats":
            return [_player(seat) for seat in value]
        case "others":
            return [_player(seat) for number, seat in enumerate(value.seats) if number != value.you]
        case "series":
            return [value.number, value.of]
        case "score":
            return [*value.wins, value.draws]
        case "standing":
            return [part for part in stood(value) if part]
        case "outcome":
            return _outcome(value)
        case "rating":
            return value.rating
        case _:
            return value


def _joined(value: Any) -> str:
    several = not isinstance(value, str | Mapping) and isinstance(value, Sequence)
    return ";".join(map(str, value)) if several else str(value)


def _player(seat: SeatView) -> str:
    """A player's name, `bot:` and a bot's settings, or nothing for a free seat."""
    return f"bot:{seat.bot or seat.name}" if seat.kind == "bot" else seat.name


def _outcome(game: Any) -> list[str]:
    if game.result is None:
        return ["playing"] if game.goes_on else []
    winner = game.result.winner
    return [game.result.termination, *([] if winner is None else [_player(game.seats[winner])])]
