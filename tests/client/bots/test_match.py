"""Matches: pairs of games between bots of the server's and files."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from parlour_client import Client, Refused, Room, UsageError, connect
from parlour_client.bots.contestant import FileLimits, seated
from parlour_client.bots.match import Match, play_match, seeded
from parlour_client.render.console import Screen
from parlour_client.sdk import retry
from parlour_client.sdk.match_result import MatchResult
from parlour_protocol.answers import Refused as RefusedMessage
from parlour_protocol.errors import Code
from parlour_protocol.ids import Seat
from parlour_protocol.views.records import GameRecord
from tests.client.bots.files import FIRST, write
from tests.support.server import serving

CHANCE = "import random\ndef choose(position):\n    return random.choice(position.legal_moves)\n"


class Played:
    """A match that was played."""

    def __init__(self) -> None:
        self.records: list[GameRecord] = []
        self.result = MatchResult()
        self.names = ("", "")

    def add(self, pair: int, record: GameRecord) -> None:
        assert record.result is not None
        assert (record.number - 1) // 2 == pair
        self.records.append(record)
        self.result.add(pair, record.starter, record.result.winner, len(record.moves))

    @property
    def moves(self) -> list[list[str]]:
        """The moves of each game, in the match's order."""
        records = sorted(self.records, key=lambda record: record.number)
        return [[move.move for move in record.moves] for record in records]


async def played(
    first: str,
    second: str,
    games: int,
    *,
    seed: int = 1,
    tables: int = 1,
    plies: int | None = None,
    limits: FileLimits | None = None,
) -> Played:
    match = Played()
    async with (
        serving() as url,
        connect(url, "Ada") as client,
        seated(client, Screen(), "tictactoe", (first, second), tables, limits or FileLimits()) as table,
    ):
        match.names = table.names
        wanted = Match("tictactoe", (first, second), games, seed, plies)
        await play_match(client, wanted, table.tables, match.add)
        assert all(room.phase == "closed" for room in (await client.rooms()).rooms)
    return match


async def test_each_opening_is_played_by_both_sides() -> None:
    match = await played("minimax", "minimax", 8, plies=2)
    records = match.records
    assert [record.number for record in records] == list(range(1, 9))
    assert [record.starter for record in records] == [0, 1] * 4
    assert all(record.started_with == 2 for record in records)
    openings = [tuple(moves[:2]) for moves in match.moves]
    assert openings[::2] == openings[1::2]
    assert len(set(openings)) == 4


async def test_a_file_plays_a_bot_and_another_file(tmp_path: Path) -> None:
    mine = str(write(tmp_path, FIRST))
    against_random = await played(mine, "random", 3)
    assert against_random.names == ("mybot", "random")
    assert [record.number for record in against_random.records] == [1, 2, 3]
    assert (against_random.result.all.games, sum(against_random.result.pairs)) == (3, 1)
    # Both take the first cell that is free: whoever begins wins with the seventh move.
    both = await played(mine, str(write(tmp_path, 'NAME = "other"\n' + FIRST, "b.py")), 4, plies=0)
    assert both.names == ("mybot", "other")
    assert (both.result.began.wins, both.result.replied.losses, both.result.moves) == (2, 2, 28)


async def test_a_match_is_the_same_for_its_seed_on_any_number_of_tables(tmp_path: Path) -> None:
    chance = str(write(tmp_path, CHANCE))
    # With no opening moves, which differ from pair to pair by themselves.
    one = await played(chance, "random", 6, seed=3, plies=0)
    three = await played(chance, "random", 6, seed=3, tables=3, plies=0)
    assert one.moves == three.moves
    # No two games go the same way by their seeds.
    assert len({tuple(moves) for moves in one.moves}) == 6
    assert one.moves != (await played(chance, "random", 6, seed=4, plies=0)).moves


async def test_a_fault_costs_a_game_and_not_the_match(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raises = write(tmp_path, "def choose(position):\n    raise ValueError('no idea')\n")
    match = await played("random", str(raises), 5, tables=2)
    assert (match.result.all.games, match.result.all.wins) == (5, 5)
    said = " ".join(capsys.readouterr().err.split())
    assert said.count("mybot loses a game (exception). mybot.py, line 2: ValueError: no idea") == 3
    assert said.count("mybot lost 5 games by faults of its own.") == 1


async def test_a_file_for_another_game_is_refused(tmp_path: Path) -> None:
    other = write(tmp_path, "GAMES = ['connect4']\n" + FIRST)
    with pytest.raises(UsageError, match="plays connect4"):
        await played(str(other), "random", 1)


async def test_what_goes_wrong_at_one_table_ends_them_all() -> None:
    with pytest.raises(Refused, match="nobody"):
        await played("random", "nobody", 100, tables=3)


async def test_a_match_that_is_too_fast_for_its_server_leaves_no_room_behind() -> None:
    """Each room once took several attempts, and what an attempt had made stayed open."""
    match = Played()
    async with serving(messages_per_second=20.0, burst=4) as url:
        async with connect(url, "Ada") as client:
            await play_match(client, Match("tictactoe", ("random", "random"), 6, 1, 0), [{}], match.add)
        async with connect(url, "Ben") as other:
            rooms = (await other.rooms()).rooms
    assert match.result.all.games == 6
    assert all(room.phase == "closed" for room in rooms)


async def test_it_waits_for_a_room_as_long_as_the_server_asks_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    create, asked, waits, reported = Client.create, 0, list[float](), list[float]()

    async def too_fast(client: Client, *arguments: Any, **known: Any) -> Room:
        nonlocal asked
        asked += 1
        if asked == 1:
            raise Refused(RefusedMessage(Code.TOO_FAST, "Too many new rooms.", retry_after=45.0))
        return await create(client, *arguments, **known)

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr(Client, "create", too_fast)
    monkeypatch.setattr(retry, "asyncio", SimpleNamespace(sleep=sleep))
    match = Played()
    async with serving() as url, connect(url, "Ada") as client:
        wanted = Match("tictactoe", ("random", "random"), 2, 1, 0)
        await play_match(
            client, wanted, [{}], match.add, waiting=lambda refused, seconds: reported.append(seconds)
        )
    assert match.result.all.games == 2
    assert waits[0] == reported[0] == 45.0


async def test_a_seat_that_is_refused_for_now_is_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy, join = [RefusedMessage(Code.BUSY, "Later.", retry_after=0.01)], Client.join

    async def join_later(self: Client, code: str, seat: Seat, *, program: bool) -> Room:
        if busy:
            raise Refused(busy.pop())
        return await join(self, code, seat, program=program)

    monkeypatch.setattr(Client, "join", join_later)
    assert (await played(str(write(tmp_path)), "random", 1)).result.all.games == 1


@pytest.mark.parametrize(
    ("bot", "expected"),
    [
        ("random", "random:seed="),
        ("minimax:depth=4", "minimax:depth=4,seed="),
        ("minimax:seed=7", "minimax:seed=7"),
        ("clockwork", "clockwork"),
    ],
)
def test_bots_are_seeded_from_the_matchs_seed(bot: str, expected: str) -> None:
    takes_one = {"random", "minimax"}
    first = seeded(bot, "5/0/0", takes_one)
    assert first.startswith(expected)
    assert first == seeded(bot, "5/0/0", takes_one)
    if expected.endswith("="):
        assert len({first, seeded(bot, "5/0/1", takes_one), seeded(bot, "6/0/0", takes_one)}) == 3
