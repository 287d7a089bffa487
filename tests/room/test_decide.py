"""Every transition of a room: given events, when a command, then events or a refusal."""

import dataclasses
from typing import Any

import pytest

from parlour_protocol.errors import Code
from parlour_protocol.events import (
    BotAwaited,
    GameFinished,
    GameStarted,
    GameSummary,
    MovePlayed,
    OfferMade,
    PlayerSummary,
    RoomClosed,
    RoomCreated,
    SeatLeft,
    SeatTaken,
)
from parlour_protocol.ids import Seat
from parlour_protocol.settings import RoomSettings
from parlour_server.refusals import Refusal
from parlour_server.room.commands import Create, Retire, SeatAwaitedBot, Seek
from parlour_server.room.decide import bot_player
from parlour_server.room.state import Bot
from tests.support.rooms import (
    ADA,
    BEN,
    DRAW,
    EVE,
    FIRST_WINS,
    Asked,
    Table,
    act,
    add_bot,
    created,
    moves,
    play,
    sit,
    started,
)


def refusal(table: Table, command: Asked, by: str) -> Refusal:
    """The refusal that must come, and leave the room as it was."""
    before = dataclasses.replace(table.state)
    with pytest.raises(Refusal) as caught:
        table.try_out(command, by)
    assert table.state == before
    assert caught.value.message.endswith(".")
    return caught.value


def finished(settings: RoomSettings | None = None) -> Table:
    return Table([*started(settings), *moves(FIRST_WINS), GameFinished("line", 0, "three in a row")])


# ---------------------------------------------------------------- seats


def test_a_room_begins_with_its_creation() -> None:
    settings = RoomSettings(starts="loser")
    assert Table().do(Create("tictactoe", settings), ADA) == [RoomCreated("tictactoe", settings, owner=ADA)]


def test_a_room_begins_with_those_who_sit_in_it() -> None:
    made = Table(chance=lambda bound: bound - 1)
    command = Create("tictactoe", RoomSettings(starts="random"), seats=("me", Bot("ada", 7)))
    assert made.do(command, ADA) == [
        RoomCreated("tictactoe", RoomSettings(starts="random"), owner=ADA),
        SeatTaken(0, "Ada", player=ADA),
        # It could be taken for the player.
        SeatTaken(1, "ada 2", "ada", player="bot:1", seed=7),
        GameStarted(1),
    ]
    assert made.state.version == command.version == 4
    wait = Create("tictactoe", RoomSettings(), ("b2",), ("me", None), bot_after=2.5)
    waiting = Table()
    now = waiting.now
    events = waiting.do(Asked(wait, bot=Bot("easy", 7)), ADA)
    assert events[1:] == [SeatTaken(0, "Ada", player=ADA), BotAwaited("easy", now + 2_500, 7)]
    assert waiting.state.version == wait.version == 3
    assert waiting.try_out(SeatAwaitedBot()) == []
    waiting.now += 2_500
    assert waiting.do(SeatAwaitedBot())[1:] == [GameStarted(0)]
    assert waiting.try_out(SeatAwaitedBot()) == []


def test_who_seeks_sits_down_or_waits_on_with_a_bot_to_come() -> None:
    table = Table(created())
    assert table.do(Asked(Seek()), ADA) == [SeatTaken(0, "Ada", player=ADA)]
    assert refusal(table, Asked(Seek()), ADA).code == Code.ALREADY_SEATED
    now, wait = table.now, Asked(Seek(1.0), bot=Bot("easy", 7))
    assert table.do(wait, ADA) == [BotAwaited("easy", now + 1_000, 7)]
    assert table.do(wait, BEN) == [SeatTaken(1, "Ben", player=BEN), GameStarted(0)]
    assert table.state.awaited is None
    assert refusal(table, wait, ADA).code == Code.ALREADY_SEATED
    assert refusal(table, wait, EVE).code == Code.ROOM_FULL


def test_the_first_to_sit_waits_and_the_second_starts_the_game() -> None:
    table = Table(created())
    assert table.do(sit("Ada"), ADA) == [SeatTaken(0, "Ada", player=ADA)]
    assert (table.state.phase, table.state.to_move) == ("waiting", None)
    assert table.do(sit("Ben"), BEN) == [SeatTaken(1, "Ben", player=BEN), GameStarted(0)]
    assert (table.state.phase, table.state.to_move) == ("playing", 0)


def test_a_seat_can_be_chosen() -> None:
    table = Table(created())
    assert table.do(sit("Ada", seat=1), ADA) == [SeatTaken(1, "Ada", player=ADA)]
    assert refusal(table, sit("Ben", seat=1), BEN).code == Code.SEAT_TAKEN
    assert table.do(sit("Ben", seat=0), BEN)[0] == SeatTaken(0, "Ben", player=BEN)


def test_two_of_one_name_are_distinguished() -> None:
    table = Table(created())
    table.do(sit("Ada"), ADA)
    assert table.do(sit("\u0410d\u0430"), BEN)[0] == SeatTaken(1, "\u0410d\u0430 2", player=BEN)


def test_a_bot_is_added_by_owner_or_player_alone() -> None:
    table = Table(created())
    assert refusal(table, add_bot("perfect"), EVE).code == Code.NOT_ALLOWED
    taken = SeatTaken(0, "perfect", "perfect", player=bot_player(0), seed=1)
    assert table.do(add_bot("perfect"), ADA) == [taken]
    assert table.do(add_bot("random"), ADA)[-1] == GameStarted(0)


def test_leaving_opens_the_seat_but_not_in_mid_game() -> None:
    table = Table(created())
    assert refusal(table, act("leave"), ADA).code == Code.NOT_SEATED
    table.do(sit("Ada"), ADA)
    assert table.do(act("leave"), ADA) == [SeatLeft(0)]
    assert table.state.free_seats() == [0, 1]
    assert refusal(Table(started()), act("leave"), ADA).code == Code.NOT_ALLOWED


def test_whoever_comes_after_a_game_starts_a_new_one_at_nil() -> None:
    table = finished()
    assert table.state.wins == [1, 0]
    table.do(act("leave"), BEN)
    assert table.state.phase == "waiting"
    assert table.do(sit("Eve"), EVE)[-1] == GameStarted(1)
    assert (table.state.wins, table.state.draws) == ([0, 0], 0)


# ---------------------------------------------------------------- moves


def test_a_move_is_played_as_people_write_it() -> None:
    table = Table(started())
    assert table.do(play(" B2 ", 4), ADA) == [MovePlayed(0, "b2")]
    assert table.state.to_move == 1


@pytest.mark.parametrize(
    ("words", "last", "by", "end"),
    [
        (FIRST_WINS[:-1], "a3", ADA, GameFinished("line", 0, "three in a row")),
        (["c3", *"a1 b1 a2 b2".split()], "a3", BEN, GameFinished("line", 1, "three in a row")),
        (DRAW[:-1], "c3", ADA, GameFinished("board_full", None, "the board is full")),
    ],
)
def test_the_last_move_ends_the_game(words: list[str], last: str, by: str, end: GameFinished) -> None:
    table = Table([*started(), *moves(words)])
    seat = table.state.seat_of(by)
    assert seat is not None
    assert table.do(play(last, table.state.version), by) == [MovePlayed(seat, last), end]
    assert table.state.phase == "finished"
    assert table.state.to_move is None


def test_a_line_wins_for_the_seat_that_made_it_also_where_the_second_seat_began() -> None:
    begun = [*started()[:-1], GameStarted(1), *moves(FIRST_WINS[:-1], starter=1)]
    events = Table(begun).do(play("a3", len(begun)), BEN)
    assert events == [MovePlayed(1, "a3"), GameFinished("line", 1, "three in a row")]


@pytest.mark.parametrize(
    ("move", "code"),
    [
        ("b2", Code.ILLEGAL_MOVE),
        ("d1", Code.INVALID_MOVE),
        ("a0", Code.INVALID_MOVE),
        ("", Code.INVALID_MOVE),
        ("♞" * 100, Code.INVALID_MOVE),
        ("-1", Code.INVALID_MOVE),
    ],
)
def test_a_bad_move_is_refused_with_the_legal_ones(move: str, code: Code) -> None:
    table = Table([*started(), *moves(["b2"])])
    refused = refusal(table, play(move, 5), BEN)
    assert refused.code == code
    assert sorted(refused.legal or []) == "a1 a2 a3 b1 b3 c1 c2 c3".split()
    assert len(refused.message) < 120


@pytest.mark.parametrize("version", [0, 5, 7, 99])
def test_a_move_for_another_position_is_stale(version: int) -> None:
    table = Table([*started(), *moves(["b2", "a1"])])
    refused = refusal(table, play("c3", version), ADA)
    assert refused.code == Code.STALE
    assert "6" in refused.message
    assert table.try_out(play("c3", 6), ADA)


def test_a_game_that_ends_is_summed_up() -> None:
    table = Table([*started(RoomSettings(clock="3+2")), *moves(FIRST_WINS[:-1])])
    (*_, won) = table.do(play("a3", table.state.version), ADA)
    assert isinstance(won, GameFinished)
    players = [PlayerSummary(ADA, "Ada"), PlayerSummary(BEN, "Ben")]
    assert won.summary == GameSummary("tictactoe", 1, 0, len(FIRST_WINS), players, "3+2")
    table.do(act("rematch"), ADA)
    table.do(act("rematch"), BEN)
    (resigned,) = table.do(act("resign"), BEN)
    assert isinstance(resigned, GameFinished)
    assert resigned.summary == GameSummary("tictactoe", 2, 1, 0, players, "3+2")


def test_resigning_gives_the_game_to_the_other() -> None:
    table = Table(started())
    assert table.do(act("resign"), BEN) == [GameFinished("resignation", 0, "resignation", 1)]
    assert refusal(table, act("resign"), BEN).code == Code.NOT_PLAYING
    assert refusal(Table(started()), act("resign"), EVE).code == Code.NOT_SEATED


# ---------------------------------------------------------------- rematches


def test_a_rematch_begins_when_both_have_asked() -> None:
    table = finished()
    assert table.do(act("rematch"), BEN) == [OfferMade(1, "rematch")]
    assert refusal(table, act("rematch"), BEN).code == Code.ALREADY_OFFERED
    assert table.do(act("rematch"), ADA) == [GameStarted(1)]
    assert table.state.offers == {}
    assert table.state.game_number == 2


def test_a_bot_agrees_to_a_rematch_at_once() -> None:
    table = Table(
        [
            *created(),
            SeatTaken(0, "Ada", player=ADA),
            SeatTaken(1, "random", "random", player=bot_player(1), seed=1),
        ]
    )
    table.take([GameStarted(0)])
    table.do(act("resign"), ADA)
    assert table.do(act("rematch"), ADA) == [GameStarted(1)]


def test_where_two_bots_sit_the_owner_asks() -> None:
    bots = [SeatTaken(seat, "random", "random", player=bot_player(seat), seed=1) for seat in (0, 1)]
    table = Table([*created(), *bots, GameStarted(0), GameFinished("board_full", None, "the board is full")])
    assert refusal(table, act("rematch"), EVE).code == Code.NOT_SEATED
    assert table.do(act("rematch"), ADA) == [GameStarted(1)]


@pytest.mark.parametrize(
    ("starts", "winners", "starters"),
    [
        ("first", [0, 1, None], [0, 0, 0, 0]),
        ("second", [0, 1, None], [1, 1, 1, 1]),
        ("alternate", [0, 0, None], [0, 1, 0, 1]),
        ("loser", [0, 1, 0], [0, 1, 0, 1]),
        ("loser", [1, None, None], [0, 0, 1, 0]),
    ],
)
def test_who_begins(starts: Any, winners: list[Seat | None], starters: list[Seat]) -> None:
    table = Table([*created(RoomSettings(starts=starts)), SeatTaken(0, "Ada", player=ADA)])
    begun = [table.do(sit("Ben"), BEN)[-1]]
    for winner in winners:
        table.take([GameFinished("line", winner, "so it ended")])
        table.do(act("rematch"), ADA)
        begun.append(table.do(act("rematch"), BEN)[-1])
    assert begun == [GameStarted(starter) for starter in starters]


def test_who_begins_at_random_is_drawn() -> None:
    drawn: list[int] = []

    def chance(bound: int) -> int:
        drawn.append(bound)
        return 1

    table = Table([*created(RoomSettings(starts="random")), SeatTaken(0, "Ada", player=ADA)], chance)
    assert table.do(sit("Ben"), BEN)[-1] == GameStarted(1)
    assert drawn == [2]


# ---------------------------------------------------------------- the end


def test_only_the_owner_closes_a_room() -> None:
    for table in (Table(created()), Table(started()), finished()):
        assert refusal(table, act("close"), BEN).code == Code.NOT_ALLOWED
        assert table.try_out(Retire()) == [RoomClosed("no one came for a long time")]
        if table.state.phase != "playing":
            assert table.do(act("close"), ADA) == [RoomClosed("its owner closed it")]


def test_nobody_closes_a_room_where_somebody_else_plays() -> None:
    """The owner may be losing."""
    assert refusal(Table(started()), act("close"), ADA).code == Code.NOT_ALLOWED
    against_a_bot = Table(created())
    against_a_bot.do(sit("Ada"), ADA)
    against_a_bot.do(add_bot("random"), ADA)
    assert against_a_bot.do(act("close"), ADA) == [RoomClosed("its owner closed it")]
