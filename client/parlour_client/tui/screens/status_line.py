"""The status below the board: what is to be done now, what was refused, what is on its way. Pure."""

from rich.cells import cell_len
from textual.content import Content

from parlour_client.text import wording
from parlour_client.text.events import connection_lost
from parlour_client.text.names import localised
from parlour_client.text.reports import compiling_line
from parlour_client.tui.table_model import Space, TableModel
from parlour_client.tui.widgets.thinking import short as number
from parlour_protocol.ids import other
from parlour_protocol.views.boards import BoardView
from parlour_protocol.views.rooms import RoomView
from parlour_protocol.words import language, say

MOST_NAMED = 9
"""So many numbered moves are named by the first and the last of them."""


def draw(model: TableModel, space: Space) -> Content:
    """As many lines as there are, with a line of air above where they leave it."""
    if space.small:
        shown = short(model, space.width, timed="players" not in space.parts)
        # It stands in place of the footer, where there is room for it.
        help_ = f"   ? {say('screen.key.keys')}"
        fits = not space.footer and shown.cell_length + cell_len(help_) <= space.width
        return shown + Content.styled(help_, "$past") if fits else shown
    width = max(space.width, 1)
    shown = long(model)
    if len(shown.wrap(width)) > space.height:
        shown = Content.styled(*_first(model))
    if space.height > 2 and len(shown.wrap(width)) < space.height:
        return Content("\n") + shown
    return shown


def long(model: TableModel) -> Content:
    """What matters most, and below it what else there is to know."""
    text, style = _first(model)
    first = Content.styled(text, style)
    note, style = _note(model)
    return first + "\n" + Content.styled(note, style) if note else first


def _first(model: TableModel) -> tuple[str, str]:
    view = model.view
    if model.ended and model.ply is None and not model.refusal:
        return model.ended, "bold"
    if model.question:
        return model.question, "$cursor bold"
    if model.lost is not None:
        # What was sent stands below it, and needs the room.
        seated = view.acting is not None and not model.reason and not under_way(model)
        return connection_lost(round(model.lost), seated=seated), "$notice bold"
    if model.refusal:
        return f"✗ {model.refusal}", "$refusal"
    if model.typed:
        return say("screen.table.your_move", how=f"{model.typed}▏"), "$cursor bold"
    if sent := under_way(model):
        return f"⋯ {sent}", "$past italic"
    if model.picked and view.your_turn and model.ply is None:
        return say("screen.table.your_move", how=wording.going_on(model.picked)), "$cursor bold"
    if model.ply is not None:
        return say("screen.table.looking_back", step=wording.step(view.moves, model.ply)), "$cursor"
    if (offer := offered(view)) and view.phase == "playing":
        return offer, "$notice bold"
    if "claim" in model.open and view.you is not None:
        return f"{wording.presence(view, other(view.you))} {say('screen.table.claims')}", "$notice"
    if model.planned is not None and (board := model.view.position) is not None:
        return say("screen.table.planned", cell=plan_called(board, model.planned)), "$cursor bold"
    if model.thinking is not None and model.thinking.report.compiling is not None:
        return compiling_line(model.thinking.report.compiling), "bold"
    if (thinking := model.thinking) is not None and (queued := thinking.report.queued) is not None:
        return wording.waits_to_think(view, thinking.seat, queued), "bold"
    return _state(view), "bold"


def under_way(model: TableModel) -> str:
    """The latest command without an answer, or how far a hint or a review has come; else empty."""
    if model.pending:
        return next(reversed(model.pending.values()))
    if model.searching:
        known = model.searched
        if not known or not known.depth:
            return say("screen.table.searching")
        return say("screen.table.searching_to", depth=known.depth, positions=number(known.nodes))
    if model.reviewing and model.review is None:
        done, of = model.graded
        return say("screen.table.reviewing", done=done, of=of)
    return ""


def plan_called(board: BoardView, cell: int) -> str:
    """What the cell of an answer is called: in games whose pieces fall, its column."""
    row, column = divmod(cell, len(board.columns))
    return board.columns[column] + ("" if board.layout == "tray" else board.rows[row])


def _state(view: RoomView) -> str:
    match view.phase:
        case "waiting":
            free = sum(1 for seat in view.seats if seat.kind == "open")
            return say("table.waiting", count=free)
        case "playing":
            if view.your_turn and not view.shared:
                return say("screen.table.your_move", how=how_to_move(view.position))
            return wording.turn(view)
        case "finished":
            return wording.result(view)
        case "closed":
            return say("table.closed")


def how_to_move(board: BoardView | None) -> str:
    """How a move may be made: the moves' names from the first to the last, arrows, or a click."""
    if board is None or not board.legal:
        return ""
    if not board.open_cells():
        return say("screen.table.only_move", move=board.legal[0])
    example = next(move for move, path in board.ways()[len(board.legal) // 2 :] + board.ways() if path)
    numbers = all(move.isdigit() for move in board.legal)
    if numbers and len(board.legal) <= MOST_NAMED:
        example = f"{board.legal[0]}-{board.legal[-1]}" if len(board.legal) > 1 else example
        return say("screen.table.move", move=example)
    # What has no cell, such as a swap of sides, is typed.
    return language().listed([say("screen.table.move_like", move=example), *board.done_at()], last="list.or")


def offered(view: RoomView) -> str:
    """What is offered, and for a player the keys that answer it."""
    offer = next(iter(wording.standing_offers(view) or view.offers), None)
    if offer is None:
        return ""
    made = wording.offered(view, offer, view.offers[offer])
    if offer in view.offers_to_answer():
        return f"{made} {say('screen.table.answer')}"
    if offer not in view.own_offers():
        return made
    if offer == "rematch":
        # A friend who has left needs the code to come back.
        made = say("screen.table.rematch_asked", room=view.room)
    return f"{made} {say('screen.table.withdraw')}"


def _note(model: TableModel) -> tuple[str, str]:
    view = model.view
    if model.lost is not None and model.refusal:
        return f"✗ {model.refusal}", "$refusal"
    if model.lost is not None and (sent := under_way(model)):
        return f"⋯ {say('screen.table.later', what=sent)}", "$past"
    if model.lost is not None and model.reason:
        return model.reason, "$notice"
    if model.ply is not None or model.ended:
        return "", ""
    match view.phase:
        case "waiting":
            return say("screen.table.code", room=view.room), "$past"
        case "finished":
            offer = offered(view)
            said = " ".join(filter(None, (wording.score(view), wording.series(view))))
            return (offer, "$notice") if offer else (said, "$past")
        case "playing":
            board = view.position
            note = localised(board.note, board.note_said) if board is not None and board.note else ""
            if view.shared:
                note = note or how_to_move(board)
            return note or wording.series(view), "$past"
        case "closed":
            return "", ""


def _whole_sentences(text: str, width: int) -> str:
    """As many of the first sentences as there is room for, but at least one."""
    while cell_len(text) > width and ". " in text:
        text = text[: text.rindex(". ") + 1]
    return text


def short(model: TableModel, width: int, *, timed: bool) -> Content:
    """The one line of a small screen: the players' times, where they show nowhere else, then what matters."""
    text, style = _first(model)
    times = wording.short_times(model.view) if timed and model.lost is None else ""
    before = Content.styled(f"{times}  " if times else "", "$past")
    if model.lost is None:
        text = _whole_sentences(text, width - before.cell_length)
    shown = before + Content.styled(text, style)
    # Without the code no friend can come, and an offer waits for an answer.
    view = model.view
    counts = not model.question and (
        view.phase == "waiting" or (view.phase == "finished" and bool(offered(view)))
    )
    note, style = _note(model)
    why = model.lost is not None and note == model.reason and not model.question and not model.ended
    if not note or not (counts or why):
        # There is no chat whose title would say who writes.
        typing = Content.styled(f"  {model.typing}" if model.typing else "", "$past")
        return shown + typing if shown.cell_length + typing.cell_length <= width else shown
    more = Content.styled(note, style)
    both = shown + " " + more
    if both.cell_length <= width:
        return both
    return before + more if why or text == _state(view) else shown
