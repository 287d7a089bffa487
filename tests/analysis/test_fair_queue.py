"""The order in which searches are begun: by kind, in turns, and none waits for ever."""

from collections import Counter
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour_server.analysis.fair_queue import KINDS, PASSED_OVER, FairQueue, Requester, RequesterKind

Item = tuple[Requester, int]

requesters = st.builds(
    Requester, st.sampled_from(KINDS), st.sampled_from("ABC"), st.sampled_from("xyz"), st.booleans()
)


def filled(*requesters: Requester, most_passed_over: float = PASSED_OVER) -> FairQueue[Item]:
    queue: FairQueue[Item] = FairQueue(most_passed_over)
    for number, requester in enumerate(requesters):
        queue.add(requester, (requester, number))
    return queue


def drained(queue: FairQueue[Item]) -> list[Item]:
    """Everything that waits, taken one after the other."""
    taken = []
    while queue:
        item = next(iter(queue))
        queue.take(item[0], item)
        taken.append(item)
    return taken


def question(player: str, address: str) -> Requester:
    return Requester("question", player, address)


def test_addresses_take_turns_then_their_players_then_who_came_first() -> None:
    ada, ben, eve = question("ada", "x"), question("ben", "x"), question("eve", "y")
    queue = filled(ada, ada, ada, ben, eve, eve)
    assert [(requester.player, number) for requester, number in drained(queue)] == [
        ("ada", 0),
        ("eve", 4),
        ("ben", 3),
        ("eve", 5),
        ("ada", 1),
        ("ada", 2),
    ]


def test_bots_that_a_person_waits_for_come_first_then_other_bots() -> None:
    kinds: list[RequesterKind] = ["question", "bots", "seat", "bots", "question", "seat"]
    queue = filled(*(Requester(kind, f"p{number}") for number, kind in enumerate(kinds)))
    assert [requester.kind for requester, _ in drained(queue)] == sorted(kinds, key=KINDS.index)


def test_names_are_free_but_an_address_has_one_turn_in_each_round() -> None:
    crowd = [question(f"p{number}", "x") for number in range(20)]
    queue = filled(*crowd, question("eve", "y"), question("eve", "y"))
    order = [requester.address for requester, _ in drained(queue)]
    assert order[:5] == ["x", "y", "x", "y", "x"]


def test_what_was_broken_off_is_next_of_its_kind() -> None:
    ada, eve = question("ada", "x"), question("eve", "y")
    queue = filled(ada, ada, eve)
    first = next(iter(queue))
    queue.take(ada, first)
    queue.add(ada, first, "first")
    assert [number for _, number in drained(queue)] == [0, 2, 1]


def test_a_review_goes_on_before_others_of_its_address_but_not_before_another_address() -> None:
    ada, ben, eve = (
        Requester("question", *who, review=True) for who in (("ada", "x"), ("ben", "x"), ("eve", "y"))
    )
    queue = filled(ada, ben, eve)
    first = next(iter(queue))
    queue.take(ada, first)
    queue.add(ada, first, "next")
    assert [requester.player for requester, _ in drained(queue)] == ["eve", "ada", "ben"]


def test_a_hint_waits_for_one_position_of_its_address_reviews() -> None:
    reviews = [Requester("question", f"p{number}", "x", review=True) for number in range(20)]
    hint = question("ada", "x")
    queue = filled(*reviews, hint)
    assert [requester.player for requester, _ in drained(queue)][:3] == ["p0", "ada", "p1"]
    assert filled(*reviews, hint).length("question", "x") == 21


def test_removing_what_does_not_wait_is_an_error() -> None:
    queue = filled(question("ada", "x"))
    with pytest.raises(ValueError):
        queue.remove(question("ben", "x"), (question("ben", "x"), 7))


@given(st.lists(requesters, max_size=30))
def test_the_order_that_is_shown_is_the_one_in_which_they_are_taken(waiting: list[Requester]) -> None:
    # As long as no kind is passed over so often that it has a turn before its time.
    queue = filled(*waiting, most_passed_over=inf)
    shown = list(queue)
    assert sorted(number for _, number in shown) == list(range(len(waiting)))
    assert drained(queue) == shown


@given(st.lists(requesters, max_size=30), st.data())
def test_lengths_count_what_waits_and_nothing_is_left_behind(
    waiting: list[Requester], data: st.DataObject
) -> None:
    queue = filled(*waiting)
    items = list(queue)
    gone = data.draw(st.lists(st.sampled_from(items), unique=True) if items else st.just([]))
    for requester, number in gone:
        queue.remove(requester, (requester, number))
    stay = [requester for requester, number in items if (requester, number) not in gone]
    left = Counter((requester.kind, requester.address, requester.player) for requester in stay)
    for requester in waiting:
        assert (
            queue.length(requester.kind, requester.address, requester.player)
            == left[requester.kind, requester.address, requester.player]
        )
        of_address = sum(
            n
            for (kind, address, _), n in left.items()
            if (kind, address) == (requester.kind, requester.address)
        )
        assert queue.length(requester.kind, requester.address) == of_address
    for requester, number in set(items) - set(gone):
        queue.remove(requester, (requester, number))
    assert not queue
    assert not any(queue._lines.values())


@given(st.lists(requesters, min_size=1, max_size=12), st.lists(requesters, min_size=1, max_size=4))
def test_nobody_waits_for_ever_whatever_else_is_asked_for(
    waiting: list[Requester], flood: list[Requester]
) -> None:
    """Each that waits has its turn in a bounded time, with new searches always coming in beside it."""
    queue = filled(*waiting)
    left = {(requester, number) for number, requester in enumerate(waiting)}
    number = len(waiting)
    # At worst each waits for one turn of all before it, and its kind has one turn in that many.
    for _ in range((len(waiting) + len(flood) + 9) * len(waiting) * (PASSED_OVER + 2)):
        for requester in flood:
            if queue.length(requester.kind, requester.address, requester.player) < 3:
                queue.add(requester, (requester, number))
                number += 1
        item = next(iter(queue))
        queue.take(item[0], item)
        left.discard(item)
        if not left:
            return
    raise AssertionError(f"these still wait: {left}")


@given(st.lists(requesters, min_size=2, max_size=30))
def test_between_two_turns_of_an_address_every_other_that_waits_has_one(waiting: list[Requester]) -> None:
    queue = filled(*waiting, most_passed_over=inf)
    taken = [requester for requester, _ in drained(queue)]
    for kind in KINDS:
        order = [(requester.address, requester.review) for requester in taken if requester.kind == kind]
        for here, address in enumerate(order):
            again = next((n for n in range(here + 1, len(order)) if order[n] == address), None)
            if again is not None:
                waits = set(order[again:]) - {address}
                assert waits <= set(order[here + 1 : again])
