"""The tables of `parlour top`: any list, sorted as its keeper wants."""

from collections.abc import Sequence
from typing import Generic

from rich.text import Text
from textual.widgets import DataTable

from parlour_client.render.lists import cell
from parlour_client.tui.top.history import History
from parlour_protocol.local.admin import RoomRow
from parlour_protocol.views.lists import RIGHT, Column, Columns, RowT
from parlour_protocol.words import language, say

LONGEST_CELL = 26
"""Characters: a column of two long names would push all others off the screen."""


class RankedTable(DataTable[Text], Generic[RowT]):
    """A list that keeps its row chosen while it changes. Rows are known by the field `key`."""

    def __init__(self, name: str, key: str) -> None:
        super().__init__(id=name, cursor_type="row", zebra_stripes=False, cell_padding=1)
        self.border_title = say(f"screen.top.{name}")
        self._key = key
        self._sorted_by = 0

    def put(self, columns: Columns[RowT], rows: Sequence[RowT], total: int) -> None:
        """Show these rows in these columns, the largest first of the column that they are sorted by."""
        chosen = self.chosen
        ranking = [column for column in columns if column.kind in RANKED]
        by = ranking[self._sorted_by % len(ranking)]
        self.clear(columns=True)
        for column in columns:
            heading = say(column.heading) + (" ▾" if column is by else "")
            self.add_column(Text(heading, justify="right" if column.kind in RIGHT else "left"))
        for row in sorted(rows, key=lambda row: _rank(by, row), reverse=True):
            self.add_row(*(_cell(column, row) for column in columns), key=str(getattr(row, self._key)))
        self.border_title = f"{say(f'screen.top.{self.id}')} {language().number(total)}"
        if chosen is not None and chosen in [row.value for row in self.rows]:
            self.move_cursor(row=self.get_row_index(chosen), animate=False)

    @property
    def chosen(self) -> str | None:
        """The key of the row that the cursor is on."""
        if not self.row_count:
            return None
        return self.coordinate_to_cell_key(self.cursor_coordinate).row_key.value

    def sort_by_the_next(self) -> None:
        """Sort by another column from the next `put` on."""
        self._sorted_by += 1


RANKED = frozenset(("number", "span", "counts", "names"))
"""The kinds of columns that rows can be sorted by."""


def _rank(column: Column[RowT], row: RowT) -> float:
    value = column.value(row)
    if column.kind == "counts":
        return float(sum(value.values()))
    return float(len(value) if column.kind == "names" else value)


def _cell(column: Column[RowT], row: RowT) -> Text:
    shown = cell(column, row)
    shown.truncate(LONGEST_CELL, overflow="ellipsis")
    shown.justify = "right" if column.kind in RIGHT else "left"
    return shown


def rate(history: History) -> Column[RoomRow]:
    """How many events a room has had a second."""
    rates = history.room_rates()
    return Column("rate", "number", of=lambda row: round(rates.get(row.room, 0.0), 1))
