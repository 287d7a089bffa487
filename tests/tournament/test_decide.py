"""Given a tournament, when a command, then events, or a refusal."""

import pytest

from parlour_server.refusals import Refusal
from parlour_server.tournament import swiss
from parlour_server.tournament.commands import (
    SERVER,
    Create,
    End,
    Enter,
    Forfeit,
    Join,
    NoteResult,
    NoteTable,
    Proceed,
    Rename,
    Replay,
    Start,
    Withdraw,
)
from parlour_server.tournament.events import (
    EntrantRenamed,
    EntrantReturned,
    EntrantWithdrew,
    GameAnnulled,
    GameDecided,
    RoundPaired,
    TableMade,
    TournamentEnded,
)
from parlour_server.tournament.state import TournamentState
from tests.tournament.hall import DRAWN, LOST, WON, Hall, better


def test_people_join_once_and_bots_as_often_as_the_host_wants() -> None:
    hall = Hall(2)
    assert hall.refused(Join("Again"), "p1") == "You take part already."
    assert hall.refused(Enter("hard"), "p1") == "Only whoever made this tournament can do that."
    hall.do(Enter("minimax:depth=4"))
    hall.do(Enter("minimax:depth=4"))
    hall.do(Join("Player 1", program=True), "other")
    assert [(one.name, one.bot, one.program) for one in hall.state.entrants] == [
        ("Player 1", None, False),
        ("Player 2", None, False),
        ("minimax", "minimax:depth=4", False),
        ("minimax 2", "minimax:depth=4", False),
        ("Player 1 2", None, True),
    ]


def test_a_new_name_is_followed_until_it_begins() -> None:
    hall = Hall(2)
    assert hall.do(Rename("Ada"), "p1") == [EntrantRenamed(1, "Ada")]
    assert hall.do(Rename("Ada"), "p1") == hall.do(Rename("Ada"), "stranger") == []
    assert hall.do(Rename("Ada"), "p2") == [EntrantRenamed(2, "Ada 2")]
    hall.start()
    assert hall.do(Rename("Eve"), "p1") == []
    assert [one.name for one in hall.replayed().entrants] == ["Ada", "Ada 2"]


def test_nobody_comes_later_than_its_end() -> None:
    for style, length in (("swiss", "rounds"), ("arena", "minutes")):
        with pytest.raises(Refusal, match="as late as 99"):
            Hall(format=style, late_until=99, **{length: 5})
        assert Hall(format=style, late_until=5, **{length: 5}).state.version == 1


def test_the_host_alone_begins_and_not_alone() -> None:
    hall = Hall(1)
    assert hall.refused(Start()).startswith("A tournament begins with two players at least.")
    hall.join(2)
    assert hall.refused(Start(), "p1") == "Only whoever made this tournament can do that."
    assert hall.do(Proceed(), SERVER) == []
    hall.start()
    assert [pair.both for pair in hall.state.pairs()] == [(1, 2)]
    assert hall.refused(Start()) == "This tournament has begun already."


def test_a_swiss_without_its_library_is_refused_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(swiss, "is_installed", lambda: False)
    with pytest.raises(Exception, match=r"pip install './server\[swiss\]'"):
        Hall(format="swiss")
    assert Hall(format="arena").state.phase == "joining"


def test_the_next_round_comes_after_a_pause_when_all_is_decided() -> None:
    hall = Hall(4, format="round_robin", pause=20)
    hall.start()
    assert hall.proceed() == []
    hall.play_round(better)
    assert hall.state.due_at == hall.now + 20_000
    hall.now += 19_999
    assert hall.do(Proceed(), SERVER) == []
    hall.now += 1
    (paired,) = hall.do(Proceed(), SERVER)
    assert isinstance(paired, RoundPaired)
    # Asked again, and by another node with the same state, nothing more is due.
    assert hall.do(Proceed(), SERVER) == []


def test_a_table_and_a_result_count_once() -> None:
    hall = Hall(2, format="round_robin")
    hall.start()
    assert hall.do(NoteTable(1, 1, 1, "KMRTQA"), SERVER) == [TableMade(1, 1, 1, "KMRTQA")]
    assert hall.do(NoteTable(1, 1, 1, "ABCDEF"), SERVER) == []
    assert hall.do(NoteResult(1, 1, 1, WON), SERVER) == [GameDecided(1, 1, 1, WON)]
    assert hall.do(NoteResult(1, 1, 1, LOST), SERVER) == []
    assert hall.do(NoteResult(2, 7, 1, LOST), SERVER) == []
    assert [one.points for one in hall.state.rounds[0].pairs] == [WON]


def test_the_games_of_a_pair_follow_each_other_with_the_first_move_in_turn() -> None:
    hall = Hall(2, format="round_robin", games=2)
    hall.start()
    (pair,) = hall.state.pairs()
    hall.decide(pair, WON)
    hall.decide(pair, DRAWN)
    assert tuple(game.first for game in pair.games) == pair.both
    assert (pair.open, pair.sums, pair.points) == (None, (1.5, 0.5), WON)


def test_a_knockouts_pair_plays_on_while_it_is_even_and_then_the_better_seed_goes_on() -> None:
    hall = Hall(3, format="knockout")
    hall.start()
    assert [one.byes for one in hall.state.rounds] == [[1]]
    (pair,) = hall.state.pairs()
    for done in (False, False, True):
        hall.decide(pair, DRAWN)
        assert pair.done is done
    hall.proceed()
    assert set(hall.state.rounds[1].pairs[0].both) == {1, 2}
    hall.play(better)
    assert len(hall.state.rounds) == 2


def test_who_withdraws_loses_the_game_that_runs_and_is_met_no_more() -> None:
    hall = Hall(4, format="swiss", rounds=3)
    hall.start()
    pair = hall.state.rounds[0].pairs[0]
    lost = 0.0 if pair.first == 1 else 1.0
    assert hall.refused(Withdraw(2), "p1") == "Only whoever made this tournament can do that."
    assert hall.do(Withdraw(), "p1") == [
        EntrantWithdrew(1),
        GameDecided(1, 1, 1, (lost, 1.0 - lost), "forfeit"),
    ]
    assert hall.do(Withdraw(1), "host") == []
    assert hall.refused(Withdraw(9)) == "Nobody takes part under that number."
    assert hall.refused(Withdraw(), "stranger") == "You don't take part in this tournament."
    hall.play_round(better)
    hall.proceed()
    assert 1 not in hall.state.playing()
    # In a Swiss one may come back.
    assert hall.do(Join("Player 1"), "p1") == [EntrantReturned(1)]


def test_in_a_round_robin_who_has_gone_loses_what_is_left() -> None:
    hall = Hall(4, format="round_robin")
    hall.start()
    hall.do(Withdraw(4))
    hall.play_round(better)
    assert hall.refused(Join("Player 4"), "p4").startswith("It is too late")
    events = hall.proceed()
    (decided,) = [one for one in events if isinstance(one, GameDecided)]
    pair = hall.state.rounds[1].pairs[decided.board - 1]
    assert pair.done and decided.points[pair.both.index(4)] == 0


@pytest.mark.parametrize(("settings", "last"), [({"rounds": 6}, 3), ({"rounds": 6, "late_until": 5}, 5)])
def test_one_may_come_late_until_half_time(settings: dict[str, int], last: int) -> None:
    hall = Hall(12, format="swiss", **settings)
    hall.start()
    for number in range(1, 6):
        if number < last:
            hall.join(20 + number)
        else:
            assert hall.refused(Join("Late"), "late").startswith("It is too late to join")
        hall.play_round(better)
        hall.proceed()
    # Who came before the second round has played in it.
    assert any(13 in pair.both or 13 in hall.state.rounds[1].byes for pair in hall.state.rounds[1].pairs)


def test_an_arena_is_joined_until_half_of_its_time_and_ends_when_its_last_game_does() -> None:
    hall = Hall(4, format="arena", minutes=10, pause=0)
    hall.start()
    assert len(hall.state.open_games()) == 2
    hall.now = hall.state.started_at + 5 * 60_000 - 1
    hall.join(5)
    hall.now += 1
    assert hall.refused(Join("Late"), "late").startswith("It is too late")
    hall.now = hall.state.started_at + 10 * 60_000
    assert hall.proceed() == []
    hall.play_round(better)
    assert hall.proceed() == [TournamentEnded()]


def test_the_host_decides_a_game_and_has_one_played_again() -> None:
    hall = Hall(4, format="round_robin")
    hall.start()
    pair = hall.state.rounds[0].pairs[0]
    assert hall.refused(Replay(1, 1)) == "There is no such game at that board now."
    assert hall.refused(Forfeit(1, 1, 3)) == "There is no such game at that board now."
    assert hall.do(Forfeit(1, 1, pair.first)) == [GameDecided(1, 1, 1, LOST, "forfeit")]
    assert hall.do(Replay(1, 1)) == [GameAnnulled(1, 1, 1)]
    # It has a key of its own, and the same one moves first.
    assert [(game.number, game.first) for game in pair.games] == [(1, pair.first), (2, pair.first)]
    assert hall.do(NoteResult(1, 1, 1, WON), SERVER) == []
    assert hall.do(Forfeit(1, 1)) == [GameDecided(1, 1, 2, (0.0, 0.0), "forfeit")]
    assert pair.points == (0.0, 0.0)
    hall.play_round(better)
    hall.proceed()
    assert hall.refused(Replay(1, 1)).startswith("Only a game of this round can be played again")


def test_what_is_over_takes_no_command() -> None:
    hall = Hall(3)
    hall.start()
    assert hall.refused(End(), "p1") == "Only whoever made this tournament can do that."
    assert hall.do(End()) == [TournamentEnded(early=True)]
    assert hall.state.open_games() == []
    for command in (Join("New"), Start(), End(), Withdraw(1)):
        assert hall.refused(command) == "This tournament is over."
    assert hall.do(NoteResult(1, 1, 1, WON), SERVER) == []
    assert hall.refused(Create("Two", hall.state.settings, "Hanna"))


def test_a_tournament_that_was_never_made_takes_no_command() -> None:
    hall = Hall()
    hall.state = TournamentState("tournament:NOSUCH")
    assert hall.refused(Join("Ada"), "p1") == "There is no such tournament. Check the code."


def test_with_one_left_it_ends() -> None:
    hall = Hall(3, format="swiss", rounds=3)
    hall.start()
    hall.do(Withdraw(1))
    hall.do(Withdraw(2))
    assert hall.proceed() == [TournamentEnded()]
