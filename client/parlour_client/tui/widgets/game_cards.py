"""The games as cards: each with a tiny board, and whom one would play. Enter plays."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Region
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Static

from parlour_client.text.names import localised
from parlour_client.tui.letter_key import letter
from parlour_client.tui.widgets.mini_board import tiny_board
from parlour_protocol.words import say

if TYPE_CHECKING:
    from parlour_protocol.views.rooms import GameLine

NARROW, WIDE = 15, 17
"""Columns for a board: eight cells, or nine where a card has room for them."""
ROOMY = 46
GAP = 2
LEAST_WORDS = 18
"""Columns for words beside a board: a card that has fewer shows no board."""
INDENT = Content("  ")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


class GameCard(Widget, can_focus=True):
    """One game. Posts `Play` for enter or a click on a card that is chosen already."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "play", "screen.key.play", key_display="enter"),
        letter("I", "rules", "screen.key.rules", tooltip="screen.does.rules"),
        letter("O", "screen.other_opponent", "screen.key.opponent", tooltip="screen.does.opponent"),
    ]

    opponent: reactive[str] = reactive("")

    @dataclass
    class Play(Message):
        """This game shall be played."""

        game: str

    @dataclass
    class Chosen(Message):
        """This game was chosen."""

        game: str

    def __init__(self, game: "GameLine") -> None:
        super().__init__()
        self.game = game

    def render(self) -> Content:
        """The board on the left; on the right the game, what it is, and whom one would play."""
        width, height = self.size.width, self.size.height
        board_width = WIDE if width >= ROOMY else NARROW
        if width < board_width + GAP + LEAST_WORDS:
            return Content("\n").join(self._words(max(width, 1), height))
        board = tiny_board(self.game.sample, board_width, height)
        rows = board.split("\n", allow_blank=True)
        words = self._words(width - board_width - GAP, height)
        above = (height - len(rows)) // 2
        lines = []
        for number in range(height):
            left = rows[number - above] if 0 <= number - above < len(rows) else Content("")
            right = words[number] if number < len(words) else Content("")
            before = (board_width - left.cell_length) // 2
            left = left.pad_left(before).pad_right(board_width + GAP - left.cell_length - before)
            lines.append(left + right)
        return Content("\n").join(lines)

    def _words(self, width: int, height: int) -> list[Content]:
        title = Content.styled(localised(self.game.title, self.game.title_said), "bold").wrap(width)
        mark = Content.styled("▸ " if self.has_focus else "  ", "$first-seat")
        first, *more = Content.styled(self.opponent, "$first-seat").wrap(max(1, width - len(INDENT)))
        against = [mark + first, *(INDENT + line for line in more)]
        room = max(0, height - len(title) - len(against))
        about = _whole_sentences(localised(self.game.summary, self.game.summary_said), width, room)
        return [*title, *about, *[Content("")] * (room - len(about)), *against][:height]

    async def action_rules(self) -> None:
        """Tell how it is played."""
        await self.run_action(f"app.rules({self.game.name!r})")

    def action_play(self) -> None:
        """Play it."""
        self.post_message(self.Play(self.game.name))

    def on_focus(self) -> None:
        """Focus chooses it."""
        self.post_message(self.Chosen(self.game.name))

    def on_click(self, event: events.Click) -> None:
        """The first click chooses, the second one plays."""
        if event.chain > 1:
            self.action_play()


class Cards(VerticalScroll, can_focus=False):
    """All games. Arrows lead from card to card, and beyond the outer ones out of here: `Beyond`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "go('up')", show=False),
        Binding("down", "go('down')", show=False),
        Binding("left", "go('left')", show=False),
        Binding("right", "go('right')", show=False),
    ]

    @dataclass
    class Beyond(Message):
        """An arrow led out of the cards: -1 to the left, 1 to the right."""

        way: int

    def compose(self) -> ComposeResult:
        """Nothing but why there is nothing."""
        yield Static("", classes="waiting", markup=False)

    async def show(self, games: "Sequence[GameLine]") -> None:
        """These games, in place of what was shown. Does nothing while the application exits."""
        async with self.batch():
            await self.query(GameCard).remove()
            # What comes to an application that exits can't be mounted any more: not even after an await.
            if self.is_attached:
                await self.mount(*(GameCard(game) for game in games))
        if not self.is_attached:
            return
        waiting = self.query_one(".waiting", Static)
        waiting.update(Content(say("screen.lobby.no_games")))
        waiting.display = not games
        if games and self.screen.focused is None:
            self.query(GameCard).first().focus()

    def wait(self, sentence: str) -> None:
        """Say why there is nothing here yet."""
        self.query(GameCard).remove()
        waiting = self.query_one(".waiting", Static)
        waiting.update(Content(sentence))
        waiting.display = True

    def action_go(self, way: str) -> None:
        """To the next card that way."""
        here = self.screen.focused
        if not isinstance(here, GameCard):
            return
        nearest = _nearest(here.region, [card for card in self.query(GameCard) if card is not here], way)
        if nearest is not None:
            nearest.focus()
        elif way in ("left", "right"):
            self.post_message(self.Beyond(-1 if way == "left" else 1))


def _whole_sentences(text: str, width: int, height: int) -> list[Content]:
    """As many sentences from the beginning as fit; none is cut."""
    sentences = SENTENCE_END.split(text)
    for count in range(len(sentences), 0, -1):
        lines = Content.styled(" ".join(sentences[:count]), "$past").wrap(width)
        if len(lines) <= height:
            return lines
    return []


def _nearest(here: Region, cards: Sequence[GameCard], way: str) -> GameCard | None:
    """The nearest card that way, in the same row or column of them."""

    def off(card: GameCard) -> int:
        there = card.region
        down, across = there.y - here.y, there.x - here.x
        along, beside = {"up": (-down, across), "down": (down, across), "left": (-across, down)}.get(
            way, (across, down)
        )
        return along if along > 0 and beside == 0 else -1

    ahead = [card for card in cards if off(card) > 0]
    return min(ahead, key=off, default=None)
