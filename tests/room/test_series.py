"""Games that two bots play one after the other, by themselves."""

from parlour_protocol.events import GameFinished, GameStarted, SeatTaken
from parlour_protocol.ids import Seat
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views.rooms import Series
from parlour_server.room.commands import StartNextGame
from tests.support.rooms import ADA, Table, act, add_bot, created, started, take_over


def two_bots(games: int) -> Table:
    """Two bots in the middle of their first game."""
    table = Table(created(RoomSettings(games=games)))
    table.do(add_bot("easy"), ADA)
    table.do(add_bot("hard"), ADA)
    return table


def end(table: Table, winner: Seat | None = 0) -> None:
    table.take([GameFinished("line", winner, "three in a row")])


def test_the_next_game_begins_until_all_are_played() -> None:
    table = two_bots(3)
    assert table.state.series() == Series(1, 3)
    assert table.try_out(StartNextGame()) == []
    # The seats begin in turn, as the room's settings say.
    for number, starting in ((2, GameStarted(1)), (3, GameStarted(0))):
        end(table)
        assert table.state.awaits_next_game()
        assert table.do(StartNextGame()) == [starting]
        assert table.state.series() == Series(number, 3)
    end(table, None)
    assert not table.state.awaits_next_game()
    assert table.try_out(StartNextGame()) == []
    assert (table.state.series(), table.state.wins, table.state.draws) == (Series(3, 3), [2, 0], 1)


def test_one_game_is_no_series() -> None:
    table = two_bots(1)
    end(table)
    assert table.state.series() is None
    assert table.try_out(StartNextGame()) == []


def test_people_who_sit_down_play_no_series() -> None:
    table = Table(started(RoomSettings(games=5)))
    assert table.state.series() is None
    table.do(act("resign"), ADA)
    assert table.try_out(StartNextGame()) == []


def test_a_player_who_takes_a_seat_over_ends_the_series() -> None:
    table = two_bots(5)
    end(table)
    table.do(take_over("Ada"), ADA)
    assert table.state.series() is None
    assert table.try_out(StartNextGame()) == []


def test_two_other_bots_begin_a_series_of_their_own() -> None:
    table = two_bots(2)
    end(table)
    table.do(StartNextGame())
    end(table)
    table.take([SeatTaken(1, "medium", "medium", player="bot:1", seed=1)])
    assert table.state.series() == Series(0, 2)
    assert table.state.awaits_next_game()


def test_the_owner_may_ask_for_more_games_than_were_agreed_on() -> None:
    table = two_bots(2)
    end(table)
    table.do(StartNextGame())
    end(table)
    table.do(act("rematch"), ADA)
    assert table.state.series() == Series(3, 3)
    end(table)
    assert not table.state.awaits_next_game()
