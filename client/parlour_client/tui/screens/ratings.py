"""Ratings on the full screen: in which games, who in one of them, and one player's way there."""

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from parlour_client.render.ratings import shown
from parlour_client.text import ratings as words
from parlour_client.text.names import game_name
from parlour_client.tui.screens.sheet import Sheet
from parlour_client.tui.widgets.rows import Choose, Rows
from parlour_protocol.answers import PlayerRating, Ratings
from parlour_protocol.views.lists import RATED, RATINGS
from parlour_protocol.words import say

MOST_WIDE = 76


class RatingsScreen(Sheet):
    """Games with ratings, or who has one in a game: people, and below them bots."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,Q", "leave", "screen.key.back", key_display="esc")
    ]

    def __init__(self, found: Ratings, choose: Choose) -> None:
        super().__init__()
        self._found, self._choose = found, choose

    @property
    def heading(self) -> str:
        """What these are, and of which game."""
        game = self._found.game
        return say("ratings.title") + (f" – {game_name(game)}" if game is not None else "")

    def content(self) -> ComposeResult:
        """The lists."""
        found = self._found
        if found.game is None:
            if found.games:
                yield Rows(RATED, found.games, self._choose)
            else:
                yield Static(say("ratings.none"), markup=False)
            return
        for heading, lines in words.groups(found.lines):
            yield Static(heading, classes="-heading", markup=False)
            yield Rows(RATINGS, lines, self._choose)
        if any(line.provisional for line in found.lines):
            yield Static(say("ratings.provisional"), classes="-past", markup=False)

    def on_mount(self, event: events.Mount) -> None:  # type: ignore[override]
        """The first list is at hand; tab leads to the next one."""
        if rows := self.query(Rows):
            # Not the sheet itself, as it would be.
            event.prevent_default()
            rows.first().focus()


class PlayerRatingScreen(Sheet):
    """A player's rating in a game."""

    def __init__(self, found: PlayerRating) -> None:
        super().__init__()
        self._found = found

    @property
    def heading(self) -> str:
        """Whose it is."""
        return f"{say('ratings.title')} – {self._found.line.name}"

    def content(self) -> ComposeResult:
        """All of it."""
        for one in shown(self._found, MOST_WIDE):
            yield Static(one, markup=False)
