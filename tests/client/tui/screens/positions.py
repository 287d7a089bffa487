"""Positions as a server shows them, and rooms to look at."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from parlour_protocol.events import Event, KnownEvent, MovePlayed
from parlour_protocol.ids import Seat
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views.boards import BoardView
from parlour_protocol.views.permissions import open_actions, situation_of
from parlour_protocol.views.reports import Candidate, Report, Score, ScoreKind
from parlour_protocol.views.rooms import May, RoomView, SeatView, Turn
from parlour_server.games import find_game
from tests.client.rooms import plain

AT = 1_795_262_400_000
"""The moment that rooms are shown at: milliseconds since 1970, by the server's clock."""

COLUMNS = "4 4 3 5 5 6 2 1 4 4"
WON = "4 4 3 3 2 2 1"
DISCS = "c4 c5 f6 c3 b5 g7 e3 e6 c2 f3 g3 a5 h8 b3 f4 f2 b4 f5 f7 h3"
BEFORE_A_PASS = "b3 b4 a5 c2 b1 e2 c5 b5 e5 a3 b2 e4 e3 c6 a6 e6 f1 a4 d5 e1 f4 c1 f3 a1 d1 a2 f6 d2 d6 b6"
NINE = (
    "h9 e8 e6 d7 c3 g9 a7 b1 e3 d9 c9 h8 f4 h1 e1 f3 g8 c5 i5 g4 "
    "b2 d6 b7 d1 c2 g5 b6 f9 i7 g2 a6 b9 i8 g6 a8 b5 e4 e2 e5 g1"
)
WIDE = (
    "h13 a3 n5 j16 b9 k3 r7 e2 r4 o18 p3 g19 s7 d12 g4 j13 g14 d6 d4 k4 "
    "h6 c8 h1 e15 l13 i1 f15 s5 b8 i19 q18 m15 j2 e18 q11 r19 a11 a5 r2 j8"
)


def position(game: str, moves: str = "") -> BoardView:
    """What stands after these moves."""
    rules = find_game(game)
    at, last = rules.initial(), None
    for word in moves.split():
        last = rules.parse(at, word)
        at = rules.play(at, last)
    return rules.view(at, last)


def room(
    game: str,
    title: str,
    moves: str = "",
    *,
    away: Sequence[float | None] = (None, None),
    **changed: Any,
) -> RoomView:
    """A room where Ada plays against a bot, as its server shows it; `away`: for how many seconds each is."""
    board = position(game, moves)
    to_move = changed.pop("to_move", board.to_move)
    since = [None if seconds is None else round(AT - 1000 * seconds) for seconds in away]
    view = RoomView(
        room="KMRTQA",
        version=0,
        game=game,
        title=title,
        settings=RoomSettings(),
        seats=[SeatView("human", "Ada"), SeatView("bot", "hard", "hard")],
        phase="playing" if board.to_move is not None else "finished",
        may=May([[], []], [], []),
        online=[True, True],
        watching=2,
        away_since=since,
        claim_from=[None, None],
        game_number=1,
        turn=None if to_move is None else Turn(to_move, AT),
        position=board,
        moves=moves.split(),
        you=0,
        report=report(),
        at=AT,
    )
    for name, value in changed.items():
        setattr(view, name, value)
    patience = round(1000 * view.settings.patience)
    played = len(view.moves) - view.started_with
    view.moved = [played > view.starter, played > 1 - view.starter]
    view.may = May(**open_actions(situation_of(view)))
    view.claim_from = [
        None if gone is None or "claim" not in view.may.seats[seat] else gone + patience
        for seat, gone in enumerate(reversed(since))
    ]
    return view


def event(version: int, what: KnownEvent, now: RoomView) -> Event:
    """Something that happens in such a room, which is so now."""
    shown = plain(now)
    kept = {"room", "version", "at"}
    names = [field.name for field in fields(RoomView) if field.name not in kept]
    return Event(now.room, version, now.at, what, {name: shown.get(name) for name in names})


def move_played(version: int, seat: Seat, now: RoomView) -> Event:
    """A seat played the last move of such a room."""
    return event(version, MovePlayed(seat, now.moves[-1]), now)


def candidate(move: str, score: float, kind: ScoreKind = "estimate", **known: Any) -> Candidate:
    """One with this score in points; an estimate's chance is so many percent above or below even."""
    if kind == "estimate":
        known = {"chance": 50 + score, **known}
    return Candidate(move, Score(score, kind, **known))


def report(**changed: Any) -> Report:
    """A search that knows something of every kind."""
    reported = Report(
        bot="hard",
        candidates=[
            candidate("4", 12.3),
            candidate("3", 4.1),
            candidate("5", -2.0),
            candidate("2", -12.5, "at_most"),
            candidate("7", 0, "exact", result="draw"),
            candidate("6", -88, "exact", result="loss", plies=12),
        ],
        best="4",
        line=["4", "4", "3", "5", "5", "6"],
        nodes=1_900_000,
        cutoffs=400_000,
        depth=14,
        seconds=0.42,
        finished=True,
    )
    for name, value in changed.items():
        setattr(reported, name, value)
    return reported
