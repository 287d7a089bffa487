"""What the store takes is nobody's time: a disk that hangs, full or slow, costs no player anything."""

from parlour_protocol.events import MovePlayed
from tests.hosting.harness import HostingHarness, Person, seated


async def timed(harness: HostingHarness) -> tuple[Person, Person, str]:
    """A game of a minute each in which both have moved, Ada to move with her clock running."""
    ada, ben, room = await seated(harness, clock="1+0")
    play(harness, ada, room, "b2")
    play(harness, ben, room, "a1")
    return ada, ben, room


def play(harness: HostingHarness, person: Person, room: str, move: str, name: str | None = None) -> str:
    named = {} if name is None else {"id": name}
    return person.say("play", room=room, version=harness.room(room).state.version, move=move, **named)


def left(harness: HostingHarness, room: str) -> list[int]:
    clocks = harness.room(room).state.clocks
    assert clocks is not None
    return list(clocks.left)


async def test_a_player_pays_from_when_the_position_could_be_seen(harness: HostingHarness) -> None:
    ada, ben, room = await timed(harness)
    harness.clock.advance(3.0)
    harness.store.holds = True
    asked = play(harness, ada, room, "c3")
    # For longer than all of Ben's time.
    harness.clock.advance(70.0)
    assert ada.answers(asked) == ben.answers(asked) == []
    harness.store.release()
    harness.store.holds = False
    assert harness.room(room).state.phase == "playing"
    harness.clock.advance(0.3)
    assert harness.room(room).state.phase == "playing"
    play(harness, ben, room, "c1")
    assert harness.room(room).state.moves[-1].move == "c1"
    assert left(harness, room) == [57_000, 59_700]
    # The log alone tells it again.
    moved = (await harness.store.read(room))[-1].event
    assert isinstance(moved, MovePlayed)
    assert moved.lag == 70_000


async def test_a_flag_falls_when_the_time_since_it_was_shown_is_up(harness: HostingHarness) -> None:
    ada, ben, room = await timed(harness)
    harness.store.holds = True
    play(harness, ada, room, "c3")
    harness.clock.advance(45.0)
    harness.store.release()
    harness.store.holds = False
    harness.clock.advance(59.0)
    assert harness.room(room).state.phase == "playing"
    harness.clock.advance(1.1)
    assert harness.room(room).state.phase == "finished"
    assert ben.events()[-1] == "game_finished"


async def test_what_waits_in_the_inbox_came_when_it_came(harness: HostingHarness) -> None:
    ada, ben, room = await timed(harness)
    harness.store.holds = True
    talk = ben.say("say", room=room, text="slow today")
    harness.clock.advance(2.0)
    moved = play(harness, ada, room, "c3")
    # Her flag would have fallen long ago.
    harness.clock.advance(80.0)
    harness.store.release()
    harness.store.release()
    harness.store.holds = False
    assert ben.answers(talk)[0]["type"] == ada.answers(moved)[0]["type"] == "accepted"
    assert left(harness, room) == [58_000, 60_000]
    assert harness.room(room).state.phase == "playing"


async def test_a_move_that_could_not_be_saved_is_charged_once_it_was_first_asked(
    harness: HostingHarness,
) -> None:
    ada, ben, room = await timed(harness)
    harness.clock.advance(1.0)
    harness.store.full = True
    for _ in range(3):
        assert ada.answers(play(harness, ada, room, "c3", "again"))[-1]["code"] == "not_saved"
        harness.clock.advance(10.0)
    harness.store.full = False
    # Another move under the same id is another thought.
    play(harness, ada, room, "c3", "again")
    assert left(harness, room) == [59_000, 60_000]
    harness.clock.advance(1.0)
    harness.store.full = True
    play(harness, ben, room, "c1", "first")
    harness.clock.advance(10.0)
    harness.store.full = False
    play(harness, ben, room, "b1", "first")
    assert left(harness, room) == [59_000, 49_000]
