"""The page's protocol: held to the transcripts, and to the SDK in whatever else may happen."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour_protocol.commands import COMMANDS
from parlour_protocol.messages import answer_type, types_of
from tests.transcripts.scenarios import (
    Json,
    Outcome,
    Scenario,
    Step,
    check_conversation,
    conversation,
    scenarios,
)
from tests.transcripts.sdk import Conversation, complete
from tests.web.core.page import Page


@pytest.mark.parametrize("scenario", scenarios("protocol"), ids=str)
def test_a_conversation_is_as_its_transcript_says(page: Page, scenario: Scenario) -> None:
    check_conversation(scenario, page.converse(scenario.steps))


def test_it_knows_what_answers_each_command(page: Page) -> None:
    answers = {name: _name_of(answer_type(kind)) for kind in COMMANDS for name in types_of(kind)}
    assert dict(zip(answers, page.answer_types([*answers]), strict=True)) == answers


def _name_of(message: type[Any]) -> str:
    """The value of a message's `type`."""
    return str(message.__dataclass_fields__["type"].default)


ROOMS = ("KMRTQA", "OTHERS")
REQUESTS: tuple[Json, ...] = (
    {"type": "subscribe"},
    {"type": "subscribe", "since": 3},
    {"type": "subscribe", "present": False},
    {"type": "sit", "seat": 1},
    {"type": "take_over"},
    {"type": "unsubscribe"},
    {"type": "hint"},
    {"type": "leave"},
    {"type": "play", "version": 5, "move": "b2"},
)
ANYWHERE: tuple[Json, ...] = (
    {"type": "quick", "game": "tictactoe"},
    {"type": "create", "game": "tictactoe"},
    {"type": "create", "game": "tictactoe", "seats": ["me", {"bot": "easy"}]},
    {"type": "quick", "game": "tictactoe", "settings": {"clock": "5+0"}},
    {"type": "race", "game": "tictactoe"},
    {"type": "rooms"},
)
REFUSALS: tuple[Json, ...] = (
    {"code": "busy", "retry_after": 2.5},
    {"code": "internal"},
    {"code": "unknown_room"},
    {"code": "too_fast"},
)
NOTICES: tuple[Any, ...] = (
    {"type": "refused", "code": "too_fast", "message": "no", "retry_after": 1.5},
    {"type": "refused", "code": "bad_message", "message": "no"},
    {"type": "goodbye", "code": "stopping", "message": "bye"},
    {"type": "announcement", "text": "Tea?"},
    {"type": "presence", "room": ROOMS[0], "set": {}, "splice": {}},
    {"type": "weather", "id": "c0"},
    {"type": "event", "room": ROOMS[0], "version": "six"},
    {"type": "snapshot", "room": ROOMS[0]},
    "[",
    "7",
)

DOES = (
    *("connected", "disconnected", "abandon", "collected", "undo", "elapsed", "request", "quick"),
    *("accepted", "refused", "misfit", "unreadable", "notice", "closed"),
    # What is more frequent, and leads further.
    *("request", "accepted", "accepted", "event", "event", "snapshot", "gap", "connected"),
)


class Evening:
    """Draws what happens next, from what the SDK has sent until now."""

    def __init__(self) -> None:
        self._sdk = Conversation()
        self._versions = dict.fromkeys(ROOMS, 5)
        self._commands: list[Json] = []
        self._sent: list[Json] = []
        self._delays = 0
        self.steps: list[Step] = []
        self.outcomes: list[Outcome] = []

    def play(self, happens: list[tuple[str, int]]) -> None:
        """Play a step in which all this happens."""
        step: Step = {}
        for does, number in happens:
            name, value = self._drawn(does, number)
            if name in ("request", "receive"):
                # Together with what else is asked for, or received, in this step.
                step.setdefault(name, []).append(value)
            elif name:
                step[name] = value
        (step,) = conversation([step])
        outcome = self._sdk.play(step)
        self._sent += outcome["sent"]
        self._delays += len(outcome["delays"])
        self.steps.append(step)
        self.outcomes.append(outcome)

    def _drawn(self, does: str, number: int) -> tuple[str, Any]:
        room = ROOMS[number % 2]
        match does:
            case "connected" | "disconnected":
                return does, True
            case "request" | "quick":
                kinds = [{**one, "room": room} for one in REQUESTS] if does == "request" else ANYWHERE
                command = complete({**kinds[number // 2 % len(kinds)], "id": f"c{len(self._commands)}"})
                self._commands.append(command)
                return "request", command
            case "abandon" | "collected" if self._commands:
                return does, self._commands[-1 - number % len(self._commands)]["id"]
            case "undo" if self._commands:
                return does, [self._commands[-1 - number % len(self._commands)], room]
            case "elapsed" if self._delays:
                return does, number % self._delays
            case "accepted" | "refused" | "misfit" | "unreadable" if self._sent:
                return "receive", self._answer(does, number, self._sent[-1 - number % len(self._sent)])
            case "notice":
                return "receive", NOTICES[number % len(NOTICES)]
            case "event" | "gap" | "snapshot" | "closed":
                return "receive", self._news(does, room, number // 2)
        return "", None

    def _answer(self, does: str, number: int, command: Json) -> Json:
        room = command["room"] if command.get("room") in ROOMS else ROOMS[number % 2]
        match does:
            case "accepted":
                return {
                    "type": "accepted",
                    "id": command["id"],
                    "room": room,
                    "version": self._versions[room],
                }
            case "refused":
                refusal = REFUSALS[number % len(REFUSALS)]
                return {"type": "refused", "id": command["id"], "message": "no", **refusal}
            case "misfit":
                return {"type": "cancelled", "id": command["id"]}
        return {"type": "accepted", "id": command["id"]}

    def _news(self, does: str, room: str, number: int) -> Json:
        """An event or a snapshot: the next, or by chance one that has been before."""
        if does == "gap":
            self._versions[room] += 2
        elif number % 4:
            self._versions[room] += 1
        short = {"snapshot" if does == "snapshot" else "event": self._versions[room], "room": room}
        if does == "closed":
            short["event"] = {"kind": "room_closed", "reason": "done"}
            return {"type": "event", "version": self._versions[room], "at": 0, **short}
        return short


HAPPENS = st.tuples(st.sampled_from(DOES), st.integers(0, 99))


@given(st.lists(st.lists(HAPPENS, min_size=1, max_size=3), max_size=40))
@settings(max_examples=40)
def test_whatever_happens_it_does_what_the_sdk_does(page: Page, evening: list[list[tuple[str, int]]]) -> None:
    sdk = Evening()
    sdk.play([("connected", 0)])
    for happens in evening:
        sdk.play(happens)
    for step, one, other in zip(sdk.steps, sdk.outcomes, page.converse(sdk.steps), strict=True):
        assert without_defaults(other) == without_defaults(one), json.dumps(step)


def without_defaults(part: Any) -> Any:
    """Without what the SDK fills in, and without the sentences that each says in its own words."""
    match part:
        case list():
            return [without_defaults(one) for one in part]
        case dict():
            own = part.get("type") == "refused" and part["code"] == "internal"
            left = part.keys() - ({"message"} if own else set()) - {"set", "splice"}
            return {name: without_defaults(part[name]) for name in left if part[name] is not None}
    return part
