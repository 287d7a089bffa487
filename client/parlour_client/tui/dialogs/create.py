"""A new room: a row for each choice, all of them made already, so that enter plays."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Input, Static

from parlour_client.render.tables import bot_settings
from parlour_client.sdk.errors import ParlourError, Refused
from parlour_client.text.sanitize import clean
from parlour_client.tui.app_port import AppPort
from parlour_client.tui.dialogs.dialog import Dialog
from parlour_client.tui.dialogs.fields import Choice, FormRow, typed
from parlour_client.tui.dialogs.settings_form import SettingsForm
from parlour_client.tui.error_text import error_sentence
from parlour_client.tui.game_request import ANYBODY, FRIEND, PEOPLE, GameRequest, Side
from parlour_client.tui.widgets.footer import Footer

if TYPE_CHECKING:
    from parlour_client.sdk.room import Room  # noqa: F401 - it stands in a base class
    from parlour_protocol.views import BotLine, GameLine

SIDES = [
    ("first", "the first seat"),
    ("second", "the second seat"),
    ("random", "either, by lot"),
    ("none", "none: watch"),
]


class CreateDialog(Dialog["Room"]):
    """Asks for all that a room's maker decides, and gives the room; an error stands beside its field."""

    BINDINGS: ClassVar[list[BindingType]] = []

    def __init__(
        self,
        port: AppPort,
        games: "Sequence[GameLine]",
        bots: "Sequence[BotLine]",
        game: str,
        opponent: str,
    ) -> None:
        super().__init__()
        self._port = port
        self._games = {line.name: line for line in games}
        self._bots = {line.name: line for line in bots}
        titles = [(line.name, clean(line.title)) for line in games]
        named = [(line.name, clean(line.name) + " (bot)") for line in bots]
        self._settings = SettingsForm(named)
        self._rows = {
            "game": FormRow("Game", Choice(titles, game, id="game")),
            "variant": FormRow("Variant", typed("variant")),
            "opponent": FormRow(
                "Against", Choice([*named, *((one, one) for one in PEOPLE)], opponent, id="opponent")
            ),
            "bot": FormRow("Its settings", typed("bot")),
            "side": FormRow("You take", Choice(SIDES, id="side"), "the first seat begins"),
            "other": FormRow("Second seat", Choice(named, opponent, id="other")),
            "other_bot": FormRow("Its settings", typed("other_bot")),
            **self._settings.rows,
        }

    def compose(self) -> ComposeResult:
        """The rows, and the buttons."""
        with Vertical(classes="frame") as frame:
            frame.border_title = "A new room"
            with Vertical(classes="rows"):
                yield from self._rows.values()
            yield Static("", classes="problem -none", markup=False)
            with Horizontal(classes="buttons"):
                yield Button("Play", id="play", classes="-main", compact=True)
                yield Button("Back", id="leave", compact=True)
        yield Footer()

    def on_mount(self) -> None:
        """Enter would play at once."""
        self._show_game()
        self._show_opponents()
        self.query_one("#game").focus()

    # ------------------------------------------------------------ what is chosen

    def _choice(self, name: str) -> str:
        return self.query_one(f"#{name}", Choice).value

    def _typed(self, name: str) -> str:
        return " ".join(clean(self.query_one(f"#{name}", Input).value).split())

    def game_request(self) -> GameRequest:
        """What is asked for as it stands."""
        side = cast(Side, self._choice("side"))
        return GameRequest(
            self._typed("variant") or self._choice("game"),
            self._player("opponent", "bot"),
            side,
            self._settings.chosen(),
            other=self._player("other", "other_bot") if side == "none" else "",
        )

    def _player(self, name: str, settings: str) -> str:
        """Who is chosen, with the settings that were typed."""
        who, typed = self._choice(name), self._typed(settings)
        return f"{who}:{typed}" if typed and who not in PEOPLE else who

    @on(Choice.Changed, "#game")
    def _show_game(self) -> None:
        line = self._games.get(self._choice("game"))
        variants = clean(line.variants) if line else ""
        self._rows["variant"].note(variants or "none")
        field = self.query_one("#variant", Input)
        field.value, field.placeholder = "", clean(line.name) if line else ""
        field.disabled = not variants

    @on(Choice.Changed, "#opponent")
    @on(Choice.Changed, "#side")
    @on(Choice.Changed, "#other")
    def _show_opponents(self) -> None:
        side = self.query_one("#side", Choice)
        if self._choice("opponent") == ANYBODY:
            # They are met in a seat.
            side.value = "first"
        looks_on = side.value == "none"
        self._rows["side"].display = self._choice("opponent") != ANYBODY
        self._rows["opponent"].rename("First seat" if looks_on else "Against")
        self._show_player("opponent", "bot")
        self._show_player("other", "other_bot", shown=looks_on)

    def _show_player(self, name: str, settings: str, *, shown: bool = True) -> None:
        who = self._choice(name)
        bot = self._bots.get(who)
        notes = {
            FRIEND: "joins by the room's code, or by its link",
            ANYBODY: "the next person who wants the same",
        }
        self._rows[name].note(notes.get(who) or (clean(bot.summary) if bot else ""))
        self._rows[name].display = shown
        self._rows[settings].note(clean(bot_settings(bot)) if bot else "")
        self._rows[settings].display = shown and bot is not None

    @on(Input.Changed)
    def _put_right(self, event: Input.Changed) -> None:
        self._rows[event.input.id or "game"].right()

    # ------------------------------------------------------------ what is done

    @on(Input.Submitted)
    @on(Choice.Entered)
    @on(Button.Pressed, "#play")
    def _play(self) -> None:
        request = self.game_request()
        button = self.query_one("#play", Button)
        if button.disabled or not self._settings_are_right():
            return
        self._problem("")
        button.label, button.disabled = "Asking…", True
        # The application's: leaving before the answer must leave no room behind.
        self.app.run_worker(self._ask(request), group="ask")

    @on(Button.Pressed, "#leave")
    def _leave(self) -> None:
        self.leave(None)

    async def _ask(self, request: GameRequest) -> None:
        try:
            room = await self._port.get(request.get)
            if not self.is_there:
                await request.undo(room)
        except ParlourError as fault:
            if self.is_there:
                button = self.query_one("#play", Button)
                button.label, button.disabled = "Play", False
                self._refused(request, fault)
        else:
            self.leave(room)

    def _settings_are_right(self) -> bool:
        if (wrong := self._settings.wrong()) is None:
            return True
        self._wrong(*wrong)
        return False

    def _refused(self, request: GameRequest, fault: ParlourError) -> None:
        """Show it beside the field that it is about; where that can't be known, below all of them."""
        from parlour_protocol.errors import Code

        sentence = error_sentence(fault)
        code = fault.code if isinstance(fault, Refused) else None
        with_settings = [
            field for field, bot in (("bot", request.opponent), ("other_bot", request.other)) if ":" in bot
        ]
        if code is Code.UNKNOWN_GAME:
            self._wrong("variant" if self._typed("variant") else "game", sentence)
        elif code in (Code.UNKNOWN_BOT, Code.BAD_SETTING) and len(with_settings) == 1:
            self._wrong(with_settings[0], sentence)
        elif code is Code.BAD_SETTING and request.opponent == ANYBODY and "visibility" in request.settings:
            self._wrong("visibility", sentence)
        else:
            self._problem(sentence)

    def _wrong(self, name: str, sentence: str) -> None:
        row = self._rows[name]
        row.wrong(clean(sentence))
        row.field.focus()

    def _problem(self, sentence: str) -> None:
        problem = self.query_one(".problem", Static)
        problem.update(Content(clean(sentence)))
        problem.set_class(not sentence, "-none")
