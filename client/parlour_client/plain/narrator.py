"""Shows what happens in a room: every change once, in words and boards."""

from rich.text import Text

from parlour_client.render.analysis import report_lines
from parlour_client.render.board import BoardDrawing
from parlour_client.render.console import Screen
from parlour_client.sdk.messages import Disconnected
from parlour_client.sdk.state import ClientRoomState
from parlour_client.text import wording
from parlour_client.text.events import ANNOUNCED_ATTEMPTS, connection_lost, event_lines
from parlour_client.text.names import localised
from parlour_client.text.scores import PAST
from parlour_protocol.events import (
    ClocksResumed,
    ClocksStopped,
    Event,
    GameFinished,
    GameStarted,
    MovePlayed,
    MovesTakenBack,
    SeatLeft,
    SeatTaken,
    Snapshot,
)
from parlour_protocol.ids import Version
from parlour_protocol.messages import RoomMessage, RoomNotice
from parlour_protocol.notices import Thinking
from parlour_protocol.views.rooms import RoomView
from parlour_protocol.words import say


class Narrator:
    """Shows one room; `server` is the address in its invitations."""

    def __init__(self, screen: Screen, server: str) -> None:
        self._screen = screen
        self._server = server
        self._thinking_shown: tuple[Version, bool] | None = None
        """Of which position it was said that the bot thinks, or waits for its code to be compiled."""

    def show(self, before: ClientRoomState | None, now: ClientRoomState, message: RoomMessage) -> None:
        """Show what a message has changed, from the room before and after it."""
        view = now.view
        match message:
            case Snapshot():
                if before is None or before.version != now.version or before.view.you != view.you:
                    self.show_room(view)
            case Event():
                self._show_event(before.view if before is not None else view, view, message)
            case Thinking(version=version, report=report):
                shown = version, report.compiling is not None
                if now.thinking is message and self._thinking_shown != shown:
                    self._thinking_shown = shown
                    self._screen.say(*(Text(line, PAST) for line in event_lines(view, view, message)))
            case RoomNotice():
                self._show_notice(before.view if before is not None else view, view, message)

    def show_room(self, view: RoomView) -> None:
        """Show the whole room, as somebody who enters it needs it."""
        here = [say("plain.you_watch")] if view.acting is None else []
        # A spectator is one of them.
        if view.watching > len(here):
            here = [*here, say("presence.watching", count=view.watching)]
        title = ", ".join([localised(view.title, view.title_said), say("plain.room", room=view.room), *here])
        self._screen.say("", Text(title, "bold"))
        if view.phase != "waiting":
            self._screen.say(wording.players(view))
        if view.moves:
            self._screen.say(Text(say("plain.moves", moves=" ".join(view.moves)), PAST))
        if view.you is None and view.settings.chat and view.phase != "closed":
            self._screen.say(Text(say("chat.read_by_spectators"), PAST))
        for line in view.chat[-wording.LAST_SAID :]:
            self._screen.say(Text(wording.said(line), PAST))
        if view.phase == "waiting":
            free = sum(1 for seat in view.seats if seat.kind == "open")
            self._screen.say(say("table.waiting", count=free))
            self._screen.whole(wording.invitation(self._server, view.room))
            return
        self._show_board(view)
        if view.phase == "finished":
            self._show_result(view)
        for sentence in wording.offers(view):
            self._screen.say(sentence)

    def _show_event(self, before: RoomView, view: RoomView, message: Event) -> None:
        event, sentences = message.event, event_lines(before, view, message, typing=True)
        match event:
            case SeatTaken(seat=seat) if seat == view.you != before.you:
                if before.seats[seat].kind == "bot":
                    self._screen.say(*sentences)
                self.show_room(view)
            case SeatLeft():
                self._screen.say(*sentences)
                self._screen.whole(wording.invitation(self._server, view.room))
            case MovePlayed():
                report = view.report if "report" in message.set else None
                self._screen.say("", *sentences, *([] if report is None else report_lines(report)))
                self._show_board(view)
            case GameStarted() | MovesTakenBack():
                self._screen.say("", *sentences)
                self._show_board(view)
            case GameFinished():
                self._show_result(view)
            case ClocksStopped() | ClocksResumed():
                self._screen.say(" ".join([*sentences, self._times(view)]).rstrip())
            case _:
                self._screen.say(*sentences)

    def _show_board(self, view: RoomView) -> None:
        if view.position is not None:
            self._screen.say("", BoardDrawing(view.position), "")
        if view.to_move is not None:
            self._screen.say(" ".join(filter(None, (wording.turn(view), self._times(view)))))

    def _times(self, view: RoomView) -> str:
        """The players' time, where no prompt shows it: what is printed beside that would soon be wrong."""
        ticks = view.clock is not None and view.clock.running is not None and self._screen.interactive
        return "" if ticks else wording.times(view)

    def _show_result(self, view: RoomView) -> None:
        if view.position is not None and (line := wording.winning_line(view.position)):
            self._screen.say(line)
        self._screen.say(Text(wording.result(view), "bold"))
        for sentence in (
            wording.times(view),
            wording.score(view),
            wording.series(view),
            wording.rematch(view),
        ):
            if sentence:
                self._screen.say(sentence)

    def _show_notice(self, before: RoomView, view: RoomView, message: RoomNotice) -> None:
        if before.watching != view.watching:
            self._screen.note(say("plain.watching", count=view.watching))
        for sentence in event_lines(before, view, message):
            self._screen.note(sentence)

    def show_disconnected(self, lost: Disconnected, *, seated: bool) -> None:
        """Show that the connection is lost, and when the next attempt is."""
        if lost.attempt in ANNOUNCED_ATTEMPTS:
            self._screen.note(connection_lost(lost.retry_in, lost.reason, seated=seated))
