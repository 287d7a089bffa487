"""A list on the full screen as a table, whose rows lead on."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widgets import DataTable

from parlour_client.render.lists import cell
from parlour_protocol.views.lists import RIGHT, Column, Columns
from parlour_protocol.words import say

Choose = Callable[[Any], None]
"""Called with the row that is chosen."""


class Rows(DataTable[Text]):
    """A list whose rows lead on; the row with the cursor keeps it while others come and go."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select_cursor", "screen.key.see", key_display="enter")
    ]

    def __init__(
        self,
        columns: Columns[Any],
        rows: Sequence[Any],
        choose: Choose,
        *,
        key: Callable[[Any], str] | None = None,
        id: str | None = None,  # noqa: A002 (Textual's name)
    ) -> None:
        """`key` tells rows that change apart."""
        super().__init__(cursor_type="row", zebra_stripes=False, cell_padding=1, id=id)
        self._all, self._rows, self._choose, self._key = columns, rows, choose, key
        self._shown: Columns[Any] = []

    @property
    def chosen(self) -> Any | None:
        """The row with the cursor."""
        return (
            self._rows[self.cursor_row] if self._rows and self.is_valid_row_index(self.cursor_row) else None
        )

    def put(self, rows: Sequence[Any]) -> None:
        """Show other rows."""
        before, place = self.chosen, self.scroll_offset
        self._rows = rows
        self.clear()
        self._fill()
        if before is not None and self._key is not None:
            kept = self._key(before)
            at = next((at for at, row in enumerate(rows) if self._key(row) == kept), 0)
            self.move_cursor(row=at, scroll=False)
            self.scroll_to(*place, animate=False)

    def on_mount(self) -> None:
        """All of it."""
        self.reword()

    def on_resize(self) -> None:
        """A wide screen has more columns."""
        if self._fitting() != self._shown:
            self.reword()

    def reword(self) -> None:
        """Headings and cells, in the language of now."""
        self.clear(columns=True)
        self._shown = self._fitting()
        for column in self._shown:
            self.add_column(Text(say(column.heading), justify="right" if column.kind in RIGHT else "left"))
        self._fill()

    def _fitting(self) -> Columns[Any]:
        return [column for column in self._all if column.from_width <= self.app.size.width]

    def _fill(self) -> None:
        for row in self._rows:
            self.add_row(*(_cell(column, row) for column in self._shown))

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        """Lead there."""
        event.stop()
        self._choose(self._rows[event.cursor_row])


def _cell(column: Column[Any], row: Any) -> Text:
    text = cell(column, row)
    text.justify = "right" if column.kind in RIGHT else "left"
    return text
