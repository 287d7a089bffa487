"""The games of a match in a file: in order, though any may end first."""

import json
from pathlib import Path

from parlour_client.cli.game_file import GameFile
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views.records import GameRecord
from parlour_protocol.views.rooms import SeatView


def record(number: int) -> GameRecord:
    seats = [SeatView("bot", name, name) for name in ("easy", "hard")]
    return GameRecord("KMRTQA", "tictactoe", "Tic-tac-toe", number, seats, 0, RoomSettings(), 1, [])


def test_a_game_is_written_once_all_before_it_are(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"

    def numbers() -> list[int]:
        return [json.loads(line)["number"] for line in path.read_text().splitlines()]

    with GameFile(path) as file:
        file.add(record(3))
        file.add(record(2))
        assert numbers() == []
        file.add(record(1))
        assert numbers() == [1, 2, 3]
        file.add(record(7))
        file.add(record(5))
        assert (numbers(), file.count) == ([1, 2, 3], 5)
    # Where the match was stopped, nothing that was played is lost.
    assert numbers() == [1, 2, 3, 5, 7]
