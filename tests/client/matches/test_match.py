"""Matches: pairs of games between bots of the server's and files, on any number of workers."""

from pathlib import Path

import pytest

from parlour_client.bots.process import BotProcess
from parlour_client.matches import plan as plans
from parlour_client.matches import workers as matches
from parlour_client.matches.match import MOST_FAULTS, Tally, play_match
from parlour_client.matches.pair import PlayedPair
from parlour_client.matches.plan import Entrant, OpeningSource, Plan
from parlour_client.matches.referee import referee
from parlour_client.matches.workers import workers
from parlour_client.sdk.errors import UsageError
from parlour_client.sdk.sprt import Sprt
from parlour_protocol.views.records import GameRecord
from tests.client.bots.files import FIRST, write

CHANCE = "import random\ndef choose(position):\n    return random.choice(position.legal_moves)\n"


def entrant(bot: str) -> Entrant:
    if not bot.endswith(".py"):
        return Entrant(bot, bot)
    return Entrant(bot, Path(bot).stem, plans.digest_of(bot))


def played(
    first: str,
    second: str,
    games: int,
    *,
    game: str = "tictactoe",
    seed: int = 1,
    jobs: int = 1,
    dask: str | None = None,
    openings: OpeningSource | None = None,
    sprt: Sprt | None = None,
    done: tuple[PlayedPair, ...] = (),
) -> tuple[Tally, list[GameRecord]]:
    """A match's tally, and its records in the order of their numbers."""
    plan = Plan(
        game,
        (entrant(first), entrant(second)),
        games,
        seed,
        openings or OpeningSource(),
        move_seconds=20.0,
        sprt=sprt,
    )
    tally, pairs = Tally(plan), [*done]
    for pair in done:
        tally.add(pair)

    def take(pair: PlayedPair) -> None:
        tally.add(pair)
        pairs.append(pair)

    with workers(jobs, dask) as at_work:
        play_match(referee(game), plan, at_work, tally, {pair.number for pair in done}, take)
    counted = [pair for pair in pairs if pair.number < tally.counted]
    return tally, [
        record for pair in sorted(counted, key=lambda pair: pair.number) for record in pair.records
    ]


def moves_of(records: list[GameRecord]) -> list[list[str]]:
    return [[move.move for move in record.moves] for record in records]


def test_each_opening_is_played_by_both_sides() -> None:
    tally, records = played("minimax", "minimax", 8)
    assert [record.number for record in records] == list(range(1, 9))
    assert [record.starter for record in records] == [0, 1] * 4
    assert all(record.started_with == 2 for record in records)
    openings = [tuple(moves[:2]) for moves in moves_of(records)]
    assert openings[::2] == openings[1::2]
    assert len(set(openings)) == len(tally.openings) == 4
    # Both can hold every opening, and both are perfect.
    assert tally.result.all.draws == 8
    assert (tally.end, tally.balanced, tally.random_plies) == ("played", True, 2)
    # A longer match goes the same way as far as this one goes.
    assert moves_of(played("minimax", "minimax", 12)[1])[:8] == moves_of(records)


def test_a_file_plays_a_bot_and_another_file(tmp_path: Path) -> None:
    none = OpeningSource(plies=0)
    mine = str(write(tmp_path, FIRST))
    tally, records = played(mine, "random", 4)
    assert [seat.name for seat in records[0].seats] == ["mybot", "random"]
    assert (tally.result.all.games, sum(tally.result.pairs)) == (4, 2)
    # Both take the first cell that is free: whoever begins wins with the seventh move.
    tally, _ = played(mine, str(write(tmp_path, FIRST, "b.py")), 4, openings=none)
    assert (tally.result.began.wins, tally.result.replied.losses, tally.result.moves) == (2, 2, 28)


def test_a_match_is_the_same_for_its_seed_on_any_number_of_workers(tmp_path: Path) -> None:
    chance = str(write(tmp_path, CHANCE))
    # With no opening moves, which differ from pair to pair by themselves.
    none = OpeningSource(plies=0)
    tally, records = played(chance, "random", 8, seed=3, openings=none)
    on_two, same = played(chance, "random", 8, seed=3, jobs=2, openings=none)
    assert records == same
    assert tally.result == on_two.result
    # No two games go the same way by their seeds.
    assert len({tuple(moves) for moves in moves_of(records)}) == 8
    assert moves_of(records) != moves_of(played(chance, "random", 8, seed=4, openings=none)[1])


def test_a_fault_costs_its_own_bot_a_game_and_says_where(tmp_path: Path) -> None:
    raises = write(
        tmp_path,
        "def choose(position):\n"
        "    if position.seat == 0 and len(position.moves) > 3:\n"
        "        raise ValueError('no idea')\n"
        "    return 'z9' if len(position.moves) > 3 else position.legal_moves[-1]\n",
    )
    tally, records = played("random", str(raises), 6, seed=2)
    faulty = [record for record in records if record.fault]
    assert {(fault.seat, fault.kind) for fault in tally.faults} == {(1, "illegal move")}
    assert all(record.result and record.result.termination == "bot_failure" for record in faulty)
    assert all(record.result and record.result.winner == 0 for record in faulty)
    assert 2 < len(faulty) == len(tally.faults)
    tally, records = played(str(raises), "random", 2, seed=2)
    (fault, *_) = tally.faults
    assert (fault.seat, fault.kind) == (0, "exception")
    assert fault.error.startswith("mybot.py, line 3")
    assert fault.trace.rstrip().endswith("ValueError: no idea")


def test_a_bot_that_fails_again_and_again_is_benched(tmp_path: Path) -> None:
    raises = str(write(tmp_path, "def choose(position):\n    raise ValueError('no idea')\n"))
    for jobs in (1, 2):
        tally, records = played("random", raises, 400, jobs=jobs)
        assert (tally.end, tally.benched, len(tally.faults)) == ("benched", 1, MOST_FAULTS)
        assert len(records) == MOST_FAULTS


def test_a_start_that_fails_is_tried_once_more(tmp_path: Path) -> None:
    tried = tmp_path / "tried"
    fails_first = f"""
import pathlib
tried = pathlib.Path({str(tried)!r})
if not tried.exists():
    tried.touch()
    raise RuntimeError("the machine is busy")
{FIRST}"""
    tally, _ = played("random", str(write(tmp_path, fails_first)), 2)
    assert tried.exists()
    assert tally.faults == []
    fails = write(tmp_path, "raise RuntimeError('never')\n", "never.py")
    tally, _ = played("random", str(fails), 2)
    assert {fault.kind for fault in tally.faults} == {"broken"}
    assert "never" in tally.faults[0].error


def test_a_test_ends_a_match_at_the_same_pair_on_any_number_of_workers() -> None:
    sprt = Sprt(0, 100)
    one, records = played("perfect", "random", 400, sprt=sprt)
    two, same = played("perfect", "random", 400, sprt=sprt, jobs=2)
    assert one.end == two.end == "sprt"
    assert records == same
    assert 4 < len(records) < 400
    assert one.ratio is not None
    assert sprt.verdict(one.ratio) == "stronger"


def test_pairs_that_are_done_are_not_played_again() -> None:
    whole, records = played("random", "random", 12)
    kept = tuple(PlayedPair(number, records[2 * number : 2 * number + 2]) for number in (0, 1, 4))
    tally, same = played("random", "random", 12, done=kept)
    assert same == records
    assert tally.result == whole.result
    assert sum(tally.moves) < sum(whole.moves)


def test_openings_from_a_file_are_played_in_their_order() -> None:
    lines = OpeningSource(lines=("b2 a1", "xo1/1x1/3 o"))
    tally, records = played("random", "random", 6, openings=lines)
    assert [record.game.partition("@")[1] for record in records] == ["", "", "@", "@", "", ""]
    assert [record.started_with for record in records] == [2, 2, 0, 0, 2, 2]
    # From the position on it is the second side's turn: the entrant who has it moves first.
    assert [records[2].moves[0].seat, records[3].moves[0].seat] == [1, 0]
    assert len(tally.openings) == 2


def test_games_that_are_over_by_then_are_refused() -> None:
    with pytest.raises(UsageError, match="20 random moves"):
        played("random", "random", 2, openings=OpeningSource(plies=20))


def test_a_cluster_plays_the_same_match() -> None:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
    ):
        _, records = played("minimax", "random", 6, dask=cluster.scheduler_address)
    assert records == played("minimax", "random", 6)[1]


def test_no_cluster_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matches, "CONNECT_SECONDS", 0.2)
    with pytest.raises(UsageError, match="no Dask scheduler"), workers(1, "tcp://127.0.0.1:9"):
        pass


async def test_a_file_for_another_game_is_refused(tmp_path: Path) -> None:
    async with BotProcess(write(tmp_path, "GAMES = ['connect4']\n" + FIRST)) as process:
        with pytest.raises(UsageError, match="plays connect4"):
            process.check("tictactoe")
