"""Players as their traces in the records: who has done something, and who is to be no longer known."""

from dataclasses import replace

from parlour_protocol.events import ChatPosted, MovePlayed, RoomCreated, SeatTaken
from parlour_server.log import AnyRecord, LogRecord

SOMEONE = "Someone"
"""The name in the records of a player who was forgotten."""
REMOVED = "(removed)"
"""What stands there in place of what they said."""


def ends_visit(record: AnyRecord) -> bool:
    """Is its author, by this record, more than a visitor: did they make a room, sit down, say something?"""
    match record.event:
        case RoomCreated() | SeatTaken(bot=None) | ChatPosted():
            return True
        case _:
            return False


def anonymous(record: LogRecord, player: str) -> LogRecord:
    """A record without a player's name and words; the same one where there are none of theirs."""
    event = record.event
    match event:
        case SeatTaken() if event.player == player:
            return replace(record, event=replace(event, name=SOMEONE))
        case ChatPosted() if record.by == player:
            return replace(record, event=replace(event, name=SOMEONE, text=REMOVED))
        case MovePlayed(report=report) if record.by == player and report is not None:
            # A program's report carries its player's name.
            return replace(record, event=replace(event, report=replace(report, bot=SOMEONE)))
        case _:
            return record
