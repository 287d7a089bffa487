"""Everything that a table's screen draws itself from, at one model; and what becomes of it. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from parlour_client.sdk.errors import ParlourError
from parlour_client.sdk.messages import Disconnected, Reconnected, RoomUpdate
from parlour_client.sdk.state import ClientRoomState, as_of, typists
from parlour_client.text import wording
from parlour_client.text.actions import Action, ActionChoice
from parlour_client.text.ratings import Rated
from parlour_client.tui.error_text import game_error_sentence
from parlour_client.tui.study import Study, position_changed
from parlour_protocol.events import Event, Snapshot
from parlour_protocol.views.rooms import RoomView
from parlour_protocol.words import say

REFUSAL_SECONDS = 8.0
"""For so long a refusal is shown, unless something is done before."""


@dataclass(slots=True)
class TableModel(Study):
    """The state of a table: the room's, and what its player does. All moments are the loop's."""

    open: frozenset[str] = frozenset()
    """The names of the actions that are open now."""
    state: ClientRoomState | None = None
    """The room's, up to the message that was taken last."""
    version: int = 0
    server: str = ""
    """Its address, to invite a friend."""
    saved: bool = True
    """The server keeps its games when it ends."""
    lost: float | None = None
    """The connection is lost; the next attempt is in so many seconds."""
    reason: str = ""
    """Why it is lost, or what can be done about it, where that is known."""
    retry_at: float = 0.0
    stopped: float | None = None
    """When the connection was lost: nobody knows what the clocks have done since then."""
    typing: str = ""
    """Who writes in the chat, in words."""
    ended: str = ""
    """Why the room's events are not followed any more."""
    question: str = ""
    answers: Mapping[str, ActionChoice] = field(default_factory=dict)
    """What the next key may answer, by its key; any other withdraws the question."""
    refusal: str = ""
    refused_until: float = 0.0
    closed: bool = False
    """The refusal is of an action that was not open: it may be by now."""
    typed: str = ""
    picked: list[str] = field(default_factory=list)
    """The moves of which one is half chosen."""
    planned: int | None = None
    """The cell of the answer that was chosen before the player's turn: played once it may be."""
    playing: str = ""
    """The move that is on its way for the present position."""
    pending: dict[int, str] = field(default_factory=dict)
    """The commands that have no answer yet, in words."""
    count: int = 0
    """How many commands there were."""
    ratings: Rated = (None, None)
    """The players', where they are rated."""
    earlier: bool = False
    """It is one of the room's earlier games, from their list."""

    # ------------------------------------------------------------ what happens

    def take(self, message: RoomUpdate, after: ClientRoomState, now: float) -> None:
        """A message has come, and this is the room's state behind it."""
        was = self.view
        self.state, self.version, self.thinking = after, after.version, after.thinking
        match message:
            case Disconnected():
                self.stopped = self.stopped or now
                self.retry_at, self.reason = now + message.retry_in, message.reason
                # What was asked or refused before means nothing while the connection is lost.
                self.withdraw()
                self.refusal = ""
            case Reconnected():
                self.stopped, self.reason = None, ""
        self.refresh(now)
        if self.closed and isinstance(message, Event | Snapshot):
            self.refusal = ""
        if self.view.moves != was.moves or self.view.game_number != was.game_number:
            self.playing = ""
        if position_changed(was, self.view) and self.view.phase != "playing":
            self.withdraw()
        self.changed_since(was)

    def refresh(self, now: float) -> None:
        """Renew what time alone changes: clocks, absences, writers, the next attempt to connect."""
        if self.state is not None:
            then = self.stopped or now
            self.view = as_of(self.state, then)
            self.typing = wording.typing(typists(self.state, then))
        self.lost = None if self.stopped is None else max(0.0, self.retry_at - now)
        if now >= self.refused_until:
            self.refusal = ""

    @property
    def may_plan(self) -> bool:
        """May an answer be chosen now? Of a piece that moves nobody knows whether it will be there."""
        view, board = self.view, self.view.position
        waits = view.phase == "playing" and view.you is not None and not view.your_turn and not view.shared
        return waits and board is not None and not board.slides and self.ply is None

    def plan(self, cell: int) -> None:
        """Choose an answer, or take it back."""
        board = self.view.position
        again = (
            self.planned is not None
            and board is not None
            and board.landing(cell) == board.landing(self.planned)
        )
        self.planned, self.refusal = None if again else cell, ""

    def take_plan(self, was: RoomView) -> tuple[int, list[str]] | None:
        """The chosen answer with the moves that it may mean, once it is the player's turn; it is used up.

        It means nothing in another game, or after moves were taken back.
        """
        cell, view = self.planned, self.view
        goes_on = view.game_number == was.game_number and len(view.moves) >= len(was.moves)
        if cell is None or (goes_on and view.phase == "playing" and not view.your_turn):
            return None
        self.planned = None
        return (cell, view.position.moves_at(cell)) if goes_on and view.position and view.your_turn else None

    def unfollowed(self, fault: ParlourError | None) -> None:
        """The room's messages come no more."""
        if fault is not None:
            self.ended = game_error_sentence(fault)
        elif self.view.phase == "closed":
            self.ended = f"{wording.result(self.view)} {say('table.closed')}".strip()
        elif not self.ended:
            self.ended = say("screen.table.left")

    # ------------------------------------------------------------ what the player does

    def ask(self, action: Action) -> None:
        """Ask which of the action's choices is meant."""
        self.question = action.question(self.view)
        self.answers = {choice.key: choice for choice in action.asks(self.view)}

    def answer(self, key: str) -> ActionChoice | None:
        """Take a key as the answer, small letters as capitals; None where it only withdraws the question."""
        choice = self.answers.get(key) or self.answers.get(key.upper())
        self.withdraw()
        return choice

    def withdraw(self) -> None:
        """The question means nothing any more."""
        self.question, self.answers = "", {}

    def refuse(self, sentence: str, now: float, *, closed: bool = False) -> None:
        """Show for a while why something can't be done."""
        self.refusal, self.refused_until, self.closed = sentence, now + REFUSAL_SECONDS, closed

    def send(self, sentence: str) -> int:
        """A command is on its way, as `sentence` says: its number, which leaves `pending` with the answer."""
        self.refusal = ""
        self.count += 1
        self.pending[self.count] = sentence
        return self.count


@dataclass(frozen=True, slots=True)
class Space:
    """The room that a part of the screen has to draw itself in."""

    width: int
    height: int
    small: bool = False
    """The screen is so small that it shows the board and little else."""
    footer: bool = True
    """The footer is shown."""
    parts: frozenset[str] = frozenset()
    """The names of the parts of the left column that are shown."""
