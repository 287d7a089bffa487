"""Files as seats of the arena."""

from pathlib import Path

import pytest

from parlour_client import Client, Refused, Room, UsageError, connect
from parlour_client.bots import contestant
from parlour_client.bots.match import play_match
from parlour_client.render.console import Screen
from parlour_client.render.tables import Tally, ran_line
from parlour_client.text.reports import ran_in_match
from parlour_protocol.answers import Refused as RefusedMessage
from parlour_protocol.errors import Code
from parlour_protocol.ids import Seat
from tests.client.bots.files import FIRST, write
from tests.support.server import serving


async def played(
    first: str, second: str, games: int, limit: float | None = None, *, in_turn: bool = False
) -> list[Tally]:
    told: list[Tally] = []
    async with serving() as url, connect(url, "Ada") as client:
        entrants = (first, second)
        await contestant.play(
            client, Screen(), "tictactoe", entrants, games, 1, limit, told.append, in_turn=in_turn
        )
    return told


async def test_a_file_plays_a_bot_and_another_file(tmp_path: Path) -> None:
    mine = str(write(tmp_path, FIRST))
    against_random = await played(mine, "random", 3)
    assert [tally.games for tally in against_random] == [1, 2, 3]
    last = against_random[-1]
    assert (last.first, last.second) == ("mybot", "random")
    assert last.first_wins + last.second_wins + last.draws == 3
    # Both take the first cell that is free, and the first side has three in a row with its fourth move.
    (one, two) = await played(mine, str(write(tmp_path, 'NAME = "other"\n' + FIRST, "b.py")), 2)
    assert (two.first, two.second, two.first_wins, two.moves) == ("mybot", "other", 2, 14)
    assert one.games == 1


async def test_they_may_begin_in_turn(tmp_path: Path) -> None:
    mine, other = write(tmp_path), write(tmp_path, FIRST, "other.py")
    # Whoever begins wins.
    last = (await played(str(mine), str(other), 4, in_turn=True))[-1]
    assert (last.first_wins, last.second_wins) == (2, 2)


async def test_a_fault_costs_a_game_and_not_the_match(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raises = write(tmp_path, "def choose(position):\n    raise ValueError('no idea')\n")
    last = (await played("random", str(raises), 5))[-1]
    assert (last.games, last.first_wins) == (5, 5)
    said = " ".join(capsys.readouterr().err.split())
    assert said.count("mybot loses a game (exception). mybot.py, line 2: ValueError: no idea") == 3
    assert "mybot lost 5 games by faults of its own." in said


async def test_a_file_for_another_game_is_refused(tmp_path: Path) -> None:
    other = write(tmp_path, "GAMES = ['connect4']\n" + FIRST)
    with pytest.raises(UsageError, match="plays connect4"):
        await played(str(other), "random", 1)


async def test_a_seat_that_is_refused_for_now_is_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy, join = [RefusedMessage(Code.BUSY, "Later.", retry_after=0.01)], Client.join

    async def join_later(self: Client, code: str, seat: Seat, *, program: bool) -> Room:
        if busy:
            raise Refused(busy.pop())
        return await join(self, code, seat, program=program)

    monkeypatch.setattr(Client, "join", join_later)
    assert len(await played(str(write(tmp_path)), "random", 1)) == 1


async def test_it_is_told_how_each_bots_searches_ran() -> None:
    # There is no compiled code for what these two do.
    (tally,) = await played("minimax:depth=1", "random", 1)
    assert (tally.first_ran, tally.second_ran) == (None, None)
    async with serving() as url, connect(url, "Ada") as client:
        told: list[Tally] = []
        await play_match(client, "connect4", "easy", "random", 1, 1, told.append)
    assert (told[0].first_ran, told[0].second_ran) == ("plain Python", None)
    assert ran_line(told[0]) == "easy: plain Python"
    assert ran_in_match({True, None}) == "compiled"
    assert ran_in_match({True, False}) == "partly compiled"
