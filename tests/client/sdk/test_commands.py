"""What can't be meant is told in a sentence, before it is sent."""

import pytest

from parlour_client.sdk.commands import checked, command
from parlour_client.sdk.errors import UsageError
from parlour_protocol.commands import AskedSettings, PlayMove, Say


def test_a_command_has_an_id_of_its_own() -> None:
    first, second = (command(Say, room="KMRTQA", text="hello") for _ in range(2))
    assert first.text == "hello"
    assert first.id != second.id


def test_the_first_thing_that_is_wrong_is_named() -> None:
    with pytest.raises(UsageError, match=r"^text is wrong. It can have at most 300 characters\.$"):
        command(Say, room="KMRTQA", text="x" * 301)
    with pytest.raises(UsageError, match="version is wrong"):
        command(PlayMove, room="KMRTQA", version="5", move="b2")
    with pytest.raises(UsageError, match=r"^clock is wrong. This is not a clock setting\. Write minutes"):
        checked(AskedSettings, {"clock": "soon"})
