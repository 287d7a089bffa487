"""How much of a log is read while all commits wait for it."""

import base64
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from parlour_protocol.events import ChatPosted
from parlour_server.counters import Counters
from parlour_server.log import LogRecord
from parlour_server.store.encoding import ROOMS_ONLY
from parlour_server.store.gathered import Append
from parlour_server.store.sqlite import reading
from parlour_server.store.sqlite.committing import commit
from parlour_server.store.sqlite.open_file import OpenFile
from parlour_server.store.sqlite.reading import READ_AT_ONCE, READ_BYTES, read_log
from parlour_server.store.sqlite.records import Row

SHORT = ["hello"] * (2 * READ_AT_ONCE + 500)
_DICE = random.Random(7)
DENSE = [base64.b85encode(_DICE.randbytes(8_000)).decode() for _ in range(60)]
"""Hardly any shorter when compressed."""
ROOMY = ["a" * 10_000] * 60
"""Next to nothing when compressed."""


@pytest.fixture
def file(tmp_path: Path) -> Iterator[OpenFile]:
    opened = OpenFile(tmp_path / "rooms.db", Counters(), 0, ROOMS_ONLY)
    yield opened
    opened.database.close()


@pytest.mark.parametrize("texts", [SHORT, DENSE, ROOMY], ids=["short", "dense", "roomy"])
def test_a_log_is_read_in_pieces(file: OpenFile, texts: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    said = [LogRecord(ChatPosted("players", "Ada", text), 1, "p-ada", "c1") for text in texts]
    assert commit(file, [Append("AAAAAA", 0, said, lambda error: None)]) == [None]
    fetched = _count(monkeypatch, reading, "find_row", lambda row: len(row.event))
    unpacked = _count(monkeypatch, Row, "json", len)
    turns = read_log(file, "AAAAAA")
    longest = max(len(text) for text in texts) + 1_000
    pieces, records = 0, None
    while records is None:
        fetched.clear()
        unpacked.clear()
        try:
            next(turns)
        except StopIteration as end:
            _, records = end.value
        pieces += 1
        assert len(fetched) + len(unpacked) <= READ_AT_ONCE
        assert sum(fetched) + sum(unpacked) < READ_BYTES + longest
    assert records == said
    assert pieces > 5


def _count(
    monkeypatch: pytest.MonkeyPatch, holder: object, name: str, size: Callable[[Any], int]
) -> list[int]:
    """The sizes of what a function gives."""
    sizes: list[int] = []
    function = getattr(holder, name)

    def counted(*args: object) -> Any:
        result = function(*args)
        sizes.append(size(result))
        return result

    monkeypatch.setattr(holder, name, counted)
    return sizes
