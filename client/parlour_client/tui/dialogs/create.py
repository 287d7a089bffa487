"""A new room: a row for each choice, all of them made already, so that enter plays."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast, get_args

from textual import on
from textual.widgets import Button, Input

from parlour_client.sdk.errors import ParlourError, Refused
from parlour_client.sdk.seats import HERE
from parlour_client.tui.app_port import AppPort
from parlour_client.tui.dialogs.fields import Choice, FormRow, typed
from parlour_client.tui.dialogs.game_form import GameForm
from parlour_client.tui.dialogs.settings_form import SettingsForm
from parlour_client.tui.error_text import error_sentence
from parlour_client.tui.game_request import FRIEND, GameRequest, Side, opponent_name
from parlour_protocol import LONGEST_MOVES, LONGEST_NAME
from parlour_protocol.words import say

if TYPE_CHECKING:
    from parlour_client.sdk.room import Room  # noqa: F401 - it stands in a base class
    from parlour_protocol.answers import Board
    from parlour_protocol.views.rooms import BotLine, GameLine


ROWS = {"seats.0.guest": "guest", "seats.1.guest": "guest", "moves": "moves"}
"""Which row asks for a field of the command, where its name says no more."""


class CreateDialog(GameForm["Room"]):
    """Asks for all that a room's maker decides, and gives the room."""

    title_id = "screen.form.new_room"
    more_buttons = (("position", "setup.button"),)

    def __init__(
        self,
        port: AppPort,
        games: "Sequence[GameLine]",
        bots: "Sequence[BotLine]",
        game: str,
        opponent: str,
    ) -> None:
        super().__init__(port, games, bots)
        opponents = [*self.bot_names, *((one, opponent_name(one)) for one in (FRIEND, HERE))]
        sides = [(side, say(f"screen.form.side.{side}")) for side in get_args(Side)]
        self.settings = SettingsForm(self.bot_names, self.asked())
        self.rows = {
            **self.game_rows(game),
            "opponent": FormRow(say("screen.form.against"), Choice(opponents, opponent, id="opponent")),
            "bot": FormRow(say("screen.form.settings"), typed("bot")),
            "guest": FormRow(
                say("screen.form.guest"), typed("guest", say("seat.guest"), longest=LONGEST_NAME)
            ),
            "side": FormRow(
                say("screen.form.you_take"), Choice(sides, id="side"), say("screen.form.first_begins")
            ),
            "other": FormRow(say("screen.form.second_seat"), Choice(self.bot_names, opponent, id="other")),
            "other_bot": FormRow(say("screen.form.settings"), typed("other_bot")),
            **self.settings.rows,
            "moves": FormRow(
                say("screen.form.moves"), typed("moves", longest=LONGEST_MOVES), say("screen.form.moves_how")
            ),
        }

    def on_mount(self) -> None:
        """What is not needed yet is hidden."""
        self._show_players()

    @on(Choice.Changed, "#opponent")
    @on(Choice.Changed, "#side")
    @on(Choice.Changed, "#other")
    def _show_players(self) -> None:
        watches = self.chosen("side") == "none"
        self.rows["opponent"].rename(say("screen.form.first_seat") if watches else say("screen.form.against"))
        who = self.chosen("opponent")
        note = {FRIEND: "screen.form.friend_joins", HERE: "screen.form.guest_how"}.get(who)
        self.show_bot("opponent", "bot", say(note) if note else "")
        self.rows["guest"].display = who == HERE
        self.show_bot("other", "other_bot")
        for name in ("other", "other_bot"):
            self.rows[name].display = watches

    @on(Button.Pressed, "#position")
    def _begin_elsewhere(self) -> None:
        self.run_worker(self._choose_position(), group="position", exclusive=True)

    async def _choose_position(self) -> None:
        from parlour_client.sdk.boards import Boards
        from parlour_client.tui.dialogs.position import PositionScreen

        if (parlour := self.port.parlour) is None:
            return
        try:
            begun = await Boards(parlour, self.game, self.typed("moves")).last()
        except ParlourError as fault:
            self.refused(fault, {})
        else:
            title = dict(self.query_one("#game", Choice).options)[self.chosen("game")]
            self.app.push_screen(PositionScreen(parlour, title, begun), self._begin_at)

    def _begin_at(self, begun: "Board | None") -> None:
        if begun is not None:
            game, _, _ = self.chosen("game").partition(":")
            self.query_one("#variant", Input).value = begun.game.removeprefix(game).removeprefix(":")
            self.query_one("#moves", Input).value = " ".join(begun.moves)
            self.query_one("#play").focus()

    def game_request(self) -> GameRequest:
        """What is asked for as it stands."""
        side = cast(Side, self.chosen("side"))
        guest = f"{HERE}:{self.typed('guest')}"
        return GameRequest(
            self.game,
            guest if self.chosen("opponent") == HERE else self.bot("opponent", "bot"),
            side,
            self.settings.chosen(),
            moves=self.typed("moves"),
            other=self.bot("other", "other_bot") if side == "none" else "",
        )

    def play(self) -> None:
        """Make the room."""
        button = self.query_one("#play", Button)
        if button.disabled:
            return
        button.label, button.disabled = say("screen.asking"), True
        # This screen's: it is cancelled when that goes, and leaves no room behind.
        self.run_worker(self._ask(self.game_request()), group="ask")

    async def _ask(self, request: GameRequest) -> None:
        try:
            room = await self.port.get(request.get)
        except ParlourError as fault:
            button = self.query_one("#play", Button)
            button.label, button.disabled = say("screen.key.play"), False
            row = ROWS.get(fault.refusal.field or "") if isinstance(fault, Refused) else None
            if row is not None:
                self.wrong(row, error_sentence(fault))
            else:
                self.refused(fault, {"bot": request.opponent, "other_bot": request.other})
        else:
            self.leave(room)
