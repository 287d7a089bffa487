"""Every action in every phase, by everyone: who may, and that the view's `may` says just that."""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour_protocol.actions import OFFERS, Action, Offer
from parlour_protocol.commands import PlayerAction
from parlour_protocol.errors import Code
from parlour_protocol.events import GameFinished, KnownEvent, OfferMade, SeatTaken, read_view
from parlour_protocol.messages import types_of
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views.permissions import ACTIONS, RULES, concerns, refusal_of, why_not
from parlour_server.refusals import Refusal
from parlour_server.room.commands import Create, EndStandIn, Guest, SeatPlan, SeatStandIn
from parlour_server.room.decide import role_of
from parlour_server.room.permissions import check, situation
from parlour_server.room.state import Bot
from parlour_server.room.view import room_view
from tests.support.rooms import (
    ADA,
    BEN,
    EVE,
    HERE,
    Asked,
    Table,
    act,
    add_bot,
    bot_move,
    claim,
    created,
    decline,
    moves,
    play,
    say,
    sit,
    started,
    take_over,
)

OWNER = "p-owner"
"""Created the room, and watches."""
EVERYBODY = [OWNER, ADA, BEN, EVE]
CODES = {
    "y": "yes",
    "s": "not_seated",
    "a": "not_allowed",
    "p": "not_playing",
    "n": "not_finished",
    "o": "game_over",
    "t": "not_your_turn",
    "f": "room_full",
    "d": "already_seated",
    "2": "already_offered",
    "0": "nothing_offered",
}
MAY: list[tuple[Asked, str, str, str]] = [
    # By owner, Ada, Ben, Eve: while Ada waits, in a game, after it.
    (sit("Eve"), "ydyy", "fddf", "fddf"),
    (add_bot("easy"), "yyaa", "fffa", "fffa"),
    (act("leave"), "syss", "saas", "syys"),
    (play("c3", 6), "spss", "syts", "soos"),
    (act("resign"), "spss", "syys", "spps"),
    (act("abort"), "spss", "saas", "spps"),
    # Ada has offered one.
    (act("draw"), "spss", "s2ys", "spps"),
    *((act(offer), "spss", "syys", "spps") for offer in OFFERS if offer not in ("draw", "rematch", "seat")),
    (decline("draw"), "s0ss", "syys", "s00s"),
    (decline("takeback"), "s0ss", "s00s", "s00s"),
    # Ben has asked for one.
    (decline("rematch"), "s0ss", "s00s", "syys"),
    (act("rematch"), "nnnn", "nnnn", "sy2s"),
    (claim("win", 60_000), "spss", "syys", "spps"),
    (take_over("Eve"), "adaa", "adda", "adda"),
    # There is no bot.
    (act("seat"), "aaaa", "aaaa", "aaaa"),
    (say("Eve", "Hello"), "yyyy", "yyyy", "yyyy"),
    (act("close"), "yaaa", "aaaa", "yaaa"),
]


def phases() -> list[Table]:
    waiting: list[KnownEvent] = [*created(owner=OWNER), SeatTaken(0, "Ada", player=ADA)]
    playing: list[KnownEvent] = [*created(owner=OWNER), *started()[1:], *moves(["a1", "b2"])]
    agreed = GameFinished("agreement", None, "a draw was agreed")
    return [
        Table(waiting),
        Table([*playing, OfferMade(0, "draw")]),
        Table([*playing, agreed, OfferMade(1, "rematch")]),
    ]


def outcome(table: Table, asked: Asked, by: str) -> str:
    try:
        table.try_out(asked, by)
    except Refusal as refusal:
        assert refusal.message.endswith(".")
        return refusal.code.value
    return "yes"


@pytest.mark.parametrize(
    ("asked", "waiting", "playing", "over"), MAY, ids=lambda one: getattr(one, "label", one)
)
def test_who_may(asked: Asked, waiting: str, playing: str, over: str) -> None:
    for table, expected in zip(phases(), (waiting, playing, over), strict=True):
        found = {by: outcome(table, asked, by) for by in EVERYBODY}
        assert found == dict(zip(EVERYBODY, map(CODES.get, expected), strict=True)), table.state.phase


@pytest.mark.parametrize("asked", [row[0] for row in MAY], ids=lambda one: one.label)
def test_in_a_closed_room_nobody_may(asked: Asked) -> None:
    table = phases()[2]
    table.do(act("close"), OWNER)
    assert {outcome(table, asked, by) for by in EVERYBODY} == {Code.UNKNOWN_ROOM.value}


def test_every_action_has_its_rules_and_any_other_is_refused() -> None:
    assert set(RULES) == set(ACTIONS)
    assert {row[0].label for row in MAY} | {"hint"} == set(ACTIONS)
    table = phases()[1]
    unknown: Any = "cheat"
    refusal = refusal_of(unknown, situation(table.state), role_of(table.state, ADA))
    assert refusal is not None
    assert refusal.code is Code.NOT_ALLOWED


@pytest.mark.parametrize(
    ("setting", "bots", "by", "code"),
    [
        ("bots", 1, ADA, None),
        ("bots", 0, ADA, Code.NO_HINTS),
        ("always", 0, ADA, None),
        ("always", 0, BEN, Code.NOT_YOUR_TURN),
        ("always", 0, EVE, Code.NOT_SEATED),
        ("never", 1, ADA, Code.NO_HINTS),
    ],
)
def test_hints_follow_the_rooms_setting(setting: Any, bots: int, by: str, code: Code | None) -> None:
    table = Table([*created(RoomSettings(hints=setting, starts="first")), SeatTaken(0, "Ada", player=ADA)])
    table.do(add_bot("easy") if bots else sit("Ben"), ADA if bots else BEN)
    refusal = refusal_of("hint", situation(table.state), role_of(table.state, by))
    assert (refusal.code if refusal else None) == code


# ---------------------------------------------------------------- what the view says


def open_to(table: Table, viewer: str) -> set[Action]:
    """What a viewer reads off their view."""
    view = room_view(table.state, viewer, HERE)
    seat = view.get("you")
    if view["owner"] and "shared" in view["seats"][0]:
        seat = view.get("turn", {"seat": 0})["seat"]
    may = view["may"]
    own = may["spectator"] if seat is None else may["seats"][seat]
    return {*own, *(may["owner"] if view["owner"] else []), *(may["asker"] if "asks" in view else [])}


def test_nothing_is_listed_under_a_seat_that_nobody_sits_in() -> None:
    table = phases()[0]
    assert room_view(table.state, EVE, HERE)["may"]["seats"][1] == []
    table.do(add_bot("easy"), ADA)
    assert room_view(table.state, EVE, HERE)["may"]["seats"][1] == []
    assert room_view(table.state, EVE, HERE)["may"]["seats"][0] != []


def _concerning(table: Table, by: str) -> Offer:
    """An offer that somebody may answer or withdraw, if there is one."""
    role, offers = role_of(table.state, by), table.state.offers
    return next((offer for offer in offers if concerns(offer, role)), next(iter(offers), "draw"))


def every_action(table: Table, by: str) -> list[Asked]:
    legal = table.state.legal_moves()
    return [
        sit("Eve"),
        add_bot("easy"),
        take_over("Eve"),
        play(legal[0] if legal else "a1", table.state.version),
        claim("bot", 3_600_000),
        say("Eve", "hm"),
        decline(_concerning(table, by)),
        *(act(one) for one in _plain_actions()),
    ]


def _plain_actions() -> list[Any]:
    return list(types_of(PlayerAction))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32))
def test_an_action_is_accepted_if_and_only_if_the_view_lists_it(seed: int) -> None:
    dice = random.Random(seed)
    table = Table(chance=dice.randrange)
    room = RoomSettings(
        takebacks=dice.random() < 0.8,
        chat=dice.random() < 0.8,
        hints=dice.choice(["bots", "always", "never"]),
        take_over=dice.choice(["nobody", "owner", "asked", "asked", "anyone"]),
    )
    guest: tuple[SeatPlan, SeatPlan] = ("me", Guest("Ben"))
    seats = dice.choice([(None, None), (None, None), guest])
    owner = dice.choice([ADA, OWNER])
    table.do(Create("tictactoe", room, seats=seats), owner)
    players = [ADA, owner if table.state.shared else BEN]
    for _ in range(40):
        state = table.state
        for viewer in EVERYBODY:
            listed = open_to(table, viewer)
            view = read_view(room_view(state, viewer, HERE))
            for action in set(ACTIONS) - {"claim"}:
                refusal = refusal_of(action, situation(state), role_of(state, viewer))
                assert why_not(view, action) == refusal, "a client knows why as the server does"
                assert (refusal is None) == (action in listed)
            for asked in every_action(table, viewer):
                accepted = outcome(table, asked, viewer) == "yes"
                assert accepted == (asked.label in listed), (asked.label, viewer, state.phase)
            try:
                check("hint", state, role_of(state, viewer))
                hint = True
            except Refusal:
                hint = False
            assert hint == ("hint" in listed)
        legal = state.legal_moves()
        bot = bot_move(dice.choice(legal), state.version) if legal else None
        choices: list[tuple[Any, str]] = [
            *((asked, by) for by in EVERYBODY for asked in every_action(table, by)),
            *[(play(dice.choice(legal), state.version), dice.choice(players)) for _ in range(36) if legal],
            *[(SeatStandIn(dice.choice([0, 1]), Bot("easy", 1)), "")] * 4,
            *[(EndStandIn(dice.choice([0, 1])), "")] * 4,
            *([(bot, dice.choice(["bot:0", "bot:1"]))] * 12 if bot else []),
        ]
        asked, by = dice.choice([one for one in choices if getattr(one[0], "label", "") != "close"])
        try:
            table.do(asked, by)
        except Refusal:
            continue
