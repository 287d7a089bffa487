"""A widget that is a function: it shows what that draws from a table's model, in the space there is."""

from collections.abc import Callable
from dataclasses import replace

from textual.content import Content
from textual.widget import Widget

from parlour_client.tui.table_model import Space, TableModel

Draw = Callable[[TableModel, Space], Content]


class FunctionWidget(Widget):
    """Shows what its function draws; paints itself anew only where that has changed."""

    def __init__(self, draw: Draw, *, id: str) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id)
        self._draw = draw
        self._model: TableModel | None = None
        self._space = Space(0, 0)
        self._content = Content("")

    def show(self, model: TableModel, space: Space) -> None:
        """Draw another moment; the size in `space` is the widget's own."""
        self._model, self._space = model, space
        before, now = self._content, self._drawn()
        if now != before or now.spans != before.spans:
            self.refresh()

    @property
    def text(self) -> str:
        """What it shows, without styles."""
        return self._drawn().plain

    def render(self) -> Content:
        """The drawing at the widget's size."""
        self._content = self._drawn()
        return self._content

    def _drawn(self) -> Content:
        if self._model is None:
            return Content("")
        return self._draw(self._model, replace(self._space, width=self.size.width, height=self.size.height))
