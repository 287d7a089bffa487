"""A match: what is asked for before somebody to play with is looked for."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual import on
from textual.widgets import Input

from parlour_client.sdk.errors import ParlourError
from parlour_client.sdk.seek import Seek
from parlour_client.text.durations import read_seconds
from parlour_client.tui.app_port import AppPort
from parlour_client.tui.dialogs.fields import Choice, FormRow, typed
from parlour_client.tui.dialogs.game_form import GameForm
from parlour_client.tui.dialogs.settings_form import SettingsForm
from parlour_client.tui.dialogs.wait import WaitDialog
from parlour_protocol.words import say

if TYPE_CHECKING:
    from parlour_client.sdk.room import Room
    from parlour_protocol.views.rooms import BotLine, GameLine, RoomLine

NO_BOT = ""
USUAL_SECONDS = "30"


class MatchDialog(GameForm["Room"]):
    """Asks for a game, a clock, and the bot that comes after a while; then waits for the next player."""

    title_id = "screen.form.match"

    def __init__(
        self,
        port: AppPort,
        games: "Sequence[GameLine]",
        bots: "Sequence[BotLine]",
        game: str,
        bot: str,
        others: "Callable[[], Sequence[RoomLine]]",
    ) -> None:
        """`others` gives the rooms of other players as they are now."""
        super().__init__(port, games, bots)
        self._others = others
        self.settings = SettingsForm([], ["clock"])
        bots_or_none = [*self.bot_names, (NO_BOT, say("screen.form.wait_on"))]
        self.rows = {
            **self.game_rows(game),
            **self.settings.rows,
            "bot": FormRow(say("screen.form.if_nobody"), Choice(bots_or_none, bot, id="bot")),
            "bot_settings": FormRow(say("screen.form.settings"), typed("bot_settings")),
            "after": FormRow(
                say("screen.form.after"),
                typed("after", value=USUAL_SECONDS, longest=8),
            ),
        }

    def on_mount(self) -> None:
        """A bot is chosen, or none."""
        self._show_bot()
        self._show_waiting()

    @on(Choice.Changed, "#game")
    @on(Input.Changed, "#variant")
    def _show_waiting(self) -> None:
        from parlour_client.text.wording import others_waiting

        self.rows["game"].note(others_waiting(self._others(), self.game))

    @on(Choice.Changed, "#bot")
    def _show_bot(self) -> None:
        bot = self.chosen("bot") != NO_BOT
        self.show_bot("bot", "bot_settings", "" if bot else say("screen.form.until"))
        self.rows["after"].display = bot

    def play(self) -> None:
        """Look for somebody. The form stays, hidden, for another try."""
        from parlour_client.sdk.commands import checked
        from parlour_protocol.commands import AskedSettings

        bot = self.bot("bot", "bot_settings") or None
        try:
            after = read_seconds(self.typed("after"), 0, 3600) if bot else 0.0
        except ValueError as fault:
            self.wrong("after", str(fault))
            return
        seek = Seek(self.game, checked(AskedSettings, self.settings.chosen()), bot, after)

        frame = self.query_one(".frame")

        def waited(answer: "Room | ParlourError | None") -> None:
            frame.display = True
            if isinstance(answer, ParlourError):
                self.refused(answer, {"bot_settings": bot or ""})
            elif answer is not None:
                self.leave(answer)

        frame.display = False
        self.app.push_screen(WaitDialog(self.port, seek), waited)
