"""Tells on a screen what happens in a room: every change once, in words and boards."""

from typing import assert_never

from rich.text import Text

from parlour_client import sentences
from parlour_client.clean import clean
from parlour_client.dialogue import Lost
from parlour_client.draw import Board
from parlour_client.model import RoomMessage, Shown
from parlour_client.scores import PAST
from parlour_client.screen import Screen
from parlour_client.thoughts import report_lines
from parlour_protocol.ids import Version, other
from parlour_protocol.to_client import (
    Event,
    GameFinished,
    GameStarted,
    MovePlayed,
    Presence,
    RematchOffered,
    RoomClosed,
    RoomCreated,
    RoomEvent,
    SeatLeft,
    SeatTaken,
    Snapshot,
    Thinking,
    UnknownEvent,
)
from parlour_protocol.views import RoomView


class Narrator:
    """Tells of one room; `server` is the address to tell to friends."""

    def __init__(self, screen: Screen, server: str) -> None:
        self._screen = screen
        self._server = server
        self._thinking_told: Version = -1

    def tell(self, before: Shown | None, now: Shown, heard: RoomMessage) -> None:
        """Tell what a message has changed: what was shown before it, and what is now."""
        view = now.view
        match heard:
            case Snapshot():
                if before is None or before.version != now.version or before.view.you != view.you:
                    self.tell_all(view)
            case Event(event=event):
                self._tell_event(before.view if before is not None else view, view, event)
            case Thinking(seat=seat, version=version):
                if version == now.version and self._thinking_told != version:
                    self._thinking_told = version
                    self._screen.say(Text(f"{sentences.name_of(view, seat)} is thinking ...", PAST))
            case Presence():
                self._tell_presence(before.view if before is not None else view, view)

    def tell_all(self, view: RoomView) -> None:
        """The whole room, as whoever comes to it needs it."""
        watching = "" if view.you is not None else ", looking on"
        self._screen.say("", Text(f"{clean(view.title)}, room {clean(view.room)}{watching}", "bold"))
        if view.phase != "waiting":
            self._screen.say(sentences.players(view))
        if view.moves:
            self._screen.say(Text(f"Moves: {clean(' '.join(view.moves))}", PAST))
        if view.phase == "waiting":
            free = sum(1 for seat in view.seats if seat.kind == "open")
            self._screen.say(f"Waiting for {'a second player' if free == 1 else 'two players'}.")
            self._screen.say(sentences.invitation(self._server, view.room))
            return
        self._tell_board(view)
        if view.phase == "finished":
            self._tell_result(view)

    def _tell_event(self, before: RoomView, view: RoomView, event: RoomEvent) -> None:
        match event:
            case SeatTaken(seat=seat):
                if seat != view.you:
                    self._screen.say(f"{sentences.name_of(view, seat)} sits down.")
            case SeatLeft(seat=seat):
                self._screen.say(f"{sentences.name_of(before, seat)} has left.")
                self._screen.say(sentences.invitation(self._server, view.room))
            case GameStarted(number=number):
                self._screen.say("", f"Game {number}: {sentences.players(view)}.")
                self._tell_board(view)
            case MovePlayed(seat=seat, move=move, report=report):
                self._screen.say("", sentences.moved(view, seat, move))
                if report is not None:
                    self._screen.say(*report_lines(report))
                self._tell_board(view)
            case GameFinished():
                self._tell_result(view)
            case RematchOffered():
                self._screen.say(sentences.rematch(view))
            case RoomClosed(reason=reason):
                self._screen.say(f"The room is closed: {reason}.")
            case RoomCreated() | UnknownEvent():
                pass
            case _:
                assert_never(event)

    def _tell_board(self, view: RoomView) -> None:
        if view.position is not None:
            self._screen.say("", Board(view.position), "")
        if view.to_move is not None:
            self._screen.say(sentences.turn(view))

    def _tell_result(self, view: RoomView) -> None:
        if view.position is not None and (line := sentences.winning_line(view.position)):
            self._screen.say(line)
        self._screen.say(Text(sentences.result(view), "bold"))
        for sentence in (sentences.score(view), sentences.rematch(view)):
            if sentence:
                self._screen.say(sentence)

    def _tell_presence(self, before: RoomView, view: RoomView) -> None:
        if view.you is None or view.seats[other(view.you)].kind != "human":
            return
        them = other(view.you)
        if before.online[them] != view.online[them]:
            self._screen.note(
                f"{sentences.name_of(view, them)} is {'back' if view.online[them] else 'away'}."
            )

    def tell_lost(self, lost: Lost, *, seated: bool) -> None:
        """Tell that the line is lost, and when the next try is."""
        # One line at once, then ever fewer: a night without a network must not fill the screen.
        if lost.attempt not in (0, 4, 8, 16, 32, 64, 128, 256):
            return
        when = f"in {sentences.seconds(lost.retry_in)}" if lost.retry_in >= 0.1 else "now"
        said = f" {lost.reason}" if lost.reason else ""
        kept = " (your seat is kept)" if seated else ""
        self._screen.note(f"Connection lost.{said} Trying again {when}{kept}.")
