"""The page's types of the wire are as `make types` writes them; that they are true every raw client sees."""

from scripts import page_types


def test_they_are_fresh() -> None:
    assert page_types.FILE.read_text(encoding="utf-8") == page_types.page_types(), "run `make types`"
    assert page_types.MESSAGES.read_text(encoding="utf-8") == page_types.page_messages(), "run `make types`"
    assert page_types.SENTENCES.read_text(encoding="utf-8") == page_types.sentence_types(), "run `make types`"
    assert page_types.LISTS.read_text(encoding="utf-8") == page_types.lists(), "run `make types`"
