"""How a player is made anonymous in the records."""

from dataclasses import replace

from parlour_protocol.events import ChatPosted, GameFinished, GameSummary, MovePlayed, SeatRenamed, SeatTaken
from parlour_server.log import LogRecord

SOMEONE = "Someone"
"""The name in the records of a player who was forgotten."""
REMOVED = "(removed)"
"""What stands there in place of what they said."""


def anonymous(record: LogRecord, player: str) -> LogRecord:
    """A record without a player's name and words; the same one where there are none of theirs (any more)."""
    event = record.event
    match event:
        case SeatTaken() if event.player == player and event.name != SOMEONE:
            return replace(record, event=replace(event, name=SOMEONE))
        case SeatRenamed() if record.by == player and event.name != SOMEONE:
            return replace(record, event=replace(event, name=SOMEONE))
        case ChatPosted() if record.by == player and event.text != REMOVED:
            return replace(record, event=replace(event, name=SOMEONE, text=REMOVED, text_said=None))
        case MovePlayed(report=report) if record.by == player and report and report.bot != SOMEONE:
            # A program's report carries its player's name.
            return replace(record, event=replace(event, report=replace(report, bot=SOMEONE)))
        case GameFinished(summary=summary) if summary is not None:
            without = anonymous_summary(summary, player)
            return record if without is summary else replace(record, event=replace(event, summary=without))
        case _:
            return record


def anonymous_summary(summary: GameSummary, player: str) -> GameSummary:
    """A game's summary without a player's name; the same one where it is not there."""
    if not any(one.player == player and one.name != SOMEONE for one in summary.players):
        return summary
    players = [replace(one, name=SOMEONE) if one.player == player else one for one in summary.players]
    return replace(summary, players=players)
