"""A list is a description: columns over rows. Every face draws any of them."""

import csv
import io
import json
from dataclasses import dataclass
from typing import Any, get_args

import pytest

from parlour_client.cli.match_report import STANDINGS, Standing
from parlour_client.render import admin
from parlour_client.render.console import Screen
from parlour_client.render.list_csv import csv_text
from parlour_client.render.lists import TONES, phrase
from parlour_client.render.tables import BOTS, GAMES, line, table
from parlour_client.sdk.match_result import Count
from parlour_client.tui.widgets.room_list import flowed, item
from parlour_protocol.local.admin import AddressRow, AuditEntry, BanRow
from parlour_protocol.views.lists import OWN_ROOMS, PAGE, ROOM_GAMES, ROOMS, Column, Columns, Tone
from parlour_protocol.views.records import PastGame, PastRoom
from parlour_protocol.views.rooms import BotLine, BotSetting, GameLine, ResultView, RoomLine, SeatView, Series
from parlour_protocol.words import ENGLISH, speak
from tests.client.render.test_board import lines
from tests.client.rooms import board
from tests.client.tui.top import looks

ADA, BEN, EASY = SeatView("human", "Ada"), SeatView("human", "Ben"), SeatView("bot", "easy", "easy")
FREE = SeatView("open")
WAITS = RoomLine("KMRTQA", "tictactoe", "waiting", [ADA, FREE], 0, 0, 3, clock="5+3")
RUNS = RoomLine(
    "AAAAAA", "connect4", "playing", [EASY, BEN], 4, 2, 9, wins=[2, 1], draws=4, series=Series(8, 10)
)


@dataclass
class Place:
    """A player's place in a tournament."""

    name: str
    points: float
    games: int
    share: float


TOURNAMENT: Columns[Place] = (
    Column("name", "key", head="table_head.player"),
    Column("points", "number", head="table_head.score"),
    Column("games", "number", "count.game", line=2, above=1),
    Column("share", "share", head="table_head.won", from_width=60),
    Column(
        "", "bar", of=lambda place: place.share, tone=lambda place: "win" if place.share > 0.5 else "past"
    ),
)
"""A new list is this, and no more."""
PLACES = [Place("=Ada", 2.5, 3, 0.625), Place("Ben", 1, 1, 0.25)]


def test_a_new_list_is_a_table_a_line_an_item_csv_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    shown = [row.split() for row in lines(table(TOURNAMENT, PLACES), 80) if row]
    assert shown == [
        ["player", "score", "games", "won"],
        ["=Ada", "2.5", "3", "62.5%", "█" * 12],
        ["Ben", "1", "1", "25.0%", "█" * 5],
    ]
    assert line(TOURNAMENT, PLACES[0]).startswith("=Ada: 2.5, 3 games, 62.5%")
    assert flowed(item(TOURNAMENT[:3], PLACES[0]), 40).plain == "=Ada  2.5\n  3 games"
    assert list(csv.reader(io.StringIO(csv_text(TOURNAMENT, PLACES)))) == [
        ["name", "points", "games", "share"],
        # No spreadsheet is to take a stranger's name for a formula.
        ["'=Ada", "2.5", "3", "0.625"],
        ["Ben", "1", "1", "0.25"],
    ]
    Screen(as_json=True).show_list(TOURNAMENT, PLACES)
    assert json.loads(capsys.readouterr().out)[1] == {"name": "Ben", "points": 1, "games": 1, "share": 0.25}


def test_a_moment_may_stand_in_a_sentence() -> None:
    assert phrase(Column("at", "moment", "outcome.draw"), OWN).plain == "A draw."


MNK = GameLine("mnk", "m,n,k", "A row on any board.", board("...", ".X.", "..."), "mnk:5x4x3")
BOT = BotLine("hard", "It looks\nahead.", [BotSetting("depth", 1, 99, whole=True)])
RESIGNED = PastGame(1, [ADA, EASY], 1, 0, 5, ResultView("resignation", "Ada gave up", 1))
OWN = PastRoom("KMRTQA", "mnk", "m,n,k", "playing", [ADA, FREE], 2, 1_005, 1_700_000_000_000, 0)
AUDITED = AuditEntry("2026-11-24T20:00:00+00:00", 1000, "kick", "-Ada", "done", "Ada is disconnected.")
CSV: dict[str, tuple[Columns[Any], Any, dict[str, str]]] = {
    "room that waits": (ROOMS, WAITS, {"seats": "Ada;", "standing": "waiting", "clock": "5+3", "series": ""}),
    "room": (
        ROOMS,
        RUNS,
        {"seats": "bot:easy;Ben", "standing": "playing", "series": "8;10", "score": "2;1;4"},
    ),
    "own room": (OWN_ROOMS, OWN, {"seats": "", "moves": "1005", "at": "2023-11-14T22:13:20Z"}),
    "game": (ROOM_GAMES, RESIGNED, {"outcome": "resignation;bot:easy", "starter": "bot:easy"}),
    "game without an end": (ROOM_GAMES, PastGame(2, [ADA, EASY], 0, 0, 2), {"outcome": ""}),
    "game that goes on": (
        ROOM_GAMES,
        PastGame(3, [ADA, EASY], 0, 0, 2, goes_on=True),
        {"outcome": "playing"},
    ),
    "kind of game": (GAMES, MNK, {"name": "mnk", "title": "m,n,k", "summary": "A row on any board."}),
    "bot": (BOTS, BOT, {"name": "hard", "summary": "It looks ahead."}),
    "standing": (STANDINGS, Standing("hard", Count(2, 1, 1), "first"), {"bot": "hard", "score": "0.625"}),
    "standing of a side": (STANDINGS, Standing("hard", Count(1, 0, 1), "past", "second"), {"side": "second"}),
    "room awake": (admin.ROOMS, looks.ROOMS[2], {"players": "Cleo;", "phase": "waiting", "quiet": "40"}),
    "player": (admin.PLAYERS, looks.PLAYERS[1], {"refused": "too_fast=90;unknown_room=7", "since": "20"}),
    "address": (admin.ADDRESSES, AddressRow("", 1_000, 2, 0), {"address": "", "connections": "1000"}),
    "ban for good": (admin.BANS, BanRow("name", "Mallory", None), {"kind": "name", "left": ""}),
    "ban": (admin.BANS, BanRow("network", "203.0.113.7", 90.0), {"kind": "address", "left": "90.0"}),
    "status": (
        admin.STATUS,
        looks.STATUS,
        {
            "uptime": "10000.0",
            "phases": "playing=211;waiting=77;finished=30",
            "commit": "0.0008",
            "stops": "",
        },
    ),
    "log": (admin.AUDIT, AUDITED, {"time": AUDITED.time, "target": "'-Ada", "message": AUDITED.message}),
}


@pytest.mark.parametrize("name", CSV)
def test_csv_is_for_programs_and_the_same_in_every_language(name: str) -> None:
    columns, row, expected = CSV[name]
    english = csv_text(columns, [row])
    head, *lines = english.splitlines()
    assert len(lines) == 1
    assert expected.items() <= next(csv.DictReader([head, *lines])).items()
    speak("pl")
    try:
        assert csv_text(columns, [row]) == english
    finally:
        speak("en")


def test_a_narrow_screen_leaves_out_what_needs_a_wider_one() -> None:
    assert "won" not in lines(table(TOURNAMENT, PLACES, width=59), 80)[0]


def test_a_column_in_which_no_row_has_anything_is_left_out() -> None:
    heads = lines(table(ROOMS, [WAITS]), 80)[0].split("  ")
    assert [head.strip() for head in heads if head] == ["room", "game", "players", "how it stands", "clock"]
    assert lines(table(ROOMS, [WAITS, RUNS], first=1), 120)[2].split() == [
        *("2", "AAAAAA", "connect4", "easy", "(bot)", "–", "Ben", "in", "progress"),
        *("4", "8/10", "2–1,", "4", "draws", "2"),
    ]


def test_a_game_of_a_room_in_a_line() -> None:
    game = PastGame(2, [ADA, EASY], 1, 1_700_000_000_000, 5)
    assert line(ROOM_GAMES, game) == (
        "2: Unfinished., Ada – easy (bot), 5 moves, easy (bot) began, 2023-11-14 22:13"
    )
    game.goes_on = True
    assert "2: In progress." in line(ROOM_GAMES, game)


@pytest.mark.parametrize("columns", PAGE.values(), ids=PAGE)
def test_the_page_gets_data_and_every_heading_is_in_the_catalogue(columns: Columns[object]) -> None:
    assert not any(column.of or callable(column.tone) for column in columns)
    assert all(column.heading in ENGLISH for column in columns)
    assert all(column.said in ENGLISH for column in columns if column.said)


def test_every_tone_has_a_style() -> None:
    assert set(TONES) == set(get_args(Tone))
