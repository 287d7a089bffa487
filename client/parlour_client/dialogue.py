"""What goes over a connection: the commands that can be asked, and all that its stream brings."""

from dataclasses import dataclass
from typing import Any

from parlour_protocol import to_client, to_server
from parlour_protocol.to_client import Event, Lobby, Presence, Progress, Replaced, Snapshot, Thinking


@dataclass(frozen=True, slots=True)
class Lost:
    """The line is lost, or a try to come back failed; the next one is in `retry_in` seconds."""

    retry_in: float
    attempt: int
    """0 right after the loss, then one more for each try that failed."""
    reason: str = ""
    """The server's words on why, if it had any."""


@dataclass(frozen=True, slots=True)
class Back:
    """Connected again. What was missed follows."""


@dataclass(frozen=True, slots=True)
class RoomLost:
    """A room that was followed can't be followed any more."""

    room: str
    refusal: to_client.Refused


Heard = (
    Snapshot
    | Event
    | Thinking
    | Progress
    | Presence
    | Replaced
    | Lobby
    | to_client.Refused
    | Lost
    | Back
    | RoomLost
)
"""What a connection's stream brings. A refusal there is one of a message that carried no readable id."""

ForRoom = (
    to_server.CreateRoom | to_server.QuickMatch | to_server.RoomCommand | to_server.Watch | to_server.Unwatch
)
"""The commands that are answered by `accepted`."""

Command = (
    ForRoom
    | to_server.AskHint
    | to_server.AskThoughts
    | to_server.ListRooms
    | to_server.ListGames
    | to_server.ListBots
    | to_server.Analyse
    | to_server.AskTree
    | to_server.Race
    | to_server.AskRecord
    | to_server.AskBoard
    | to_server.AskHistory
)

ANSWERS: dict[type[Any], type[Any]] = {
    to_server.AskHint: to_client.Hint,
    to_server.AskThoughts: to_client.Thoughts,
    to_server.ListRooms: to_client.Rooms,
    to_server.ListGames: to_client.Games,
    to_server.ListBots: to_client.Bots,
    to_server.Analyse: to_client.Analysis,
    to_server.AskTree: to_client.GameTree,
    to_server.Race: to_client.Raced,
    to_server.AskRecord: to_client.Record,
    to_server.AskBoard: to_client.Board,
    to_server.AskHistory: to_client.History,
}
"""What answers the other commands."""
