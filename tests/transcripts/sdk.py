"""Plays scenarios with the Python SDK."""

import json
from collections.abc import Iterator
from copy import deepcopy
from itertools import count
from typing import Any

from pydantic import TypeAdapter

from parlour_client.sdk.errors import Refused
from parlour_client.sdk.messages import SubscriptionLost
from parlour_client.sdk.protocol import Delay, Protocol, Reply
from parlour_client.sdk.state import ClientRoomState, apply, as_of, first_state, standing, thought, typists
from parlour_protocol.codec import TO_CLIENT, one_of
from parlour_protocol.commands import TO_SERVER, ToServer
from parlour_protocol.events import Snapshot, read_view
from parlour_protocol.messages import RoomMessage
from parlour_protocol.views.reports import Report, Score
from parlour_protocol.views.rooms import ClockView
from tests.transcripts.scenarios import Json, Outcome, Shown, Step

_command = one_of(TO_SERVER)
_message = one_of(TO_CLIENT)
_clock: TypeAdapter[Any] = TypeAdapter(ClockView)
_report: TypeAdapter[Any] = TypeAdapter(Report)
_score: TypeAdapter[Any] = TypeAdapter(Score)


class Conversation:
    """A conversation that has not begun, with ids that are counted."""

    def __init__(self) -> None:
        ids = (f"own{number}" for number in count())
        self._protocol = Protocol(lambda: next(ids))
        self._delays: list[Delay] = []

    def play(self, step: Step) -> Outcome:
        """What comes of a step."""
        for does, value in step.items():
            self._do(does, value)
        delays = self._protocol.take_delays()
        self._delays += delays
        return {
            "delivered": [_delivery(one) for one in self._protocol.take_deliveries()],
            "delays": [{"seconds": one.seconds, "watch": _plain(_command, one.watch)} for one in delays],
            "sent": [_plain(_command, message) for message in _sent(self._protocol)],
            "subscriptions": self._protocol.subscriptions,
            "goodbye": _plain(_message, self._protocol.goodbye),
        }

    def _do(self, does: str, value: Any) -> None:
        match does:
            case "connected" | "disconnected":
                getattr(self._protocol, does)()
            case "request":
                for command in value:
                    self._protocol.request(_read(_command, command))
            case "signal":
                self._protocol.signal(_read(_command, value))
            case "abandon" | "collected":
                getattr(self._protocol, does)(value)
            case "undo":
                self._protocol.undo(_read(_command, value[0]), value[1])
            case "receive":
                for text in value:
                    self._protocol.receive(text)
            case "elapsed":
                self._protocol.elapsed(self._delays[value])


def converse(steps: list[Step]) -> list[Outcome]:
    """What comes of each step of a conversation."""
    conversation = Conversation()
    return [conversation.play(step) for step in steps]


def complete(command: Json) -> Json:
    """A command with all its fields."""
    completed: Json = _plain(_command, _read(_command, command))
    return completed


def _sent(protocol: Protocol) -> Iterator[ToServer]:
    while (message := protocol.next_to_send()) is not None:
        yield message


def _delivery(one: object) -> Json:
    match one:
        case Reply(id=command, outcome=Refused(refusal=refusal)):
            return {"type": "reply", "id": command, "outcome": _plain(_message, refusal)}
        case Reply(id=command, outcome=outcome):
            return {"type": "reply", "id": command, "outcome": _plain(_message, outcome)}
        case SubscriptionLost(room=room, refusal=refusal):
            return {"type": "lost", "room": room, "refusal": _plain(_message, refusal)}
    delivery: Json = _plain(_message, one)
    return delivery


def _read(kind: TypeAdapter[Any], message: Json) -> Any:
    return kind.validate_json(json.dumps(message))


def _plain(kind: TypeAdapter[Any], message: Any) -> Any:
    return message and kind.dump_python(message, mode="json", exclude_none=True)


def watch_room(steps: list[Step]) -> list[Shown]:
    """What there is to see of a room after each step, the first of which brings a snapshot."""
    state: ClientRoomState | None = None
    shown: list[Shown] = []
    for step in steps:
        now, refused = step["now"] / 1000, False
        if "receive" in step:
            message: Any = _read(_message, step["receive"])
            assert isinstance(message, RoomMessage)
            try:
                if state is not None:
                    state = apply(state, message, now)
                elif isinstance(message, Snapshot):
                    state = first_state(message, now)
            except ValueError:
                refused = True
        assert state is not None, "a room begins with a snapshot"
        shown.append(_shown(state, now, refused))
    return shown


def _standing(state: ClientRoomState) -> Json | None:
    found = standing(state)
    return None if found is None else {"seat": found[0], "score": _plain(_score, found[1])}


def _shown(state: ClientRoomState, now: float, refused: bool) -> Shown:
    view, report = as_of(state, now), thought(state)
    data = {**deepcopy(state.data), "at": view.at}
    if view.clock is not None:
        data["clock"] = _plain(_clock, view.clock)
    assert refused or read_view(data) == view
    return {
        "refused": refused,
        "version": state.version,
        "clock_offset": round(state.clock_offset, 6),
        "position_version": state.position_version,
        "thinking": _plain(_message, state.thinking),
        "thought": _plain(_report, report),
        "standing": _standing(state),
        "typists": typists(state, now),
        "view": data,
        "open": sorted(view.open_actions()),
        "away": [view.away_for(0), view.away_for(1)],
    }
