"""The note beside a data file."""

import os
from pathlib import Path

import pytest

from parlour_protocol.local.server_info import ServerInfo, note_path, read_note, remove_note, write_note


def test_a_note_is_read_as_it_was_written(tmp_path: Path) -> None:
    data = tmp_path / "rooms.db"
    assert read_note(data) is None
    holder = ServerInfo("ws://127.0.0.1:8765", 7, True, ["ws://192.168.1.5:8765"])
    write_note(data, ServerInfo("ws://127.0.0.1:1", 6))
    write_note(data, holder)
    assert read_note(data) == holder
    assert list(tmp_path.iterdir()) == [note_path(data)]


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"url": 1}', '{"url": "x", "pid": 1, "more": 2}'])
def test_what_is_no_note_is_none(tmp_path: Path, text: str) -> None:
    note_path(tmp_path / "rooms.db").write_text(text)
    assert read_note(tmp_path / "rooms.db") is None


def test_only_ones_own_is_removed(tmp_path: Path) -> None:
    data = tmp_path / "rooms.db"
    remove_note(data)
    write_note(data, ServerInfo("ws://127.0.0.1:1", os.getpid() + 1))
    remove_note(data)
    assert read_note(data) is not None
    write_note(data, ServerInfo("ws://127.0.0.1:1", os.getpid()))
    remove_note(data)
    assert read_note(data) is None
