"""The guides for those who add something: who follows one to the letter has what it promises."""

from pathlib import Path

import pytest

from tests.docs.guide import Guide


@pytest.mark.parametrize(
    ("name", "most_by_hand"),
    [("a-bot-setting", 9), ("a-list", 5), ("a-notice", 12), ("a-setting", 16), ("an-offer", 10)],
)
def test_a_guide_is_whole_and_short(name: str, most_by_hand: int, tmp_path: Path) -> None:
    guide = Guide(f"docs/adding-{name}.md", tmp_path)
    guide.follow()
    assert guide.by_hand <= most_by_hand
