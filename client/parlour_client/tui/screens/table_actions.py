"""Does what a player wants at a table: sends commands and moves, asks first where that can't be undone."""

from collections.abc import Callable, Mapping
from functools import partial

from parlour_client.sdk.errors import ParlourError
from parlour_client.sdk.room import Room
from parlour_client.text.actions import Action, MakeRequest
from parlour_client.tui.screens.prompt import Prompt
from parlour_client.tui.screens.sending import Sender
from parlour_client.tui.screens.table_port import TablePort
from parlour_client.tui.widgets.board import Board
from parlour_protocol.words import say


class TableActions:
    """Performs the registry's actions; what has no command is done by the one of that name in `here`."""

    def __init__(
        self,
        table: TablePort,
        room: Room,
        board: Board,
        sender: Sender,
        prompt: Prompt,
        here: Mapping[str, Callable[[], object]],
    ) -> None:
        self._table = table
        self._room = room
        self._board = board
        self._sender = sender
        self._prompt = prompt
        self._here = here
        self.played = False
        """A move was made for the present position."""

    def perform(self, action: Action) -> None:
        """Do it."""
        if action.request is not None:
            self._request(action.request)
        elif action.choices:
            self._ask(action)
        else:
            self._here[action.name]()

    def _request(self, make: MakeRequest) -> None:
        request = make(self._table.view)
        self._sender.send(request.sentence, self._room.do(request.command))

    def _ask(self, action: Action) -> None:
        self._sender.forget_refusal()
        self._board.focus()
        answers = {
            choice.key: (choice.label, partial(self._request, choice.request) if choice.request else None)
            for choice in action.choices
        }
        self._prompt.ask(action.question, answers)
        self._table.changed()

    def play(self, move: str) -> None:
        """Play a move on the present position."""
        if not self._table.is_your_turn:
            self._table.refuse_closed("play")
        elif not self.played:  # a key may be pressed twice in haste
            self.played = True
            self._board.send(move)
            # For the position that its player saw: the room may have a newer one already.
            self._sender.send(
                say("screen.table.on_its_way", move=move), self._play_at(self._table.shown.version, move)
            )

    async def _play_at(self, version: int, move: str) -> None:
        try:
            await self._room.play(move, version=version)
        except ParlourError:
            self.played = False
            raise

    def show_typing(self) -> None:
        """Let those who read the chat know that a line is being written."""
        self._room.show_typing()

    def chat(self, text: str, give_back: Callable[[str], None]) -> None:
        """Send a line of chat; `give_back` gets what was refused, to be sent again."""

        async def send() -> None:
            try:
                await self._room.say(text)
            except ParlourError:
                give_back(text)
                raise

        self._sender.send(say("screen.table.saying"), send())
