"""The line of those who arrive."""

import asyncio

from parlour_server.hosting.limits.admission_queue import AT_ONCE, AdmissionQueue


async def one_turn() -> None:
    await asyncio.sleep(0)


async def test_a_few_have_their_turn_and_then_the_loop_has_its_own() -> None:
    arrivals, seen = AdmissionQueue(), list[int]()
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
    arrivals, seen = AdmissionQueue(), list[int]()

    def again() -> None:
        seen.append(len(seen))
        if len(seen) < 3:
            arrivals.join(again)

    arrivals.join(again)
    for expected in (1, 2, 3, 3):
        await one_turn()
        assert len(seen) == expected


async def test_what_fails_keeps_nobody_else_waiting() -> None:
    arrivals, seen, failed = AdmissionQueue(), list[str](), list[object]()
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
    arrivals, seen = AdmissionQueue(), list[str]()

    async def wait(name: str) -> None:
        await arrivals.turn()
        seen.append(name)

    first, second = asyncio.create_task(wait("first")), asyncio.create_task(wait("second"))
    await one_turn()
    first.cancel()
    await second
    assert seen == ["second"]
