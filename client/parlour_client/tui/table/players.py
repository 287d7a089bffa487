"""Who plays: names, marks, clocks, whose turn it is, who is away, what is counted and won."""

from rich.cells import cell_len
from textual.content import Content
from textual.widget import Widget

from parlour_client import clocks, sentences
from parlour_client.clean import clean
from parlour_protocol.ids import Seat
from parlour_protocol.views import BoardView, RoomView

SEATS: tuple[Seat, Seat] = (0, 1)
COLOURS = ("$first-seat", "$second-seat")
"""By side: who began a game is amber."""
TURN = "▸"
AWAY = "  away"


class Players(Widget):
    """The two players on a line each, or both on one where the board needs the other."""

    DEFAULT_CSS = """
    Players { height: 2; width: 1fr; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id)
        self._view: RoomView | None = None
        self._timed = True

    def show(self, view: RoomView, *, running: bool = True) -> None:
        """Show the room with its times as they are now; not `running` where nobody knows them."""
        self._view, self._timed = view, running
        self.refresh()

    def render(self) -> Content:
        """One line or two, as high as it is."""
        if self._view is None:
            return Content("")
        width = max(self.size.width, 10)
        if self.size.height > 1:
            return Content("\n").join(line(self._view, seat, width, running=self._timed) for seat in SEATS)
        half = (width - 2) // 2
        both = [line(self._view, seat, half, running=self._timed) for seat in SEATS]
        return Content("  ").join(both)


def line(view: RoomView, seat: Seat, width: int, *, running: bool = True) -> Content:
    """A player on one line: what gives way first is what is told at its end, but for who is away."""
    turn = view.to_move == seat
    colour = COLOURS[0 if seat == view.starter else 1]
    mark = sentences.mark_of(view, seat) or "·"
    open_seat = view.seats[seat].kind == "open"
    who = sentences.mover_of(view, seat).removesuffix(",")
    time = _time(view, seat) if running else ""
    head = f"{TURN if turn else ' '}{mark} "
    room = width - cell_len(head) - (cell_len(time) + 1 if time else 0)
    said = away = _away(view, seat)
    if cell_len(who + away) > room and away:
        # That somebody is away counts for more than the end of their name, and than since when.
        said = AWAY if room > cell_len(AWAY) else ""
    for fact in (counted(view, seat), _won(view, seat)):
        if fact and cell_len(f"{who}{said}  {fact}") <= room:
            said += f"  {fact}"
    name = Content.styled(who, "$past italic" if open_seat else "bold" if turn else "").truncate(
        max(room - cell_len(said), 1), ellipsis=True
    )
    left = Content.styled(head, f"{colour} bold") + name + Content.styled(said, "$past")
    gap = max(width - left.cell_length - cell_len(time), 0)
    ticking = view.clock is not None and view.clock.running == seat
    return left + " " * gap + Content.styled(time, "bold" if ticking else "$past")


def _time(view: RoomView, seat: Seat) -> str:
    return "" if view.clock is None else clocks.clock(view.clock.left[seat])


def _away(view: RoomView, seat: Seat) -> str:
    if view.online[seat] or view.seats[seat].kind != "human" or view.phase == "closed":
        return ""
    since = view.away[seat]
    return AWAY if since is None or since < 1 else f"{AWAY} {clocks.span(since)}"


def _won(view: RoomView, seat: Seat) -> str:
    if sum(view.wins) + view.draws < 1:
        return ""
    drawn = f", {view.draws} drawn" if view.draws and seat == 1 else ""
    return f"won {view.wins[seat]}{drawn}"


def counted(view: RoomView, seat: Seat) -> str:
    """How many cells or groups are a seat's, where that says more than how many moves were made."""
    board = view.position
    if board is None:
        return ""
    side = 0 if seat == view.starter else 1
    if side >= len(board.marks):
        return ""
    mark = board.marks[side]
    if board.groups is not None:
        owned = "".join(board.groups.owners).count(mark)
        return f"{clean(mark)} has {owned}" if owned else ""
    if sum(_marks(board, one) for one in board.marks) == len(view.moves):
        return ""
    return f"{_marks(board, mark)} {clean(mark)}"


def _marks(board: BoardView, mark: str) -> int:
    return "".join(board.cells).count(mark)
