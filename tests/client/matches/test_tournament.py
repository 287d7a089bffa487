"""Tournaments of bots that are here: pairings, games, standings, and going on."""

from pathlib import Path

import pytest

from parlour_client.matches.match import MOST_FAULTS
from parlour_client.matches.pair import PlayedPair
from parlour_client.matches.plan import OpeningSource, TournamentPlan
from parlour_client.matches.tournament import Played, play_tournament
from parlour_client.matches.workers import workers
from parlour_client.sdk.errors import UsageError
from parlour_protocol.tournaments import Format
from tests.client.bots.files import FIRST, write
from tests.client.matches.test_match import entrant

BOTS = ("medium", "easy", "random", "minimax:depth=1", "perfect")


def plan(
    *bots: str,
    style: Format = "round_robin",
    plays: tuple[str, ...] = ("tictactoe",),
    games: int = 2,
    rounds: int | None = None,
) -> TournamentPlan:
    entrants = tuple(entrant(bot) for bot in bots or BOTS)
    return TournamentPlan("Class", entrants, plays, style, rounds, games, 7, move_seconds=20.0)


def played(
    asked: TournamentPlan, *, jobs: int = 1, done: tuple[PlayedPair, ...] = ()
) -> tuple[Played, list[PlayedPair]]:
    tournament, pairs = Played.begin(asked), list[PlayedPair]()
    for pair in done:
        tournament.add(pair)

    def take(pair: PlayedPair) -> None:
        pairs.append(pair)
        tournament.add(pair)

    with workers(jobs) as at_work:
        play_tournament(tournament, at_work, take)
    return tournament, sorted(pairs, key=lambda pair: pair.number)


def test_all_meet_all_from_the_same_openings() -> None:
    tournament, pairs = played(plan(games=4))
    view = tournament.pairings.view()
    assert (view.phase, view.round, tournament.games, len(pairs)) == ("over", 5, 40, 20)
    assert tournament.expected == 40
    assert [count.games for count in tournament.counts] == [16] * 5
    assert len({pair.number for pair in pairs}) == 20
    # Two openings, which every pairing plays with both colours.
    assert len({tuple(one.move for one in pair.records[0].moves[:2]) for pair in pairs}) == 2
    names = [one.name for one in view.entrants]
    assert {"perfect", "medium"} == set(names[:2])
    ratings = tournament.pairings.ratings()
    assert ratings[4].elo > ratings[2].elo
    assert len(view.heads) == 5


@pytest.mark.parametrize("style", ["round_robin", "double_round_robin", "swiss", "knockout", "gauntlet"])
def test_every_format_comes_to_its_end_and_is_the_same_on_any_number_of_workers(style: Format) -> None:
    asked = plan(style=style)
    tournament, pairs = played(asked)
    assert tournament.pairings.view().phase == "over"
    assert not tournament.pairings.open_pairs()
    met = [frozenset(seat.name for seat in pair.records[0].seats) for pair in pairs]
    if style == "swiss":
        assert len(set(met)) == len(met)
    if style == "gauntlet":
        assert all("medium" in both for both in met)
    if style == "round_robin":
        on_two, same = played(asked, jobs=2)
        assert pairs == same
        assert on_two.pairings.view().entrants == tournament.pairings.view().entrants


def test_it_goes_on_from_any_pairs_to_the_same_end() -> None:
    asked = plan(style="swiss", rounds=3)
    whole, pairs = played(asked)
    for kept in (pairs[:1], pairs[:3], pairs[1:2], pairs):
        again, rest = played(asked, done=tuple(kept))
        assert sorted([*kept, *rest], key=lambda pair: pair.number) == pairs
        assert again.pairings.view().entrants == whole.pairings.view().entrants


@pytest.mark.parametrize("style", ["round_robin", "gauntlet"])
def test_with_more_games_it_goes_on_to_what_they_come_to_from_the_start(style: Format) -> None:
    plays = ("tictactoe", "connect4")
    bots = ("random", "easy", "minimax:depth=1")
    _, short = played(plan(*bots, plays=plays, style=style))
    whole, pairs = played(plan(*bots, plays=plays, style=style, games=4))
    grown, rest = played(plan(*bots, plays=plays, style=style, games=4), done=tuple(short))
    assert sorted([*short, *rest], key=lambda pair: pair.number) == pairs
    assert grown.pairings.view().entrants == whole.pairings.view().entrants
    assert [pair.number for pair in pairs] == list(range(len(pairs)))


def test_every_pairing_plays_all_the_games() -> None:
    _, pairs = played(plan("random", "easy", plays=("tictactoe", "connect4"), games=4))
    assert [pair.records[0].game for pair in pairs] == ["tictactoe", "connect4"] * 2


def test_faults_are_the_culprits_alone(tmp_path: Path) -> None:
    raises = write(tmp_path, "def choose(position):\n    raise ValueError('no idea')\n", "bad.py")
    good = write(tmp_path, FIRST, "good.py")
    tournament, _ = played(plan(str(raises), str(good), "random"))
    assert [sum(one.values()) for one in tournament.faults] == [4, 0, 0]
    assert tournament.faults[0] == {"exception": 4}
    assert "no idea" in tournament.first_fault[0, "exception"]
    assert tournament.pairings.view().entrants[-1].name == "bad"


def test_who_fails_again_and_again_is_benched_for_the_rest_of_the_tournament(tmp_path: Path) -> None:
    raises = write(tmp_path, "def choose(position):\n    raise ValueError('no idea')\n", "bad.py")
    asked = plan(str(raises), "random", "easy", "medium", games=6)
    tournament, pairs = played(asked)
    assert tournament.pairings.view().phase == "over"
    assert tournament.benched == {0}
    assert sum(tournament.faults[0].values()) == tournament.counts[0].games == MOST_FAULTS
    assert sum(count.games for count in tournament.counts[1:]) == 36 + MOST_FAULTS
    standings = tournament.pairings.view().entrants
    assert (standings[-1].name, standings[-1].losses, standings[-1].withdrawn) == ("bad", 3, True)
    counted = [pair for pair in pairs if pair.number in tournament.counted]
    for done, jobs in (((), 2), (tuple(pairs[5:]), 1)):
        again, rest = played(asked, jobs=jobs, done=done)
        assert (again.counted, again.counts) == (tournament.counted, tournament.counts)
        found = sorted([*done, *rest], key=lambda pair: pair.number)
        assert [pair for pair in found if pair.number in again.counted] == counted
        assert again.pairings.view().entrants == standings


def test_what_can_not_be_a_tournament_is_told() -> None:
    with pytest.raises(UsageError, match="two"):
        Played.begin(plan("random"))
    asked = plan("random", "easy")
    crowd = TournamentPlan("", asked.entrants * 60, asked.plays, "round_robin", None, 2, 1, OpeningSource())
    with pytest.raises(UsageError, match="100"):
        Played.begin(crowd)
