"""The tables of `parlour top`: rooms, players and addresses, sorted as their keeper wants."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from rich.text import Text
from textual.widgets import DataTable

from parlour_client.render.admin import phase_name, ranked, seats
from parlour_client.text import durations
from parlour_client.text.sanitize import clean
from parlour_client.tui.top.history import History
from parlour_protocol.local.admin import AddressRow, PlayerRow, RoomRow
from parlour_protocol.words import language, say

RowT = TypeVar("RowT")

LONGEST_CELL = 26
"""Characters: a column of two long names would push all others off the screen."""


@dataclass(frozen=True, slots=True)
class Column(Generic[RowT]):
    """A column: its name, what stands in it, and by what its rows are sorted, the largest first."""

    name: str
    shown: Callable[[RowT], str]
    rank: Callable[[RowT], Any] | None = None
    right: bool = False


class RankedTable(DataTable[Text], Generic[RowT]):
    """A table that keeps its row chosen while it changes."""

    def __init__(self, name: str) -> None:
        super().__init__(id=name, cursor_type="row", zebra_stripes=False, cell_padding=1)
        self.border_title = say(f"screen.top.{name}")
        self._sorted_by = 0
        self._columns: Sequence[Column[RowT]] = ()
        self._rows: Sequence[RowT] = ()

    def put(
        self, columns: Sequence[Column[RowT]], rows: Sequence[RowT], key: Callable[[RowT], str], total: int
    ) -> None:
        """Show these rows in these columns."""
        chosen = self.chosen
        self._columns, self._rows = columns, rows
        by = self._rankings[self._sorted_by % len(self._rankings)]
        assert by.rank is not None
        ordered = sorted(rows, key=by.rank, reverse=True)
        self.clear(columns=True)
        for column in columns:
            heading = say(f"screen.top.column.{column.name}")
            heading = f"{heading} ▾" if column is by else heading
            self.add_column(Text(heading, justify="right" if column.right else "left"))
        for row in ordered:
            cells = [Text(clean(one.shown(row)), justify="right" if one.right else "left") for one in columns]
            self.add_row(*cells, key=key(row))
        self.border_title = f"{say(f'screen.top.{self.id}')} {language().number(total)}"
        if chosen is not None and chosen in [row.value for row in self.rows]:
            self.move_cursor(row=self.get_row_index(chosen), animate=False)

    @property
    def _rankings(self) -> list[Column[RowT]]:
        return [column for column in self._columns if column.rank is not None]

    @property
    def chosen(self) -> str | None:
        """The key of the row that the cursor is on."""
        if not self.row_count:
            return None
        return self.coordinate_to_cell_key(self.cursor_coordinate).row_key.value

    def sort_by_the_next(self) -> None:
        """Sort by another column from the next `put` on."""
        self._sorted_by += 1


def put_rooms(table: RankedTable[RoomRow], history: History, rows: Sequence[RoomRow], total: int) -> None:
    """Show the rooms, the busiest first."""
    rates = history.room_rates()
    columns: list[Column[RoomRow]] = [
        Column("room", lambda row: row.room),
        Column("players", lambda row: _short(seats(row))),
        Column(
            "rate",
            lambda row: language().number(rates.get(row.room, 0.0), 1),
            lambda row: (rates.get(row.room, 0.0), -row.quiet),
            right=True,
        ),
        Column(
            "watching", lambda row: str(row.spectators), lambda row: (row.spectators, -row.quiet), right=True
        ),
        Column("game", lambda row: row.game),
        Column("phase", lambda row: phase_name(row.phase)),
        Column("events", lambda row: language().number(row.events), lambda row: row.events, right=True),
        Column("quiet", lambda row: durations.span(row.quiet), lambda row: -row.quiet, right=True),
    ]
    table.put(columns, rows, lambda row: row.room, total)


def put_players(table: RankedTable[PlayerRow], rows: Sequence[PlayerRow], total: int) -> None:
    """Show the players, those first who are refused most."""
    columns: list[Column[PlayerRow]] = [
        Column("player", lambda row: row.name),
        Column("refused", _refused, lambda row: sum(row.refusals.values())),
        Column("connections", lambda row: str(row.connections), lambda row: row.connections, right=True),
        Column("rooms", lambda row: str(len(row.rooms)), lambda row: len(row.rooms), right=True),
        Column("since", lambda row: durations.span(row.since), lambda row: row.since, right=True),
        Column("addresses", lambda row: ", ".join(row.addresses)),
        Column("id", lambda row: row.player),
    ]
    table.put(columns, rows, lambda row: row.player, total)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 1]}…"


def _refused(row: PlayerRow) -> str:
    return ", ".join(f"{code} {count}" for code, count in ranked(row.refusals))


def put_addresses(table: RankedTable[AddressRow], rows: Sequence[AddressRow], total: int) -> None:
    """Show the addresses, those with the most connections first."""
    columns: list[Column[AddressRow]] = [
        Column("address", lambda row: row.address or say("screen.top.unknown")),
        Column(
            "connections",
            lambda row: language().number(row.connections),
            lambda row: row.connections,
            right=True,
        ),
        Column("players", lambda row: language().number(row.players), lambda row: row.players, right=True),
        Column("refused", lambda row: language().number(row.refusals), lambda row: row.refusals, right=True),
    ]
    table.put(columns, rows, lambda row: row.address, total)
