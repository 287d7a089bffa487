"""Every screen fits in every language: no word or line is cut, and no key that matters leaves the footer.

What draws itself and cuts by itself does so with an ellipsis, or is tested where it draws; of all other
widgets the lines that their words need are held against those they have. `LOOK=folder` keeps what was seen,
as text.
"""

import asyncio
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.content import Content
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Button, Static

from parlour_client import connect
from parlour_client.sdk.boards import Boards
from parlour_client.sdk.carrying import CarriedSeat
from parlour_client.sdk.messages import Disconnected
from parlour_client.sdk.room import Room
from parlour_client.sdk.room_list import Listing
from parlour_client.sdk.seek import Seek
from parlour_client.tui.app import ParlourApp
from parlour_client.tui.app_port import OpenRoom
from parlour_client.tui.dialogs.carry import CarryDialog
from parlour_client.tui.dialogs.chooser import BotDialog
from parlour_client.tui.dialogs.confirm import CloseServerDialog
from parlour_client.tui.dialogs.games import GamesDialog
from parlour_client.tui.dialogs.position import PositionScreen
from parlour_client.tui.dialogs.wait import WaitDialog
from parlour_client.tui.screens.puzzle import PuzzleScreen
from parlour_client.tui.screens.rules import RulesScreen
from parlour_client.tui.screens.tournament import TournamentScreen
from parlour_client.tui.top.screen import TopScreen
from parlour_client.tui.widgets.footer import Footer
from parlour_client.tui.widgets.function_widget import FunctionWidget
from parlour_client.tui.worded import reword
from parlour_protocol.views.records import PastGame, RoomHistory, Tally
from parlour_protocol.views.rooms import ChatLine, ClockView, ResultView, RoomView, SeatView
from parlour_protocol.words import available, language, speak
from parlour_protocol.words.sentence import Sentence, made_of
from parlour_server.games import find_game
from parlour_server.sessions.qr_code import qr_rows
from tests.client.tui.harness import Nowhere, terminal_harness
from tests.client.tui.screens.positions import AT, COLUMNS, DISCS, NINE, WIDE, WON, room
from tests.client.tui.screens.reviews import graded
from tests.client.tui.screens.stage import FixedStage
from tests.client.tui.screens.test_lobby_pictures import NOON, PAST, ROOMS

SIZES = ((80, 24), (60, 20))
ADA, BEN, HARD = (
    SeatView("human", "Aleksandra"),
    SeatView("human", "Stanisław-Adam"),
    SeatView("bot", "hard", "hard"),
)
CHAT = [
    ChatLine("players", "Aleksandra", "good luck", 0),
    ChatLine("players", "Stanisław-Adam", "thank you", 0),
]
CLOCK = ClockView([252_000, 298_000], AT)


def shown(app: App[Any]) -> str:
    rows = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in row).rstrip() for row in rows)


def faults(screen: Screen[Any]) -> Iterator[str]:
    """What is cut on a screen."""
    for widget in screen.walk_children(Widget):
        if not widget.region.area or not widget.is_on_screen:
            continue
        if isinstance(widget, Footer):
            fitting = {key.key for key in widget._fitting()}
            stays = [key for key in widget._keys if key.key not in widget._makes_way]
            lost = [key for key in stays if key.key not in fitting]
            yield from (f"the footer has no room for {key.shown} {key.does}" for key in lost)
        elif isinstance(widget, Static | Button | FunctionWidget):
            said = widget.render()
            words = said if isinstance(said, Content) else Content(str(said))
            width, height = widget.content_region.size
            if len(words.wrap(max(width, 1))) > height and not widget.has_class("lines"):
                yield f"{widget!r} of {width}x{height} cuts {words.plain!r}"
        across, _ = widget.region.column_span[1] - screen.size.width, 0
        if across > 0:
            yield f"{widget!r} leaves the screen by {across} columns"


class Look:
    """Holds what is shown against the screen; what does not fit is told in the end."""

    def __init__(self) -> None:
        self.wrong: list[str] = []

    async def at(self, pilot: Pilot[None], name: str) -> None:
        """Look at the screen as it is, once it is laid out."""
        app = pilot.app
        where = f"{name}-{app.size.width}x{app.size.height}-{language().tag}"
        await pilot.pause()
        text, found = shown(app), [*faults(app.screen)]
        # Cells of a table hold whatever there is; and a move's number may have an ellipsis behind it.
        lines = [] if isinstance(app.screen, TopScreen) else text.split("\n")
        found += [f"cut: {line}" for line in lines if "…" in line.replace(". …", "")]
        self.wrong.extend(f"{where}: {one}" for one in found)
        if folder := os.environ.get("LOOK"):
            (Path(folder) / f"{where}.txt").write_text(text, encoding="utf-8")

    async def in_all_languages(self, pilot: Pilot[None], name: str) -> None:
        """Look at a screen that can say itself anew, in each language."""
        # The longest of the four where there is most room.
        for tag in available() if pilot.app.size == SIZES[-1] else ("de",):
            speak(tag)
            reword(pilot.app.screen)
            await self.at(pilot, name)


@pytest.fixture
def look() -> Iterator[Look]:
    look = Look()
    yield look
    speak("en")
    assert not look.wrong, "\n".join(look.wrong)


LOBBY = {
    "games": (),
    "rooms": ("2", "down"),
    "yours": ("3", "down"),
    "new room": ("N",),
    "new room, watching": ("n", "down", "down", "down", "down", "left"),
    "match": ("M",),
    "new tournament": ("C",),
    "code": ("ctrl+g",),
    "keys": ("question_mark",),
}
"""Keys that lead there from the games."""


class NeverAnswers(ParlourApp):
    def __init__(self) -> None:
        """Nothing of an application's is needed."""

    async def get(self, open_room: OpenRoom) -> Room:
        await asyncio.Event().wait()
        raise AssertionError


async def test_the_lobby_and_its_dialogs(server: str, look: Look) -> None:
    async with connect(server) as parlour:
        games, bots = await parlour.games(), await parlour.bots()
        puzzle = await parlour.puzzle("reversi")
        begun = await Boards(parlour, "checkers", "b6c5 a3b4").last()
        rules = await parlour.rules("connect4")
        cup = await parlour.create_tournament("Friday cup", "connect4", pause=60)
        for bot in bots:
            await parlour.enter_bot(cup, bot.name)
        await parlour.join_tournament(cup)
        joining = await parlour.tournament(cup)
        playing = replace(joining, phase="playing", round=2, next_at=joining.at + 60_000, byes=[1])
    won = ResultView("resignation", "", 0, made_of(Sentence("game.reason.resignation")))
    ended = [PastGame(number, [ADA, HARD], 0, NOON, 24 + number, won, 0) for number in (1, 2)]
    title = made_of(find_game("ultimate").title)
    history = RoomHistory("KMRTQA", "ultimate", "", "playing", ended, 2, Tally(3, 2, 5), title)
    with Nowhere() as opening:
        async with terminal_harness(opening, size=SIZES[0]) as at:
            await at.until(lambda: at.app._connecting is not None)
            # The longest of the four where there is most room.
            for tag, size in (("de", SIZES[0]), *((tag, SIZES[1]) for tag in available())):
                speak(tag)
                reword(at.app.screen)
                await at.app.lobby.show(f"Aleksandra @ {URL}", games, bots, Listing(ROOMS, 7), PAST)
                await at.pilot.resize_terminal(*size)
                for name, keys in LOBBY.items():
                    await at.press(*keys)
                    await look.at(at.pilot, name)
                    await at.press("escape")
                at.app.push_screen(PuzzleScreen(parlour, puzzle))
                await look.at(at.pilot, "puzzle")
                at.app.pop_screen()
                at.app.push_screen(PositionScreen(parlour, "Checkers", begun))
                await look.at(at.pilot, "moves to begin after")
                await at.press("P")
                await look.at(at.pilot, "pieces to set up")
                at.app.pop_screen()
                for view in (joining, playing):
                    at.app.push_screen(TournamentScreen(at.app, parlour, view))
                    await look.at(at.pilot, f"tournament, {view.phase}")
                    at.app.pop_screen()
                if size == SIZES[0]:
                    continue
                # The rest is no other where there is more room.
                screens: dict[str, Screen[Any]] = {
                    "past games": GamesDialog(history, lambda game: None),
                    "wait": WaitDialog(NeverAnswers(), Seek("ultimate", None, "minimax", 30)),
                    "bots": BotDialog(bots),
                    "close": CloseServerDialog(["Aleksandra", "Stanisław-Adam", "Ben"]),
                    "carry": CarryDialog(CarriedSeat(LINK, 120, [*qr_rows(LINK)])),
                    "carry here": CarryDialog(CarriedSeat(LINK, 120, None)),
                    "rules": RulesScreen(rules),
                }
                for name, screen in screens.items():
                    at.app.push_screen(screen)
                    await look.at(at.pilot, name)
                    at.app.pop_screen()
                at.app.lost(Disconnected(2.9, 0))
                await look.at(at.pilot, "lost")
                at.app._remove_banners()


URL = "ws://games.example:8765"
LINK = "http://192.168.100.100:8765/KMRTQA#carry=abcdefghijklmnop"


def table(game: str, moves: str = "", **changed: Any) -> RoomView:
    """A room as its server shows it, with all that it says in the words of any language."""
    title = find_game(game).title
    return room(game, title, moves, **{"seats": [ADA, BEN], "title_said": made_of(title), **changed})


OVER: dict[str, Any] = {
    "result": ResultView("line", "", 0, made_of(Sentence("game.row.four"))),
    "wins": [1, 0],
    "chat": CHAT,
    "report": None,
}

SHARED = replace(ADA, shared=True)

TABLES: dict[str, Callable[[], RoomView]] = {
    "a bot's thoughts": lambda: table("connect4", COLUMNS, chat=CHAT, clock=CLOCK, seats=[ADA, HARD]),
    "a bot on turn": lambda: table("connect4", COLUMNS, to_move=1, report=None, seats=[ADA, HARD]),
    "the sixth game": lambda: table(
        "gomoku", "h8 h9 g8 i8", report=None, chat=CHAT, clock=CLOCK, wins=[2, 1], draws=2, game_number=6
    ),
    "a draw is offered": lambda: table("ultimate", NINE, report=None, offers={"draw": 1}),
    "a draw was offered": lambda: table("ultimate", NINE, report=None, offers={"draw": 0}),
    "a takeback is asked for": lambda: table("reversi", DISCS, report=None, offers={"takeback": 1}),
    "away": lambda: table("tictactoe", "b2 a1", report=None, online=[True, False], away=[None, 240.0]),
    "waiting": lambda: table(
        "tictactoe",
        seats=[ADA, SeatView("open")],
        phase="waiting",
        to_move=None,
        owner=True,
        report=None,
        online=[True, False],
    ),
    "two at one device": lambda: table(
        "connect4", COLUMNS, you=None, owner=True, report=None, clock=CLOCK, seats=[SHARED, SHARED]
    ),
    "watching": lambda: table("tictactoe", "b2 a1", you=None, report=None),
    "a rematch is asked for": lambda: table("connect4", WON, offers={"rematch": 1}, owner=True, **OVER),
    "over": lambda: table("connect4", WON, owner=True, **OVER),
    "closed": lambda: table("connect4", WON, phase="closed", **OVER),
    "a large board": lambda: table("mnk:19,19,5", WIDE, report=None),
}
KEYS = {
    "a bot's thoughts": ("R", "u", "T"),
    "a draw was offered": ("pageup",),
    "away": ("C",),
    "waiting": ("X",),
}
"""Keys that change what is said there; each is taken back by escape."""


async def test_a_table_at_each_moment(look: Look) -> None:
    stage = FixedStage(TABLES["over"]())
    async with stage.run_test(size=SIZES[0]) as pilot:
        for size in SIZES:
            await pilot.resize_terminal(*size)
            for name, view in TABLES.items():
                await stage.seat(view())
                await look.in_all_languages(pilot, name)
                for key in KEYS.get(name, ()):
                    await pilot.press(key)
                    await look.in_all_languages(pilot, f"{name}, {key}")
                    await pilot.press("escape")
                if name == "over":
                    model = stage.table.model
                    model.reviewing, model.review = True, graded()
                    for model.marked in (None, 6):
                        await look.in_all_languages(pilot, f"review {model.marked}")
                stage.pop_screen()
