"""What dialogs about a new game share: rows for the game, for bots and for settings; errors beside them."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Button, Input, Static

from parlour_client.render.tables import bot_settings
from parlour_client.sdk.errors import ParlourError, Refused
from parlour_client.sdk.sanitize import clean
from parlour_client.text.names import bot_name, localised
from parlour_client.tui.app_port import AppPort
from parlour_client.tui.dialogs.dialog import Buttons, Dialog, DialogButton
from parlour_client.tui.dialogs.fields import Choice, FormRow, UsualField
from parlour_client.tui.dialogs.settings_form import SettingsForm
from parlour_client.tui.error_text import error_sentence
from parlour_client.tui.framed import WIDE, Answer
from parlour_protocol import LONGEST_GAME
from parlour_protocol.settings import RoomSettings
from parlour_protocol.words import say

if TYPE_CHECKING:
    from parlour_protocol.views.rooms import BotLine, GameLine

AROUND, AROUND_NARROW = 7, 4
"""Lines of the screen that are no rows: frame, buttons, footer."""


class GameForm(Dialog[Answer]):
    """Asks about a game, and gives what comes of it. A subclass sets its `rows`, `game_rows` among them."""

    BINDINGS: ClassVar[list[BindingType]] = []

    title_id: ClassVar[str]
    main_button: ClassVar[str] = "screen.key.play"
    more_buttons: ClassVar[Sequence[tuple[str, str]]] = ()
    """Buttons before the usual ones, each with the id of its words."""
    rows: Mapping[str, FormRow]
    settings: SettingsForm

    def __init__(self, port: AppPort, games: "Sequence[GameLine]", bots: "Sequence[BotLine]") -> None:
        super().__init__()
        self.port = port
        self._games = {line.name: line for line in games}
        self.bots = {line.name: line for line in bots}
        self.bot_names = [(line.name, bot_name(line.name)) for line in bots]

    def game_rows(self, game: str) -> dict[str, FormRow]:
        """The rows for a game and its variant; `game` is chosen already."""
        titles = [(line.name, localised(line.title, line.title_said)) for line in self._games.values()]
        return {
            "game": FormRow(say("screen.form.game"), Choice(titles, game, id="game")),
            "variant": FormRow(
                say("screen.form.variant"), UsualField(id="variant", compact=True, max_length=LONGEST_GAME)
            ),
        }

    def asked(self, *names: str) -> list[str]:
        """Which of these settings, or of all, are something on this server."""
        rated = self.port.parlour is not None and self.port.parlour.welcome.rated
        return [name for name in names or RoomSettings.model_fields if rated or name != "rated"]

    @property
    def heading(self) -> str:
        """Its title."""
        return say(self.title_id)

    def content(self) -> ComposeResult:
        """The rows, and the buttons."""
        with Vertical(classes="rows"):
            yield from self.rows.values()
        yield Static("", classes="problem -none", markup=False)
        with Buttons(classes="buttons"):
            for name, words in self.more_buttons:
                yield DialogButton(say(words), id=name)
            yield DialogButton(say(self.main_button), id="play", main=True)
            yield DialogButton(say("screen.key.back"), id="leave")

    def on_mount(self) -> None:
        """Enter would play at once."""
        self._show_game()
        self.query_one("#game").focus()

    def on_resize(self, event: events.Resize) -> None:
        """The rows scroll; the buttons below them always show."""
        around = AROUND_NARROW if event.size.width < WIDE else AROUND
        self.query_one(".rows").styles.max_height = max(1, event.size.height - around)

    # ------------------------------------------------------------ what is chosen

    def chosen(self, name: str) -> str:
        """What is chosen in a row."""
        return self.query_one(f"#{name}", Choice).value

    def typed(self, name: str) -> str:
        """What is typed in a row."""
        return " ".join(clean(self.query_one(f"#{name}", Input).value).split())

    @property
    def game(self) -> str:
        """The game, or the variant of it, that is asked for."""
        variant = self.typed("variant")
        return f"{self.chosen('game')}{'' if variant[:1] in ('', '@') else ':'}{variant}"

    def bot(self, name: str, settings: str) -> str:
        """The bot that is chosen in a row, with its settings typed in another one; or what is no bot."""
        who, typed = self.chosen(name), self.typed(settings)
        return f"{who}:{typed}" if typed and who in self.bots else who

    @on(Choice.Changed, "#game")
    def _show_game(self) -> None:
        line = self._games.get(self.chosen("game"))
        variants = localised(line.variants, line.variants_said) if line else ""
        field = self.query_one("#variant", UsualField)
        usual = line.usual if line else []
        field.usual = [("" if number == 0 else one, one) for number, one in enumerate(usual)]
        field.value, field.placeholder = "", usual[0] if usual else ""
        self.rows["variant"].note(" ".join(filter(None, (variants, say("screen.form.position")))))

    def action_usual(self, name: str, number: int) -> None:
        """A usual value of a row was clicked."""
        self.query_one(f"#{name}", UsualField).choose(number)

    def show_bot(self, name: str, settings: str, note: str = "") -> None:
        """Show what can be said of the bot in a row: its note (or `note`), and the row of its settings."""
        bot = self.bots.get(self.chosen(name))
        self.rows[name].note(note or (localised(bot.summary, bot.summary_said) if bot else ""))
        self.rows[settings].note(bot_settings(bot) if bot else "")
        self.rows[settings].display = bot is not None

    @on(Input.Changed)
    def _put_right(self, event: Input.Changed) -> None:
        self.rows[event.input.id or "game"].right()

    # ------------------------------------------------------------ what is done

    @abstractmethod
    def play(self) -> None:
        """Ask for the game. What stands in the settings is right."""

    @on(Input.Submitted)
    @on(Choice.Entered)
    @on(Button.Pressed, "#play")
    def _play(self) -> None:
        if (wrong := self.settings.wrong()) is not None:
            self.wrong(*wrong)
            return
        self.problem("")
        self.play()

    @on(Button.Pressed, "#leave")
    def _leave(self) -> None:
        self.leave(None)

    def refused(self, fault: ParlourError, bots: Mapping[str, str]) -> None:
        """Show it beside the field that it is about; where that can't be known, below all of them.

        `bots` are those that were asked for, by the rows of their settings.
        """
        from parlour_protocol.errors import Code

        sentence = error_sentence(fault)
        code = fault.code if isinstance(fault, Refused) else None
        about = (fault.refusal.field or "").removeprefix("settings.") if isinstance(fault, Refused) else ""
        with_settings = [name for name, bot in bots.items() if ":" in bot]
        if code is Code.UNKNOWN_GAME:
            self.wrong("variant" if self.typed("variant") else "game", sentence)
        elif code in (Code.UNKNOWN_BOT, Code.BAD_SETTING) and len(with_settings) == 1:
            self.wrong(with_settings[0], sentence)
        elif about in self.rows:
            self.wrong(about, sentence)
        else:
            self.problem(sentence)

    def wrong(self, name: str, sentence: str) -> None:
        """Show what is wrong with a row."""
        row = self.rows[name]
        row.wrong(sentence)
        row.field.focus()

    def problem(self, sentence: str) -> None:
        """Show what is wrong with no row alone; nothing where it is empty."""
        problem = self.query_one(".problem", Static)
        problem.update(Content(sentence))
        problem.set_class(not sentence, "-none")
