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
from parlour_protocol.ids import Seat, Version
from parlour_protocol.to_client import (
    ClocksWoken,
    DrawOffered,
    Event,
    GameAborted,
    GameFinished,
    GameStarted,
    MovePlayed,
    MovesTakenBack,
    NothingChanged,
    OfferDeclined,
    Presence,
    RematchOffered,
    RoomClosed,
    RoomCreated,
    RoomEvent,
    Said,
    SeatLeft,
    SeatTaken,
    Snapshot,
    TakebackOffered,
    Thinking,
    UnknownEvent,
)
from parlour_protocol.views import RoomView

TOLD = frozenset({0, 4, 8, 16, 32, 64, 128, 256})
"""The attempts to come back that are told: a night without a network must not fill the screen."""


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
                if now.thinking is heard and self._thinking_told != version:
                    self._thinking_told = version
                    self._screen.say(Text(f"{sentences.mover_of(view, seat)} is thinking ...", PAST))
            case Presence():
                self._tell_presence(before.view if before is not None else view, view)

    def tell_all(self, view: RoomView) -> None:
        """The whole room, as whoever comes to it needs it."""
        here = ["looking on"] if view.you is None else []
        # Whoever looks on is one of them.
        if view.watching > len(here):
            here = [*here, sentences.watching(view.watching)]
        title = ", ".join([clean(view.title), f"room {clean(view.room)}", *here])
        self._screen.say("", Text(title, "bold"))
        if view.phase != "waiting":
            self._screen.say(sentences.players(view))
        if view.moves:
            self._screen.say(Text(f"Moves: {clean(' '.join(view.moves))}", PAST))
        for line in view.chat[-sentences.LAST_SAID :]:
            self._screen.say(Text(sentences.said(line), PAST))
        if view.phase == "waiting":
            free = sum(1 for seat in view.seats if seat.kind == "open")
            self._screen.say(f"Waiting for {'a second player' if free == 1 else 'two players'}.")
            self._screen.whole(sentences.invitation(self._server, view.room))
            return
        self._tell_board(view)
        for sentence in sentences.offers(view):
            self._screen.say(sentence)
        if view.phase == "finished":
            self._tell_result(view)

    def _tell_event(self, before: RoomView, view: RoomView, event: RoomEvent) -> None:
        match event:
            case SeatTaken(seat=seat):
                self._tell_seat(before, view, seat)
            case SeatLeft(seat=seat):
                self._screen.say(f"{sentences.name_of(before, seat)} has left.")
                self._screen.whole(sentences.invitation(self._server, view.room))
            case GameStarted(number=number):
                self._screen.say("", f"Game {number}: {sentences.players(view)}.")
                self._tell_board(view)
            case MovePlayed(seat=seat, move=move, report=report):
                self._screen.say("", sentences.moved(view, seat, move))
                if report is not None:
                    self._screen.say(*report_lines(report))
                self._tell_board(view)
            case MovesTakenBack(seat=seat, plies=plies):
                self._screen.say("", sentences.taken_back(view, seat, plies))
                self._tell_board(view)
            case GameFinished() | GameAborted():
                self._tell_result(view)
            case RematchOffered(seat=seat):
                self._screen.say(
                    sentences.rematch(view) or f"{sentences.name_of(view, seat)} asks for a rematch."
                )
            case DrawOffered(seat=seat):
                self._screen.say(sentences.draw_offered(view, seat))
            case TakebackOffered(seat=seat):
                self._screen.say(sentences.takeback_offered(view, seat))
            case OfferDeclined(seat=seat, offer=offer):
                self._screen.say(sentences.declined(before, seat, offer))
            case ClocksWoken():
                self._screen.say(f"The clocks stood still, and go on. {self._times(view)}".rstrip())
            case Said(text=text):
                # Of what others say among themselves only that it was said comes here.
                if text is not None:
                    self._screen.say(sentences.said(view.chat[-1]))
            case RoomClosed(reason=reason):
                self._screen.say(f"The room is closed: {reason}.")
            case RoomCreated() | NothingChanged() | UnknownEvent():
                pass
            case _:
                assert_never(event)

    def _tell_seat(self, before: RoomView, view: RoomView, seat: Seat) -> None:
        was, who = before.seats[seat], view.seats[seat]
        if was.kind == who.kind == "human":
            if who.stand_in is not None:
                self._screen.say(
                    f"{clean(who.stand_in)} (bot) plays for {sentences.seat_name(who)} until they are back."
                )
            elif seat != view.you:
                self._screen.say(f"{sentences.seat_name(who)} plays on.")
            else:
                self._screen.say("You play on yourself.")
        elif was.kind == "bot":
            self._screen.say(f"{clean(who.name)} takes the seat of {sentences.name_of(before, seat)}.")
        elif seat != view.you:
            self._screen.say(f"{sentences.name_of(view, seat)} sits down.")

    def _tell_board(self, view: RoomView) -> None:
        if view.position is not None:
            self._screen.say("", Board(view.position), "")
        if view.to_move is not None:
            self._screen.say(" ".join(filter(None, (sentences.turn(view), self._times(view)))))

    def _times(self, view: RoomView) -> str:
        """The players' time, where no prompt shows it: what is printed beside that would soon be wrong."""
        ticks = view.clock is not None and view.clock.running is not None and self._screen.interactive
        return "" if ticks else sentences.times(view)

    def _tell_result(self, view: RoomView) -> None:
        if view.position is not None and (line := sentences.winning_line(view.position)):
            self._screen.say(line)
        self._screen.say(Text(sentences.result(view), "bold"))
        for sentence in (sentences.times(view), sentences.score(view), sentences.rematch(view)):
            if sentence:
                self._screen.say(sentence)

    def _tell_presence(self, before: RoomView, view: RoomView) -> None:
        if before.watching != view.watching:
            self._screen.note(
                f"{sentences.watching(view.watching)}." if view.watching else "Nobody looks on."
            )
        seats: tuple[Seat, Seat] = (0, 1)
        for seat in seats:
            person = view.seats[seat].kind == "human"
            if seat != view.you and person and before.online[seat] != view.online[seat]:
                self._screen.note(sentences.presence(view, seat))

    def tell_lost(self, lost: Lost, *, seated: bool) -> None:
        """Tell that the line is lost, and when the next try is."""
        if lost.attempt in TOLD:
            self._screen.note(lost_line(lost, " (your seat is kept)" if seated else ""))


def lost_line(lost: Lost, kept: str = "") -> str:
    """That the line is lost, and when the next try is."""
    when = f"in {sentences.seconds(lost.retry_in)}" if lost.retry_in >= 0.1 else "now"
    said = f" {lost.reason}" if lost.reason else ""
    return f"Connection lost.{said} Trying again {when}{kept}."
