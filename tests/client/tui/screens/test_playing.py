"""Whole games at the full screen's table, against a real server: by keyboard, by mouse, by typing."""

import contextlib
from collections.abc import AsyncIterator, Sequence
from typing import cast

import pytest
from textual import events
from textual.geometry import Region
from textual.pilot import Pilot
from textual.widgets import Input

from parlour_client.sdk.client import Client, connect
from parlour_client.sdk.connection import Connection
from parlour_client.sdk.room import Room
from parlour_client.tui.dialogs.chooser import BotDialog
from parlour_client.tui.dialogs.fields import ChoiceList
from parlour_client.tui.widgets.board import Board
from parlour_client.tui.widgets.chat import Chat
from parlour_client.tui.widgets.move_list import Moves
from parlour_client.tui.widgets.review_curve import ReviewCurve
from parlour_protocol import LONGEST_CHAT
from parlour_protocol.commands import AskedSettings
from tests.client.tui.late import Late
from tests.client.tui.screens.stage import RoomStage
from tests.support.proxy import between
from tests.support.server import serving
from tests.support.waiting import within

SECONDS = 10


@contextlib.asynccontextmanager
async def two_at(game: str, **settings: object) -> AsyncIterator[tuple[Room, Room]]:
    """A room of a real server, as Ada in the first seat and Ben in the second have it."""
    async with serving() as url, connect(url, "Ada") as ada, connect(url, "Ben") as ben:
        room = await ada.create(game, settings=AskedSettings.model_validate(settings))
        yield room, await ben.join(room.code)


class Watched(RoomStage):
    """The table of a room, which others at it follow, too."""

    def __init__(self, room: Room, others: Sequence[Room], parlour: Client | None) -> None:
        super().__init__(room, parlour=parlour)
        self.others = others

    def shows(self, words: str) -> bool:
        """Are these words below the board, after all that happened?"""
        return self.has_shown(*self.others) and words in self.said


@contextlib.asynccontextmanager
async def shown(
    room: Room, *others: Room, size: tuple[int, int] = (80, 24), parlour: Client | None = None
) -> AsyncIterator[tuple["Watched", Pilot[None]]]:
    stage = Watched(room, others, parlour)
    async with stage.run_test(size=size) as pilot:
        await within(
            SECONDS, lambda: stage.screen is stage.table and stage.table.is_mounted and bool(stage.said)
        )
        yield stage, pilot


async def says(stage: Watched, words: str) -> None:
    try:
        await within(SECONDS, lambda: stage.shows(words))
    except AssertionError:
        raise AssertionError(f"{words!r} is not in {stage.said!r}") from None


async def click(stage: RoomStage, pilot: Pilot[None], cell: int) -> None:
    """Click into the middle of a cell."""
    grid = stage.board.grid
    assert grid is not None
    x, y = grid.place(cell)
    left, top = stage.board._offset()
    await pilot.click(Board, offset=(x + left + grid.cell_width // 2, y + top + grid.cell_height // 2))


async def test_a_game_is_played_to_its_end_by_mouse() -> None:
    async with two_at("tictactoe") as (ada, ben), shown(ada, ben, size=(100, 30)) as (stage, pilot):
        await says(stage, "Your move")
        for cell, reply in ((4, "a1"), (3, "c1"), (5, None)):
            await click(stage, pilot, cell)
            await within(SECONDS, lambda: ben.your_turn or ben.over)
            if reply is not None:
                await ben.play(reply)
                await says(stage, "Your move")
        await says(stage, "You win")
        await pilot.press("G")
        await says(stage, "You ask for a rematch")
        await ben.rematch()
        await says(stage, "Ben to move")


async def test_a_game_is_played_by_typing_moves() -> None:
    async with two_at("tictactoe") as (ada, ben), shown(ada, ben) as (stage, pilot):
        await says(stage, "Your move")
        await pilot.press("b")
        await says(stage, "Your move: b")
        await pilot.press("2")
        await ben.wait_for_turn()
        await within(SECONDS, lambda: ada.view.moves == ["b2"])
        await ben.play("a1")
        await says(stage, "Your move")
        # What is taken is refused at once, by the server in its own words; enter plays nothing else.
        await pilot.press("b", "2")
        await says(stage, "✗ b2 is taken. Legal:")
        await pilot.press("enter")
        assert ada.view.moves == ["b2", "a1"]
        # Anything else that is done ends that.
        await pilot.press("c")
        await says(stage, "Your move: c")
        await pilot.press("escape", "b", "3", "R")
        await ben.wait_for_turn()
        await says(stage, "Resign this game? Y or N")
        await pilot.press("N")
        await says(stage, "Ben to move")
        await pilot.press("R", "y")
        await says(stage, "Ben wins by resignation.")


async def test_an_aborted_game_is_asked_about_first() -> None:
    async with two_at("tictactoe") as (ada, ben), shown(ada, ben) as (stage, pilot):
        await says(stage, "Your move")
        await pilot.press("A")
        await says(stage, "End this game? It will count for nobody. Y or N")
        await pilot.press("N")
        await says(stage, "Your move")
        await pilot.press("A", "y")
        await says(stage, "aborted")


async def test_offers_are_made_and_answered_with_one_key() -> None:
    async with two_at("tictactoe") as (ada, ben), shown(ada, ben) as (stage, pilot):
        await says(stage, "Your move")
        assert "U" not in stage.keys
        await pilot.press("b", "2")
        await ben.wait_for_turn()
        await ben.offer_draw()
        await says(stage, "Ben offers a draw. Y or N?")
        assert {"Y", "N"} <= stage.keys
        await pilot.press("N")
        await within(SECONDS, lambda: not ben.view.offers)
        await ben.play("a1")
        await says(stage, "Your move")
        await pilot.press("U")
        await says(stage, "You ask to take 2 moves back")
        await ben.ask_takeback()
        await within(SECONDS, lambda: ada.view.moves == [])
        await within(SECONDS, lambda: stage.board.view == ada.position)
        await pilot.press("b", "2")
        await ben.wait_for_turn()
        await ben.offer_draw()
        await says(stage, "Ben offers a draw")
        await pilot.press("Y")
        await says(stage, "A draw was agreed.")


async def test_the_bell_rings_for_ones_turn_and_for_what_one_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with two_at("tictactoe") as (ada, ben), shown(ada, ben) as (stage, pilot):
        written: list[str] = []
        monkeypatch.setattr(stage, "bell", lambda: written.append("bell"))
        monkeypatch.setattr(stage._driver, "write", written.append)
        await pilot.press("b", "2")
        await ben.offer_draw()
        await says(stage, "Ben offers a draw")
        await ben.play("a1")
        await says(stage, "")
        code = ada.code
        titles = [f"\x1b]2;{mine}Tic-tac-toe {code}\x07" for mine in ("", "● ")]
        assert written == [titles[0], "bell", "bell", titles[1]]


async def test_what_is_sent_is_said_to_be_on_its_way_at_once() -> None:
    async with serving() as url, between(url) as proxy, connect(proxy.url, "Ada") as parlour:
        room = await parlour.create("connect4", opponent="random:seed=1")
        async with shown(room) as (stage, pilot):
            await says(stage, "Your move")
            proxy.swallow()
            await pilot.press("4")
            await says(stage, "4 is on its way")
            # Where it will lie shows palely, though the server has said nothing.
            assert stage.board._sent is not None
            # Whoever presses in haste makes one move.
            await pilot.press("4", "3", "right", "enter")
            assert [one.group for one in stage.workers].count("commands") == 1
        proxy.go_on()


async def test_the_board_grows_and_shrinks_with_the_screen_in_the_middle_of_a_game() -> None:
    async with two_at("reversi") as (ada, ben), shown(ada, ben, size=(160, 48)) as (stage, pilot):
        await says(stage, "Your move")
        large = stage.board.grid
        await pilot.press("d", "3")
        await ben.wait_for_turn()
        for size in ((80, 24), (50, 12), (20, 5)):
            await pilot.resize_terminal(*size)
            # No part of it is beyond the edge.
            await within(SECONDS, lambda: Region(0, 0, *size).contains_region(stage.board.region))  # noqa: B023
            await pilot.pause()
            small = stage.board.grid
            assert small is not None and large is not None
            assert small.cell_height <= large.cell_height
            large = small
        await within(SECONDS, lambda: stage.table.panels.small)
        # Where talk has no panel, it is told by the way.
        await ben.say("well played")
        await within(SECONDS, lambda: [one.message for one in stage._notifications] == ["Ben: well played"])
        await ben.play(ben.legal_moves[0])
        await says(stage, "Your move")
        await pilot.press("right", "enter")
        await within(SECONDS, lambda: len(ada.view.moves) == 3)
        await pilot.resize_terminal(80, 24)
        await within(SECONDS, lambda: not stage.table.panels.small)


async def test_earlier_boards_are_stepped_through() -> None:
    async with two_at("connect4") as (ada, ben), shown(ada, ben) as (stage, pilot):
        for room, move in ((ada, "4"), (ben, "4"), (ada, "3"), (ben, "5")):
            await room.wait_for_turn()
            await room.play(move)
        await says(stage, "Your move")
        await pilot.press("pageup", "pageup")
        await says(stage, "Move 2 of 4: 4")
        board = stage.board
        await within(SECONDS, lambda: board.view is not None and "".join(board.view.texts()).count("●") == 1)
        await pilot.press("home")
        await says(stage, "The beginning")
        await within(SECONDS, lambda: board.view is not None and "●" not in "".join(board.view.texts()))
        # Nobody plays on an earlier board.
        await pilot.press("1")
        await says(stage, "✗ That is an earlier position: esc leads back to the game.")
        assert ada.view.moves == ["4", "4", "3", "5"]
        await pilot.press("end")
        await says(stage, "Your move")
        assert board.view == ada.position
        # Nor by a click.
        await pilot.press("pageup")
        await within(SECONDS, lambda: board.view is not None and board.view != ada.position)
        await click(stage, pilot, 0)
        await says(stage, "✗ That is an earlier position: esc leads back to the game.")
        await pilot.press("end")
        # The list of moves leads to the same.
        await pilot.click(Moves, offset=(6, 1))
        await says(stage, "Move 1 of 4: 4")
        # Whoever plays is brought back when the other has moved.
        await pilot.press("end", "1")
        await ben.wait_for_turn()
        await says(stage, "Ben to move")
        await pilot.press("pageup")
        await says(stage, "Move 4 of 5")
        await ben.play("1")
        await says(stage, "Your move")


async def test_a_bots_seat_is_asked_for_with_one_key_and_given_with_one() -> None:
    async with serving() as url, connect(url, "Ada") as ada, connect(url, "Eve") as eve:
        own = await ada.create("tictactoe", opponent="easy", starts="first", take_over="asked")
        watched = await eve.watch(own.code)
        async with shown(watched) as (stage, pilot):
            await within(SECONDS, lambda: "K" in stage.keys)
            await pilot.press("K")
            await says(stage, "You ask for the bot's seat. N withdraws it.")
            await pilot.press("N")
            await within(SECONDS, lambda: own.view.offers == {})
        async with shown(own) as (stage, pilot):
            await watched.act("seat")
            await says(stage, "Eve asks for the bot's seat. Y or N?")
            await pilot.press("Y")
            await within(SECONDS, lambda: watched.view.you == 1)
            assert [seat.name for seat in own.view.seats] == ["Ada", "Eve"]


async def test_a_hint_draws_the_costs_on_the_board() -> None:
    async with serving() as url, connect(url, "Ada") as parlour:
        room = await parlour.create("tictactoe", opponent="minimax:seed=1", moves="b2 b1")
        async with shown(room) as (stage, pilot):
            await says(stage, "Your move")
            assert "H" in stage.keys
            await pilot.press("H")
            await within(SECONDS, lambda: stage.board.shows_scores)
            await within(SECONDS, lambda: stage.seen().count("W5") >= 4)
            await within(SECONDS, lambda: "What each move is worth" in stage.seen())
            assert "wins in 5" in stage.seen()
            await pilot.press("H")
            assert not stage.board.shows_scores
            await pilot.press("H")
            await within(SECONDS, lambda: stage.board.shows_scores)
            # Escape puts away what is open, and leads nowhere else.
            await pilot.press("escape", "escape")
            assert not stage.board.shows_scores
            assert stage.screen is stage.table
            await pilot.press("H")
            await within(SECONDS, lambda: stage.board.shows_scores)
            # A move takes the costs away.
            await pilot.press("a", "3")
            await within(SECONDS, lambda: len(room.view.moves) == 4)
            await says(stage, "Your move")
            assert not stage.board.shows_scores


@pytest.mark.parametrize(("key", "size"), [("H", (60, 20)), ("escape", (80, 24))])
async def test_a_hint_shows_how_far_it_has_come_and_is_stopped(key: str, size: tuple[int, int]) -> None:
    async with serving(search_seconds=600) as url, connect(url, "Ada") as parlour:
        room = await parlour.create("gomoku", opponent="random:seed=1", moves="h8 h9")
        async with shown(room, size=size, parlour=parlour) as (stage, pilot):
            await says(stage, "Your move")
            # Nothing keeps the next one waiting.
            for _ in range(2):
                await pilot.press("H")
                await says(stage, "⋯ searching to depth")
                assert "(esc stops it)" in " ".join(stage.said.split())
                assert "esc" in {one.replace("escape", "esc") for one in stage.keys}
                await pilot.press(key)
                await says(stage, "Your move")
                assert not stage.board.shows_scores
            # A move stops it, too.
            await pilot.press("H")
            await says(stage, "⋯ searching")
            await pilot.press("a", "1", "enter")
            await within(SECONDS, lambda: len(room.view.moves) == 4)
            await says(stage, "Your move")


async def test_a_game_is_reviewed_and_its_points_show_their_boards() -> None:
    async with two_at("tictactoe") as (ada, ben), shown(ada, ben) as (stage, pilot):
        turns = (ada, ben, ada, ben, ada)
        for room, move in zip(turns, ("b2", "b1", "a1", "c1", "c3"), strict=True):
            await room.wait_for_turn()
            await room.play(move)
        await says(stage, "You win")
        assert "V" in stage.keys
        await pilot.press("V")
        review = stage.table.query_one(ReviewCurve)
        await within(2 * SECONDS, lambda: "win ┤" in stage.seen())
        # To the first mistake.
        await pilot.press("home", "down")
        await says(stage, "Move 2 of 5: b1")
        await within(SECONDS, lambda: "b1??" in review.render().plain)
        assert "better: " in review.render().plain
        board = stage.board
        await within(SECONDS, lambda: board.view is not None and board.view.cells == ["...", ".X.", ".O."])
        await pilot.click(ReviewCurve, offset=(2 + 7 + 3, 3))
        await says(stage, "Move 1 of 5: b2")
        await pilot.press("escape")
        await says(stage, "You win")
        assert not stage.table.model.reviewing


async def test_a_hint_is_drawn_on_the_board_that_it_was_asked_for_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with two_at("tictactoe", hints="always") as (ada, ben), shown(ada, ben) as (stage, pilot):
        await ada.play("b2")
        await ben.wait_for_turn()
        await ben.play("a1")
        await says(stage, "Your move")
        request = Late(stage.table._parlour.request)
        monkeypatch.setattr(stage.table._parlour, "request", request)
        await pilot.press("H")
        await within(SECONDS, lambda: request.held)
        await ben.ask_takeback()
        await ada.ask_takeback()
        await ben.wait_for_turn()
        await ben.play("c1")
        await within(SECONDS, lambda: stage.table.model.view.moves == ["b2", "c1"])
        await request.let_through(pilot)
        assert not stage.board.shows_scores
        # The board is the same again: so is what its moves are worth.
        await pilot.press("H")
        await within(SECONDS, lambda: stage.board.shows_scores)


async def test_who_leaves_while_a_move_is_on_its_way_is_notified_of_it_and_it_is_played() -> None:
    async with serving() as url, between(url) as proxy, connect(proxy.url, "Ada") as parlour:
        room = await parlour.create("connect4", opponent="random:seed=1")
        async with shown(room) as (stage, pilot):
            await says(stage, "Your move")
            proxy.refuse = True
            proxy.cut()
            await says(stage, "Connection lost")
            await pilot.press("4")
            await says(stage, "4 is on its way, once the")
            await pilot.press("Q")
            await within(SECONDS, lambda: stage.screen is not stage.table)
            reported = [one.message for one in stage._notifications]
            assert reported == ["⋯ 4 is on its way, once the connection is back"]
            proxy.refuse = False
            await within(SECONDS, lambda: len(room.view.moves) == 2)


async def test_talk_is_received_and_keys_stay_with_the_writer() -> None:
    async with two_at("tictactoe") as (ada, ben), shown(ada, ben) as (stage, pilot):
        await says(stage, "Your move")
        talk = stage.table.query_one(Chat)
        await ben.say("good luck")
        await within(SECONDS, lambda: "Ben: good luck" in talk.lines)
        await pilot.press("T", *"good", "space", *"luck")
        await within(SECONDS, lambda: "enter Say  esc Back" in stage.seen())
        await pilot.press("enter")
        await within(SECONDS, lambda: "Ada: good luck" in talk.lines)
        # The next key is for the game again.
        assert stage.focused is stage.board
        await pilot.press("T")
        line = stage.table.query_one(Input)
        stage.screen.post_message(events.Paste("good luck " * 100))
        await within(SECONDS, lambda: len(line.value) == LONGEST_CHAT)
        assert "was cut" in next(iter(stage._notifications)).message
        line.value = ""
        # What can't be said is there to be said again.
        await cast(Connection, ada._connection).close()
        await pilot.press("h", "i", "enter")
        await within(SECONDS, lambda: line.value == "hi")
        talk.give_back("ho")
        assert line.value == "hi"


async def test_a_bot_is_chosen_and_called_and_the_seat_is_left_and_the_room_closed() -> None:
    async with serving() as url, connect(url, "Ada") as ada:
        room = await ada.create("tictactoe")
        async with shown(room, parlour=ada) as (stage, pilot):
            await says(stage, "Waiting for a second player.")
            await pilot.press("E")
            await says(stage, "Waiting for two players.")
            assert room.view.you is None
            await pilot.press("S")
            await says(stage, "Waiting for a second player.")
            await pilot.press("B")
            await within(SECONDS, lambda: isinstance(stage.screen, BotDialog))
            bots = stage.screen.query_one(ChoiceList)
            assert bots.highlighted_option is not None
            assert bots.highlighted_option.id == "medium"
            assert {option.id for option in bots.options} == {bot.name for bot in await ada.bots()}
            bots.highlighted = bots.get_option_index("easy")
            await pilot.press("enter")
            await within(SECONDS, lambda: room.view.phase == "playing")
            assert [seat.name for seat in room.view.seats] == ["Ada", "easy"]
            # Now it would be given up.
            await pilot.press("E")
            await says(stage, "✗ The game is on: resign first, then leave.")
            await pilot.press("X")
            await says(stage, "Close this room for good? Y or N")
            await pilot.press("N")
            assert room.view.phase == "playing"
            await pilot.press("X", "Y")
            await says(stage, "The room is closed.")


async def test_an_answer_is_chosen_while_the_other_thinks() -> None:
    async with two_at("tictactoe") as (ada, ben), shown(ada, ben, size=(60, 20)) as (stage, pilot):
        await pilot.press("b", "2")
        await says(stage, "Ben to move")
        await click(stage, pilot, 0)
        await says(stage, "Answer ready: a3. Esc takes it back.")
        await pilot.press("escape")
        await says(stage, "Ben to move")
        # Who writes to the other without `T` chooses nothing.
        await pilot.press(*"hi", "space", *"so", "enter")
        assert "Answer ready" not in stage.said
        await pilot.press("right")
        await pilot.press("enter")
        await says(stage, "Answer ready")
        await pilot.press("escape")
        await click(stage, pilot, 0)
        await ben.play("c3")
        await within(SECONDS, lambda: ben.view.moves == ["b2", "c3", "a3"])
        await says(stage, "Ben to move")
        # What is taken by then is dropped, with a word.
        await click(stage, pilot, 6)
        await ben.play("a1")
        await says(stage, "Your move")
        assert stage.table.panels.chat.lines[-1] == "a1 can't be played any more: your answer was dropped."


async def test_a_column_is_chosen_by_its_number_before_ones_turn() -> None:
    async with two_at("connect4") as (ada, ben), shown(ada, ben) as (stage, pilot):
        await pilot.press("4")
        await says(stage, "Ben to move")
        await pilot.press("3")
        await says(stage, "Answer ready: 3.")
        await ben.play("3")
        await within(SECONDS, lambda: ben.view.moves == ["4", "3", "3"])
