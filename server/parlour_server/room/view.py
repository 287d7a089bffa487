"""What a viewer sees of a room: whole, and how an event changes it.

A view is plain data in the shape of `views.RoomView`, without what is None. Its fields are worked out here
and nowhere else, for snapshots and for changes alike, so that an earlier snapshot with the changes since is
a later one.
Whether a bot's thoughts are shown is decided in `shows_thoughts`.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from operator import attrgetter
from typing import Any, assert_never

from pydantic import TypeAdapter
from pydantic_core import to_json

from parlour_protocol.codec import quoted
from parlour_protocol.events import (
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
    RoomCreated,
    SeatLeft,
    SeatTaken,
    StandInLeft,
    StandInSeated,
)
from parlour_protocol.ids import Seat
from parlour_protocol.views.boards import BoardView, Count, Groups
from parlour_protocol.views.reports import Report, ThoughtView
from parlour_protocol.views.rooms import Channel, ChatLine, ResultView, RoomLine, SeatView, Series
from parlour_server.games.game import Game, Move
from parlour_server.room.permissions import Situation, open_actions, situation
from parlour_server.room.state import RoomState, Seated

Data = dict[str, Any]

SPLICED = 8
"""Lists of so many items are sent whole: what is cut and put in would take as much to say."""


def shows_thoughts(state: RoomState) -> bool:
    """Does the room show how its bots think, now?

    To everybody or to nobody: a player could watch as somebody else. The one place where a report is let
    out; what it refuses never leaves the server.
    """
    match state.settings.reports:
        case "at_once":
            return True
        case "after":
            return state.phase != "playing"
        case "never":
            return False
        case _:
            assert_never(state.settings.reports)


def channel_of(viewer: Seat | None) -> Channel:
    """The chat that a viewer writes to, and reads."""
    return "spectators" if viewer is None else "players"


@dataclass(slots=True)
class PresenceState:
    """Who is connected: all of a view that the log doesn't tell."""

    online: list[bool]
    watching: int
    away_since: list[int | None]

    def view(self, state: RoomState) -> Data:
        """The fields of a view that follow from it."""
        patience = round(1000 * state.settings.patience)
        claims = [None if since is None else since + patience for since in reversed(self.away_since)]
        return {
            "online": self.online,
            "watching": self.watching,
            "away_since": self.away_since,
            "claim_from": claims,
        }


# ---------------------------------------------------------------- fields


def _plain(value: Any) -> Data:
    """A dataclass as plain data, without what is None."""
    pairs = ((name, getattr(value, name)) for name in _FIELD_NAMES[type(value)])
    return {name: item for name, item in pairs if item is not None}


# Asking a class for its fields takes as long as a tenth of a move.
_FIELD_NAMES = {
    kind: tuple(one.name for one in fields(kind))
    for kind in (BoardView, ChatLine, Count, Groups, ResultView, SeatView, Series)
}


@lru_cache(maxsize=1024)
def _seat(seated: Seated | None) -> Data:
    return _plain(seat_view(seated))


def _turn(state: RoomState) -> Data | None:
    turn = state.turn
    if turn is None:
        return None
    found = {"seat": turn.seat, "since": turn.since}
    if turn.draw_offer is not None:
        found["draw_offer"] = turn.draw_offer
    if turn.takeback_offer is not None:
        found["takeback_offer"] = turn.takeback_offer
    return found


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


def _result(state: RoomState) -> Data | None:
    return None if state.result is None else _plain(state.result)


def _report(state: RoomState) -> Data | None:
    """The last bot move's report, where the room shows it."""
    if not shows_thoughts(state):
        return None
    report = next((played.report for played in reversed(state.moves) if played.report is not None), None)
    return None if report is None else report_data(report)


_FIELDS: Mapping[str, Callable[[RoomState], Any]] = {
    "game": lambda state: state.rules.name,
    "title": lambda state: state.rules.title,
    "settings": lambda state: state.settings.model_dump(exclude_none=True),
    "seats": lambda state: [_seat(seated) for seated in state.seats],
    "phase": lambda state: state.phase,
    "game_number": lambda state: state.game_number,
    "starter": lambda state: state.starter,
    "turn": _turn,
    "result": _result,
    "wins": lambda state: list(state.wins),
    "draws": lambda state: state.draws,
    "series": _series,
    "rematch": lambda state: sorted(state.rematch),
    "clock": _clock,
    "started_with": lambda state: len(state.start),
    "report": _report,
}
"""The plain fields that every viewer sees alike. Beside them: `position`, `moves` and `may`."""

_TOUCHES: Mapping[type[KnownEvent], tuple[str, ...]] = {
    RoomCreated: (*_FIELDS, "may"),
    SeatTaken: ("seats", "wins", "draws", "series", "may"),
    SeatLeft: ("seats", "phase", "rematch", "result", "wins", "draws", "series", "may"),
    StandInSeated: ("seats", "may"),
    StandInLeft: ("seats", "may"),
    GameStarted: (
        *("phase", "game_number", "starter", "turn", "result", "series", "rematch", "clock"),
        *("position", "moves", "report", "may"),
    ),
    MovePlayed: ("turn", "clock", "position", "moves", "report", "may"),
    GameFinished: ("phase", "turn", "result", "wins", "draws", "series", "clock", "report", "may"),
    OfferMade: ("turn", "rematch", "may"),
    OfferDeclined: ("turn", "rematch", "may"),
    MovesTakenBack: ("turn", "clock", "position", "moves", "report", "may"),
    ClocksStopped: ("clock",),
    ClocksResumed: ("clock",),
    ChatPosted: (),
    RoomClosed: ("phase", "turn", "clock", "report", "may"),
}
"""The fields that an event of each kind may change. (What a field missing here would do, tests show.)"""


def seat_view(seated: Seated | None) -> SeatView:
    """A seat, without its player's identity and its bot's seed."""
    if seated is None:
        return SeatView("open")
    if seated.bot is not None:
        return SeatView("bot", seated.name, seated.bot.settings)
    stand_in = None if seated.stand_in is None else seated.stand_in.settings
    return SeatView("human", seated.name, stand_in=stand_in, program=True if seated.program else None)


def board_view(state: RoomState) -> BoardView | None:
    """The present position; None before the first game."""
    return None if state.position is None else state.rules.view(state.position, state.last_move)


def _board(board: BoardView) -> Data:
    found = _plain(board)
    if board.groups is not None:
        found["groups"] = _plain(board.groups)
    found["counts"] = [_plain(count) for count in board.counts]
    return found


# ---------------------------------------------------------------- the whole view


def room_view(state: RoomState, viewer: str, presence: PresenceState) -> Data:
    """The whole room for one player (a spectator, where they have no seat)."""
    return {**room_fields(state, viewer), **presence.view(state)}


def room_fields(state: RoomState, viewer: str) -> Data:
    """As much of it as follows from the log. Spectators other than the owner see the same."""
    board = board_view(state)
    found = {
        "room": state.code,
        "version": state.version,
        **{name: read(state) for name, read in _FIELDS.items()},
        "may": open_actions(situation(state)),
        "position": None if board is None else _board(board),
        "moves": [played.move for played in state.moves],
        **_own_fields(state, viewer, state.seat_of(viewer)),
    }
    return {name: value for name, value in found.items() if value is not None}


class PublicView:
    """What all viewers of a room see alike, as it was last sent to them: new changes differ from that."""

    __slots__ = ("_board", "_chat", "_situation", "_values")

    def __init__(self, state: RoomState) -> None:
        self._values: Data = {name: read(state) for name, read in _FIELDS.items()}
        self._board = _drawn(state)
        self._chat = _lines(state)
        self._situation = situation(state)

    def change(self, state: RoomState, event: KnownEvent) -> "ViewChange":
        """How the view differs since the last call, right after the event was folded into `state`.

        Moves have `move` instead.
        """
        values, found, fields_set = self._values, ViewChange(), {}
        for name in _TOUCHES[type(event)]:
            if name == "position":
                self._change_board(state, found)
            elif name == "moves":
                if type(event) is MovesTakenBack:
                    found.splices += b',"moves":[[%d,%d]]' % (len(state.moves), event.plies)
                else:
                    fields_set["moves"] = [played.move for played in state.moves]
            elif name == "may":
                self._change_may(state, found)
            else:
                value = _FIELDS[name](state)
                if value != values[name]:
                    values[name] = fields_set[name] = value
        if fields_set:
            found.sets += _parts(fields_set)
        if type(event) is ChatPosted:
            before, self._chat = self._chat, _lines(state)
            found.differs, found.chat_full = True, before[event.channel] == self._chat[event.channel]
        return found

    def move(self, state: RoomState, event: MovePlayed) -> bytes:
        """As `change`, but encoded: most events are moves, so this one is written as it goes."""
        values, turn = self._values, state.turn
        values["turn"] = _CHANGED
        drawn = (state.rules, state.position, state.last_move)
        board_set, board_splice = _board_change(self._board, drawn)
        self._board = drawn
        before, now = self._situation, situation(state)
        self._situation = now
        if turn is None or turn.draw_offer is not None or turn.takeback_offer is not None:
            sets = to_json(_turn(state)) + board_set
        else:
            sets = b'{"seat":%d,"since":%d}%b' % (turn.seat, turn.since, board_set)
        if state.clocks is not None:
            values["clock"] = _CHANGED
            sets += b',"clock":' + to_json(_clock(state))
        if event.report is not None and shows_thoughts(state):
            values["report"] = _CHANGED
            sets += b',"report":' + to_json(report_data(event.report))
        return b'"set":{"turn":%b},"splice":{"moves":[[%d,0,%b]]%b%b},' % (
            sets,
            len(state.moves) - 1,
            quoted(event.move),
            _may_change(before, now),
            board_splice,
        )

    def _change_may(self, state: RoomState, found: "ViewChange") -> None:
        before, self._situation = self._situation, situation(state)
        found.splices += _may_change(before, self._situation)

    def _change_board(self, state: RoomState, found: "ViewChange") -> None:
        before, self._board = self._board, _drawn(state)
        assert self._board is not None, "a game has begun"
        set_part, splice_part = _board_change(before, self._board)
        found.sets += set_part
        found.splices += splice_part


_CHANGED = object()
"""In place of a value that was sent, and is not kept: it equals none."""

_Drawn = tuple[Game[Any], Any, Move | None]
"""What a board is drawn from: the rules, a position, and the move that led to it."""


def _drawn(state: RoomState) -> _Drawn | None:
    return None if state.position is None else (state.rules, state.position, state.last_move)


def _draw(drawn: _Drawn) -> BoardView:
    rules, position, last = drawn
    return rules.view(position, last)


# Games open alike, and small ones are alike altogether.
@lru_cache(maxsize=8192)
def _board_change(drawn_before: _Drawn | None, drawn: _Drawn) -> tuple[bytes, bytes]:
    """How a board differs from the one before it: the `_parts` of `set` and of `splice`."""
    now = _draw(drawn)
    before = None if drawn_before is None else _draw(drawn_before)
    if before is None or before.rows != now.rows or before.columns != now.columns:
        return _parts({"position": _board(now)}), b""
    sets: Data = {}
    splices: Data = {}
    for path, was, item in zip(_BOARD_PATHS, _board_items(before), _board_items(now), strict=True):
        if was is item or was == item:
            continue
        if type(item) is list and type(was) is list:
            if len(item) == len(was) - 1 > 1:
                # A move was played, and is not legal any more: the others are as they were.
                at = _alike(was, item, len(item))
                if was[at + 1 :] == item[at:]:
                    splices[path] = [[at, 1]]
                    continue
            if len(was) > SPLICED:
                splices[path] = [splice_of(was, item)]
                continue
        sets[path] = _plain_part(item)
    return _parts(sets), _parts(splices)


def _parts(fields: Data) -> bytes:
    """Fields of an object as JSON, each after a comma."""
    return b"," + to_json(fields)[1:-1] if fields else b""


def _plain_part(item: Any) -> Any:
    """A board's part as plain data."""
    if type(item) is Groups:
        return _plain(item)
    if type(item) is list and item and type(item[0]) is Count:
        return [_plain(count) for count in item]
    return item


_board_items = attrgetter(*(one.name for one in fields(BoardView)))
_BOARD_PATHS = tuple(f"position.{one.name}" for one in fields(BoardView))


class ViewChange:
    """What to fold into a view: see `parlour_protocol.fold`. Encoded already, as by `_parts`."""

    __slots__ = ("chat_full", "differs", "sets", "splices")

    def __init__(self) -> None:
        self.sets = self.splices = b""
        self.differs = False
        """Does it differ from viewer to viewer? Then `own_change` tells how."""
        self.chat_full = False
        """Did the line that was posted push the oldest one out?"""

    def with_own(self, own: Data, splice: Data | None = None) -> "ViewChange":
        """The same with what differs for some viewers."""
        found = ViewChange()
        found.sets = self.sets + _parts(own)
        found.splices = self.splices + _parts(splice or {})
        return found

    def encoded(self) -> bytes:
        """The fields `set` and `splice` of an event, each before a comma; empty ones are left out."""
        sets, splices = self.sets[1:], self.splices[1:]
        return (b'"set":{%b},' % sets if sets else b"") + (b'"splice":{%b},' % splices if splices else b"")


def splice_of(before: list[Any], now: list[Any]) -> list[Any]:
    """The one cut that makes a list from another: where, how many items go, and the items that come."""
    least = min(len(before), len(now))
    head = _alike(before, now, least)
    rest = least - head
    tail = _alike(before[::-1], now[::-1], rest)
    return [head, len(before) - head - tail, *now[head : len(now) - tail]]


def _alike(one: list[Any], another: list[Any], most: int) -> int:
    """How many items two lists begin with in common, at most. Halving compares slices, which C does."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == another[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


@lru_cache(maxsize=4096)
def _may_change(before: Situation, now: Situation) -> bytes:
    """How `may` differs: the `_parts` of `splice`."""
    if before is now:
        return b""
    was, found = open_actions(before), open_actions(now)
    lists = {
        "may.seats.0": (was["seats"][0], found["seats"][0]),
        "may.seats.1": (was["seats"][1], found["seats"][1]),
        "may.spectator": (was["spectator"], found["spectator"]),
        "may.owner": (was["owner"], found["owner"]),
    }
    changed = {path: [splice_of(one, another)] for path, (one, another) in lists.items() if one != another}
    return _parts(changed)


# ---------------------------------------------------------------- one viewer's own


def _lines(state: RoomState) -> Counter[Channel]:
    """How many lines of each channel are kept."""
    return Counter(line.channel for line in state.chat)


def _own_fields(state: RoomState, viewer: str, seat: Seat | None) -> Data:
    channel = channel_of(seat)
    return {
        "you": seat,
        "owner": viewer == state.owner,
        "chat": [_plain(line) for line in state.chat if line.channel == channel],
    }


def own_change(state: RoomState, event: KnownEvent, viewer: Seat | None, common: ViewChange) -> ViewChange:
    """The common change with what an event changes for the viewers of one seat alone, or for spectators."""
    if type(event) is not ChatPosted or event.channel != channel_of(viewer):
        return common
    oldest = [[0, 1]] if common.chat_full else []
    line = [_lines(state)[event.channel] - 1, 0, _plain(state.chat[-1])]
    return common.with_own({}, splice={"chat": [*oldest, line]})


def seat_change(state: RoomState, viewer: str, common: ViewChange) -> ViewChange:
    """The common change for a player who has sat down or stood up, and so sees the room otherwise."""
    return common.with_own(_own_fields(state, viewer, state.seat_of(viewer)))


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
