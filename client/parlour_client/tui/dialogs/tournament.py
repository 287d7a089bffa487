"""A new tournament: what its host decides."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual import on

from parlour_client.sdk.errors import ParlourError
from parlour_client.tui.app_port import AppPort
from parlour_client.tui.dialogs.fields import Choice, FormRow, typed
from parlour_client.tui.dialogs.game_form import GameForm
from parlour_client.tui.dialogs.settings_form import SettingsForm
from parlour_protocol.tournaments import TournamentSettings
from parlour_protocol.words import say

if TYPE_CHECKING:
    from parlour_protocol.views.rooms import GameLine

LONGEST_TITLE = 60


class TournamentDialog(GameForm[str]):
    """Asks for it, makes it, and gives its code."""

    title_id = "page.tournament.new"
    main_button = "page.tournament.make"

    def __init__(self, port: AppPort, games: "Sequence[GameLine]", game: str) -> None:
        super().__init__(port, games, [])
        self.settings = SettingsForm([], model=TournamentSettings)
        title = typed("title", say("page.tournament.new"), longest=LONGEST_TITLE)
        self.rows = {
            "title": FormRow(say("page.tournament.name"), title),
            **self.game_rows(game),
            **self.settings.rows,
        }

    def on_mount(self) -> None:
        """It has a format already."""
        self._show_settings()
        self.query_one("#title").focus()

    @on(Choice.Changed, "#format")
    def _show_settings(self) -> None:
        for line in self.settings.lines:
            self.rows[line.name].display = not line.formats or self.chosen("format") in line.formats

    def play(self) -> None:
        """Make it."""
        self.run_worker(self._make(), group="ask", exclusive=True)

    async def _make(self) -> None:
        if (parlour := self.port.parlour) is None:
            return
        title = self.typed("title") or say("page.tournament.new")
        try:
            self.leave(await parlour.create_tournament(title, self.game, **self.settings.chosen()))
        except ParlourError as fault:
            self.refused(fault, {})
