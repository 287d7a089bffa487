"""What stands in the lists, from the wire's views alone."""

from dataclasses import replace

import pytest

from parlour_client.render.lists import player, standing
from parlour_client.render.tables import line as one_line
from parlour_client.tui.screens.lobby import Who
from parlour_client.tui.widgets.game_cards import Cards, GameCard
from parlour_client.tui.widgets.room_list import Item, flowed, item
from parlour_protocol.views.lists import ROOMS
from parlour_protocol.views.records import PastRoom
from parlour_protocol.views.rooms import ResultView, RoomLine, SeatView
from tests.client.rooms import game_line
from tests.client.tui.screens.stage import Stage

TITLES = {"tictactoe": "Tic-tac-toe"}
ADA, EASY, FREE = SeatView("human", "Ada"), SeatView("bot", "easy", "easy"), SeatView("open")
PAST = PastRoom("KMRTQA", "tictactoe", "Tic-tac-toe", "finished", [ADA, EASY], 1, 5, 1_700_000_000_000, 0)


def shown(item: Item, width: int = 80) -> str:
    return flowed(item, width).plain


def room_item(line: RoomLine, titles: dict[str, str] = TITLES) -> Item:
    return item(ROOMS, line, titles, grouped=True)


@pytest.mark.parametrize("width", range(34, 60))
def test_nothing_of_a_room_is_cut_however_narrow_its_column_is(width: int) -> None:
    seats = [SeatView("human", "Bartholomew the Great II"), SeatView("bot", "minimax", "minimax:depth=2")]
    line = RoomLine("KMRTQA", "ultimate", "playing", seats, 16, 12, 20, "30/move", [2, 1], 3)
    item = room_item(line, {"ultimate": "Ultimate tic-tac-toe"})
    lines = shown(item, width).split("\n")
    assert max(map(len, lines)) <= width
    assert all(part.plain in shown(item, width) for _, part in item)
    assert all(following.startswith("  ") for following in lines[1:])


def test_a_game_from_a_position_is_said_to_be_one_without_the_position() -> None:
    line = RoomLine("KMRTQA", "tictactoe@xo1/1x1/3 o", "waiting", [ADA, SeatView("open")], 0, 0, 1)
    assert "KMRTQA  Tic-tac-toe from a position\n" in shown(room_item(line, {"tictactoe": "Tic-tac-toe"}), 44)
    assert "tictactoe from a position" in one_line(ROOMS, line)


def test_a_bot_is_marked_as_one_and_names_are_no_markup() -> None:
    assert str(player(EASY)) == "easy (bot)"
    assert str(player(SeatView("human", "[red]Eve[/]"))) == "[red]Eve[/]"
    line = RoomLine("KMRTQA", "[b]x", "finished", [SeatView("human", "[/]"), ADA], 0, 0, 1)
    assert shown(room_item(line, {})).splitlines() == ["■ KMRTQA  [b]x", "  [/] – Ada"]


@pytest.mark.parametrize(
    ("past", "sign", "words"),
    [
        (replace(PAST, phase="waiting"), "○", "waits for a player"),
        (replace(PAST, phase="playing"), "●", "in progress"),
        (replace(PAST, result=ResultView("line", "three in a row", 0)), "+", "won"),
        (replace(PAST, result=ResultView("line", "three in a row", 1)), "−", "lost"),
        (replace(PAST, result=ResultView("board_full", "a draw")), "=", "drawn"),
        (replace(PAST, result=ResultView("aborted", "")), "×", "called off"),
        (PAST, "×", "called off"),
        (replace(PAST, you=None, result=ResultView("line", "three in a row", 0)), "■", "Ada won"),
    ],
)
def test_how_a_game_stands_is_reported_by_a_sign_and_in_words(past: PastRoom, sign: str, words: str) -> None:
    shape, said = standing(past)
    assert (shape, said.plain) == (sign, words)


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (60, "Parlour  Ada at ws://games.example:8765  7 players are here."),
        (59, "Parlour  Ada at ws://games.example:8765  7 here"),
        (47, "Parlour  Ada at ws://games.example:8765  7 here"),
        (46, "Parlour  Ada at ws://games.example:8765"),
        (38, "Parlour  Ada at ws://games.example:87…"),
    ],
)
async def test_the_number_of_players_is_shown_whole_or_not_at_all(width: int, line: str) -> None:
    who = Who()
    who.who, who.players = "Ada at ws://games.example:8765", 7
    async with Stage(who).run_test(size=(width, 2)) as pilot:
        await pilot.pause()
        assert who.render().plain == line


async def test_games_that_come_while_the_application_exits_are_not_shown() -> None:
    cards = Cards()
    stage = Stage(cards)
    async with stage.run_test():
        stage.exit()
        await cards.show([game_line("tictactoe")])
        assert not cards.query(GameCard)
