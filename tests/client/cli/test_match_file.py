"""A match's file: whole pairs alone, in order at the end, and gone on with."""

from pathlib import Path

import pytest

from parlour_client.cli.match_file import MatchFile, games_of, manifest_of, whole_pairs
from parlour_client.matches import plan as plans
from parlour_client.matches.pair import PlayedPair
from parlour_client.matches.plan import Entrant, Plan
from parlour_client.sdk.errors import UsageError
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views.records import Fault, GameRecord
from parlour_protocol.views.rooms import SeatView

PLAN = Plan("tictactoe", (Entrant("easy", "easy"), Entrant("hard", "hard", timed=True)), 20, 1)


def pair(number: int) -> PlayedPair:
    seats = [SeatView("bot", name, name) for name in ("easy", "hard")]
    fault = Fault(1, "exception", "no idea", "Traceback ...")
    return PlayedPair(
        number,
        [
            GameRecord("", "tictactoe", "T", 2 * number + game, seats, 0, RoomSettings(), 0, [], fault=fault)
            for game in (1, 2)
        ],
    )


def begun(path: Path, plan: Plan, *, force: bool = False) -> None:
    """A match that was stopped before anything was played."""
    file = MatchFile(str(path), force=force)
    file.open(plan)
    file.close()


def numbers(path: Path) -> list[int]:
    return [one.number for one in whole_pairs(path)]


def test_pairs_are_kept_at_once_and_put_in_order_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    file = MatchFile(str(path), force=False)
    file.open(PLAN)
    for number in (2, 0, 3, 1):
        file.add(pair(number))
        assert len(whole_pairs(path)) == len(file.pairs)
    # A pair behind the one that ended the match does not count.
    assert file.close(lambda number: number < 3) == 6
    assert [record.number for one in whole_pairs(path) for record in one.records] == [1, 2, 3, 4, 5, 6]
    assert whole_pairs(path)[0] == pair(0)
    assert plans.read(manifest_of(path)) == PLAN


def test_a_killed_match_goes_on_with_whole_pairs(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    file = MatchFile(str(path), force=False)
    file.open(PLAN)
    for number in (1, 0):
        file.add(pair(number))
    file.close(lambda number: number < 10)
    # Killed while the third pair was being written.
    whole, torn = path.read_bytes(), b"".join(path.read_bytes().splitlines(keepends=True)[:1])
    path.write_bytes(whole + torn.replace(b'"number":3', b'"number":5') + torn[:70])
    again = MatchFile(str(path), force=False)
    assert again.begun == PLAN
    again.open(PLAN)
    assert [one.number for one in again.pairs] == [0, 1]
    assert numbers(path) == [0, 1]
    again.add(pair(2))
    assert again.close() == 6
    assert numbers(path) == [0, 1, 2]


def test_it_is_not_mixed_with_another_match(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    file = MatchFile(str(path), force=False)
    file.open(PLAN)
    file.add(pair(0))
    file.close(lambda number: number < 10)
    longer = Plan("tictactoe", PLAN.entrants, 40, 1)
    begun(path, longer)
    assert numbers(path) == [0]
    assert plans.read(manifest_of(path)).games == 40
    # Nothing that was played is lost by asking for less.
    begun(path, PLAN)
    shorter = MatchFile(str(path), force=False)
    shorter.open(Plan("tictactoe", PLAN.entrants, 2, 1))
    shorter.add(pair(1))
    assert shorter.close(lambda number: number < 1) == 2
    assert plans.read(manifest_of(path)).games == 40
    other = Plan("tictactoe", PLAN.entrants, 20, 2)
    with pytest.raises(UsageError, match="another match"):
        MatchFile(str(path), force=False).open(other)
    assert numbers(path) == [0]
    begun(path, other, force=True)
    assert numbers(path) == []
    # Any other file is nobody's to overwrite.
    notes = tmp_path / "notes.txt"
    notes.write_text("mine")
    with pytest.raises(UsageError, match="exists already"):
        MatchFile(str(notes), force=False)


def test_a_bot_that_has_changed_is_told(tmp_path: Path) -> None:
    def plan(digest: str) -> Plan:
        return Plan("tictactoe", (Entrant("mybot.py", "mybot", digest), PLAN.entrants[1]), 20, 1)

    path = tmp_path / "games.jsonl"
    begun(path, plan("a"))
    changed = MatchFile(str(path), force=False)
    with pytest.raises(UsageError, match=r"mybot\.py has changed"):
        changed.open(plan("b"))
    # What could not begin keeps nobody from it, for whatever reason that was.
    in_the_way = path.with_name("games.jsonl.manifest.json.new")
    in_the_way.mkdir()
    blocked = MatchFile(str(path), force=False)
    with pytest.raises(UsageError, match=r"games\.jsonl"):
        blocked.open(plan("a"))
    in_the_way.rmdir()
    begun(path, plan("a"))


def test_a_replay_takes_whole_files_alone(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    file = MatchFile(str(path), force=False)
    file.open(PLAN)
    with pytest.raises(UsageError, match="no whole match"):
        whole_pairs(path, strict=True)
    file.add(pair(0))
    file.add(pair(1))
    file.close()
    assert len(whole_pairs(path, strict=True)) == 2
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], b"torn\n", *lines[2:]]))
    with pytest.raises(UsageError, match="line 2"):
        whole_pairs(path, strict=True)
    path.write_bytes(b"".join(lines[:3]))
    with pytest.raises(UsageError, match="no whole match"):
        whole_pairs(path, strict=True)
    with pytest.raises(UsageError, match="no manifest"):
        games_of(path)
    with pytest.raises(UsageError, match="gone"):
        whole_pairs(tmp_path / "gone.jsonl", strict=True)


def test_what_is_no_manifest_is_told(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.touch()
    manifest_of(path).write_text("{}")
    with pytest.raises(UsageError, match="no manifest of a match"):
        MatchFile(str(path), force=False)
