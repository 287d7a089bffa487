"""Who plays: names, pieces, clocks, whose turn it is, who is away, what is counted and won."""

from rich.cells import cell_len
from textual.content import Content

from parlour_client.text import durations, wording
from parlour_client.text.names import counted_label
from parlour_client.text.ratings import figure
from parlour_client.tui.table_model import Space, TableModel
from parlour_protocol.ids import SEATS, Seat
from parlour_protocol.views.ratings import SeatRating
from parlour_protocol.views.rooms import RoomView
from parlour_protocol.words import say

COLOURS = ("$first-seat", "$second-seat")
"""By side: who began a game is amber."""
TURN = "▸"


def draw(model: TableModel, space: Space) -> Content:
    """The players on a line each, or both on one where there is no second line."""
    width, running, rated = max(space.width, 10), model.lost is None, model.ratings
    if space.height > 1:
        return Content("\n").join(
            line(model.view, seat, width, running=running, rating=rated[seat]) for seat in SEATS
        )
    half = (width - 2) // 2
    return Content("  ").join(
        line(model.view, seat, half, running=running, rating=rated[seat]) for seat in SEATS
    )


def line(
    view: RoomView, seat: Seat, width: int, *, running: bool = True, rating: SeatRating | None = None
) -> Content:
    """A player on one line: what stands at its end gives way first, but for who is away."""
    turn = view.to_move == seat
    colour = COLOURS[0 if seat == view.starter else 1]
    mark = wording.mark_of(view, seat) or "·"
    open_seat = view.seats[seat].kind == "open"
    who = wording.mover_of(view, seat).removesuffix(",")
    time = _time(view, seat) if running else ""
    head = f"{TURN if turn else ' '}{mark} "
    room = width - cell_len(head) - (cell_len(time) + 1 if time else 0)
    facts = away = _away(view, seat)
    if cell_len(who + away) > room and away:
        # That somebody is away counts for more than the end of their name, and than since when.
        short = f"  {say('presence.away')}"
        facts = short if room > cell_len(short) else ""
    for fact in (figure(rating) if rating else "", counted(view, seat), *_won(view, seat)):
        if fact and cell_len(f"{who}{facts}  {fact}") <= room:
            facts += f"  {fact}"
    name = Content.styled(who, "$past italic" if open_seat else "bold" if turn else "").truncate(
        max(room - cell_len(facts), 1), ellipsis=True
    )
    left = Content.styled(head, f"{colour} bold") + name + Content.styled(facts, "$past")
    gap = max(width - left.cell_length - cell_len(time), 0)
    ticking = view.clock is not None and view.clock.running == seat
    return left + " " * gap + Content.styled(time, "bold" if ticking else "$past")


def _time(view: RoomView, seat: Seat) -> str:
    if view.clock is not None:
        return durations.clock(view.clock.left[seat])
    # Who waits sees what will be played with.
    return view.settings.clock or "" if view.phase == "waiting" else ""


def _away(view: RoomView, seat: Seat) -> str:
    since = view.away_for(seat)
    if since is None or view.phase == "closed":
        return ""
    if since < 1:
        return f"  {say('presence.away')}"
    return f"  {say('screen.table.away', span=durations.span(since))}"


def _won(view: RoomView, seat: Seat) -> list[str]:
    if sum(view.wins) + view.draws < 1:
        return []
    drawn = [say("count.drawn", count=view.draws)] if view.draws and seat == 1 else []
    return [say("screen.table.won", wins=view.wins[seat]), *drawn]


def counted(view: RoomView, seat: Seat) -> str:
    """What the game counts for a seat beside the board: its discs, its store."""
    counts = [] if view.position is None else view.position.counts
    side = 0 if seat == view.starter else 1
    return "  ".join(f"{counted_label(count.label)} {count.of[side]}" for count in counts)
