"""Games that run, side by side: who plays, and a small board of each, as many as there is room for."""

import asyncio
from collections.abc import Iterable
from contextlib import suppress

from textual.content import Content
from textual.widget import Widget
from textual.worker import Worker, WorkerError

from parlour_client.sdk.client import Client
from parlour_client.sdk.errors import ParlourError
from parlour_client.text.names import seat_name
from parlour_client.tui.widgets.mini_board import SIDES, tiny_board
from parlour_protocol.ids import SEATS
from parlour_protocol.views.rooms import RoomView

MOST_HIGH = 8
"""Lines of a board; of a larger one its liveliest part is shown."""
NARROWEST = 25
"""Columns of a tile: two bots' names stand side by side."""
GAP = 2


class RunningBoards(Widget):
    """Watches rooms as a wall does; what is shown elsewhere has to be let go first, by `pause`."""

    def __init__(self, parlour: Client, *, id: str) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id)
        self._parlour = parlour
        self._codes: list[str] = []
        self._views: dict[str, RoomView] = {}
        self._watching: dict[str, Worker[None]] = {}
        self._paused = False

    def show(self, codes: Iterable[str]) -> None:
        """Show the games of these rooms."""
        self._codes = list(codes)
        self._follow()

    async def pause(self) -> None:
        """Watch none any more, until `go_on`."""
        self._paused = True
        going = [*self._watching.values()]
        self._follow()
        for worker in going:
            with suppress(WorkerError, asyncio.CancelledError):
                await worker.wait()

    def go_on(self) -> None:
        """Watch them again."""
        self._paused = False
        self._follow()

    def on_resize(self) -> None:
        """There is room for more, or for fewer."""
        self._follow()

    def _tile(self) -> tuple[int, int]:
        """Columns and lines of a tile, by the first board that is known."""
        position = next((one.position for one in self._views.values() if one.position is not None), None)
        if position is None:
            return NARROWEST, MOST_HIGH + 1
        board = tiny_board(position, self.size.width, MOST_HIGH).plain.split("\n")
        return min(self.size.width, max(NARROWEST, *map(len, board))), len(board) + 1

    def _across(self) -> int:
        return max(1, (self.size.width + GAP) // (self._tile()[0] + GAP))

    def _follow(self) -> None:
        if not self.is_attached:
            return
        _, high = self._tile()
        most = self._across() * max(1, (self.size.height + 1) // (high + 1))
        wanted = [] if self._paused or not self.size.area else self._codes[:most]
        for code in [one for one in self._watching if one not in wanted]:
            self._watching.pop(code).cancel()
            self._views.pop(code, None)
        for code in wanted:
            if code not in self._watching:
                self._watching[code] = self.run_worker(self._watch(code), group=code)
        self.refresh()

    async def _watch(self, code: str) -> None:
        with suppress(ParlourError):
            room = await self._parlour.watch(code, present=False)
            try:
                async for change in room.changes():
                    fresh = code not in self._views
                    self._views[code] = change.after.view
                    if fresh:
                        # It may tell how much room a board takes.
                        self._follow()
                    self.refresh()
            finally:
                if not room.ended:
                    await room.unwatch()

    def render(self) -> Content:
        """Rows of tiles."""
        wide, high = self._tile()
        shown = [self._views[code] for code in self._codes if code in self._views]
        across = self._across()
        lines: list[Content] = []
        for begin in range(0, len(shown), across):
            tiles = [_tile(view, wide, high) for view in shown[begin : begin + across]]
            lines += [Content(" " * GAP).join(row) for row in zip(*tiles, strict=True)] + [Content("")]
        return Content("\n").join(lines[: max(0, self.size.height)])


def _tile(view: RoomView, wide: int, high: int) -> list[Content]:
    """A game in so many lines of the same width: its players, who is to move marked, and its board."""
    names = [
        Content.styled(
            seat_name(view.seats[seat]),
            SIDES[0 if seat == view.starter else 1] + (" underline" if view.to_move == seat else ""),
        )
        for seat in SEATS
    ]
    if sum(name.cell_length for name in names) >= wide:
        names = [name.truncate((wide - 1) // 2, ellipsis=True) for name in names]
    board = tiny_board(view.position, wide, high - 1) if view.position is not None else Content("")
    lines = [names[0] + Content(" ") + names[1], *board.split("\n")][:high]
    lines += [Content("")] * (high - len(lines))
    return [line + " " * max(0, wide - line.cell_length) for line in lines]
