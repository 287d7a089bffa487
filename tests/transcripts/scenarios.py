"""Reads the scenarios, and compares what came of them."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypedDict

HERE = Path(__file__).parent
ROOM = "KMRTQA"
VIEW: dict[str, Any] = json.loads((HERE / "view.json").read_text(encoding="utf-8"))

Kind = Literal["protocol", "room"]
Json = dict[str, Any]
Step = dict[str, Any]

DOES = (
    *("connected", "disconnected", "request", "signal", "abandon"),
    *("collected", "undo", "receive", "elapsed"),
)
COMES = ("delivered", "delays", "sent")


class Outcome(TypedDict):
    """What has come of a conversation's step, and what it stands at."""

    delivered: list[Json]
    """Messages; `{"type": "reply", "id", "outcome"}`; and `{"type": "lost", "room", "refusal"}`."""
    delays: list[Json]
    sent: list[Json]
    subscriptions: dict[str, int | None]
    goodbye: Json | None


class Shown(TypedDict):
    """What there is to see of a room after a step. Times are in milliseconds."""

    refused: bool
    """The message did not fit the room, which is as it was before."""
    version: int
    clock_offset: float
    position_version: int | None
    thinking: Json | None
    thought: Json | None
    standing: Json | None
    """How good the game is for a seat."""
    typists: list[str]
    view: Json
    """As of now, and with the moment, `at`."""
    open: list[str]
    """The actions that are open to the viewer, in alphabetical order."""
    away: list[float | None]
    """For how many seconds each seat's player has been away."""


@dataclass(frozen=True)
class Scenario:
    """One to be played: ready for any player, and its name."""

    name: str
    steps: list[Step]

    def __str__(self) -> str:
        return self.name


def scenarios(kind: Kind) -> list[Scenario]:
    """All of a kind."""
    return list(_read(kind))


def _read(kind: Kind) -> Iterator[Scenario]:
    ready = {"protocol": conversation, "room": _room}[kind]
    for path in sorted((HERE / kind).glob("*.json")):
        for name, scenario in json.loads(path.read_text(encoding="utf-8")).items():
            if isinstance(scenario, list):
                yield Scenario(name, ready(scenario))
                continue
            for variant, values in scenario["with"].items():
                yield Scenario(f"{name}: {variant}", ready(_filled(scenario["steps"], values)))


def _filled(part: Any, values: Json) -> Any:
    """With its values in the place of `$words`."""
    match part:
        case str() if part.startswith("$"):
            return values[part]
        case list():
            return [_filled(one, values) for one in part]
        case dict():
            return {name: _filled(one, values) for name, one in part.items()}
    return part


# ---------------------------------------------------------------- conversations


def conversation(steps: list[Any]) -> list[Step]:
    """The steps of a conversation as they are played: nothing in short, messages as text."""
    ready: list[Step] = []
    for step in steps:
        match step:
            case list():
                ready += conversation(step)
            case {"subscribed": int(version)}:
                ready += conversation(_subscribed(version))
            case _:
                unknown = step.keys() - {*DOES, *COMES, "subscriptions", "goodbye"}
                assert not unknown, f"a step has no {', '.join(unknown)}"
                ready.append({name: _expanded(value) for name, value in step.items()})
    for step in ready:
        for does in ("request", "receive"):
            if does in step and not isinstance(step[does], list):
                step[does] = [step[does]]
        if "receive" in step:
            step["receive"] = [one if isinstance(one, str) else json.dumps(one) for one in step["receive"]]
    return ready


def _subscribed(version: int) -> list[Step]:
    return [
        {"connected": True},
        {"request": {"type": "subscribe", "id": "w", "room": ROOM}, "sent": [{"id": "w"}]},
        {
            "receive": [{"accepted": "w", "version": version}, {"snapshot": version}],
            "delivered": [{"accepts": "w"}, {"snapshot": version}],
        },
    ]


_SHORT: dict[str, Callable[[Any], Json]] = {
    "play": lambda name: {"type": "play", "id": name, "room": ROOM, "version": 5, "move": "b2"},
    "subscribe": lambda since: {"type": "subscribe", "room": ROOM, "since": since},
    "accepted": lambda name: {"type": "accepted", "id": name, "room": ROOM, "version": 6},
    "accepts": lambda name: {"type": "reply", "id": name, "outcome": {"type": "accepted", "id": name}},
    "event": lambda version: {
        "type": "event",
        "room": ROOM,
        "version": version,
        "at": 0,
        # Nothing but its version matters.
        "event": {"kind": "offer_made", "seat": 0, "offer": "rematch"},
    },
    "snapshot": lambda version: snapshot(version),
}
"""Messages in short: `{"play": "p0"}` is a move under that id, `{"event": 6}` an event of that version."""


def _expanded(part: Any) -> Any:
    match part:
        case list():
            return [_expanded(one) for one in part]
        case dict():
            short = None if "type" in part else next((name for name in _SHORT if name in part), None)
            if short is not None:
                rest = {name: value for name, value in part.items() if name != short}
                return {**_SHORT[short](part[short]), **rest}
            return {name: _expanded(one) for name, one in part.items()}
    return part


def snapshot(version: int, at: int = 0, view: Json | None = None) -> Json:
    """A snapshot of the room, with what its view has beside the usual."""
    shown = {**VIEW, "version": version, **(view or {})}
    return {"type": "snapshot", "room": ROOM, "version": version, "at": at, "view": shown}


# ---------------------------------------------------------------- rooms


def _room(steps: list[Any]) -> list[Step]:
    return [
        {**step, "receive": _about_room(step["receive"])} if "receive" in step else step for step in steps
    ]


def _about_room(said: Json) -> Json:
    if said["type"] == "snapshot":
        return snapshot(said["version"], said["at"], said.get("view"))
    return {"room": ROOM, **said}


def message(text: bytes) -> Json:
    """What a server has written."""
    read: Json = json.loads(text)
    return read


# ---------------------------------------------------------------- comparing


def check_conversation(scenario: Scenario, outcomes: list[Outcome]) -> None:
    """Raise `AssertionError` where another thing has come of it than is expected."""
    assert len(outcomes) == len(scenario.steps)
    for step, outcome in zip(scenario.steps, outcomes, strict=True):
        expected: Any = {name: step.get(name, []) for name in COMES}
        for name in ("subscriptions", "goodbye"):
            if name in step:
                expected[name] = step[name]
        _check(outcome, expected, json.dumps({name: step[name] for name in DOES if name in step}))
        if "subscriptions" in step:
            assert outcome["subscriptions"] == step["subscriptions"]


def check_room(scenario: Scenario, shown: list[Shown]) -> None:
    """Raise `AssertionError` where something else is shown than is expected."""
    assert len(shown) == len(scenario.steps)
    for number, (step, one) in enumerate(zip(scenario.steps, shown, strict=True)):
        _check(one, {"refused": False, **step.get("shows", {})}, f"step {number}")


def _check(found: Any, expected: Any, where: str) -> None:
    match expected:
        case dict():
            assert isinstance(found, dict), f"{where}: {found!r} instead of {expected!r}"
            for name, value in expected.items():
                _check(found.get(name), value, f"{where}, {name}")
        case list():
            assert isinstance(found, list), f"{where}: {found!r} instead of {expected!r}"
            assert len(found) == len(expected), f"{where}: {found!r} instead of {expected!r}"
            for number, (one, other) in enumerate(zip(found, expected, strict=True)):
                _check(one, other, f"{where}, {number}")
        case _:
            assert found == expected, f"{where}: {found!r} instead of {expected!r}"
