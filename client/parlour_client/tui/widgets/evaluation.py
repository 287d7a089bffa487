"""How the game stands, as a column beside the board: the share of whom the lower edge is from below. Pure."""

from textual.content import Content

from parlour_client.sdk.state import standing
from parlour_client.text.scores import look
from parlour_client.tui.table_model import Space, TableModel
from parlour_client.tui.widgets.thinking import FULL
from parlour_protocol.ids import Seat, other
from parlour_protocol.views.reports import Score

COLOURS = "$first-seat", "$second-seat"
REST = "│"
"""The other side's share. What is the player's is filled as bars are."""


def stands(model: TableModel) -> tuple[Seat, Score] | None:
    """What is known of the position that is shown, for one of the seats."""
    view, ply = model.view, model.ply
    if ply is not None or model.reviewing:
        points = [] if model.review is None else model.review.points
        at = len(view.moves) if ply is None else ply
        score = points[at] if at < len(points) else None
        return None if score is None else (view.starter, score)
    known = None if model.state is None else standing(model.state)
    if model.hint is not None and model.hint.candidates and view.acting is not None:
        known = view.acting, model.hint.candidates[0].score
    if known is None or view.result is None:
        return known
    won = view.result.winner
    return (0, Score(0, "exact", "draw")) if won is None else (won, Score(100, "exact", "win"))


def draw(model: TableModel, space: Space) -> Content:
    """As many lines as there are; empty where nothing is known."""
    found = stands(model)
    if found is None:
        return Content("")
    seat, score = found
    above = model.view.seat_above
    below = other(above)
    share = score.share if seat == below else 1 - score.share
    own = round(share * space.height)
    even = score.kind == "exact" and score.result == "draw"
    mine, theirs = ("$drawn" if even else COLOURS[one != model.view.starter] for one in (below, above))
    rest = [Content.styled(REST, theirs)] * (space.height - own)
    return Content("\n").join([*rest, *[Content.styled(FULL[look(score)], mine)] * own])
