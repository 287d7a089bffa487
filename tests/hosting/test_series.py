"""Two bots that play several games: the next one begins by itself, and nothing loses it."""

from collections.abc import AsyncIterator

import pytest

from parlour_server.hosting.actors.log_actor import CATCHING_UP
from parlour_server.hosting.rooms.timers import LONGEST_PAUSE, PACES_BETWEEN_GAMES, RETRY_SECONDS, ROUNDING
from tests.hosting.house import House, Person, open_house, settle

PAUSE = PACES_BETWEEN_GAMES * 1.0


@pytest.fixture
async def house() -> AsyncIterator[House]:
    async with open_house() as opened:
        yield opened


async def two_bots(house: House, games: int = 3, pace: float = 1.0) -> tuple[Person, str]:
    """Ada watches two bots that have just begun."""
    ada = await house.person("Ada")
    settings = {"games": games, "pace": pace}
    room: str = ada.ask("create", game="tictactoe", settings=settings)["room"]
    ada.say("subscribe", room=room)
    for bot in ("easy", "easy"):
        assert ada.ask("add_bot", room=room, bot=bot)["type"] == "accepted"
    return ada, room


def play_out(house: House, ada: Person, room: str) -> None:
    """Let the bots play until their game is over."""
    while ada.view(room)["phase"] == "playing":
        house.scheduler.answer()
        house.clock.advance(ada.view(room)["settings"]["pace"])


async def test_the_next_game_begins_after_a_pause(house: House) -> None:
    ada, room = await two_bots(house)
    assert ada.view(room)["series"] == {"number": 1, "of": 3}
    play_out(house, ada, room)
    house.clock.advance(PAUSE - 0.01)
    assert (ada.view(room)["phase"], ada.view(room)["game_number"]) == ("finished", 1)
    house.clock.advance(0.01 + ROUNDING)
    assert (ada.view(room)["phase"], ada.view(room)["game_number"]) == ("playing", 2)
    assert ada.view(room) == house.view(room, ada)


async def test_it_ends_with_the_last_game(house: House) -> None:
    ada, room = await two_bots(house, games=2)
    play_out(house, ada, room)
    house.clock.advance(PAUSE + ROUNDING)
    play_out(house, ada, room)
    house.clock.advance(100 * PAUSE)
    view = ada.view(room)
    assert (view["phase"], view["series"]) == ("finished", {"number": 2, "of": 2})
    assert sum(view["wins"]) + view["draws"] == 2


async def test_what_is_said_meanwhile_puts_it_off_no_further(house: House) -> None:
    ada, room = await two_bots(house)
    play_out(house, ada, room)
    house.clock.advance(PAUSE / 2)
    assert ada.ask("say", room=room, text="well played")["type"] == "accepted"
    house.clock.advance(PAUSE / 2 + ROUNDING)
    assert ada.view(room)["game_number"] == 2


async def test_the_pause_is_never_long(house: House) -> None:
    ada, room = await two_bots(house, pace=60.0)
    play_out(house, ada, room)
    house.clock.advance(LONGEST_PAUSE + ROUNDING)
    assert ada.view(room)["game_number"] == 2


async def test_a_game_that_cannot_be_saved_begins_when_it_can(house: House) -> None:
    ada, room = await two_bots(house)
    play_out(house, ada, room)
    house.store.full = True
    house.clock.advance(10 * PAUSE)
    assert ada.view(room)["phase"] == "finished"
    house.store.full = False
    house.clock.advance(RETRY_SECONDS + ROUNDING)
    assert ada.view(room)["game_number"] == 2


async def test_it_goes_on_after_a_restart(house: House) -> None:
    ada, room = await two_bots(house)
    play_out(house, ada, room)
    house.directory.stop()
    async with open_house(store=house.store) as second:
        assert second.room(room).state.game_number == 1
        second.clock.advance(PAUSE + ROUNDING)
        assert second.room(room).state.game_number == 2


async def test_it_goes_on_while_nobody_watches(house: House) -> None:
    ada, room = await two_bots(house)
    ada.hang_up()
    while house.room(room).state.phase == "playing":
        house.scheduler.answer()
        house.clock.advance(1.0)
    assert not house.room(room).idle
    house.clock.advance(PAUSE + ROUNDING)
    assert house.room(room).state.game_number == 2


async def test_the_owner_ends_it_by_closing_the_room(house: House) -> None:
    ada, room = await two_bots(house)
    play_out(house, ada, room)
    live = house.room(room)
    assert ada.ask("close", room=room)["type"] == "accepted"
    house.clock.advance(10 * PAUSE)
    assert live.state.game_number == 1


async def test_a_room_that_is_closed_while_its_log_is_read_begins_no_game(house: House) -> None:
    ada, room = await two_bots(house)
    play_out(house, ada, room)
    # Another server has written to the room: its log is read on before anything else is decided.
    live = house.room(room)
    live._read(CATCHING_UP)
    asked = ada.say("close", room=room)
    assert ada.answers(asked) == []
    house.clock.advance(PAUSE + ROUNDING)
    await settle()
    assert ada.answers(asked)[0]["type"] == "accepted"
    assert live.state.phase == "closed"
    assert live.state.game_number == 1


async def test_a_server_that_is_stopped_while_it_loads_sets_no_timer(house: House) -> None:
    await two_bots(house)
    house.directory.stop()
    second = House(store=house.store)
    read = second.store.read

    async def stopped_meanwhile(code: str, after: int = 0) -> list[object]:
        second.directory.stop()
        return list(await read(code, after))

    second.store.read = stopped_meanwhile  # type: ignore[assignment, method-assign]
    await second.directory.load()
    assert len(second.directory) == 0
    assert not second.clock.waiting
    await second.scheduler.close()


async def test_the_list_of_rooms_shows_the_series(house: House) -> None:
    ada, room = await two_bots(house)
    play_out(house, ada, room)
    (line,) = ada.ask("rooms")["rooms"]
    assert line["room"] == room
    assert line["series"] == {"number": 1, "of": 3}
    assert sum(line["wins"]) + line["draws"] == 1
