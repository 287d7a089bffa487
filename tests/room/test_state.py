"""CooperativeReplay the log."""

from pydantic import TypeAdapter

from parlour_server.log import LogRecord
from parlour_server.room.state import ANSWERS_KEPT, AUTHORS_KEPT, RoomState, evolve
from tests.support.rooms import ADA, BEN, DRAW, Table, moves, play, say, started


def test_every_event_is_one_version() -> None:
    table = Table([*started(), *moves(DRAW[:3])])
    assert table.state.version == len(table.log) == 7
    assert table.state.position_version == 7


def test_the_log_outlives_its_encoding() -> None:
    table = Table([*started(), *moves(DRAW[:8])])
    table.do(play(DRAW[8], table.state.version), ADA, "the-last")
    adapter: TypeAdapter[LogRecord] = TypeAdapter(LogRecord)
    again = RoomState("KMRTQA")
    for record in table.log:
        evolve(again, adapter.validate_json(adapter.dump_json(record)))
    assert again == table.state
    assert again.phase == "finished"
    assert again.draws == 1


def test_a_command_is_remembered_with_the_last_version_that_it_made() -> None:
    table = Table([*started(), *moves(DRAW[:8])])
    events = table.do(play(DRAW[8], table.state.version), ADA, "the-last")
    assert len(events) == 2
    assert table.state.answer(ADA, "the-last") == table.state.version == 14


def test_at_least_so_many_commands_are_remembered_and_not_many_more() -> None:
    table = Table(started())
    for number in range(5 * ANSWERS_KEPT):
        table.state.position = table.state.rules.initial()
        table.take(moves(["a1"]), ADA, f"c{number}")
        remembered = [number - back for back in range(min(ANSWERS_KEPT, number + 1))]
        assert all(table.state.answer(ADA, f"c{recent}") for recent in remembered[:: ANSWERS_KEPT - 1])
        assert len(table.state.answers[ADA]) <= 4 * ANSWERS_KEPT
    assert table.state.answer(ADA, "c0") is None


def test_nobody_makes_a_room_forget_what_others_did() -> None:
    table = Table(started())
    table.do(say("Ada", "hello"), ADA, "said")
    for number in range(2 * AUTHORS_KEPT):
        table.do(say("Eve", "psst"), f"p-eve-{number}", "c")
        table.do(say("Ben", "hm"), BEN, f"c{number}")
    assert table.state.answer(ADA, "said") == 5
    assert len(table.state.answers) == AUTHORS_KEPT
