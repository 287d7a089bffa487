"""What the panel of the bots' thinking shows at a moment. Pure."""

from parlour_client.text import wording
from parlour_client.text.names import bot_name
from parlour_client.text.sanitize import clean
from parlour_client.tui.moment import Moment
from parlour_protocol.views.reports import Report
from parlour_protocol.words import say


def anything(moment: Moment) -> bool:
    """Is there, or may there be, anything to show?"""
    view = moment.view
    bots = any(seat.kind == "bot" or seat.stand_in or seat.program for seat in view.seats)
    known = moment.hint is not None or view.report is not None or "hint" in moment.open
    return bots or known or view.phase == "waiting" or moment.reviewing


def thoughts(moment: Moment) -> tuple[Report | None, str, str]:
    """A report and its title; without one, what is said in its place."""
    view, thinking = moment.view, moment.thinking
    if moment.ply is not None:
        report, move = moment.kept, clean(view.moves[moment.ply - 1])
        title = "" if report is None else say("screen.thinking.before", name=bot_name(report.bot), move=move)
        return report, title, say("screen.thinking.none_kept")
    if moment.hint is not None:
        return moment.hint, say("screen.thinking.worth"), ""
    if moment.searched is not None:
        return moment.searched, say("screen.thinking.looking"), ""
    if thinking is not None:
        return thinking.report, say("search.thinking", name=wording.mover_of(view, thinking.seat)), ""
    if view.report is not None:
        return view.report, say("screen.thinking.thought", name=bot_name(view.report.bot)), ""
    return None, "", _without_thoughts(moment)


def _without_thoughts(moment: Moment) -> str:
    view = moment.view
    if view.phase == "waiting":
        invitation = "\n".join(wording.invitation(moment.server, view.room))
        return (
            f"{invitation}\n\n{say('screen.thinking.call_bot')}" if "add_bot" in moment.open else invitation
        )
    if "hint" in moment.open:
        return say("screen.thinking.hint")
    if view.settings.reports != "at_once":
        return say("screen.thinking.kept_back")
    if "review" in moment.open:
        return say("screen.thinking.review")
    return say("screen.thinking.here")
