"""Whatever is sent to a session, by whom and when: every message is answered, and nothing fails."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from tests.fuzz.conversation import PEOPLE, Conversation
from tests.fuzz.grammar import messages, words
from tests.fuzz.inputs import play, read

CORPUS = Path(__file__).parent / "corpus"

people = st.integers(0, PEOPLE - 1)


class Sessions(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.conversation = Conversation().__enter__()

    @rule(who=people, message=messages())
    def send(self, who: int, message: dict[str, Any]) -> None:
        self.conversation.send(who, json.dumps(message))

    @rule(who=people, text=st.text(max_size=60))
    def send_anything(self, who: int, text: str) -> None:
        self.conversation.send(who, text)

    @rule(seconds=st.sampled_from([0.1, 3.0, 70.0, 4000.0]))
    def wait(self, seconds: float) -> None:
        self.conversation.pass_time(seconds)

    @rule()
    def think(self) -> None:
        self.conversation.think()

    @rule(who=people)
    def hang_up(self, who: int) -> None:
        self.conversation.hang_up(who)

    def teardown(self) -> None:
        try:
            self.conversation.check()
        finally:
            self.conversation.__exit__(None, None, None)


def test_every_message_is_answered_and_nothing_fails() -> None:
    few = settings(max_examples=25, stateful_step_count=40, deadline=None)
    run_state_machine_as_test(Sessions, settings=few)


@pytest.mark.parametrize("file", sorted(CORPUS.iterdir()), ids=lambda file: file.name)
def test_what_a_fuzzer_begins_with(file: Path) -> None:
    read(file.read_bytes())
    play(file.read_bytes())


def test_a_fuzzer_knows_the_words_of_the_protocol() -> None:
    assert {"hello", "play", "takeback", "settings", "tictactoe"} <= set(words())
