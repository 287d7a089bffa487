"""What a viewer sees, whole and event by event; and above all what not."""

import gc
import json
import random
import weakref
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from parlour_protocol.actions import OFFERS
from parlour_protocol.codec import decode_to_client, encode_event, encode_fact
from parlour_protocol.events import (
    EVENTS,
    ChatPosted,
    Event,
    GameFinished,
    GameStarted,
    GameSummary,
    MovePlayed,
    OfferMade,
    PlayerSummary,
    SeatTaken,
    fields_marked,
    kind_of,
)
from parlour_protocol.fold import fold
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views.reports import Candidate, Report, Score
from parlour_protocol.views.rooms import RoomView
from parlour_server import games as registry
from parlour_server.games import find_game
from parlour_server.log import LogRecord
from parlour_server.refusals import Refusal
from parlour_server.room.chat import CHAT_KEPT
from parlour_server.room.commands import (
    Create,
    EndStandIn,
    Rename,
    ResumeClocks,
    Retire,
    SeatStandIn,
    Seek,
    StartNextGame,
    StopClocks,
)
from parlour_server.room.state import Bot, RoomState, evolve
from parlour_server.room.view import (
    _READERS,
    PresenceState,
    PublicView,
    ViewChange,
    asker_change,
    chat_change,
    chat_place,
    room_view,
    seat_change,
    shows_thoughts,
    thought_views,
)
from tests.support.games import random_game
from tests.support.rooms import (
    ADA,
    BEN,
    DRAW,
    EVE,
    FIRST_WINS,
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

REPORT = Report(
    "minimax", [Candidate("b2", Score(0, "exact", "draw"))], best="b2", nodes=549_946, finished=True
)
VIEWERS = [ADA, BEN, EVE, "p-owner"]


def against_a_bot(room: RoomSettings) -> Table:
    """Ada against a bot that has just played b2 with a report."""
    bot = SeatTaken(0, "minimax", "minimax", player="bot:0", seed=990_099)
    seats = [bot, SeatTaken(1, "Ada", player=ADA)]
    return Table([*created(room), *seats, GameStarted(0), MovePlayed(0, "b2", REPORT)])


# ---------------------------------------------------------------- changes


class Watched:
    """A room with viewers who fold what changes, as a server would send it."""

    def __init__(self, table: Table) -> None:
        self.state = RoomState(table.state.code)
        self.came = 0
        """Since when spectators read what is said."""
        self.views: dict[str, dict[str, Any]] = {}
        self.public: PublicView | None = None
        self.messages: list[bytes] = []

    def take(self, record: LogRecord) -> None:
        """Fold a record; each view changes by what its viewer is sent, and must be as a snapshot is."""
        evolve(self.state, record)
        if self.public is None:
            self.public, self.came = PublicView(self.state), self.state.version
            self.views = {viewer: self.snapshot(viewer) for viewer in VIEWERS}
            return
        event, common, moved = record.event, ViewChange({}, {}), b""
        if isinstance(event, MovePlayed):
            moved = self.public.move(self.state, event)
        elif not isinstance(event, ChatPosted):
            common = self.public.change(self.state, event)
        by_seat = getattr(event, "player", None) if isinstance(event, SeatTaken) else None
        if event.kind == "seat_left":
            by_seat = record.by
        for viewer, view in self.views.items():
            change = common
            if isinstance(event, ChatPosted):
                place = chat_place(self.state, event, viewer, self.came)
                change = chat_change(self.state, event, place)
            elif isinstance(event, OfferMade) and event.name is not None:
                change = asker_change(self.state, viewer, common)
            elif viewer == by_seat:
                change = seat_change(self.state, viewer, self.came, common)
            message = encode_event(
                self.state.code, self.state.version, record.at, encode_fact(event), moved or change.encoded()
            )
            self.messages.append(message)
            sent = decode_to_client(message)
            assert isinstance(sent, Event)
            fold(view, sent)
            assert view == self.snapshot(viewer), (event, viewer)

    def snapshot(self, viewer: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(
            json.dumps(room_view(self.state, viewer, HERE, self.came), default=str)
        )
        return found


@pytest.mark.parametrize("reports", ["at_once", "after"])
def test_an_evening_with_every_kind_of_event_is_folded(reports: Any) -> None:
    """With each event where all that it changes is to be changed."""
    report = Report("easy", [Candidate("a1", Score(3))])
    table = Table()

    def win(winner: str, loser: str) -> None:
        table.do(play("b2", table.state.version), winner)
        table.do(play("a1", table.state.version), loser)
        table.do(act("resign"), loser)

    table.do(Create("tictactoe", RoomSettings(clock="1+5", reports=reports, starts="first")), EVE)
    table.do(Asked(Seek(30.0), bot=Bot("easy", 1)), ADA)
    table.do(act("leave"), ADA)
    table.do(Asked(Seek(30.0), bot=Bot("easy", 1)), ADA)
    table.do(sit("Ben"), BEN)
    win(ADA, BEN)
    table.do(act("rematch"), BEN)
    table.do(act("leave"), BEN)
    table.do(add_bot("easy"), ADA)
    table.do(play("b2", table.state.version), ADA)
    table.do(bot_move("a1", table.state.version, report), "bot:1")
    table.do(act("takeback"), ADA)
    table.do(play("b2", table.state.version), ADA)
    table.do(bot_move("a1", table.state.version, report), "bot:1")
    table.do(act("resign"), ADA)
    table.do(take_over("Eve"), EVE)
    table.do(act("rematch"), ADA)
    table.do(decline("rematch"), EVE)
    table.do(act("rematch"), ADA)
    table.do(act("rematch"), EVE)
    for offer in ("draw", "takeback"):
        table.do(play(table.state.legal_moves()[0], table.state.version), ADA)
        table.do(act(offer), ADA)
        table.do(play(table.state.legal_moves()[0], table.state.version), EVE)
    table.do(StopClocks(300))
    table.do(ResumeClocks())
    table.do(SeatStandIn(1, Bot("easy", 1)))
    table.do(EndStandIn(1))
    table.do(Asked(Rename("Ada"), name="Adele"), ADA)
    table.do(say("Ada", "hm"), ADA)
    table.do(Retire())
    watched = Watched(table)
    for record in table.log:
        watched.take(record)
    assert {record.event.kind for record in table.log} == set(map(kind_of, EVENTS))


@pytest.mark.parametrize("then", [take_over("Eve"), Retire()])
def test_a_series_of_two_bots_is_folded(then: Any) -> None:
    """With its games, and with what ends it in the middle of one: Eve sits down, or it is closed."""
    table = Table()
    table.do(Create("tictactoe", RoomSettings(games=3, starts="first")), EVE)
    table.do(add_bot("easy"), EVE)
    table.do(add_bot("easy"), EVE)
    for number, move in enumerate(DRAW):
        table.do(bot_move(move, table.state.version), f"bot:{number % 2}")
    table.do(StartNextGame())
    table.do(then, EVE)
    watched = Watched(table)
    for record in table.log:
        watched.take(record)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(["1+5", "20/move", None]))
def test_an_earlier_snapshot_with_the_changes_since_is_the_later_one(seed: int, clock: str | None) -> None:
    """For every event and every viewer, whatever happens at the table."""
    dice = random.Random(seed)
    table = Table(chance=dice.randrange)
    game = dice.choice(["tictactoe", "connect4", "reversi:6", "mnk:5,5,4", "ultimate"])
    room = RoomSettings(
        clock=clock,
        patience=5,
        reports=dice.choice(["at_once", "after", "never"]),
        take_over=dice.choice(["owner", "asked"]),
    )
    rules = find_game(game)
    path = random_game(rules, seed)[1 : 1 + dice.choice([0, 0, 1, 3])]
    start = rules.read(" ".join(rules.format(position, move) for position, move in path if move is not None))
    table.do(Create(game, room, tuple(start)), dice.choice([ADA, "p-owner"]))
    table.do(sit("Ada"), ADA)
    watched = Watched(table)
    done = 0
    for _ in range(90):
        for record in table.log[done:]:
            watched.take(record)
        done = len(table.log)
        table.now += dice.choice([0, 40, 900])
        state = table.state
        move = dice.choice(state.legal_moves() or ["a1"])
        report = Report("easy", [Candidate("a1", Score(dice.choice([-3, 0, 2])))])
        choices: list[tuple[Any, str]] = [
            *([(play(move, state.version), dice.choice([ADA, BEN, EVE]))] * 12),
            *([(bot_move(move, state.version, report), f"bot:{dice.choice([0, 1])}")] * 6),
            (sit("Ben"), BEN),
            (add_bot("easy", 5), dice.choice([ADA, "p-owner"])),
            *((act(one), dice.choice(VIEWERS)) for one in ("draw", "takeback", "rematch", "seat", "abort")),
            *((decline(one), dice.choice(VIEWERS)) for one in OFFERS),
            *((act(one), dice.choice(VIEWERS)) for one in ("leave", "resign", "rematch", "takeback")),
            (take_over("Eve"), EVE),
            (claim(dice.choice(["win", "draw", "bot"]), 9_000, "easy"), dice.choice([ADA, BEN])),
            (say("Somebody", "hm"), dice.choice(VIEWERS)),
            (SeatStandIn(dice.choice([0, 1]), Bot("easy", 1)), ""),
            (EndStandIn(dice.choice([0, 1])), ""),
            (StopClocks(dice.randrange(900)), ""),
            (ResumeClocks(), ""),
        ]
        asked, by = dice.choice(choices)
        try:
            table.do(asked, by)
        except Refusal:
            continue
    table.do(Retire(), "")
    for record in table.log[done:]:
        watched.take(record)
    for view in watched.views.values():
        TypeAdapter(RoomView).validate_python(view)


def test_a_line_that_pushes_the_oldest_out_is_one_change() -> None:
    table = Table(started())
    watched = Watched(table)
    for number in range(CHAT_KEPT + 3):
        table.do(say("Ada", f"line {number}"), ADA)
        table.do(say("Eve", f"aside {number}"), EVE)
    for record in table.log:
        watched.take(record)
    assert [line["text"] for line in watched.views[BEN]["chat"]][:1] == ["line 3"]
    assert len(watched.views[EVE]["chat"]) == CHAT_KEPT


def test_a_move_on_a_large_board_says_little() -> None:
    """Two kilobytes a move would be the whole board with all its legal moves."""
    table = Table()
    table.do(Create("gomoku", RoomSettings()), ADA)
    for name, by in (("Ada", ADA), ("Ben", BEN)):
        table.do(sit(name), by)
    for move, by in (("h8", ADA), ("h9", BEN), ("g7", ADA)):
        table.do(play(move, table.state.version), by)
    watched = Watched(table)
    for record in table.log:
        watched.take(record)
    assert max(map(len, watched.messages[-4:])) < 800


def test_rules_that_are_let_go_are_kept_by_no_view() -> None:
    """Strangers may ask for any number of variants: each goes when its rooms and `find_game` let it go."""
    # Other tests keep variants that they have found.
    registry._variant.cache_clear()
    rules = []
    for name in [f"mnk:{width},{height},3" for width in range(3, 6) for height in range(3, 5)]:
        table = Table()
        table.do(Create(name, RoomSettings()), ADA)
        for player, by in (("Ada", ADA), ("Ben", BEN)):
            table.do(sit(player), by)
        public = PublicView(table.state)
        for by in (ADA, BEN):
            (event,) = table.do(play(table.state.legal_moves()[0], table.state.version), by)
            assert isinstance(event, MovePlayed)
            public.move(table.state, event)
        rules.append(weakref.ref(table.state.rules))
    del table, public
    registry._variant.cache_clear()
    gc.collect()
    assert [one for one in rules if one() is not None] == []


def test_a_view_has_the_fields_that_it_is_described_with() -> None:
    """`RoomView` describes it, and each of its fields is read in one place."""
    described = {one.name for one in fields(RoomView)} - {"at"}
    table = Table(started())
    others = set(HERE.view(table.state)) | {"room", "version", "position", "moves", "may"}
    assert described == set(_READERS) | others | {"you", "owner", "asks", "chat"}
    shown = room_view(against_a_bot(RoomSettings(clock="1+5")).state, ADA, HERE)
    assert shown.keys() <= described
    absent = {"result", "series", "awaited", "asker", "asks", "takes_back", "tournament", "rated"}
    assert described - shown.keys() == absent


# ---------------------------------------------------------------- secrets


@pytest.mark.parametrize(
    ("reports", "phase", "shown"),
    [
        ("at_once", "playing", True),
        ("after", "playing", False),
        ("never", "playing", False),
        ("at_once", "finished", True),
        ("after", "finished", True),
        ("never", "finished", False),
    ],
)
def test_thoughts_are_shown_to_everybody_or_to_nobody(reports: Any, phase: str, shown: bool) -> None:
    table = against_a_bot(RoomSettings(reports=reports))
    if phase == "finished":
        table.take([GameFinished("resignation", 0, "resignation", 1)])
    assert shows_thoughts(table.state) is shown
    assert bool(thought_views(table.state)) is shown
    assert room_view(table.state, EVE, HERE)["shows_thoughts"] is shown
    for name in (ADA, EVE):
        assert ("549946" in json.dumps(room_view(table.state, name, HERE), default=str)) is shown


NUMBER = 990_099
CANARIES = {
    "owner": "canary-owner",
    "player": "canary-player",
    "seed": NUMBER,
    "spent": NUMBER,
    "rested": NUMBER,
    "lag": NUMBER,
    "summary": GameSummary("canary-owner", 1, 0, 9, [PlayerSummary("canary-player", "x")] * 2),
}
VALUES = {
    "at": 1,
    "seat": 0,
    "starter": 0,
    "plies": 1,
    "offer": "draw",
    "termination": "line",
    "channel": "players",
}


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
def test_what_is_private_stands_in_no_message(kind: type[Any]) -> None:
    """For every type of event: none of its marked fields is written."""
    private = fields_marked(kind, "private")
    given: dict[str, Any] = {}
    for one in fields(kind):
        if one.name == "report":
            given["report"] = REPORT
        elif one.name in CANARIES:
            given[one.name] = CANARIES[one.name]
        elif one.name == "settings":
            given[one.name] = RoomSettings()
        elif one.name in ("name", "text"):
            given[one.name] = "canary of a channel"
        elif one.name != "kind" and one.name in VALUES:
            given[one.name] = VALUES[one.name]
        elif one.name in ("game", "move", "bot", "reason"):
            given[one.name] = "x"
    assert private <= given.keys()
    written = encode_fact(kind(**given))
    for canary in ("canary-owner", "canary-player", "990099", "549946"):
        assert canary.encode() not in written
    assert set(json.loads(written)).isdisjoint(private)
    if kind.__name__ == "ChatPosted":
        assert b"canary" not in written


@pytest.mark.parametrize("reports", ["at_once", "never"])
@pytest.mark.parametrize("viewer", [ADA, BEN, EVE, ""])
def test_no_view_holds_a_player_id_or_a_seed(viewer: str, reports: Any) -> None:
    table = against_a_bot(RoomSettings(reports=reports))
    watched = Watched(table)
    for record in table.log:
        watched.take(record)
    for text in (
        json.dumps(room_view(table.state, viewer, HERE), default=str),
        *map(bytes.decode, watched.messages),
    ):
        assert "p-ada" not in text
        assert "seed" not in text
        assert "990099" not in text


# ---------------------------------------------------------------- snapshots


def test_the_last_move_shows_that_nobody_is_to_move() -> None:
    table = Table([*started(), *moves(FIRST_WINS), GameFinished("line", 0, "three in a row")])
    view = room_view(table.state, EVE, HERE)
    assert "turn" not in view
    assert view["position"]["legal"] == []
    assert view["position"]["line"] == [0, 3, 6]
    assert view["result"] == {"termination": "line", "winner": 0, "reason": "three in a row"}


def test_a_snapshot_has_all_that_is_needed_to_choose() -> None:
    table = Table([*started(), *moves(["b2", "a1"])])
    here = PresenceState([True, False], 3, [None, 4_000])
    view = room_view(table.state, BEN, here)
    assert (view["you"], view["turn"]["seat"], view["moves"], view["watching"]) == (1, 0, ["b2", "a1"], 3)
    assert view["online"] == [True, False]
    assert view["claim_from"] == [64_000, None]
    assert not view["owner"]
    assert "you" not in room_view(table.state, EVE, here)
    assert room_view(table.state, ADA, here)["owner"]
    typed = TypeAdapter(RoomView).validate_python(json.loads(json.dumps(view)))
    assert {"resign", "claim"} <= typed.open_actions() == set(view["may"]["seats"][1])
