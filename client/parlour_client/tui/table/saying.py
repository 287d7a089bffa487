"""The line below the board: what is to be done now, what was refused, what is on its way."""

from dataclasses import dataclass

from textual.content import Content
from textual.widget import Widget

from parlour_client import sentences
from parlour_client.clean import clean
from parlour_client.tui.table.possible import offered_by_other
from parlour_protocol.ids import other
from parlour_protocol.views import BoardView, RoomView

MOST_NAMED = 9
"""So many legal moves are told by the first and the last of them."""


@dataclass(frozen=True, slots=True)
class Moment:
    """All that decides what is said."""

    view: RoomView
    """With its times as they are now."""
    lost: float | None = None
    """The line is lost, and tried again in so many seconds."""
    ended: str = ""
    """Why the room is no longer followed."""
    question: str = ""
    refusal: str = ""
    typed: str = ""
    command: str = ""
    """What the one sign that was typed would do by itself."""
    sent: str = ""
    """What is on its way to the server."""
    ply: int | None = None
    """The board that is looked back on."""


class Saying(Widget):
    """Shows what `say` says, as high as it is."""

    DEFAULT_CSS = """
    Saying { height: 2; width: 1fr; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id)
        self._said = Content("")

    def show(self, said: Content) -> None:
        """Say something else."""
        if said != self._said or said.spans != self._said.spans:
            self._said = said
            self.refresh()

    @property
    def text(self) -> str:
        """What is said now."""
        return self._said.plain

    def render(self) -> Content:
        """As many lines as there are, with a little air above where they leave it."""
        width, height = self.size
        if height > 2 and len(self._said.wrap(max(width, 1))) < height:
            return Content("\n") + self._said
        return self._said


def say(moment: Moment) -> Content:
    """What matters most at this moment, then what else there is to know."""
    text, style = _first(moment)
    said = Content.styled(clean(text), style)
    note, style = _note(moment)
    return said + "\n" + Content.styled(clean(note), style) if note else said


def _first(moment: Moment) -> tuple[str, str]:
    view = moment.view
    if moment.ended and moment.ply is None and not moment.refusal:
        return moment.ended, "bold"
    if moment.question:
        return moment.question, "$cursor bold"
    if moment.refusal:
        return f"✗ {moment.refusal}", "$refusal"
    if moment.lost is not None:
        kept = " (your seat is kept)" if view.you is not None else ""
        when = f"in {moment.lost:.0f} s" if moment.lost >= 1 else "now"
        return f"Connection lost. Trying again {when}{kept}.", "$notice bold"
    if moment.typed:
        other_way = f"  (enter: {moment.command})" if moment.command else ""
        return f"Your move: {moment.typed}▏{other_way}", "$cursor bold"
    if moment.sent:
        return f"⋯ {moment.sent}", "$past italic"
    if moment.ply is not None:
        return f"{sentences.step(view.moves, moment.ply)}. end: as it stands", "$cursor"
    if (offer := offered(view)) and view.phase == "playing":
        return offer, "$notice bold"
    if sentences.may_claim(view):
        assert view.you is not None
        return f"{sentences.presence(view, other(view.you))} C claims the game.", "$notice"
    return _state(view), "bold"


def _state(view: RoomView) -> str:
    match view.phase:
        case "waiting":
            free = sum(1 for seat in view.seats if seat.kind == "open")
            return f"Waiting for {'a second player' if free == 1 else 'two players'}."
        case "playing":
            if view.to_move is not None and view.to_move == view.you:
                return f"Your move: {ways(view.position)}"
            return sentences.turn(view)
        case "finished":
            return sentences.result(view)
        case "closed":
            return "The room is closed."


def ways(board: BoardView | None) -> str:
    """How a move may be made: the moves' names from the first to the last, arrows, or a click."""
    if board is None or not board.legal:
        return ""
    if all(target < 0 for target in board.targets):
        return f"{clean(board.legal[0])} (enter)"
    example = clean(board.legal[len(board.legal) // 2])
    numbers = all(move.isdigit() for move in board.legal)
    if numbers and len(board.legal) <= MOST_NAMED:
        example = f"{clean(board.legal[0])}-{clean(board.legal[-1])}" if len(board.legal) > 1 else example
        return f"{example}, arrows, or a click"
    return f"such as {example}, arrows, a click"


def offered(view: RoomView) -> str:
    """What is offered, and the keys that answer it."""
    offers = sentences.standing_offers(view)
    if not offers or view.you is None:
        return ""
    mine = view.you == view.draw_offer or view.you == view.takeback_offer or view.you in view.rematch
    words = {
        "draw": ("offers a draw", "You offer a draw"),
        "takeback": ("asks to take a move back", "You ask to take your move back"),
        "rematch": ("wants a rematch", "You ask for a rematch"),
    }[offers[0]]
    if offered_by_other(view):
        return f"{sentences.name_of(view, other(view.you))} {words[0]}: y or n."
    return f"{words[1]}. n takes that back." if mine else ""


def _note(moment: Moment) -> tuple[str, str]:
    view = moment.view
    if moment.lost is not None and moment.sent:
        return f"⋯ {moment.sent}, once it is back", "$past"
    if moment.ply is not None or moment.ended:
        return "", ""
    match view.phase:
        case "waiting":
            return f"Its code is {view.room}.", "$past"
        case "finished":
            offer = offered(view)
            return (offer, "$notice") if offer else (sentences.score(view), "$past")
        case "playing":
            return (view.position.note or "") if view.position is not None else "", "$past"
        case "closed":
            return "", ""


def short(moment: Moment, *, timed: bool) -> Content:
    """The one line of a small screen: the players' times, where they show nowhere else, then what matters."""
    text, style = _first(moment)
    times = sentences.short_times(moment.view) if timed and moment.lost is None else ""
    return Content.styled(f"{times}  " if times else "", "$past") + Content.styled(clean(text), style)
