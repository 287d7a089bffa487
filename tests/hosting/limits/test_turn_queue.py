"""Work that waits for its turn."""

import asyncio

from parlour_server.hosting.limits.turn_queue import ARRIVALS_AT_ONCE as AT_ONCE
from parlour_server.hosting.limits.turn_queue import TurnQueue


async def one_turn() -> None:
    await asyncio.sleep(0)


async def test_a_few_have_their_turn_and_then_the_loop_has_its_own() -> None:
    arrivals, seen = TurnQueue(), list[int]()
    for number in range(2 * AT_ONCE + 1):
        arrivals.join(lambda number=number: seen.append(number))  # type: ignore[misc]
    assert seen == []
    counts = []
    while len(seen) < 2 * AT_ONCE + 1:
        await one_turn()
        counts.append(len(seen))
    assert counts == [AT_ONCE, 2 * AT_ONCE, 2 * AT_ONCE + 1]
    assert seen == sorted(seen)


async def test_who_joins_from_within_has_a_turn_like_all() -> None:
    arrivals, seen = TurnQueue(), list[int]()

    def again() -> None:
        seen.append(len(seen))
        if len(seen) < 3:
            arrivals.join(again)

    arrivals.join(again)
    for expected in (1, 2, 3, 3):
        await one_turn()
        assert len(seen) == expected


async def test_what_fails_keeps_nobody_else_waiting() -> None:
    arrivals, seen, failed = TurnQueue(), list[str](), list[object]()
    asyncio.get_running_loop().set_exception_handler(lambda loop, what: failed.append(what["exception"]))
    fault = ZeroDivisionError()

    def fail() -> None:
        raise fault

    arrivals.join(fail)
    arrivals.join(lambda: seen.append("next"))
    await one_turn()
    await one_turn()
    assert (seen, failed) == (["next"], [fault])


async def test_who_gave_up_is_passed_over() -> None:
    arrivals, seen = TurnQueue(), list[str]()

    async def wait(name: str) -> None:
        await arrivals.turn()
        seen.append(name)

    first, second = asyncio.create_task(wait("first")), asyncio.create_task(wait("second"))
    await one_turn()
    first.cancel()
    await second
    assert seen == ["second"]


async def test_what_comes_to_an_idle_queue_is_done_at_once_until_the_turn_is_full() -> None:
    queries, seen = TurnQueue(10.0), list[int]()

    def ask(number: int, cost: float) -> None:
        queries.run(lambda: seen.append(number), cost)

    ask(1, 4.0)
    ask(2, 5.0)
    ask(3, 8.0)
    ask(4, 1.0)
    ask(5, 9.0)
    assert seen == [1, 2, 3]
    await one_turn()
    assert seen == [1, 2, 3, 4, 5]
    ask(6, 1.0)
    assert seen == [1, 2, 3, 4, 5]
    await one_turn()
    await one_turn()
    ask(7, 1.0)
    assert seen == [1, 2, 3, 4, 5, 6, 7]


async def test_each_key_has_its_turn_before_one_has_its_second() -> None:
    queries, seen = TurnQueue(2.0), list[str]()
    for name in ("a1", "a2", "a3", "b1", "a4", "c1", "b2"):
        queries.join(lambda name=name: seen.append(name), key=name[0])  # type: ignore[misc]
    for _ in range(4):
        await one_turn()
    assert seen == ["a1", "b1", "c1", "a2", "b2", "a3", "a4"]


async def test_what_was_less_than_it_might_have_been_leaves_its_turn_to_others() -> None:
    queries, seen = TurnQueue(10.0), list[int]()

    def refuse(number: int) -> float:
        seen.append(number)
        return 9.0

    for number in range(25):
        queries.join(lambda number=number: refuse(number), 10.0)  # type: ignore[misc]
    await one_turn()
    assert len(seen) == 10
    await one_turn()
    assert len(seen) == 20
    queries.run(lambda: refuse(25), 10.0)
    assert len(seen) == 20
    await one_turn()
    assert len(seen) == 26
