"""The guides for those who add something: who follows them to the letter has what they promise."""

from pathlib import Path

import pytest

from tests.docs.guide import Guides

MOST_BY_HAND = {"a-bot-setting": 9, "a-list": 5, "a-notice": 12, "a-setting": 16, "an-offer": 10}


@pytest.mark.long
def test_the_guides_are_whole_and_short(tmp_path: Path) -> None:
    """One after the other in one copy, whose tests are run once."""
    guides = Guides(tmp_path)
    by_hand = {name: guides.read(f"docs/adding-{name}.md") for name in MOST_BY_HAND}
    assert all(by_hand[name] <= most for name, most in MOST_BY_HAND.items()), by_hand
    guides.follow()
