"""The position that a game is to begin with: moves are played up to it, or pieces put on the board."""

from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import ItemGrid
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, Static

from parlour_client.sdk.boards import Boards
from parlour_client.sdk.client import Client
from parlour_client.sdk.errors import ParlourError
from parlour_client.sdk.sanitize import clean
from parlour_client.sdk.source import linked_position
from parlour_client.text import wording
from parlour_client.text.names import localised
from parlour_client.text.setup import Setup
from parlour_client.tui.dialogs.fields import Choice, FormRow, typed
from parlour_client.tui.dialogs.settings_form import YesNo
from parlour_client.tui.error_text import error_sentence
from parlour_client.tui.widgets.board import Board
from parlour_client.tui.widgets.footer import Footer
from parlour_client.tui.widgets.text_field import TextField
from parlour_protocol import LONGEST_GAME, answers
from parlour_protocol.words import say


class PositionText(TextField):
    """The position as text."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "screen.key.see", key_display="enter"),
    ]


class PositionScreen(Screen["answers.Board"]):
    """Its answer names the game with the position it begins in, and the moves that it begins after."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("D", "use", "setup.key.use"),
        Binding("U", "undo", "setup.key.undo"),
        Binding("M", "play_moves", "setup.key.moves"),
        Binding("P", "pieces", "setup.key.piece"),
        Binding("S", "side", "setup.to_move", show=False),
        Binding("C", "clear", "setup.key.clear"),
        Binding("N", "numbers", "setup.key.numbers", show=False),
        Binding("T", "text", "setup.key.text"),
        Binding("escape", "leave", "screen.key.back"),
        Binding("up", "app.focus_previous", show=False),
        Binding("down", "app.focus_next", show=False),
    ]

    def __init__(self, parlour: Client, title: str, begun: answers.Board) -> None:
        """`title` is the game's; `begun` is shown first."""
        super().__init__()
        self._title = title
        self._parlour = parlour
        self._answer = begun
        """What the server said of the position last."""
        self._setup: Setup | None = None
        """What is being set up; None while moves are played."""
        self._piece = 0
        self._refusal = ""
        self._picked: list[str] = []
        self._board = Board(id="board", commands=set("DUMPSCNT"))
        self._extras = ItemGrid(id="extras", min_column_width=26)
        self._top, self._tray, self._status = (
            Static("", id=name, markup=False) for name in ("top", "tray", "status")
        )
        self._text = PositionText(placeholder=say("setup.text"), id="text", max_length=LONGEST_GAME)

    def compose(self) -> ComposeResult:
        """From top to bottom; the board has what the others leave."""
        yield self._top
        yield self._tray
        yield self._extras
        yield self._board
        yield self._status
        yield self._text
        yield Footer()

    def on_mount(self) -> None:
        """The board has the keys."""
        self._board.focus()
        self._show()

    def reword(self) -> None:
        """All but the board."""
        self._draw()

    # ------------------------------------------------------------ what is shown

    def _show(self) -> None:
        """The board, and all that is said of it."""
        setup, answer = self._setup, self._answer
        if setup is None:
            self._board.show(answer.position, yours=answer.winner is None, animate=False)
            self._text.value = answer.game.partition("@")[2]
        else:
            self._board.show(setup.view(setup.tray[self._piece]), yours=True, animate=False)
            self._text.value = setup.written()
        self._extras.display = setup is not None and bool(setup.fields)
        self._draw()
        self.refresh_bindings()

    def _draw(self) -> None:
        self._top.update(Content.styled(f"{self._title}: {say('setup.title')}", "bold"))
        self._tray.update(self._pieces())
        shown = self._board.typed if self._setup is None else ""
        if self._refusal:
            self._status.update(Content.styled(f"✗ {self._refusal}", "$refusal"))
        elif self._setup is not None:
            self._status.update(say("setup.piece"))
        else:
            moves = " ".join(self._answer.moves)
            self._status.update(
                shown or (wording.going_on(self._picked) if self._picked else moves or say("setup.moves"))
            )

    def _pieces(self) -> Content:
        """The tray, and the side to move; each is clicked, too."""
        setup = self._setup
        if setup is None:
            return Content("")
        pieces = [
            Content.from_markup(
                f"[@click=screen.take({number})]$sign[/]",
                sign=Content.styled(
                    f"[{label}]" if number == self._piece else f" {label} ",
                    "$cursor bold" if number == self._piece else "",
                ),
            )
            for number, label in enumerate(
                say("setup.empty") if piece == setup.board.empty else piece for piece in setup.tray
            )
        ]
        side = Content.from_markup("[@click=screen.side]$sign[/]", sign=setup.board.marks[setup.side][0])
        # Their keys stand here: a narrow footer has no room for them.
        to_move = Content("   ") + Content.styled("S", "$cursor bold") + f" {say('setup.to_move')}: " + side
        numbers = Content("   ") + Content.styled("N", "$cursor bold") + f" {say('setup.key.numbers')}"
        return Content("").join([*pieces, to_move, *([numbers] if setup.fields else [])])

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Pieces are taken and cleared while they are put; before that, moves are taken back."""
        match action:
            case "side" | "clear" | "play_moves":
                return self._setup is not None
            case "numbers":
                return self._setup is not None and bool(self._setup.fields)
            case "undo":
                return self._setup is None and bool(self._answer.moves)
            case "pieces":
                return bool(Setup.of(self._answer).tray)
            case _:
                return True

    # ------------------------------------------------------------ what the person does

    def on_board_chosen(self, event: Board.Chosen) -> None:
        """A move, or a cell for the piece that was taken."""
        if self._setup is None:
            self._play([*self._answer.moves, event.move])
        else:
            self._refusal = ""
            cell = next(cell for cell in self._setup.cells() if self._setup.named(cell) == event.move)
            self._setup.put(cell, self._setup.tray[self._piece])
            self._show()

    def on_board_entered(self, event: Board.Entered) -> None:
        """No legal move: the server says why."""
        if self._setup is None:
            self._play([*self._answer.moves, event.text])

    def on_board_picked(self, event: Board.Picked) -> None:
        """A part of a move, or which one it is."""
        self._picked = event.moves
        self._draw()

    def on_board_typed(self) -> None:
        """Show what is being typed."""
        self._refusal = ""
        self._draw()

    def action_undo(self) -> None:
        """Take the last move back."""
        self._play(self._answer.moves[:-1])

    def action_pieces(self) -> None:
        """The next piece of the tray; the first one where moves were played till now."""
        if self._setup is None:
            self._setup, self._piece = Setup.of(self._answer), 0
            self._ask_extras(self._setup)
        else:
            self._piece = (self._piece + 1) % len(self._setup.tray)
        self._refusal = ""
        self._show()

    def _ask_extras(self, setup: Setup) -> None:
        """A field for each."""
        self._extras.remove_children()
        for line, value in zip(setup.fields, setup.extras, strict=True):
            field = YesNo(value == "1") if line.kind == "switch" else typed(value=value)
            self._extras.mount(FormRow(localised(line.title, line.title_said), field))

    @on(Input.Changed, "FormRow > Input")
    @on(Choice.Changed)
    def _extra_changed(self) -> None:
        """The text follows what is typed."""
        if self._setup is not None:
            values = [row.field.value for row in self._extras.query(FormRow)]  # type: ignore[attr-defined]
            self._setup.extras = [{"yes": "1", "no": "0"}.get(value, clean(value)) for value in values]
            self._refusal, self._text.value = "", self._setup.written()
            self._draw()

    def action_numbers(self) -> None:
        """Say what else there is."""
        self._extras.query(FormRow).first().field.focus()

    def action_take(self, number: int) -> None:
        """A piece of the tray was clicked."""
        self._piece = number
        self._show()

    def action_side(self) -> None:
        """The other side is to move."""
        if self._setup is not None:
            self._setup.side = 0 if self._setup.side else 1
            self._show()

    def action_clear(self) -> None:
        """Take all pieces off."""
        if self._setup is not None:
            self._setup.clear()
            self._show()

    def action_text(self) -> None:
        """Write the position, or paste it."""
        self._text.focus()

    @on(events.Paste)
    def _pasted(self, event: events.Paste) -> None:
        """What is pasted at the board is a position, as a line or as it stands on a screen, or a link."""
        if self.focused is not self._text:
            self._read("\n".join(clean(line) for line in event.text.strip().splitlines()))

    @on(Input.Submitted, "FormRow > Input")
    @on(Choice.Entered)
    def _extra_entered(self) -> None:
        self._board.focus()

    @on(Input.Submitted, "#text")
    def _written(self, event: Input.Submitted) -> None:
        self._read(clean(event.value))

    def _read(self, text: str) -> None:
        game, moves = linked_position(text) or (f"{self._base}@{text}", "")
        if game.partition("@")[0] == self._base:
            self._ask(game, moves.split())
        else:
            self._refusal = say("setup.other_game", game=game.partition("@")[0])
            self._draw()

    def action_play_moves(self) -> None:
        """Go on from what was set up by moves, where that can be."""
        self._ask(self._named(), [])

    def action_use(self) -> None:
        """Begin here, where that can be."""
        if self._setup is None:
            self.dismiss(self._answer)
        else:
            self._ask(self._named(), [], use=True)

    def action_leave(self) -> None:
        """Back to the board; from there begin as it was."""
        if self.focused is not self._board:
            self._board.focus()
        elif self in self.app.screen_stack:  # a key may come twice
            self.dismiss(None)

    # ------------------------------------------------------------ what the server says

    @property
    def _base(self) -> str:
        return self._answer.game.partition("@")[0]

    def _named(self) -> str:
        """The game with what was set up."""
        return self._answer.game if self._setup is None else f"{self._base}@{self._setup.written()}"

    def _play(self, moves: list[str]) -> None:
        self._ask(self._answer.game, moves)

    def _ask(self, game: str, moves: list[str], *, use: bool = False) -> None:
        self.run_worker(self._look(game, moves, use=use), group="position", exclusive=True)

    async def _look(self, game: str, moves: list[str], *, use: bool) -> None:
        """Ask for a position, and show it, or why there is none; with `use` it is the answer."""
        try:
            self._answer = await Boards(self._parlour, game, " ".join(moves)).last()
        except ParlourError as fault:
            self._refusal = error_sentence(fault)
            self._draw()
            return
        if use:
            self.dismiss(self._answer)
            return
        self._refusal, self._setup = "", None
        self._board.focus()
        self._show()
