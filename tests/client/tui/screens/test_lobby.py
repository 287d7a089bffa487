"""The lobby on a real server: what it shows, and where its keys lead."""

import asyncio

import pytest
from textual import events
from textual.widgets import Input

from parlour_client import Room, connect
from parlour_client.sdk import pagination
from parlour_client.sdk.client import Client
from parlour_client.sdk.requests import Requester
from parlour_client.tui.dialogs.fields import Choice
from parlour_client.tui.game_request import NEXT_PLAYER
from parlour_client.tui.widgets.game_cards import GameCard
from parlour_client.tui.widgets.own_rooms import OwnRooms
from parlour_client.tui.widgets.room_list import RoomList
from parlour_protocol.answers import History
from parlour_protocol.notices import Lobby
from parlour_protocol.views.records import PastRoom
from parlour_protocol.views.rooms import SeatView
from tests.client.tui.harness import TerminalHarness, terminal_harness


def chosen(at: TerminalHarness) -> str:
    card = at.app.screen.focused
    assert isinstance(card, GameCard)
    return card.game.name


async def test_the_games_and_the_opponents_are_the_servers(server: str) -> None:
    async with connect(server) as anyone, terminal_harness(server) as at:
        games, bots = await anyone.games(), await anyone.bots()
        await at.connected()
        cards = list(at.app.screen.query(GameCard))
        assert [card.game.name for card in cards] == [game.name for game in games]
        assert {card.opponent for card in cards} == {"vs medium (bot)"}
        seen = []
        for _ in range(len(bots) + 3):
            seen.append(cards[0].opponent)
            await at.press("o")
        names = [bot.name for bot in bots]
        everybody = [*(f"vs {name} (bot)" for name in names), "vs a friend"]
        everybody += ["vs a friend beside you", "vs the next player"]
        at_medium = names.index("medium")
        assert seen == everybody[at_medium:] + everybody[:at_medium]
        # A little game is on every card.
        assert all(len(set(card.game.sample.texts())) > 1 for card in cards)


async def test_arrows_lead_through_the_cards_and_out_of_them(server: str) -> None:
    async with terminal_harness(server) as at:
        await at.connected()
        names, ways = [card.game.name for card in at.app.screen.query(GameCard)], []
        for key in ("right", "down", "left", "left", "down", "up", "up", "up"):
            await at.press(key)
            ways.append(names.index(chosen(at)))
        assert ways == [1, 3, 2, 2, 4, 2, 0, 0]
        columns = []
        for key in ("right", "right", "right", "right", "left", "left", "3", "2", "1"):
            await at.press(key)
            columns.append(type(at.app.screen.focused))
        assert columns[1:6] == [RoomList, OwnRooms, OwnRooms, RoomList, GameCard]
        assert columns[6:] == [OwnRooms, RoomList, GameCard]


async def test_a_click_chooses_and_a_second_one_plays(server: str) -> None:
    async with terminal_harness(server) as at:
        await at.connected()
        card = list(at.app.screen.query(GameCard))[1]
        await at.pilot.click(card)
        assert chosen(at) == card.game.name
        assert at.screen == "LobbyScreen"
        await at.pilot.double_click(card)
        await at.at_table()
        view = at.room.view
        assert (view.game, view.you, view.phase) == (card.game.name, 0, "playing")
        assert view.seats[1].bot == "medium"


async def test_rooms_come_and_go_as_they_do_and_one_stays_where_one_is(server: str) -> None:
    async with connect(server, "Ben") as ben, terminal_harness(server, size=(160, 48)) as at:
        await at.connected()
        assert "No one is here yet" in at.shown()
        first = await ben.create("connect4", opponent="random")
        await at.shows(first.code, "In progress", "Ben – random (bot)", "rooms (1)", "2 players are here")
        await at.press("2")
        second = await ben.create("tictactoe", clock="5+3")
        await at.shows(second.code, "Waiting for a player", "Tic-tac-toe  5+3")
        shown = at.shown()
        assert shown.index(second.code) < shown.index(first.code)
        assert at.app.screen.query_one(RoomList).code == first.code
        # Which one is chosen shows by a shape; whether it runs, by another one.
        assert f"█● {first.code}" in shown
        assert f" ○ {second.code}" in shown
        empty = await ben.create("reversi", seat=None)
        await at.shows("Empty", empty.code)
        shown = at.shown()
        assert shown.index(empty.code) > max(shown.index(first.code), shown.index(second.code))
        await first.close()
        await at.until(lambda: first.code not in at.shown())
        assert at.app.screen.query_one(RoomList).code == second.code


async def test_what_changes_while_the_lobby_is_fetched_is_shown(
    server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched, history = asyncio.Event(), pagination.history

    async def slowly(parlour: Requester) -> History:
        own = await history(parlour)
        await fetched.wait()
        return own

    monkeypatch.setattr(pagination, "history", slowly)
    async with connect(server, "Ben") as ben, terminal_harness(server, size=(160, 48)) as at:
        await at.until(lambda: at.app.parlour is not None)
        notices = ben.notices()
        await ben.rooms(subscribe=True)
        made = await ben.create("tictactoe")
        # Whoever follows the list has been told of it by then.
        assert isinstance(await anext(notices), Lobby)
        await at.pilot.pause()
        fetched.set()
        await at.shows(made.code)


async def test_enter_takes_the_seat_that_is_free_and_w_only_looks(server: str) -> None:
    async with connect(server, "Ben") as ben, terminal_harness(server) as at:
        waiting = await ben.create("tictactoe")
        await at.connected()
        await at.press("2")
        await at.until(lambda: at.app.screen.query_one(RoomList).code == waiting.code)
        await at.press("w")
        await at.at_table()
        assert (at.room.code, at.room.seat) == (waiting.code, None)
        await at.press("Q", "enter")
        await at.until(lambda: at.screen == "TableScreen" and at.room.seat == 1)
        await at.press("Q")
        await at.shows("In progress")


async def test_ones_own_games_are_there_to_go_on_and_to_look_back(server: str) -> None:
    async with terminal_harness(server) as at:
        await at.connected()
        await at.press("3")
        await at.shows("Your games will appear here")
        parlour = at.parlour
        over = await lost_game(parlour)
        running = await parlour.create("ultimate", opponent="medium")
        at.app.lobby.reload(parlour)
        await at.shows("Continue", "Look back", "Ultimate tic-tac-toe", "lost", "3 yours (1)")
        await at.press("enter")
        await at.at_table()
        assert (at.room.code, at.room.seat) == (running.code, 0)
        await at.press("Q", "down", "enter")
        await at.until(lambda: at.screen == "TableScreen" and at.room.code == over.code)
        await at.press("Q")
        await over.close()
        looking = at.app.lobby.reload(parlour)
        await at.until(lambda: looking.is_finished)
        # A room that is closed is there to look back on, and for nothing else.
        await at.press("enter")
        await at.shows(
            f"room {over.code}",
            "■ Closed",
            "random (bot) wins by resignation.",
            "V Review  pgup Prev  I Rules  ? Keys",
        )
        await at.press("home", "pagedown")
        await at.shows("Move 1 of 2: b2", "No bot's thoughts")
        await at.press("pagedown", "V")
        await at.shows("win ┤", "perfect good")
        await at.press("Q")
        await at.until(lambda: at.screen == "LobbyScreen")
        assert at.reported() == []
        # What a server has forgotten is nobody's wrong code.
        seats = [SeatView("human", "Ada"), SeatView("bot", "easy", "easy")]
        gone = PastRoom("KMRTQA", "tictactoe", "Tic-tac-toe", "playing", seats, 1, 5, 0, 0)
        at.app.screen.query_one(OwnRooms).post_message(OwnRooms.Wanted(gone))
        await at.until(lambda: at.reported() == ["This server no longer has that game."])


async def test_how_games_against_each_person_ended_stands_under_ones_own(server: str) -> None:
    async with terminal_harness(server) as at, connect(server, "Ben") as ben:
        await at.connected()
        room = await at.parlour.create("tictactoe")
        theirs = await ben.enter(room.code)
        await theirs.resign()
        await room.until(lambda state: state.view.phase == "finished")
        at.app.lobby.reload(at.parlour)
        await at.press("3")
        await at.shows("People you have played", "Ben  1 win")
        # They can be looked at alone.
        await at.press("end", "L", "delete", "enter")
        assert (at.screen, at.reported()) == ("LobbyScreen", [])


async def test_what_is_over_and_what_only_a_bot_waits_in_is_removed_by_a_key(server: str) -> None:
    async with terminal_harness(server) as at:
        await at.connected()
        parlour = at.parlour
        over = await lost_game(parlour)
        running = await parlour.create("ultimate", opponent="medium")
        waiting = await parlour.create("connect4")
        at.app.lobby.reload(parlour)
        await at.press("3")
        await at.shows("Continue", "Connect Four", "Ultimate tic-tac-toe", "Look back", "Tic-tac-toe")
        own = at.app.screen.query_one(OwnRooms)
        # Somebody may come to that table yet.
        assert own.code == waiting.code
        await at.press("delete")
        assert own.has(waiting.code)
        await at.press("down", "delete")
        await at.until(lambda: not own.has(running.code))
        await at.press("end", "delete")
        await at.until(lambda: not own.has(over.code))
        # The last one removed comes back first.
        await at.press("z")
        await at.until(lambda: own.has(over.code) and not own.has(running.code))
        await at.press("z")
        await at.until(lambda: own.has(running.code))
        for code in (running.code, over.code):
            await parlour.remove(code)
        assert [past.room for past in await parlour.history()] == [waiting.code]
        assert at.reported() == []


async def lost_game(parlour: Client) -> Room:
    game = await parlour.create("tictactoe", opponent="random")
    await game.play("b2")
    await game.until(lambda shown: len(shown.view.moves) == 2)
    await game.resign()
    return game


async def test_a_match_is_asked_for_by_its_key_and_on_a_card(server: str) -> None:
    async with terminal_harness(server) as at:
        await at.connected()
        await at.press("down")
        game = chosen(at)
        await at.press("m")
        assert at.screen == "MatchDialog"
        assert at.app.screen.query_one("#game", Choice).value == game
        await at.press("escape")
        at.app.lobby.opponent = NEXT_PLAYER
        await at.press("enter")
        assert at.screen == "MatchDialog"


async def test_a_code_is_typed_or_pasted_anywhere(server: str) -> None:
    async with connect(server, "Ben") as ben, terminal_harness(server) as at:
        made = await ben.create("tictactoe")
        await at.connected()
        await at.press("slash", "x", "y", "enter")
        await at.shows("✗ 'xy' is not a room's code, such as KMRTQA, nor a link to a room.")
        await at.press("backspace", "backspace")
        await at.until(lambda: "✗" not in at.shown())
        await at.press("escape")
        assert chosen(at)
        # What is too long is cut, and that is said: pasted anywhere, and into the line itself.
        field = at.app.screen.query_one("#code", Input)
        for _ in range(2):
            at.app.screen.post_message(events.Paste("x" * 30_000))
            await at.until(lambda: any("was cut" in said for said in at.reported()))
            assert field.value == "x" * 300
            at.app.clear_notifications()
        await at.press("escape")
        at.app.screen.post_message(events.Paste(f"  {ben.link(made)}\n"))
        await at.shows(f"/{made.code}")
        await at.press("enter")
        await at.at_table()
        assert (at.room.code, at.room.seat) == (made.code, 1)
        assert field.value == ""
        await at.press("Q")
        await at.until(lambda: at.screen == "LobbyScreen")
        assert chosen(at)


async def test_a_code_of_no_room_stays_to_be_put_right(server: str) -> None:
    async with terminal_harness(server) as at:
        await at.connected()
        # The key that leads there may come twice.
        await at.press("slash", "slash")
        field = at.app.screen.query_one("#code", Input)
        assert (at.app.screen.focused, field.value) == (field, "")
        assert at.shown().splitlines()[-1].split() == ["enter", "Join", "esc", "Back"]
        await at.press(*"kmrtqa", "enter")
        await at.shows("✗ There is no such room.")
        assert (at.app.screen.focused, field.value) == (field, "kmrtqa")
        assert (at.screen, at.reported()) == ("LobbyScreen", [])
        await at.press("backspace")
        await at.until(lambda: "✗" not in at.shown())
        await at.press("x", "enter")
        await at.shows("✗ ")
        await at.press("escape")
        assert "✗" not in at.shown()
        # Where nothing was typed it is shown by the way.
        at.app.lobby.query_one(RoomList).post_message(RoomList.Wanted("KMRTQA", sit=True))
        await at.until(lambda: bool(at.reported()))
        assert "✗" not in at.shown()


async def test_the_link_of_a_position_is_known_for_what_it_is(server: str) -> None:
    async with terminal_harness(server) as at:
        await at.connected()
        await at.type("http://127.0.0.1:9/analysis#tictactoe@xo1/1x1/3%20o=")
        await at.press("enter")
        await at.shows("That is the link of a position.")
