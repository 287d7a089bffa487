"""Every command in every phase, by everyone: who may, and what the others hear."""

import pytest

from parlour_protocol.errors import Code
from parlour_server.room.commands import (
    Abort,
    Claim,
    Close,
    Command,
    Decline,
    EndStandIn,
    Flag,
    Leave,
    OfferDraw,
    OfferRematch,
    OfferTakeback,
    Play,
    Resign,
    Say,
    SeatBot,
    Sit,
    StandIn,
    TakeOver,
    Wake,
)
from parlour_server.room.decide import SERVER
from parlour_server.room.events import (
    DrawOffered,
    Event,
    GameFinished,
    NothingChanged,
    RematchOffered,
    SeatTaken,
)
from parlour_server.room.refusals import Refusal
from tests.support.rooms import ADA, BEN, EVE, Table, created, moves, started

OWNER = "p-owner"
"""Made the room, and looks on."""
EVERYBODY = [OWNER, ADA, BEN, EVE, SERVER]

HEARS = {
    "y": "yes",
    "-": "nothing happens",
    "s": "not_seated",
    "a": "not_allowed",
    "p": "not_playing",
    "n": "not_finished",
    "o": "game_over",
    "t": "not_your_turn",
    "f": "room_full",
    "d": "already_seated",
}

MAY: list[tuple[Command, str, str, str]] = [
    # By owner, Ada, Ben, Eve, server: while Ada waits, in a game, after it.
    (Sit("Eve"), "y-yyy", "f--ff", "f--ff"),
    (SeatBot("easy"), "yyaaa", "fffaa", "fffaa"),
    (Leave(), "sysss", "saass", "syyss"),
    (Play("c3", 6), "spsss", "sytss", "sooss"),
    (Resign(), "spsss", "syyss", "sppss"),
    (Abort(), "spsss", "saass", "sppss"),
    # Ada has offered one.
    (OfferDraw(), "spsss", "s-yss", "sppss"),
    (OfferTakeback(), "spsss", "syyss", "sppss"),
    (Decline("draw"), "s-sss", "syyss", "s--ss"),
    (Decline("takeback"), "s-sss", "s--ss", "s--ss"),
    # Ben has asked for one.
    (Decline("rematch"), "s-sss", "s--ss", "syyss"),
    (OfferRematch(), "nnnnn", "nnnnn", "sy-ss"),
    (Claim("win", 60_000), "spsss", "syyss", "sppss"),
    (TakeOver("Eve"), "adaaa", "addaa", "addaa"),
    (Say("Eve", "Hello"), "yyyyy", "yyyyy", "yyyyy"),
    (Close("enough"), "yaaay", "aaaay", "yaaay"),
    # The server's own: no message from outside becomes one of these.
    (StandIn(0, "easy"), "-----", "yyyyy", "-----"),
    (EndStandIn(0), "-----", "-----", "-----"),
    (Flag(), "-----", "-----", "-----"),
    (Wake(5), "-----", "-----", "-----"),
]


def phases() -> list[Table]:
    waiting: list[Event] = [*created(owner=OWNER), SeatTaken(0, ADA, "Ada")]
    playing: list[Event] = [*created(owner=OWNER), *started()[1:], *moves(["a1", "b2"])]
    over: list[Event] = [*playing, GameFinished(None, "a draw was agreed"), RematchOffered(1)]
    return [Table(waiting), Table([*playing, DrawOffered(0)]), Table(over)]


def outcome(table: Table, command: Command, by: str) -> str:
    try:
        events = table.try_out(command, by)
        return "nothing happens" if events in ([], [NothingChanged()]) else "yes"
    except Refusal as refusal:
        assert refusal.message.endswith(".")
        return refusal.code.value


@pytest.mark.parametrize(("command", "waiting", "playing", "over"), MAY, ids=lambda one: type(one).__name__)
def test_who_may(command: Command, waiting: str, playing: str, over: str) -> None:
    for table, told in zip(phases(), (waiting, playing, over), strict=True):
        found = {by: outcome(table, command, by) for by in EVERYBODY}
        assert found == dict(zip(EVERYBODY, map(HEARS.get, told), strict=True)), table.state.phase


@pytest.mark.parametrize("command", [row[0] for row in MAY], ids=lambda one: type(one).__name__)
def test_in_a_closed_room_nobody_may(command: Command) -> None:
    table = phases()[2]
    table.do(Close("enough"), OWNER)
    assert {outcome(table, command, by) for by in EVERYBODY} == {Code.UNKNOWN_ROOM.value}
