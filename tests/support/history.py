"""Who said and heard what, and whether the server's log bears it out.

After any run, however violent:

1. every acceptance stands in the log exactly once;
2. every command without an answer stands there once or not at all;
3. each client saw a prefix of its room's log, with no gap and no repeat;
4. replaying the log gives the state that the room had;
5. the author of each event was entitled to it.
"""

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from parlour_client.connection import Heard
from parlour_protocol.to_client import Event, Snapshot
from parlour_server.room.decide import SERVER, bot_player
from parlour_server.room.events import GameStarted, MovePlayed, Record, RematchOffered, SeatTaken
from parlour_server.room.state import RoomState, evolve
from parlour_server.room.views import event_view, room_view
from parlour_server.store.sqlite import SqliteStore

CHANGING = {"create", "sit", "add_bot", "play", "resign", "rematch", "leave", "close"}
Log = dict[str, list[Record]]


@dataclass(slots=True)
class Client:
    """One client's diary: what went over its sockets, and what its connection let through."""

    name: str
    player: str = ""
    sent: dict[str, dict[str, Any]] = field(default_factory=dict)
    answers: dict[str, dict[str, Any]] = field(default_factory=dict)
    seen: list[Snapshot | Event] = field(default_factory=list)
    resent: int = 0

    def journal(self, at: float, way: Literal["sent", "heard"], text: str) -> None:
        message = json.loads(text)
        if way == "sent":
            self.resent += message["id"] in self.sent
            self.sent[message["id"]] = message
        elif message["type"] == "welcome":
            assert self.player in ("", message["player"]), "a returning player became another"
            self.player = message["player"]
        elif message.get("id") in self.sent:
            before = self.answers.setdefault(message["id"], message)
            assert before["type"] == message["type"], "a repeated command got another answer"
            assert before.get("version") == message.get("version")

    def saw(self, heard: Heard) -> None:
        if isinstance(heard, Snapshot | Event):
            self.seen.append(heard)


async def read_log(path: Path) -> Log:
    """Everything in a stopped server's file."""
    store = await SqliteStore.open(path)
    log = {room: await store.read(room) for room in await store.open_rooms()}
    await store.close()
    return log


def check(clients: list[Client], log: Log) -> None:
    """Raise `AssertionError` where the log and the diaries disagree."""
    written = _by_command(log)
    for client in clients:
        _check_answers(client, written)
        _check_seen(client, log)
    for room, records in log.items():
        _check_authors(room, records)


def _by_command(log: Log) -> dict[tuple[str, str], list[tuple[str, int]]]:
    """Where each player's command stands: its room and versions."""
    written: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for room, records in log.items():
        for version, record in enumerate(records, start=1):
            if record.command is not None:
                written.setdefault((record.by, record.command), []).append((room, version))
    return written


def _check_answers(client: Client, written: dict[tuple[str, str], list[tuple[str, int]]]) -> None:
    for command_id, command in client.sent.items():
        if command["type"] not in CHANGING:
            continue
        places = written.get((client.player, command_id), [])
        answer = client.answers.get(command_id)
        if places:
            # One command may cause several events, one after the other, but never twice.
            rooms, versions = {room for room, _ in places}, [version for _, version in places]
            assert len(rooms) == 1, f"{command_id} stands in two rooms"
            assert versions == list(range(versions[0], versions[0] + len(versions))), (
                f"{command_id} is doubled"
            )
        if answer is not None and answer["type"] == "accepted":
            if places:
                assert places[-1] == (answer["room"], answer["version"]), f"{command_id}: {places} {answer}"
            else:
                # Accepted without an event: what was asked for stood already.
                assert command["type"] in ("sit", "rematch"), f"{command_id} was acknowledged and is lost"
        elif answer is not None:
            assert not places, f"{command_id} was refused and stands in the log"


def _check_seen(client: Client, log: Log) -> None:
    states: dict[str, tuple[RoomState, int]] = {}
    for heard in client.seen:
        records = log[heard.room]
        state, at = states.get(heard.room, (RoomState(heard.room), 0))
        if isinstance(heard, Event):
            assert heard.version == at + 1, f"{client.name} saw {heard.version} after {at}"
            assert heard.version <= len(records), f"{client.name} saw what is not in the log"
            evolve(state, records[at])
            expected = event_view(state, records[at], thoughts=_shows_report(heard))
            assert heard == expected, f"{client.name} saw another event {heard.version}"
            at += 1
        else:
            assert heard.version >= at, f"{client.name} was taken back from {at} to {heard.version}"
            while at < heard.version:
                evolve(state, records[at])
                at += 1
            view = room_view(state, client.player, heard.view.online, heard.view.watching)
            assert heard.view == view, f"{client.name} saw another room at {heard.version}"
        states[heard.room] = (state, at)


def _shows_report(event: Event) -> bool:
    happened = event.event
    return getattr(happened, "report", None) is not None


def _check_authors(room: str, records: list[Record]) -> None:
    state = RoomState(room)
    moves = Counter[tuple[int, int]]()
    for record in records:
        event = record.event
        match event:
            case MovePlayed(seat=seat, move=move):
                assert state.seat_of(record.by) == seat == state.to_move, f"{room}: not their move"
                assert move in state.legal_moves(), f"{room}: not a legal move"
                moves[state.game_number, len(state.moves)] += 1
            case SeatTaken(seat=seat, player=player):
                assert state.seats[seat] is None, f"{room}: a taken seat was taken"
                assert player in (record.by, bot_player(seat)), f"{room}: seated by somebody else"
            case RematchOffered(seat=seat):
                assert state.seat_of(record.by) == seat, f"{room}: not their rematch"
            case GameStarted():
                assert state.phase != "playing", f"{room}: a running game was started"
            case _:
                assert record.by != SERVER or event.kind == "room_closed"
        evolve(state, record)
    assert all(count == 1 for count in moves.values())
