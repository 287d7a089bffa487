"""What stands in a list's columns, as people read it: under a heading, or by itself in a sentence."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.text import Text

from parlour_client.render.board import plain
from parlour_client.text import durations, wording
from parlour_client.text.names import game_name, localised, seat_name
from parlour_client.text.scores import FIRST, LOSS, NOTICE, PAST, SECOND, WIN
from parlour_protocol.ids import other
from parlour_protocol.views.lists import Column, RowT, Tone
from parlour_protocol.views.rooms import RoomLine, SeatView
from parlour_protocol.words import language, say

BAR = 20
"""Characters of a bar for all of 1."""
SIDES = (FIRST, SECOND)
TONES: Mapping[Tone, str] = {
    "": "",
    "strong": "bold",
    "first": FIRST,
    "second": SECOND,
    "past": PAST,
    "win": WIN,
    "loss": LOSS,
    "notice": NOTICE,
}
_STOOD = {
    "waiting": ("○", NOTICE),
    "your_turn": ("▸", NOTICE),
    "playing": ("●", NOTICE),
    "won": ("+", WIN),
    "lost": ("−", LOSS),
}
_OVER = {"empty": "·", "drawn": "=", "called_off": "×", "closed": "×"}
"""Shapes of what is past; of all else it is a square."""


def cell(column: Column[RowT], row: RowT, *, ascii_only: bool = False) -> Text:
    """A value under its column's heading; empty where there is none."""
    text = _cell(column, row, ascii_only=ascii_only)
    tone = column.tone(row) if callable(column.tone) else column.tone
    text.stylize(TONES["past" if column.kind == "tally" and not column.value(row) else tone])
    return text


def _cell(column: Column[RowT], row: RowT, *, ascii_only: bool) -> Text:
    value = column.value(row)
    if value is None or isinstance(value, Text):
        return value or Text()
    match column.kind:
        case "key":
            return plain(str(value), "bold")
        case "sentence":
            return Text(localised(value, getattr(row, f"{column.name}_said")))
        case "number" | "tally":
            return Text(language().number(value))
        case "bytes":
            return Text(size(value))
        case "share":
            return Text(percent(value))
        case "bar":
            return Text(("#" if ascii_only else "█") * (max(1, round(value * BAR)) if value else 0))
        case "span":
            return Text(durations.span(value))
        case "moment":
            return Text(durations.moment(value).removesuffix(" UTC"), PAST)
        case "names":
            return plain(", ".join(value))
        case "counts":
            return plain(counted(value))
        case "phase":
            return Text(phase_name(value))
        case "side":
            return plain(value.name, SIDES[value.side])
        case "seat":
            return player(value)
        case "seats":
            return Text(" – ").join(players(value))
        case "others":
            return Text(" – ").join(players(value.seats))
        case "series":
            return Text(f"{value.number}/{value.of}")
        case "score":
            drawn = [say("count.drawn", count=value.draws)] if value.draws else []
            return Text(", ".join(["–".join(map(str, value.wins)), *drawn]) if _counts(value) else "")
        case "standing":
            return standing(value)[1]
        case "outcome":
            return Text(wording.game_result(value))
        case "rating":
            return Text(f"{value.rating}{'?' if value.provisional else ' '}")
        case "game":
            return plain(game_name(value))
        case "text" | "figure":
            return plain(str(value))


def phrase(column: Column[RowT], row: RowT) -> Text:
    """A value by itself; empty where there is none, or nothing to say of it."""
    value = column.value(row)
    if not column.said or value is None:
        return cell(column, row)
    match column.kind:
        case "number":
            return Text(say(column.said, count=value) if value > column.above else "")
        case "series":
            return Text(say(column.said, number=value.number, of=value.of))
        case "moment":
            return Text(say(column.said, moment=cell(column, row).plain), PAST)
        case "seat":
            return Text(say(column.said, name=seat_name(value)))
        case "others" if value.you is not None:
            seat = other(value.you)
            who = value.seats[seat]
            return Text("" if who.kind == "open" else say(column.said, name=seat_name(who)), SIDES[seat])
        case "score" if _counts(value):
            first, second = value.wins
            drawn = say("count.drawn", count=value.draws)
            id_ = "table.fact.score_drawn" if value.draws else "table.fact.score"
            return Text(say(id_, first=first, second=second, drawn=drawn))
        case _:
            return cell(column, row)


def pieces(column: Column[RowT], row: RowT) -> list[Text]:
    """What stands in a line, where two players may be parted."""
    if column.kind == "seats" or (column.kind == "others" and column.value(row).you is None):
        return players(row.seats)  # type: ignore[attr-defined]
    return [phrase(column, row)]


def player(seat: SeatView, style: str = "") -> Text:
    """Who sits there; a bot is always marked as one."""
    return Text(seat_name(seat), f"{PAST} italic" if seat.kind == "open" else style)


def players(seats: Sequence[SeatView]) -> list[Text]:
    """Who sits in the two seats, each in the colour of theirs."""
    return [player(seat, style) for seat, style in zip(seats, SIDES, strict=False)]


def standing(row: Any) -> tuple[str, Text]:
    """How a room stands, or stood for its viewer: by a character of its own shape, and in words."""
    name, winner = stood(row)
    shape, style = _STOOD.get(name) or (_OVER.get(name, "■"), PAST)
    return shape, Text(say(f"stood.{name}", name=winner), style)


def stood(row: Any) -> tuple[str, str]:
    """The sentence of `stood` for a `RoomLine` or a `PastRoom`, and the winner for whom it names one."""
    if isinstance(row, RoomLine) or row.phase in ("waiting", "playing"):
        if isinstance(row, RoomLine):
            return row.standing, ""
        return "your_turn" if row.your_turn else row.phase, ""
    if row.result is None or row.result.termination == "aborted":
        return "called_off", ""
    winner = row.result.winner
    if winner is None:
        return "drawn", ""
    if row.you is None:
        return "won_by", seat_name(row.seats[winner])
    return "won" if winner == row.you else "lost", ""


def _counts(row: Any) -> bool:
    return any(row.wins) or row.draws > 0


def percent(share: float) -> str:
    """A part of 1: `62.5%`."""
    return say("score.chance", percent=language().number(100 * share, 1))


def size(count: int) -> str:
    """A number of bytes: `312.5 MB`."""
    for unit, bytes_each in (("GB", 10**9), ("MB", 10**6), ("KB", 10**3)):
        if count >= bytes_each:
            return f"{language().number(count / bytes_each, 1)} {unit}"
    return say("command.admin.status.bytes", count=count)


def ranked(counts: Mapping[str, int]) -> Iterable[tuple[str, int]]:
    """The most first."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def counted(counts: Mapping[str, int]) -> str:
    """How many there are of each, the most first."""
    return ", ".join(f"{name} {language().number(count)}" for name, count in ranked(counts))


def phase_name(phase: str) -> str:
    """A room's phase for people; as the server has it where we don't know that one."""
    id_ = f"plain.phase.{phase}"
    return say(id_) if id_ in language() else phase
