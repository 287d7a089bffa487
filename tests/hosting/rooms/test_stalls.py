"""What the store takes is nobody's time: a disk that hangs, full or slow, costs no player anything."""

from collections.abc import AsyncIterator

import pytest_asyncio

from parlour_protocol.events import MovePlayed
from tests.hosting.house import House, Person, open_house, table


@pytest_asyncio.fixture
async def house() -> AsyncIterator[House]:
    async with open_house() as house:
        yield house


async def timed(house: House) -> tuple[Person, Person, str]:
    """A game of a minute each in which both have moved, Ada to move with her clock running."""
    ada, ben = await house.person("Ada"), await house.person("Ben")
    room = await table(house, ada, ben, clock="1+0")
    play(house, ada, room, "b2")
    play(house, ben, room, "a1")
    return ada, ben, room


def play(house: House, person: Person, room: str, move: str, name: str | None = None) -> str:
    named = {} if name is None else {"id": name}
    return person.say("play", room=room, version=house.room(room).state.version, move=move, **named)


def left(house: House, room: str) -> list[int]:
    clocks = house.room(room).state.clocks
    assert clocks is not None
    return list(clocks.left)


async def test_a_player_pays_from_when_the_position_could_be_seen(house: House) -> None:
    ada, ben, room = await timed(house)
    house.clock.advance(3.0)
    house.store.holds = True
    asked = play(house, ada, room, "c3")
    # For longer than all of Ben's time.
    house.clock.advance(70.0)
    assert ada.answers(asked) == ben.answers(asked) == []
    house.store.release()
    house.store.holds = False
    assert house.room(room).state.phase == "playing"
    house.clock.advance(0.3)
    assert house.room(room).state.phase == "playing"
    play(house, ben, room, "c1")
    assert house.room(room).state.moves[-1].move == "c1"
    assert left(house, room) == [57_000, 59_700]
    # The log alone tells it again.
    moved = (await house.store.read(room))[-1].event
    assert isinstance(moved, MovePlayed)
    assert moved.lag == 70_000


async def test_a_flag_falls_when_the_time_since_it_was_shown_is_up(house: House) -> None:
    ada, ben, room = await timed(house)
    house.store.holds = True
    play(house, ada, room, "c3")
    house.clock.advance(45.0)
    house.store.release()
    house.store.holds = False
    house.clock.advance(59.0)
    assert house.room(room).state.phase == "playing"
    house.clock.advance(1.1)
    assert house.room(room).state.phase == "finished"
    assert ben.events()[-1] == "game_finished"


async def test_what_waits_in_the_inbox_came_when_it_came(house: House) -> None:
    ada, ben, room = await timed(house)
    house.store.holds = True
    talk = ben.say("say", room=room, text="slow today")
    house.clock.advance(2.0)
    moved = play(house, ada, room, "c3")
    # Her flag would have fallen long ago.
    house.clock.advance(80.0)
    house.store.release()
    house.store.release()
    house.store.holds = False
    assert ben.answers(talk)[0]["type"] == ada.answers(moved)[0]["type"] == "accepted"
    assert left(house, room) == [58_000, 60_000]
    assert house.room(room).state.phase == "playing"


async def test_a_move_that_could_not_be_saved_is_charged_once_it_was_first_asked(house: House) -> None:
    ada, ben, room = await timed(house)
    house.clock.advance(1.0)
    house.store.full = True
    for _ in range(3):
        assert ada.answers(play(house, ada, room, "c3", "again"))[-1]["code"] == "not_saved"
        house.clock.advance(10.0)
    house.store.full = False
    # Another move under the same id is another thought.
    play(house, ada, room, "c3", "again")
    assert left(house, room) == [59_000, 60_000]
    house.clock.advance(1.0)
    house.store.full = True
    play(house, ben, room, "c1", "first")
    house.clock.advance(10.0)
    house.store.full = False
    play(house, ben, room, "b1", "first")
    assert left(house, room) == [59_000, 49_000]
