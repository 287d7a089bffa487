"""Every command at its worst: what it sends fits into the outbox, and what it costs stands in the table."""

from bench.messages.worst import cases, world
from parlour_protocol.commands import COMMANDS
from parlour_protocol.messages import types_of
from parlour_server.analysis.scheduler import SearchScheduler
from parlour_server.net.connection import OUTBOX_BYTES, OUTBOX_MESSAGES
from parlour_server.sessions.prices import PRICES
from parlour_server.store.memory import MemoryStore


def test_every_command_has_a_price_and_stands_among_the_worst() -> None:
    assert set(PRICES) == set(COMMANDS)
    types = {kind for command in COMMANDS for kind in types_of(command)}
    assert {case.type for case in cases()} == types


async def test_no_answer_is_larger_than_may_wait_for_a_reader() -> None:
    scheduler = SearchScheduler(kind="thread", workers=1, longest=0.1)
    async with world(
        MemoryStore(), scheduler, rooms=200, games=700, past_games=20, spectators=3, rated=150
    ) as found:
        for case in cases():
            got = await found.send(case)
            assert max(map(len, got)) <= OUTBOX_BYTES, case
            assert len(got) <= OUTBOX_MESSAGES, case
