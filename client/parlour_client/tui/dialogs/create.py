"""A new room: every choice on a line of its own, all of them made already, so that enter plays."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Input, Static

from parlour_client.clean import clean
from parlour_client.faults import Fault, Refused
from parlour_client.tui.dialogs.dialog import Dialog
from parlour_client.tui.dialogs.fields import Choice, Line, typed
from parlour_client.tui.footer import Footer
from parlour_client.tui.host import Host
from parlour_client.tui.told import told
from parlour_client.tui.wish import ANYBODY, FRIEND, PEOPLE, Side, Wish

if TYPE_CHECKING:
    from parlour_client.room import Room  # noqa: F401 - it stands in a base class
    from parlour_protocol.views import BotLine, GameLine

NOBODY = ""
SIDES = [
    ("first", "the first seat"),
    ("second", "the second seat"),
    ("random", "either, by lot"),
    ("none", "none: look on"),
]
YES_NO = [("yes", "yes"), ("no", "no")]


class CreateDialog(Dialog["Room"]):
    """Asks for all that a room's maker decides, and gives the room; a fault stands beside its field."""

    BINDINGS: ClassVar[list[BindingType]] = []

    def __init__(
        self,
        host: Host,
        games: "Sequence[GameLine]",
        bots: "Sequence[BotLine]",
        game: str,
        opponent: str,
    ) -> None:
        super().__init__()
        self._host = host
        self._games = {line.name: line for line in games}
        self._bots = {line.name: line for line in bots}
        named = [(line.name, clean(line.name) + " (bot)") for line in bots]
        self._lines = {
            "game": Line("Game", Choice([(line.name, clean(line.title)) for line in games], game, id="game")),
            "variant": Line("Variant", typed("variant")),
            "opponent": Line(
                "Against", Choice([*named, *((one, one) for one in PEOPLE)], opponent, id="opponent")
            ),
            "bot": Line("Its settings", typed("bot")),
            "side": Line("You take", Choice(SIDES, id="side"), "the first seat begins"),
            "other": Line("Second seat", Choice(named, opponent, id="other")),
            "other_bot": Line("Its settings", typed("other_bot")),
            "clock": Line("Clock", typed("clock", "none", longest=16), "5+3: 5 min and 3 s; or 30/move"),
            "private": Line("Private", Choice(YES_NO, "no", id="private"), "found by its code alone"),
            "takebacks": Line("Takebacks", Choice(YES_NO, id="takebacks"), "moves may be asked back"),
            "chat": Line("Talk", Choice(YES_NO, id="chat"), "players, and those who look on"),
            "stand_in": Line(
                "Stand-in", Choice([(NOBODY, "nobody"), *named], id="stand_in"), "plays on for who is away"
            ),
        }

    def compose(self) -> ComposeResult:
        """The lines, and what to do."""
        with Vertical(classes="frame") as frame:
            frame.border_title = "A new room"
            yield from self._lines.values()
            yield Static("", classes="problem -none", markup=False)
            with Horizontal(classes="buttons"):
                yield Button("Play", id="play", classes="-main", compact=True)
                yield Button("Back", id="leave", compact=True)
        yield Footer()

    def on_mount(self) -> None:
        """Enter would play at once."""
        self._tell_game()
        self._tell_opponents()
        self.query_one("#game").focus()

    # ------------------------------------------------------------ what is chosen

    def _choice(self, name: str) -> str:
        return self.query_one(f"#{name}", Choice).value

    def _typed(self, name: str) -> str:
        return " ".join(clean(self.query_one(f"#{name}", Input).value).split())

    def wish(self) -> Wish:
        """What is asked for as it stands."""
        chosen: dict[str, object] = {}
        if clock := self._typed("clock"):
            chosen["clock"] = clock
        if self._choice("private") == "yes":
            chosen["visibility"] = "private"
        for name in ("takebacks", "chat"):
            if self._choice(name) == "no":
                chosen[name] = False
        if stand_in := self._choice("stand_in"):
            chosen["stand_in"] = stand_in
        side = cast(Side, self._choice("side"))
        return Wish(
            self._typed("variant") or self._choice("game"),
            self._player("opponent", "bot"),
            side,
            chosen,
            other=self._player("other", "other_bot") if side == "none" else "",
        )

    def _player(self, name: str, settings: str) -> str:
        """Who is chosen, with the settings that were typed."""
        who, typed = self._choice(name), self._typed(settings)
        return f"{who}:{typed}" if typed and who not in PEOPLE else who

    @on(Choice.Changed, "#game")
    def _tell_game(self) -> None:
        line = self._games.get(self._choice("game"))
        variants = clean(line.variants) if line else ""
        self._lines["variant"].note(variants or "none")
        field = self.query_one("#variant", Input)
        field.value, field.placeholder = "", clean(line.name) if line else ""
        field.disabled = not variants

    @on(Choice.Changed, "#opponent")
    @on(Choice.Changed, "#side")
    @on(Choice.Changed, "#other")
    def _tell_opponents(self) -> None:
        side = self.query_one("#side", Choice)
        if self._choice("opponent") == ANYBODY:
            # They are met in a seat.
            side.value = "first"
        looks_on = side.value == "none"
        self._lines["side"].display = self._choice("opponent") != ANYBODY
        self._lines["opponent"].rename("First seat" if looks_on else "Against")
        self._tell_player("opponent", "bot")
        self._tell_player("other", "other_bot", shown=looks_on)

    def _tell_player(self, name: str, settings: str, *, shown: bool = True) -> None:
        who = self._choice(name)
        bot = self._bots.get(who)
        notes = {
            FRIEND: "joins by the room's code, or by its link",
            ANYBODY: "the next person who wants the same",
        }
        self._lines[name].note(notes.get(who) or (clean(bot.summary) if bot else ""))
        self._lines[name].display = shown
        self._lines[settings].note(clean(", ".join(bot.settings)) if bot else "")
        self._lines[settings].display = shown and bot is not None

    @on(Input.Changed)
    def _put_right(self, event: Input.Changed) -> None:
        self._lines[event.input.id or "game"].right()

    # ------------------------------------------------------------ what is done

    @on(Input.Submitted)
    @on(Choice.Entered)
    @on(Button.Pressed, "#play")
    def _play(self) -> None:
        wish = self.wish()
        button = self.query_one("#play", Button)
        if button.disabled or not self._clock_is_right(wish):
            return
        self._problem("")
        button.label, button.disabled = "Asking…", True
        # The application's: whoever leaves before the answer wants no room to stay behind.
        self.app.run_worker(self._ask(wish), group="ask")

    @on(Button.Pressed, "#leave")
    def _leave(self) -> None:
        self.leave(None)

    async def _ask(self, wish: Wish) -> None:
        try:
            room = await self._host.get(wish.get)
            if not self.is_there:
                await wish.undo(room)
        except Fault as fault:
            if self.is_there:
                button = self.query_one("#play", Button)
                button.label, button.disabled = "Play", False
                self._refused(wish, fault)
        else:
            self.leave(room)

    def _clock_is_right(self, wish: Wish) -> bool:
        from parlour_protocol.clocks import parse_time_control

        if (clock := wish.settings.get("clock")) is None:
            return True
        try:
            parse_time_control(clock)
        except ValueError as error:
            self._wrong("clock", str(error))
            return False
        return True

    def _refused(self, wish: Wish, fault: Fault) -> None:
        """Tell it beside the field that it is about; where that can't be known, below all of them."""
        from parlour_protocol.errors import Code

        said = told(fault)
        code = fault.code if isinstance(fault, Refused) else None
        with_settings = [
            field for field, bot in (("bot", wish.opponent), ("other_bot", wish.other)) if ":" in bot
        ]
        if code is Code.UNKNOWN_GAME:
            self._wrong("variant" if self._typed("variant") else "game", said)
        elif code in (Code.UNKNOWN_BOT, Code.BAD_SETTING) and len(with_settings) == 1:
            self._wrong(with_settings[0], said)
        elif code is Code.BAD_SETTING and wish.opponent == ANYBODY and "visibility" in wish.settings:
            self._wrong("private", said)
        else:
            self._problem(said)

    def _wrong(self, name: str, sentence: str) -> None:
        line = self._lines[name]
        line.wrong(clean(sentence))
        line.field.focus()

    def _problem(self, sentence: str) -> None:
        problem = self.query_one(".problem", Static)
        problem.update(Content(clean(sentence)))
        problem.set_class(not sentence, "-none")
