"""What the panel of the bots' thinking shows at a model. Pure."""

from parlour_client.text import wording
from parlour_client.text.names import bot_name
from parlour_client.tui.table_model import TableModel
from parlour_protocol.views.reports import Report
from parlour_protocol.words import say


def anything(model: TableModel) -> bool:
    """Is there, or may there be, anything to show?"""
    view = model.view
    bots = any(seat.kind == "bot" or seat.stand_in or seat.program for seat in view.seats)
    known = model.hint is not None or view.report is not None or "hint" in model.open
    return bots or known or view.phase == "waiting" or model.reviewing


def thoughts(model: TableModel) -> tuple[Report | None, str, str]:
    """A report and its title; without one, what is said in its place."""
    view, thinking = model.view, model.thinking
    if model.ply is not None:
        report, move = model.kept, view.moves[model.ply - 1]
        title = "" if report is None else say("screen.thinking.before", name=bot_name(report.bot), move=move)
        return report, title, say("screen.thinking.none_kept")
    if model.hint is not None:
        return model.hint, say("screen.thinking.worth"), ""
    if model.searched is not None:
        return model.searched, say("screen.thinking.looking"), ""
    if thinking is not None:
        return thinking.report, say("search.thinking", name=wording.mover_of(view, thinking.seat)), ""
    if view.report is not None:
        return view.report, say("screen.thinking.thought", name=bot_name(view.report.bot)), ""
    return None, "", _without_thoughts(model)


def _without_thoughts(model: TableModel) -> str:
    view = model.view
    if view.phase == "waiting":
        invitation = "\n".join(wording.invitation(model.server, view.room))
        return f"{invitation}\n\n{say('screen.thinking.call_bot')}" if "add_bot" in model.open else invitation
    if "hint" in model.open:
        return say("screen.thinking.hint")
    if not view.shows_thoughts:
        return say("screen.thinking.kept_back")
    if "review" in model.open:
        return say("screen.thinking.review")
    return say("screen.thinking.here")
