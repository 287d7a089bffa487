"""What a viewer sees of a room: whole, and how an event changes it.

A view is plain data in the shape of `views.RoomView`, without what is None. Its fields are worked out here
and nowhere else, for snapshots and for changes alike, so that an earlier snapshot with the changes since is
a later one.
Whether a bot's thoughts are shown is decided in `shows_thoughts`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from typing import Any, NamedTuple, assert_never

from pydantic import TypeAdapter
from pydantic_core import to_json, to_jsonable_python

from parlour_protocol.events import (
    EVENTS,
    BotAwaited,
    ChatPosted,
    ClocksResumed,
    ClocksStopped,
    GameFinished,
    GameStarted,
    KnownEvent,
    MovePlayed,
    MovesTakenBack,
    OfferDeclined,
    OfferMade,
    RoomClosed,
    SeatLeft,
    SeatRenamed,
    SeatTaken,
    StandInLeft,
    StandInSeated,
)
from parlour_protocol.ids import Version
from parlour_protocol.views.boards import BoardView
from parlour_protocol.views.permissions import Situation, open_actions
from parlour_protocol.views.reports import Report, ThoughtView
from parlour_protocol.views.rooms import RoomLine, SeatView
from parlour_protocol.words import made_of
from parlour_server.games.delta import BoardDelta, compare, splice_of
from parlour_server.room.chat import ChatPlace, channel_of, place_of_last
from parlour_server.room.permissions import situation
from parlour_server.room.state import RoomState, Seated, plies_back

Data = dict[str, Any]


def shows_thoughts(state: RoomState, number: int | None = None) -> bool:
    """Does the room show, now, how bots thought in a game of it; without a number, in the present one?

    To all viewers or to none: a player could watch under another name. The one place where a report is let
    out; what it refuses never leaves the server.
    """
    match state.settings.reports:
        case "at_once":
            return True
        case "after":
            earlier = number is not None and number < state.game_number
            return earlier or state.phase != "playing"
        case "never":
            return False
        case _:
            assert_never(state.settings.reports)


@dataclass(slots=True)
class PresenceState:
    """Which players are connected: all of a view that the log doesn't tell."""

    online: list[bool]
    watching: int
    away_since: list[int | None]

    def view(self, state: RoomState) -> Data:
        """The fields of a view that follow from it."""
        patience = round(1000 * state.settings.patience)
        may = open_actions(situation(state))["seats"]
        claims = [
            None if since is None or "claim" not in may[seat] else since + patience
            for seat, since in enumerate(reversed(self.away_since))
        ]
        return {
            "online": self.online,
            "watching": self.watching,
            "away_since": self.away_since,
            "claim_from": claims,
        }


# ---------------------------------------------------------------- fields


def _plain(value: Any) -> Data:
    """A dataclass as plain data, without what is None."""
    plain: Data = to_jsonable_python(_given(value))
    return plain


def _given(value: Any) -> Data:
    """The fields of a dataclass that are not None, as they are: as plain as `to_json` needs them."""
    kind: Any = type(value)
    return {name: item for name in _names(kind) if (item := getattr(value, name)) is not None}


@cache
def _names(kind: type) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind))


@lru_cache(maxsize=1024)
def _seat(seated: Seated | None) -> Data:
    return _plain(seat_view(seated))


def _turn(state: RoomState) -> Data | None:
    turn = state.turn
    if turn is None:
        return None
    return {"seat": turn.seat, "since": turn.since}


def _clock(state: RoomState) -> Data | None:
    clocks = state.clocks
    if clocks is None:
        return None
    found: Data = {"left": [max(0, left) for left in clocks.left], "since": clocks.since}
    if clocks.running is not None and not clocks.stopped:
        found["running"] = clocks.running
    return found


def _series(state: RoomState) -> Data | None:
    series = state.series()
    return None if series is None else _plain(series)


def _awaited(state: RoomState) -> Data | None:
    awaited = state.awaited
    return None if awaited is None else {"bot": awaited.bot.settings, "at": awaited.at}


def _asker(state: RoomState) -> str | None:
    """Who asks for a bot's seat at this moment."""
    return state.asker.name if state.asker is not None and "seat" in state.offers else None


def _takes_back(state: RoomState) -> int | None:
    seat = state.offers.get("takeback")
    return None if seat is None else plies_back(state, seat) or None


def _result(state: RoomState) -> Data | None:
    return None if state.result is None else _plain(state.result)


def _report(state: RoomState) -> Data | None:
    """The last bot move's report, where the room shows it."""
    if not shows_thoughts(state):
        return None
    report = next((played.report for played in reversed(state.moves) if played.report is not None), None)
    return None if report is None else report_data(report)


class _Reader(NamedTuple):
    """How a field is read that all viewers see alike, and that is sent whole when it has changed."""

    read: Callable[[RoomState], Any]
    changed_by: tuple[type[Any], ...] = ()
    """The events that may change it; moves are looked at by `PublicView.move`."""


_CHANGE_OFFERS = (
    GameStarted,
    GameFinished,
    MovesTakenBack,
    OfferMade,
    OfferDeclined,
    SeatTaken,
    SeatLeft,
    RoomClosed,
)

_READERS: Mapping[str, _Reader] = {
    "game": _Reader(lambda state: state.rules.name),
    "title": _Reader(lambda state: state.rules.title),
    "title_said": _Reader(lambda state: to_jsonable_python(made_of(state.rules.title))),
    "settings": _Reader(lambda state: state.settings.model_dump(exclude_none=True)),
    "started_with": _Reader(lambda state: len(state.start)),
    "tournament": _Reader(lambda state: state.tournament),
    "rated": _Reader(lambda state: state.rated or None),
    "seats": _Reader(
        lambda state: [_seat(seated) for seated in state.seats],
        (SeatTaken, SeatRenamed, SeatLeft, StandInSeated, StandInLeft),
    ),
    "phase": _Reader(lambda state: state.phase, (GameStarted, GameFinished, SeatLeft, RoomClosed)),
    "game_number": _Reader(lambda state: state.game_number, (GameStarted,)),
    "starter": _Reader(lambda state: state.starter, (GameStarted,)),
    "turn": _Reader(_turn, (GameStarted, GameFinished, MovesTakenBack, RoomClosed)),
    "moved": _Reader(lambda state: [made > 0 for made in state.made], (GameStarted, MovesTakenBack)),
    "offers": _Reader(lambda state: state.offers, _CHANGE_OFFERS),
    "asker": _Reader(_asker, _CHANGE_OFFERS),
    "takes_back": _Reader(_takes_back, _CHANGE_OFFERS),
    "result": _Reader(_result, (GameStarted, GameFinished, SeatLeft)),
    "wins": _Reader(lambda state: list(state.wins), (GameFinished, SeatTaken, SeatLeft)),
    "draws": _Reader(lambda state: state.draws, (GameFinished, SeatTaken, SeatLeft)),
    "series": _Reader(_series, (GameStarted, GameFinished, SeatTaken, RoomClosed)),
    "awaited": _Reader(_awaited, (BotAwaited, GameStarted, SeatLeft, RoomClosed)),
    "clock": _Reader(
        _clock, (GameStarted, GameFinished, MovesTakenBack, ClocksStopped, ClocksResumed, RoomClosed)
    ),
    "shows_thoughts": _Reader(shows_thoughts, (GameStarted, GameFinished, SeatLeft, RoomClosed)),
    "report": _Reader(_report, (GameStarted, GameFinished, MovesTakenBack, RoomClosed)),
}

_CHANGED_BY = {
    event: [(name, field.read) for name, field in _READERS.items() if event in field.changed_by]
    for event in EVENTS
}
"""The fields that an event may change, and how they are read."""


def seat_view(seated: Seated | None) -> SeatView:
    """A seat, without its player's identity and its bot's seed."""
    if seated is None:
        return SeatView("open")
    if seated.bot is not None:
        return SeatView("bot", seated.name, seated.bot.settings)
    return SeatView(
        *("human", seated.name),
        stand_in=None if seated.stand_in is None else seated.stand_in.settings,
        program=True if seated.program else None,
        relieved=None if seated.relieved is None else seated.relieved.settings,
        shared=True if seated.shared else None,
    )


def _board(state: RoomState) -> Data | None:
    """The present position; None before the first game."""
    return None if state.position is None else _plain(state.rules.view(state.position, state.last_move))


# ---------------------------------------------------------------- the whole view


def newcomer_fields(state: RoomState) -> Data:
    """What follows from the log for one who has just come; with the board that a first game begins with."""
    found = room_fields(state, "", state.version)
    if "position" not in found:
        found["position"] = _plain(state.rules.view(*state.rules.replay(" ".join(state.start))))
    return found


def room_view(state: RoomState, viewer: str, presence: PresenceState, came: Version = 0) -> Data:
    """The whole room for one player (a spectator, where they have no seat); `came`: see `hears_since`."""
    return {**room_fields(state, viewer, came), **presence.view(state)}


def room_fields(state: RoomState, viewer: str, came: Version) -> Data:
    """As much of it as follows from the log. Spectators who came together see the same, but for the owner."""
    found = {
        "room": state.code,
        "version": state.version,
        **{name: field.read(state) for name, field in _READERS.items()},
        "may": open_actions(situation(state)),
        "position": _board(state),
        "moves": [played.move for played in state.moves],
        **_own_fields(state, viewer, came),
    }
    return {name: value for name, value in found.items() if value is not None}


class PublicView:
    """What all viewers of a room see alike, as it was last sent to them: new changes differ from that."""

    __slots__ = ("_drawn", "_last_move", "_position", "_situation", "_values")

    def __init__(self, state: RoomState) -> None:
        self._values: Data = {name: field.read(state) for name, field in _READERS.items()}
        self._position, self._last_move = state.position, state.last_move
        self._drawn: BoardView | None = None
        """The board as it is there, if it was drawn."""
        self._situation = situation(state)

    def change(self, state: RoomState, event: KnownEvent) -> "ViewChange":
        """How the view differs since the last call, right after the event was folded into `state`.

        Moves have `move` instead.
        """
        values, found = self._values, ViewChange({}, {})
        for name, read in _CHANGED_BY[type(event)]:
            value = read(state)
            if value != values[name]:
                values[name] = found.sets[name] = value
        if type(event) is GameStarted:
            found.sets["moves"] = [played.move for played in state.moves]
            # All of it: little of the last game's end is left, and comparing would take three times as long.
            self._drawn = state.rules.view(state.position, state.last_move)
            found.sets["position"] = _given(self._drawn)
        elif type(event) is MovesTakenBack:
            found.splices["moves"] = [[len(state.moves), event.plies]]
            delta = self._compared(state)
            found.sets.update({_BOARD_PATHS[name]: value for name, value in delta.sets.items()})
            found.splices.update({_BOARD_PATHS[name]: cuts for name, cuts in delta.splices.items()})
        self._position, self._last_move = state.position, state.last_move
        before, self._situation = self._situation, situation(state)
        found.splices.update(_may_change(before, self._situation))
        return found

    def _compared(self, state: RoomState) -> BoardDelta:
        """What differs on the board, found by drawing it."""
        view = state.rules.view
        before = view(self._position, self._last_move) if self._drawn is None else self._drawn
        self._drawn = view(state.position, state.last_move)
        return compare(before, self._drawn)

    def move(self, state: RoomState, event: MovePlayed) -> bytes:
        """As `change`, for a move, and encoded. Most events are moves, so nothing else is looked at."""
        values, rules, move = self._values, state.game, state.last_move
        assert rules is not None and move is not None, "it has just been played"
        values["turn"] = turn = _turn(state)
        sets: Data = {"turn": turn}
        splices: Data = {"moves": [[len(state.moves) - 1, 0, event.move]]}
        delta = rules.delta(self._position, self._last_move, move, state.position)
        if delta is None:
            delta = self._compared(state)
        else:
            self._drawn = None
        self._position, self._last_move = state.position, move
        for name, value in delta.sets.items():
            sets[_BOARD_PATHS[name]] = value
        for name, cuts in delta.splices.items():
            splices[_BOARD_PATHS[name]] = cuts
        before, self._situation = self._situation, situation(state)
        if before is not self._situation:
            splices.update(_may_change(before, self._situation))
            if before.moved != self._situation.moved:
                values["moved"] = sets["moved"] = list(self._situation.moved)
        if state.offers != values["offers"]:
            values["offers"] = sets["offers"] = state.offers
            if values["takes_back"] is not None:
                values["takes_back"] = sets["takes_back"] = _takes_back(state)
        if state.clocks is not None:
            values["clock"] = sets["clock"] = _clock(state)
        if event.report is not None and shows_thoughts(state):
            values["report"] = sets["report"] = report_data(event.report)
        return b'"set":%b,"splice":%b,' % (to_json(sets), to_json(splices))


class ViewChange(NamedTuple):
    """What to fold into a view: see `parlour_protocol.fold`."""

    sets: Data
    splices: Data

    def encoded(self) -> bytes:
        """The fields `set` and `splice` of an event, each before a comma; empty ones are left out."""
        sets = b'"set":%b,' % to_json(self.sets) if self.sets else b""
        return sets + (b'"splice":%b,' % to_json(self.splices) if self.splices else b"")


class _Paths(dict[str, str]):
    """Where the parts of a board stand in a view."""

    def __missing__(self, name: str) -> str:
        path = self[name] = f"position.{name}"
        return path


_BOARD_PATHS = _Paths()


@lru_cache(maxsize=4096)
def _may_change(before: Situation, now: Situation) -> Data:
    """How `may` differs, as splices: to be read only."""
    was, found = open_actions(before), open_actions(now)
    lists = {
        "may.seats.0": (was["seats"][0], found["seats"][0]),
        "may.seats.1": (was["seats"][1], found["seats"][1]),
        "may.spectator": (was["spectator"], found["spectator"]),
        "may.owner": (was["owner"], found["owner"]),
        "may.asker": (was["asker"], found["asker"]),
    }
    return {path: [splice_of(one, another)] for path, (one, another) in lists.items() if one != another}


# ---------------------------------------------------------------- one viewer's own


def hears_since(state: RoomState, viewer: str, came: Version) -> Version:
    """After which version a viewer reads the lines of their channel.

    `came`: the version at which they first subscribed, for those who have no seat. Who had one became a
    spectator when they left it.
    """
    seat = state.seat_of(viewer)
    return max(came, state.stood_up.get(viewer, 0)) if seat is None else state.seated_at[seat]


def spectator_came(state: RoomState, viewer: str) -> Version:
    """Since when a spectator who subscribes now was there.

    Since they left a seat, or since their own first line, or since now.
    """
    if (left := state.stood_up.get(viewer)) is not None:
        return left
    return state.first_lines.get(viewer, state.version + 1) - 1


def _own_fields(state: RoomState, viewer: str, came: Version) -> Data:
    seat = state.seat_of(viewer)
    lines = state.chat[channel_of(seat)].after(hears_since(state, viewer, came))
    return {
        "you": None if state.shared else seat,
        "owner": viewer == state.owner,
        "asks": True if asks(state, viewer) else None,
        "chat": [_plain(line) for line in lines],
    }


def asks(state: RoomState, viewer: str) -> bool:
    """Was a viewer the last to ask for a bot's seat?"""
    return state.asker is not None and state.asker.player == viewer


def chat_place(state: RoomState, event: ChatPosted, viewer: str, came: Version) -> ChatPlace | None:
    """Where a line that was just posted stands in a viewer's chat; None: it is not for them."""
    if event.channel != channel_of(state.seat_of(viewer)):
        return None
    return place_of_last(state.chat[event.channel], hears_since(state, viewer, came))


def chat_change(state: RoomState, event: ChatPosted, place: ChatPlace | None) -> ViewChange:
    """What a line that was just posted changes for the viewers who have it there."""
    if place is None:
        return ViewChange({}, {})
    _, line = state.chat[event.channel].lines[-1]
    oldest = [[0, 1]] if place.pushed_out else []
    return ViewChange({}, {"chat": [*oldest, [place.at, 0, _plain(line)]]})


def seat_change(state: RoomState, viewer: str, came: Version, common: ViewChange) -> ViewChange:
    """The common change for a player who has sat down or stood up, and so sees the room otherwise."""
    return ViewChange({**common.sets, **_own_fields(state, viewer, came)}, common.splices)


def asker_change(state: RoomState, viewer: str, common: ViewChange) -> ViewChange:
    """The common change for a viewer, where somebody has asked for a bot's seat."""
    return ViewChange({**common.sets, "asks": True if asks(state, viewer) else None}, common.splices)


def report_data(report: Report) -> Data:
    """A report as plain data."""
    found: Data = _report_type.dump_python(report, exclude_none=True)
    return found


_report_type = TypeAdapter(Report)


# ---------------------------------------------------------------- in lists


def room_line(state: RoomState, watching: int) -> RoomLine:
    """The room in the list of what is being played."""
    return RoomLine(
        room=state.code,
        game=state.rules.name,
        phase=state.phase,
        seats=[seat_view(seated) for seated in state.seats],
        moves=len(state.moves),
        watching=watching,
        version=state.version,
        clock=state.settings.clock,
        wins=list(state.wins),
        draws=state.draws,
        series=state.series(),
    )


def thought_views(state: RoomState) -> list[ThoughtView]:
    """The reports kept with the present game's moves, where the room shows them."""
    if not shows_thoughts(state):
        return []
    return [
        ThoughtView(ply, played.seat, played.move, played.report)
        for ply, played in enumerate(state.moves, start=1)
        if played.report is not None
    ]
