"""The protocol by itself: text in, messages and deliveries out; no socket, clock or task."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.transcripts.scenarios import Json, Outcome, Scenario, check_conversation, conversation, scenarios
from tests.transcripts.sdk import Conversation, converse


@pytest.mark.parametrize("scenario", scenarios("protocol"), ids=str)
def test_a_conversation_is_as_its_transcript_says(scenario: Scenario) -> None:
    check_conversation(scenario, converse(scenario.steps))


@given(st.lists(st.sampled_from(["event", "repeat", "drop", "cut", "snapshot"]), max_size=60))
def test_whatever_a_network_does_the_log_is_handed_up_in_order(weather: list[str]) -> None:
    """A server with a growing log, that answers each subscription at once, over a bad network."""
    client, log, got = Conversation(), 5, list[Json]()

    def play(*steps: Json) -> None:
        """Play them, and answer what is asked for."""
        ready: list[Any] = [*conversation(list(steps))]
        while ready:
            outcome: Outcome = client.play(ready.pop(0))
            got.extend(outcome["delivered"])
            for watch in outcome["sent"]:
                since = watch.get("since")
                missed = (
                    [{"snapshot": log}]
                    if since is None
                    else [{"event": number} for number in range(since + 1, log + 1)]
                )
                ready += conversation([{"receive": [{"accepted": watch["id"], "version": log}, *missed]}])

    play({"connected": True, "request": {"type": "subscribe", "id": "w", "room": "KMRTQA"}})
    for kind in weather:
        match kind:
            case "event":
                log += 1
                play({"receive": {"event": log}})
            case "repeat":
                play({"receive": [{"event": max(log - 1, 1)}, {"event": log}]})
            case "drop":
                log += 1
            case "snapshot":
                play({"receive": {"snapshot": log}})
            case "cut":
                play({"disconnected": True, "connected": True})
    # What was dropped last shows with the next thing that is heard.
    log += 1
    play({"receive": {"event": log}})
    reply, *messages = got
    assert reply["type"] == "reply"
    seen = 5
    for message in messages:
        if message["type"] == "snapshot":
            assert message["version"] >= seen
        else:
            assert message["version"] == seen + 1
        seen = message["version"]
    assert seen == log
