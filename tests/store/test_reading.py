"""How much of a log is read while all commits wait for it."""

import base64
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from parlour_protocol.events import ChatPosted
from parlour_server.counters import Counters
from parlour_server.log import LogRecord
from parlour_server.store.encoding import ROOMS_ONLY
from parlour_server.store.gathered import Append
from parlour_server.store.sqlite.committing import commit
from parlour_server.store.sqlite.open_file import OpenFile
from parlour_server.store.sqlite.reading import READ_AT_ONCE, READ_BYTES, checked, read_back
from parlour_server.store.sqlite.records import NOTHING, Head, Row

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
def test_a_log_is_read_in_pieces(file: OpenFile, texts: list[str]) -> None:
    said = [LogRecord(ChatPosted("players", "Ada", text), 1, "p-ada", "c1") for text in texts]
    assert commit(file, [Append("AAAAAA", 0, said, lambda error: None)]) == [None]
    rows: list[Row] = []
    head: Head | None = file.heads.find("AAAAAA")
    longest = max(len(text) for text in texts) + 1_000
    while head is not None:
        before = len(rows)
        head = read_back(file, "AAAAAA", head, rows, 0)
        piece = rows[before:]
        assert len(piece) <= READ_AT_ONCE
        assert sum(len(row.event) for row in piece) < READ_BYTES + longest
    rows.reverse()
    records: list[LogRecord] = []
    start = NOTHING
    while len(records) < len(rows):
        start, more = checked(file, "AAAAAA", start, rows, len(records))
        assert 0 < len(more) <= READ_AT_ONCE
        spoken = [record.event.text for record in more if isinstance(record.event, ChatPosted)]
        assert sum(map(len, spoken)) < READ_BYTES + longest
        records += more
    assert records == said
    assert start == file.heads.find("AAAAAA")
