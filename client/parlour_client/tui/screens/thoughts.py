"""What the panel of the bots' thinking shows at a moment. Pure."""

from parlour_client.text import wording
from parlour_client.text.sanitize import clean
from parlour_client.tui.moment import Moment
from parlour_protocol.views.reports import Report


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
        title = "" if report is None else f"{clean(report.bot)} (bot) thought before {move}"
        return report, title, "No bot's thoughts were kept with this move."
    if moment.hint is not None:
        return moment.hint, "What each move is worth", ""
    if moment.searched is not None:
        return moment.searched, "Looking at each move …", ""
    if thinking is not None:
        return thinking.report, f"{wording.mover_of(view, thinking.seat)} is thinking", ""
    if view.report is not None:
        return view.report, f"{clean(view.report.bot)} (bot) thought", ""
    return None, "", _without_thoughts(moment)


def _without_thoughts(moment: Moment) -> str:
    view = moment.view
    if view.phase == "waiting":
        invitation = "\n".join(wording.invitation(moment.server, view.room))
        return f"{invitation}\n\nB calls a bot." if "add_bot" in moment.open else invitation
    if "hint" in moment.open:
        return "H draws on the board what each move is worth."
    if view.you is not None and view.settings.reports != "at_once":
        return "The room keeps the bots' thoughts back."
    if "review" in moment.open:
        return "V reviews the game."
    return "Here a bot shows how it thinks."
