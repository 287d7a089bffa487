"""Where a game to be reviewed comes from."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from parlour_client.cli.source import position, source
from parlour_client.sdk.errors import UsageError
from parlour_client.sdk.source import linked_position


def written(folder: Path, kept: Any, name: str = "game.json") -> str:
    path = folder / name
    path.write_text(kept if isinstance(kept, str) else json.dumps(kept))
    return str(path)


@pytest.mark.parametrize("moves", ["a1 b2 c3", ["a1", "b2", "c3"]])
def test_a_file_has_its_game_and_moves(tmp_path: Path, moves: Any) -> None:
    found = source(written(tmp_path, {"game": "tictactoe", "moves": moves, "more": [1]}), None)
    assert (found.game, found.moves, found.room) == ("tictactoe", "a1 b2 c3", None)


@pytest.mark.parametrize(
    ("link", "game", "moves"),
    [
        ("http://h:8765/analysis#connect4=4,4,3", "connect4", "4 4 3"),
        ("https://h/analysis#tictactoe@xo1/1x1/3%20o=", "tictactoe@xo1/1x1/3 o", ""),
        ("https://h/analysis#tictactoe@●o1/1●1/3 o", "tictactoe@●o1/1●1/3 o", ""),
        (
            "http://h/review#kalah@4,4,4,4,4,4/4,4,4,4,4,4%20b%20%5B0,0%5D=b1",
            "kalah@4,4,4,4,4,4/4,4,4,4,4,4 b [0,0]",
            "b1",
        ),
        # The line that was looked at, in a variation or before the end, else the main one.
        ("http://h/analysis#tictactoe=a1,b2(c3*)c1", "tictactoe", "a1 c3"),
        ("http://h/analysis#tictactoe=a1,b2(c3,a2)c1", "tictactoe", "a1 b2 c1"),
        ("http://h/analysis#tictactoe=*,a1,b2", "tictactoe", ""),
    ],
)
def test_a_link_has_its_game_and_the_moves_to_what_was_looked_at(link: str, game: str, moves: str) -> None:
    found = position(link, None)
    assert (found.game, found.moves, found.room) == (game, moves, None)


@pytest.mark.parametrize(
    "text", ["http://h/KMRTQA", "connect4=4,4", "http://h/analysis", "http://h/analysis#="]
)
def test_another_text_is_no_link_of_a_position(text: str) -> None:
    assert linked_position(text) is None


EXPORTED: dict[str, Any] = {
    "room": "KMRTQA",
    "game": "tictactoe",
    "title": "Tic-tac-toe",
    "number": 1,
    "seats": [{"kind": "human", "name": "Ada"}, {"kind": "bot", "name": "easy", "bot": "easy"}],
    "starter": 0,
    "settings": {},
    "started": 1,
    "moves": [{"seat": 0, "move": "a1", "at": 1}, {"seat": 1, "move": "b2", "at": 2, "later": True}],
}


def test_an_exported_game_is_known_in_full(tmp_path: Path) -> None:
    found = source(written(tmp_path, EXPORTED), None)
    assert (found.game, found.moves) == ("tictactoe", "a1 b2")
    assert found.record is not None
    assert [seat.name for seat in found.record.seats] == ["Ada", "easy"]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"seats": []}, "see seats. "),
        ({"seats": "Ada"}, "see seats. "),
        ({"starter": 2}, "see starter. It has to be one of: 0, 1."),
        ({"moves": [{"move": "a1"}]}, "see moves.0.seat. It is missing."),
        ({"moves": [{"seat": 0, "move": "a1", "at": 1}, "b2"]}, "lacks its"),
    ],
)
def test_an_exported_game_that_was_spoiled_is_reported(tmp_path: Path, wrong: Any, words: str) -> None:
    with pytest.raises(UsageError) as reported:
        source(written(tmp_path, EXPORTED | wrong), None)
    assert words in str(reported.value)
    assert len(str(reported.value).splitlines()) == 1


def test_a_position_is_named_by_its_number_of_moves(tmp_path: Path) -> None:
    file = written(tmp_path, EXPORTED)
    assert (position(file, None).ply, position(f"{file}@1", None).ply) == (None, 1)
    found = position("http://host:8765/KMRTQA@12", None)
    assert (found.room, found.server, found.ply) == ("KMRTQA", "ws://host:8765", 12)
    odd = written(tmp_path, EXPORTED, "game@7")
    assert position(odd, None).ply is None
    assert position(f"{odd}@0", None).ply == 0
    for text in (f"{file}@", f"{file}@-1", "KMRTQA@x", "KMRTQA@99999", "KMRTQA@\u0663"):
        with pytest.raises(UsageError, match="@N, N is a number of moves, from 0"):
            position(text, None)


def test_a_file_may_be_called_as_it_likes(tmp_path: Path) -> None:
    assert source(written(tmp_path, {"game": "x", "moves": ""}, "KMRTQA"), None).game == "x"


def test_a_code_or_a_link_is_a_room() -> None:
    assert source("kmr tqa", "ws://host:1") == source("KMRTQA", "ws://host:1")
    found = source("http://host:8765/KMRTQA", None)
    assert (found.room, found.server, found.game) == ("KMRTQA", "ws://host:8765", None)


def test_a_game_may_be_piped_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO('{"game": "tictactoe", "moves": ["a1"]}'))
    assert source("-", None).moves == "a1"
    monkeypatch.setattr("sys.stdin", io.StringIO(MATCH))
    assert source("-", None, 3) == source(written(tmp_path, MATCH, "games.jsonl"), None, 3)


@pytest.mark.parametrize(
    "kept",
    [
        "",
        "not JSON",
        "[" * 100_000,
        "9" * 10_000,
        [],
        {"game": "tictactoe"},
        {"moves": "a1"},
        {"game": 1, "moves": "a1"},
        {"game": "x", "moves": [1, 2]},
        {"game": "x", "moves": {"a": 1}},
        {"game": "", "moves": ""},
        {"game": "x" * 601, "moves": ""},
        {"game": "x", "moves": "a1 " * 2000},
    ],
    ids=lambda kept: str(kept)[:20],
)
def test_what_is_no_game_is_reported_in_a_sentence(tmp_path: Path, kept: Any) -> None:
    with pytest.raises(UsageError) as reported:
        source(written(tmp_path, kept), None)
    assert str(reported.value).endswith(".")
    assert len(str(reported.value).splitlines()) == 1


def test_what_stands_in_a_file_is_made_harmless(tmp_path: Path) -> None:
    found = source(written(tmp_path, EXPORTED | {"game": "x\x1b[2J", "title": "Ada\u202eneB"}), None)
    assert found.game == "x[2J"
    assert found.record is not None and found.record.title == "AdaneB"


def test_a_device_without_an_end_is_no_game() -> None:
    with pytest.raises(UsageError, match="holds no game"):
        source("/dev/zero", None)


@pytest.mark.parametrize("text", ["nothing.json", "zz", "KMRTQ0", "\x1b]0;x\x07", "x\x00y", "/"])
def test_what_is_neither_file_nor_code_is_reported(text: str) -> None:
    with pytest.raises(UsageError):
        source(text, None)


MATCH = "".join(
    json.dumps(EXPORTED | {"number": number, "title": f"Game {number}"}) + "\n" for number in (2, 1, 3)
)


def test_a_game_of_a_match_is_named_by_its_number(tmp_path: Path) -> None:
    path = written(tmp_path, MATCH, "games.jsonl")
    for number in (1, 2, 3):
        found = source(f"{path}#{number}", None).record
        assert found is not None
        assert (found.number, found.title) == (number, f"Game {number}")
        assert source(path, None, number) == source(f"{path}#{number}", None)
    assert position(f"{path}#2@1", None).ply == position(f"{path}@1", None, 2).ply == 1
    # One that was cut off while it was written hides no other.
    cut = written(tmp_path, MATCH[:-20], "cut.jsonl")
    assert source(f"{cut}#1", None).record is not None
    single = written(tmp_path, EXPORTED)
    assert source(f"{single}#1", None) == source(single, None, 1) == source(single, None)
    # A file's name may have such an end.
    assert source(written(tmp_path, EXPORTED, "game#7"), None).record is not None


def test_which_game_of_a_match_must_be_said(tmp_path: Path) -> None:
    path, single = written(tmp_path, MATCH, "games.jsonl"), written(tmp_path, EXPORTED)
    for text, words in {
        path: "holds 3 games. Choose one by its number: --game 1.",
        f"{path}#4": "There is no game 4 in",
        f"{path}#0": "it holds 3.",
        f"{single}#2": "it holds one.",
        f"{tmp_path / 'gone.jsonl'}#1": "There is no file",
    }.items():
        with pytest.raises(UsageError) as reported:
            source(text, None)
        assert words in str(reported.value)
    for file, words in {
        path: "There is no game 4 in",
        f"{path}#1": "leave one out",
        single: "holds one",
    }.items():
        with pytest.raises(UsageError, match=words):
            source(file, None, 4)
