"""Which games of a rated room count for ratings, and why the others don't."""

from collections.abc import Callable

import pytest

from parlour_protocol.commands import PlayerAction
from parlour_protocol.events import (
    GameFinished,
    GameStarted,
    KnownEvent,
    MovePlayed,
    MovesTakenBack,
    RoomCreated,
    SeatTaken,
    StandInLeft,
    StandInSeated,
)
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views.rooms import Unrated
from parlour_server.room.commands import Create, Forfeit, GiveUp
from parlour_server.room.decide import bot_player
from parlour_server.room.state import Bot
from parlour_server.room.view import room_view
from tests.support.rooms import ADA, BEN, EVE, HERE, Table, act, created, moves, play

ADA_SITS, BEN_SITS = SeatTaken(0, "Ada", player=ADA), SeatTaken(1, "Ben", player=BEN)
BEN_CODES = SeatTaken(1, "Ben", program=True, player=BEN)
HARD_SITS = SeatTaken(1, "hard", "hard", player=bot_player(1), seed=1)
HARD_TOO = SeatTaken(0, "hard", "hard", player=bot_player(0), seed=2)
EASY_SITS = SeatTaken(0, "easy", "easy", player=bot_player(0), seed=2)
TWO_MOVES = moves(["a1", "b2"])


def room(*events: KnownEvent, begun: list[str] | None = None, hints: str = "bots") -> Table:
    settings = RoomSettings.model_validate({"hints": hints})
    return Table([RoomCreated("tictactoe", settings, tuple(begun or ()), ADA, rated=True), *events])


def two(*events: KnownEvent) -> Table:
    return room(ADA_SITS, BEN_SITS, GameStarted(0), *events)


CASES: list[tuple[Table, Unrated | None]] = [
    (two(*TWO_MOVES), None),
    (two(*moves(["a1"])), "unplayed"),
    (two(), "unplayed"),
    (two(*moves(["a1", "b1", "a2", "b2"]), MovesTakenBack(0, 2)), "takeback"),
    (two(*TWO_MOVES, StandInSeated(1, "easy", 1), StandInLeft(1)), "stand_in"),
    (room(ADA_SITS, HARD_SITS, GameStarted(0), *TWO_MOVES), "hints"),
    (room(ADA_SITS, HARD_SITS, GameStarted(0), *TWO_MOVES, hints="never"), None),
    (room(ADA_SITS, BEN_SITS, GameStarted(0), *TWO_MOVES, hints="always"), "hints"),
    (room(EASY_SITS, BEN_CODES, GameStarted(0), *TWO_MOVES), None),
    (room(ADA_SITS, HARD_SITS, GameStarted(0), *TWO_MOVES, BEN_SITS, hints="never"), "taken_over"),
    (room(ADA_SITS, SeatTaken(1, "Eve", player=ADA), GameStarted(0), *TWO_MOVES), "shared"),
    (room(ADA_SITS, BEN_SITS, GameStarted(0), *moves(["a1", "b1"]), begun=["c1", "c2"]), "position"),
]


@pytest.mark.parametrize(("table", "why"), CASES, ids=[f"{n} {why}" for n, (_, why) in enumerate(CASES)])
def test_a_game_says_whether_it_counts(table: Table, why: Unrated | None) -> None:
    table.take([])
    loser = table.state.seats[1]
    assert loser is not None
    over = table.do(Forfeit(1))[0]
    assert isinstance(over, GameFinished)
    assert over.unrated == why
    assert over.summary is not None
    assert over.summary.rated == (why is None)
    result = room_view(table.state, ADA, HERE)["result"]
    assert result.get("unrated") == why


def test_bots_count_against_each_other_but_not_a_bot_against_itself() -> None:
    for first, why in ((EASY_SITS, None), (HARD_TOO, "same_bot")):
        table = room(first, HARD_SITS, GameStarted(0), *TWO_MOVES)
        (over,) = table.do(Forfeit(1))
        assert isinstance(over, GameFinished)
        assert over.unrated == why


def test_the_last_move_of_a_game_counts_it() -> None:
    table = two(*moves(["a1", "b1", "a2", "b2"]))
    _, over = table.do(play("a3", table.state.version), ADA)
    assert isinstance(over, GameFinished)
    assert over.summary is not None
    assert (over.termination, over.unrated, over.summary.rated) == ("line", None, True)


@pytest.mark.parametrize(
    ("end", "by", "why"),
    [(lambda: act("abort"), ADA, "aborted"), (lambda: GiveUp(1), "", "bot_failure")],
)
def test_what_ends_otherwise_does_not_count(
    end: Callable[[], PlayerAction | GiveUp], by: str, why: Unrated
) -> None:
    table = two(*moves(["a1"])) if why == "aborted" else two(*TWO_MOVES)
    (over,) = table.do(end(), by)
    assert isinstance(over, GameFinished)
    assert over.unrated == why


def test_the_next_game_counts_again_but_not_while_a_bot_still_stands_in() -> None:
    table = two(*TWO_MOVES, MovesTakenBack(0, 2), *moves(["a2", "b2"]))
    table.do(Forfeit(1))
    table.take([GameStarted(0), *TWO_MOVES])
    (over,) = table.do(Forfeit(1))
    assert isinstance(over, GameFinished)
    assert over.unrated is None
    table.take([GameStarted(0), MovePlayed(0, "a1"), StandInSeated(1, "easy", 1), MovePlayed(1, "b2")])
    table.do(Forfeit(1))
    table.take([GameStarted(0), *TWO_MOVES])
    (over,) = table.do(Forfeit(1))
    assert isinstance(over, GameFinished)
    assert over.unrated == "stand_in"


def test_other_rooms_say_nothing_of_it() -> None:
    table = Table([*created(), ADA_SITS, BEN_SITS, GameStarted(0), *TWO_MOVES])
    (over,) = table.do(Forfeit(1))
    assert isinstance(over, GameFinished)
    assert over.summary is not None
    assert (over.unrated, over.summary.rated) == (None, False)
    assert "rated" not in room_view(table.state, ADA, HERE)


def test_a_room_is_rated_from_its_beginning() -> None:
    for rated in (True, False):
        table = Table()
        table.do(Create("tictactoe", RoomSettings(), seats=("me", Bot("easy", 1)), rated=rated), EVE)
        assert table.state.rated is rated
        assert room_view(table.state, EVE, HERE).get("rated", False) is rated
