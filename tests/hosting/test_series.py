"""Two bots that play several games: the next one begins by itself, and nothing loses it."""

from parlour_server.hosting.actors.log_actor import CATCHING_UP
from parlour_server.hosting.rooms.timers import LONGEST_PAUSE, PACES_BETWEEN_GAMES, RETRY_SECONDS, ROUNDING
from tests.hosting.harness import HostingHarness, Person, open_harness, settle

PAUSE = PACES_BETWEEN_GAMES * 1.0


async def two_bots(harness: HostingHarness, games: int = 3, pace: float = 1.0) -> tuple[Person, str]:
    """Ada watches two bots that have just begun."""
    ada = await harness.person("Ada")
    settings = {"games": games, "pace": pace}
    room: str = ada.ask("create", game="tictactoe", settings=settings)["room"]
    ada.say("subscribe", room=room)
    for bot in ("easy", "easy"):
        assert ada.ask("add_bot", room=room, bot=bot)["type"] == "accepted"
    return ada, room


def play_out(harness: HostingHarness, ada: Person, room: str) -> None:
    """Let the bots play until their game is over."""
    while ada.view(room)["phase"] == "playing":
        harness.scheduler.answer()
        harness.clock.advance(ada.view(room)["settings"]["pace"])


async def test_the_next_game_begins_after_a_pause(harness: HostingHarness) -> None:
    ada, room = await two_bots(harness)
    assert ada.view(room)["series"] == {"number": 1, "of": 3}
    play_out(harness, ada, room)
    harness.clock.advance(PAUSE - 0.01)
    assert (ada.view(room)["phase"], ada.view(room)["game_number"]) == ("finished", 1)
    harness.clock.advance(0.01 + ROUNDING)
    assert (ada.view(room)["phase"], ada.view(room)["game_number"]) == ("playing", 2)
    assert ada.view(room) == harness.view(room, ada)


async def test_it_ends_with_the_last_game(harness: HostingHarness) -> None:
    ada, room = await two_bots(harness, games=2)
    play_out(harness, ada, room)
    harness.clock.advance(PAUSE + ROUNDING)
    play_out(harness, ada, room)
    harness.clock.advance(100 * PAUSE)
    view = ada.view(room)
    assert (view["phase"], view["series"]) == ("finished", {"number": 2, "of": 2})
    assert sum(view["wins"]) + view["draws"] == 2


async def test_what_is_said_meanwhile_puts_it_off_no_further(harness: HostingHarness) -> None:
    ada, room = await two_bots(harness)
    play_out(harness, ada, room)
    harness.clock.advance(PAUSE / 2)
    assert ada.ask("say", room=room, text="well played")["type"] == "accepted"
    harness.clock.advance(PAUSE / 2 + ROUNDING)
    assert ada.view(room)["game_number"] == 2


async def test_the_pause_is_never_long(harness: HostingHarness) -> None:
    ada, room = await two_bots(harness, pace=60.0)
    play_out(harness, ada, room)
    harness.clock.advance(LONGEST_PAUSE + ROUNDING)
    assert ada.view(room)["game_number"] == 2


async def test_a_game_that_cannot_be_saved_begins_when_it_can(harness: HostingHarness) -> None:
    ada, room = await two_bots(harness)
    play_out(harness, ada, room)
    harness.store.full = True
    harness.clock.advance(10 * PAUSE)
    assert ada.view(room)["phase"] == "finished"
    harness.store.full = False
    harness.clock.advance(RETRY_SECONDS + ROUNDING)
    assert ada.view(room)["game_number"] == 2


async def test_it_goes_on_after_a_restart(harness: HostingHarness) -> None:
    ada, room = await two_bots(harness)
    play_out(harness, ada, room)
    harness.directory.stop()
    async with open_harness(store=harness.store) as second:
        assert second.room(room).state.game_number == 1
        second.clock.advance(PAUSE + ROUNDING)
        assert second.room(room).state.game_number == 2


async def test_it_goes_on_while_nobody_watches(harness: HostingHarness) -> None:
    ada, room = await two_bots(harness)
    ada.hang_up()
    while harness.room(room).state.phase == "playing":
        harness.scheduler.answer()
        harness.clock.advance(1.0)
    assert not harness.room(room).idle
    harness.clock.advance(PAUSE + ROUNDING)
    assert harness.room(room).state.game_number == 2


async def test_the_owner_ends_it_by_closing_the_room(harness: HostingHarness) -> None:
    ada, room = await two_bots(harness)
    play_out(harness, ada, room)
    live = harness.room(room)
    assert ada.ask("close", room=room)["type"] == "accepted"
    harness.clock.advance(10 * PAUSE)
    assert live.state.game_number == 1


async def test_a_room_that_is_closed_while_its_log_is_read_begins_no_game(harness: HostingHarness) -> None:
    ada, room = await two_bots(harness)
    play_out(harness, ada, room)
    # Another server has written to the room: its log is read on before anything else is decided.
    live = harness.room(room)
    live._read(CATCHING_UP)
    asked = ada.say("close", room=room)
    assert ada.answers(asked) == []
    harness.clock.advance(PAUSE + ROUNDING)
    await settle()
    assert ada.answers(asked)[0]["type"] == "accepted"
    assert live.state.phase == "closed"
    assert live.state.game_number == 1


async def test_a_server_that_is_stopped_while_it_loads_sets_no_timer(harness: HostingHarness) -> None:
    await two_bots(harness)
    harness.directory.stop()
    second = HostingHarness(store=harness.store)
    read = second.store.read

    async def stopped_meanwhile(code: str, after: int = 0) -> list[object]:
        second.directory.stop()
        return list(await read(code, after))

    second.store.read = stopped_meanwhile  # type: ignore[assignment, method-assign]
    await second.directory.load()
    assert len(second.directory) == 0
    assert not second.clock.waiting
    await second.scheduler.close()


async def test_the_list_of_rooms_shows_the_series(harness: HostingHarness) -> None:
    ada, room = await two_bots(harness)
    play_out(harness, ada, room)
    (line,) = ada.ask("rooms")["rooms"]
    assert line["room"] == room
    assert line["series"] == {"number": 1, "of": 3}
    assert sum(line["wins"]) + line["draws"] == 1
