"""Games as they were played, and rooms as those of their players."""

from typing import Any

import pytest

from parlour_protocol.events import (
    GameFinished,
    GameStarted,
    MovePlayed,
    RoomClosed,
    RoomCreated,
    SeatLeft,
    SeatTaken,
)
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views.records import GameRecord, Tally
from parlour_protocol.views.reports import Candidate, Report, Score
from parlour_server.room.commands import SERVER, SeatStandIn
from parlour_server.room.game_record import game_record, past_room, room_history
from parlour_server.room.state import Bot
from parlour_server.room.view import room_line
from tests.support.rooms import (
    ADA,
    BEN,
    EVE,
    Table,
    act,
    bot_move,
    created,
    moves,
    play,
    say,
    sit,
    started,
    take_over,
)
from tests.support.steps import finish


def recorded(table: Table, viewer: str, number: int | None = None) -> GameRecord:
    record = finish(game_record("KMRTQA", table.log, viewer, number))
    assert record is not None
    return record


def test_a_record_holds_moves_times_and_the_result() -> None:
    table = Table(started(RoomSettings(clock="1+0")))
    for word, by in (("a1", ADA), ("b2", BEN), ("c3", ADA)):
        table.now += 5_000
        table.do(play(word, table.state.version), by)
    table.do(say("Ada", "oh no"), ADA)
    table.do(act("resign"), ADA)
    record = recorded(table, ADA)
    assert [(move.seat, move.move, move.left) for move in record.moves] == [
        (0, "a1", 60_000),
        (1, "b2", 60_000),
        (0, "c3", 54_999),
    ]
    assert [later.at - sooner.at for sooner, later in zip(record.moves, record.moves[1:], strict=False)] == [
        5_001,
        5_001,
    ]
    assert (record.number, record.starter, record.started_with) == (1, 0, 0)
    assert record.result is not None
    assert (record.result.winner, record.result.reason) == (1, "resignation")
    assert [line.text for line in record.chat] == ["oh no"]
    assert finish(game_record("KMRTQA", table.log, ADA, number=2)) is None


def test_moves_taken_back_are_none_of_the_game() -> None:
    table = Table([*started(), *moves(["a1", "b2", "c3"])])
    for by in (ADA, BEN):
        table.do(act("takeback"), by)
    table.do(play("a2", table.state.version), ADA)
    record = recorded(table, EVE)
    assert [move.move for move in record.moves] == ["a1", "b2", "a2"]
    assert record.result is None


def test_each_game_of_a_room_has_its_record() -> None:
    table = Table([*started(), *moves(["a1"])])
    table.do(act("resign"), BEN)
    for by in (ADA, BEN):
        table.do(act("rematch"), by)
    table.do(play("b2", table.state.version), BEN)
    first, last = recorded(table, ADA, 1), recorded(table, ADA)
    assert (first.number, [move.move for move in first.moves], first.starter) == (1, ["a1"], 0)
    assert (last.number, [move.move for move in last.moves], last.starter) == (2, ["b2"], 1)
    assert (first.result is None, last.result is None) == (False, True)


def test_a_game_is_reported_with_those_who_played_it() -> None:
    table = Table([*started(), *moves(["a1"])])
    table.do(act("resign"), BEN)
    table.take([SeatLeft(1)], BEN)
    table.do(sit("Eve"), EVE)
    first, second = recorded(table, ADA, 1), recorded(table, ADA, 2)
    assert [seat.name for seat in first.seats] == ["Ada", "Ben"]
    assert [seat.name for seat in second.seats] == ["Ada", "Eve"]


def test_whoever_took_a_bots_seat_over_played_on() -> None:
    seats = [
        SeatTaken(0, "easy", "easy", player="bot:0", seed=1),
        SeatTaken(1, "hard", "hard", player="bot:1", seed=1),
    ]
    table = Table([*created(owner=EVE), *seats, GameStarted(0), *moves(["a1"])])
    table.do(take_over("Eve", 1), EVE)
    record = recorded(table, EVE)
    assert [(seat.kind, seat.name) for seat in record.seats] == [("bot", "easy"), ("human", "Eve")]


def test_what_a_bot_played_for_who_was_away_is_reported() -> None:
    table = Table([*started(), *moves(["a1"])])
    table.do(SeatStandIn(1, Bot("easy:depth=2", 1)), SERVER)
    table.do(bot_move("b2", table.state.version), "bot:1")
    table.do(play("c3", table.state.version), ADA)
    table.do(play("a3", table.state.version), BEN)
    record = recorded(table, EVE)
    assert [move.stand_in for move in record.moves] == [None, "easy:depth=2", None, None]


def test_a_game_that_was_played_on_shows_what_it_began_with() -> None:
    begun = RoomCreated("tictactoe", RoomSettings(), ("a1", "b2"), ADA)
    table = Table([begun, *started()[1:]])
    table.do(play("c3", table.state.version), ADA)
    record = recorded(table, ADA)
    assert [(move.move, move.at > 0) for move in record.moves] == [("a1", False), ("b2", False), ("c3", True)]
    assert record.started_with == 2


def test_thoughts_stand_in_a_record_where_the_room_shows_them() -> None:
    report = Report("easy", [Candidate("a1", Score(1))])
    seats = [SeatTaken(0, "easy", "easy", player="bot:0", seed=1), SeatTaken(1, "Ada", player=ADA)]
    table = Table(
        [*created(RoomSettings(reports="after")), *seats, GameStarted(0), MovePlayed(0, "a1", report)]
    )

    def shown(viewer: str) -> bool:
        return recorded(table, viewer).moves[0].report == report

    assert (shown(ADA), shown(EVE)) == (False, False)
    # The log itself keeps it.
    assert isinstance(table.log[-1].event, MovePlayed)
    assert table.log[-1].event.report == report
    table.do(act("resign"), ADA)
    assert (shown(ADA), shown(EVE)) == (True, True)


@pytest.mark.parametrize(("reports", "shown"), [("after", [True, False]), ("never", [False, False])])
def test_the_thoughts_of_a_game_that_is_over_are_shown_while_the_next_runs(
    reports: Any, shown: list[bool]
) -> None:
    report = Report("easy", [Candidate("a1", Score(1))])
    seats = [SeatTaken(0, "easy", "easy", player="bot:0", seed=1), SeatTaken(1, "Ada", player=ADA)]
    played = MovePlayed(0, "a1", report)
    table = Table([*created(RoomSettings(reports=reports)), *seats, GameStarted(0), played])
    table.do(act("resign"), ADA)
    table.take([GameStarted(0), played])
    assert [recorded(table, ADA, number).moves[0].report is not None for number in (1, 2)] == shown


def test_a_room_is_asked_to_those_who_had_a_seat_there() -> None:
    table = Table([*started(), *moves(["a1"])])
    table.do(SeatStandIn(1, Bot("easy", 9)), SERVER)
    past = finish(past_room("KMRTQA", table.log, BEN))
    assert (past.phase, past.games, past.moves, past.you) == ("playing", 1, 1, 1)
    assert past.seats[1].stand_in == "easy"
    assert past.at == table.log[-1].at
    table.take([RoomClosed("enough")])
    closed = finish(past_room("KMRTQA", table.log, ADA))
    assert (closed.phase, closed.you, [seat.name for seat in closed.seats]) == ("closed", 0, ["Ada", "Ben"])


def rematch(table: Table) -> None:
    for by in (ADA, BEN):
        table.do(act("rematch"), by)


def won_and_aborted() -> Table:
    """Ada wins the first game, and the second is aborted."""
    table = Table([*started(), *moves(["a1", "b2"])])
    table.do(say("Ada", "good luck"), ADA)
    table.do(act("resign"), BEN)
    table.do(say("Ben", "once more?"), BEN)
    rematch(table)
    table.do(say("Ben", "wait"), BEN)
    table.do(act("abort"), ADA)
    return table


def test_without_a_number_the_last_game_that_was_not_aborted_is_meant() -> None:
    table = won_and_aborted()
    record = recorded(table, ADA)
    assert (record.number, [move.move for move in record.moves]) == (1, ["a1", "b2"])
    assert finish(room_history("KMRTQA", table.log, ADA)).default == 1
    # One that has begun is meant once somebody has moved.
    rematch(table)
    assert recorded(table, ADA).number == 1
    table.take(moves(["a1"], table.state.starter), ADA)
    running = recorded(table, ADA)
    assert (running.number, running.result) == (3, None)


def test_where_all_were_aborted_the_last_is_meant() -> None:
    table = Table(started())
    for _ in range(2):
        table.do(act("abort"), ADA)
        rematch(table)
    table.do(act("abort"), ADA)
    record = recorded(table, ADA)
    assert record.number == 3


def test_a_games_chat_is_its_own() -> None:
    table = won_and_aborted()

    def chat(number: int) -> list[str]:
        return [line.text for line in recorded(table, ADA, number).chat]

    assert (chat(1), chat(2)) == (["good luck", "once more?"], ["wait"])


def test_what_is_said_before_the_first_game_is_its_chat() -> None:
    table = Table([*created(), *started()[1:2]])
    table.do(say("Ada", "anybody?"), ADA)
    table.do(sit("Ben"), BEN)
    record = recorded(table, ADA)
    assert [line.text for line in record.chat] == ["anybody?"]


def test_the_games_of_a_room() -> None:
    table = won_and_aborted()
    rematch(table)
    table.do(play("c3", table.state.version), ADA)
    history = finish(room_history("KMRTQA", table.log, BEN))
    assert (history.room, history.game, history.phase, history.default) == (
        "KMRTQA",
        "tictactoe",
        "playing",
        3,
    )
    assert [(game.number, game.starter, game.moves, game.you) for game in history.games] == [
        (1, 0, 2, 1),
        (2, 1, 0, 1),
        (3, 0, 1, 1),
    ]
    terminations = [game.result and game.result.termination for game in history.games]
    assert terminations == ["resignation", "aborted", None]
    assert history.tally == Tally(losses=1)
    assert finish(room_history("KMRTQA", table.log, ADA)).tally == Tally(wins=1)
    assert finish(room_history("KMRTQA", table.log, EVE)).tally is None


def test_the_list_counts_moves_as_the_records_do() -> None:
    begun = RoomCreated("tictactoe", RoomSettings(), ("a1", "b2"), ADA)
    table = Table([begun, *started()[1:], MovePlayed(0, "c3"), MovePlayed(1, "a2")])
    for by in (ADA, BEN):
        table.do(act("takeback"), by)
    table.do(act("resign"), ADA)
    rematch(table)
    table.do(play("a3", table.state.version), BEN)
    for game in finish(room_history("KMRTQA", table.log, ADA)).games:
        record = recorded(table, ADA, game.number)
        assert (len(record.moves), record.starter, record.started) == (game.moves, game.starter, game.started)
        assert [seat.name for seat in record.seats] == [seat.name for seat in game.seats]
        assert record.result == game.result
    past = finish(past_room("KMRTQA", table.log, ADA))
    assert (past.games, past.moves, past.tally) == (2, room_line(table.state, 0).moves, Tally(losses=1))


def test_a_room_whose_last_game_is_drawn_is_tallied() -> None:
    table = Table([*started(), GameFinished("agreement", None, "a draw was agreed")])
    assert finish(past_room("KMRTQA", table.log, BEN)).tally == Tally(draws=1)


@pytest.mark.parametrize("closed", [False, True])
def test_once_a_player_has_left_the_room_is_as_it_was_with_the_last_game(closed: bool) -> None:
    table = won_and_aborted()
    rematch(table)
    table.do(act("resign"), BEN)
    table.do(act("leave"), BEN)
    if closed:
        table.take([RoomClosed("enough")])
    ada, ben = (finish(past_room("KMRTQA", table.log, who)) for who in (ADA, BEN))
    for past in (ada, ben):
        assert past.phase == ("closed" if closed else "finished")
        assert [seat.name for seat in past.seats] == ["Ada", "Ben"]
        assert (past.result and past.result.winner, past.wins, past.draws) == (0, [2, 0], 0)
        assert past.removable
    assert (ada.you, ben.you, ben.seated) == (0, None, False)


def test_a_room_is_to_be_continued_where_only_an_aborted_game_was_played_or_another_player_came() -> None:
    table = Table(started())
    table.do(act("abort"), ADA)
    table.do(act("leave"), BEN)
    assert finish(past_room("KMRTQA", table.log, ADA)).phase == "waiting"
    table.do(sit("Eve"), EVE)
    table.do(act("resign"), ADA)
    for by in (ADA, EVE):
        table.do(act("rematch"), by)
    ada, ben = (finish(past_room("KMRTQA", table.log, who)) for who in (ADA, BEN))
    assert (ada.phase, ada.seats[1].name, ada.result and ada.result.winner, ada.wins) == (
        "playing",
        "Eve",
        1,
        [0, 1],
    )
    assert (ben.phase, ben.result) == ("finished", None)
