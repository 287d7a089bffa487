"""docs/protocol.md: its transcripts happen, and its tables are whole."""

import json
import re
from dataclasses import MISSING, asdict, fields, is_dataclass
from typing import Any, get_args

import pytest

from parlour_protocol import (
    DEFAULT_PORT,
    MOST_NODES,
    MOST_POINTS,
    MOST_REPORTED,
    SUBPROTOCOL,
    actions,
    answers,
    codec,
    commands,
    events,
    messages,
    notices,
    settings,
)
from parlour_protocol.codec import MAX_MESSAGE_BYTES, decode_to_server
from parlour_protocol.errors import CloseCode, Code
from parlour_protocol.views import boards, records, reports, rooms
from parlour_server.games.mnk import TICTACTOE
from parlour_server.hosting.puzzle_days import DAYS_KEPT
from parlour_server.hosting.rooms.histories import MOST_PAST
from parlour_server.hosting.rooms.room_list import MOST_LISTED as LONGEST_LIST
from parlour_server.search.reports import grades
from parlour_server.sessions.log_queries import PAGE_BYTES
from parlour_server.sessions.queries import MOST_REVIEWED
from tests.docs import folding
from tests.docs.markdown import blocks, named, page, section, tables
from tests.docs.rewrite import Names
from tests.docs.transcript import Replay, read
from tests.support.server import serving

PAGE = page("docs/protocol.md")
TRANSCRIPTS = blocks(PAGE, "transcript")
TABLES = tables(PAGE)
NOT_SENT = {"at"}
"""Fields of a view that are the client's own."""


def needed_and_optional(member: Any, *leave_out: str) -> tuple[set[str], set[str]]:
    needed, optional = set[str](), set[str]()
    if is_dataclass(member):
        every = {
            one.name: one.default is MISSING and one.default_factory is MISSING for one in fields(member)
        }
    else:
        every = {name: info.is_required() for name, info in member.model_fields.items()}
    for name, required in every.items():
        if name not in leave_out:
            (needed if required else optional).add(name)
    return needed, optional


def fields_named(cell: str) -> tuple[set[str], set[str]]:
    """The fields in a table's cell: `needed`, [`optional`]."""
    words = [word.strip() for word in cell.split(",") if word.strip()]
    optional = {word[2:-2] for word in words if word.startswith("[")}
    return {word[1:-1] for word in words if not word.startswith("[")}, optional


COMMANDS = {kind: member for member in commands.COMMANDS for kind in messages.types_of(member)}
SIGNALS = {kind: member for member in commands.SIGNALS for kind in messages.types_of(member)}
SAID = {messages.types_of(kind)[0]: kind for kind in codec.TO_CLIENT}
UNASKED = {messages.types_of(kind)[0] for kind in codec.UNASKED}
EVENTS = {events.kind_of(kind): kind for kind in events.EVENTS}


# ---------------------------------------------------------------- transcripts


@pytest.mark.parametrize("number", range(len(TRANSCRIPTS)))
async def test_a_transcript_happens_as_it_is_shown(number: int) -> None:
    async with serving(messages_per_second=20.0) as url:
        await Replay(url).run(read(TRANSCRIPTS[number]))


async def test_what_clients_receive_folds_to_the_next_snapshot_in_python_and_in_node() -> None:
    kinds = set[str]()
    for transcript in TRANSCRIPTS:
        async with serving(messages_per_second=20.0) as url:
            received = await Replay(url).run(read(transcript))
        for unbroken in (run for one in received for run in folding.runs(one)):
            assert unbroken[-1]["type"] == "snapshot"
            snapshots = [one["view"] for one in unbroken if one["type"] == "snapshot"]
            for fold in (folding.in_python, folding.in_node):
                first, *folded = fold(unbroken)
                assert first is None
                for view, snapshot in zip(folded, snapshots[1:], strict=True):
                    assert without_presence(view) == without_presence(snapshot)
                assert folded[-1] == snapshots[-1]
            kinds |= {one["event"]["kind"] for one in unbroken if one["type"] == "event"}
    assert {"seat_taken", "game_started", "move_played", "moves_taken_back", "chat_posted"} <= kinds


def without_presence(view: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in view.items() if name not in folding.PRESENCE}


def test_a_whole_game_and_its_rematch_are_shown() -> None:
    received = [json.loads(step.text) for step in read(TRANSCRIPTS[0]) if step.does == "<"]
    facts = [message["event"] for message in received if message["type"] == "event"]
    kinds = [fact["kind"] for fact in facts]
    assert kinds.count("game_started") == 2
    assert kinds.index("game_finished") < kinds.index("offer_made")


def test_a_clock_a_takeback_and_a_draw_are_shown() -> None:
    received = [json.loads(step.text) for step in read(TRANSCRIPTS[-1]) if step.does == "<"]
    shown = [message for message in received if message["type"] == "event"]
    kinds = {message["event"]["kind"] for message in shown}
    assert kinds >= {"offer_made", "moves_taken_back", "offer_declined", "chat_posted"}
    assert shown[-1]["event"]["termination"] == "agreement"
    assert any("clock" in message.get("set", {}) for message in shown)


async def test_a_replay_notices_what_is_wrong() -> None:
    whole = TRANSCRIPTS[0]
    less = whole.rpartition("\nada < ")[0]
    for wrong in (
        less,
        re.sub(r'"moves":\s+\[\]', '"moves": ["a1"]', whole),
        re.sub(r'"settings":\s+{}', '"settings": {"pace": 2.0}', whole),
    ):
        assert wrong != whole
        async with serving(messages_per_second=20.0) as url:
            with pytest.raises(AssertionError):
                await Replay(url).run(read(wrong))


def test_a_rewritten_transcript_names_what_varies_and_leaves_out_what_is_usual() -> None:
    names = Names()
    at = 1_700_000_000_000
    view = {"room": "KMRTQA", "settings": {"chat": True, "clock": "5+0"}, "turn": {"seat": 0, "since": at}}
    event = {"room": "KMRTQA", "at": at, "version": 5, "type": "event", "set": {"turn.since": at}}
    assert names.give("ada", event) == {
        "type": "event", "room": "<room>", "version": 5, "at": "<time 5>", "set": {"turn.since": "<time 5>"}
    }  # fmt: skip
    assert names.give("ada", {"type": "snapshot", "version": 6, "at": at, "view": view}) == {
        "type": "snapshot",
        "version": 6,
        "at": "<now>",
        "view": {"room": "<room>", "settings": {"clock": "5+0"}, "turn": {"seat": 0, "since": "<time 5>"}},
    }
    assert (names.give("ada", {"type": "x", "left": [299_001, 300_000]}))["left"] == ["<left 0 0>", 300_000]


# ---------------------------------------------------------------- tables


def test_every_command_is_reported_with_its_fields_and_answer() -> None:
    rows = TABLES["Command"]
    assert sorted([*named(rows), *actions.OFFERS]) == sorted(COMMANDS)
    for kind, reported, answer in ((name, row[1], row[2]) for row in rows for name in named([row])):
        assert fields_named(reported) == needed_and_optional(COMMANDS[kind], "type", "id"), kind
        assert SAID[answer.strip("`")] is messages.answer_type(COMMANDS[kind]), kind


def test_every_signal_is_reported_with_its_fields() -> None:
    rows = TABLES["Signal"]
    assert sorted(named(rows)) == sorted(SIGNALS)
    for name, reported, _ in rows:
        assert fields_named(reported) == needed_and_optional(SIGNALS[name.strip("`")], "type"), name


def test_every_message_of_the_server_is_reported() -> None:
    answers = {row[2].strip("`") for row in TABLES["Command"]} | {"refused"}
    assert answers | UNASKED == set(SAID)
    assert sorted(named(TABLES["Notice"])) == sorted(messages.types_of(kind)[0] for kind in notices.NOTICES)
    codes = get_args(notices.Goodbye.__annotations__["code"])
    assert sorted(named(TABLES["Goodbye"])) == sorted(codes)


def test_every_event_is_reported_with_its_fields() -> None:
    rows = TABLES["Event"]
    assert sorted(named(rows)) == sorted(EVENTS)
    for name, reported in ((name, row[1]) for row in rows for name in named([row])):
        kind = EVENTS[name]
        assert fields_named(reported) == needed_and_optional(
            kind, "kind", *events.fields_marked(kind, "private")
        )


def test_every_refusal_is_reported() -> None:
    refusals = tables(section(PAGE, "## Refusals"))["Code"]
    assert named(refusals) == [code.value for code in Code]


def test_every_close_code_is_reported() -> None:
    reported = [int(row[0]) for row in tables(section(PAGE, "## Closing"))["Code"]]
    ours = [code for name, code in vars(CloseCode).items() if name.isupper()]
    assert [code for code in reported if code >= 4000] == sorted(ours)
    assert [code for code in reported if code < 4000] == [1001, 1007, 1008, 1009, 1011]


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("## The room", rooms.RoomView),
        ("## The board", boards.BoardView),
        ("## Reports and candidates", reports.Report),
    ],
)
def test_every_field_of_a_view_is_reported(heading: str, kind: Any) -> None:
    reported = named(tables(section(PAGE, heading))["Field"])
    assert sorted(reported) == sorted(field.name for field in fields(kind) if field.name not in NOT_SENT)


def test_every_termination_and_every_action_is_reported() -> None:
    assert sorted(named(TABLES["`termination`"])) == sorted(get_args(rooms.Termination))
    assert {*named(TABLES["Action"]), *actions.OFFERS} == set(get_args(actions.Action))


def test_every_setting_of_a_room_is_reported_with_its_values() -> None:
    rows = TABLES["Setting"]
    assert named(rows) == list(settings.RoomSettings.model_fields)
    for name, values, default in rows:
        info = settings.RoomSettings.model_fields[name.strip("`")]
        assert default == f"`{info.default}`"
        choices = [value for value in get_args(info.annotation) if isinstance(value, str)]
        assert all(f"`{value}`" in values for value in choices)


def test_every_field_of_a_setting_is_reported() -> None:
    reported = named(TABLES["In a setting"])
    assert sorted(reported) == sorted({field.name for field in fields(settings.SettingLine)})
    kinds = get_args(settings.SettingLine.__annotations__["kind"])
    assert all(f"`{kind}`" in section(PAGE, "### Settings as data") for kind in kinds)


def test_every_field_of_a_recorded_move_and_of_a_past_room_is_reported() -> None:
    text = section(PAGE, "## Records and history")
    kinds = (records.RecordedMove, records.PastRoom, records.PastGame, records.RoomHistory, records.Tally)
    reported = [field for kind in kinds for field in fields(kind)]
    assert all(f"`{field.name}`" in text for field in reported)
    assert f"{PAGE_BYTES // 1024} KiB" in PAGE
    assert f"up to {LONGEST_LIST} public rooms" in PAGE
    assert f"the last {MOST_PAST} used" in PAGE


def test_every_kind_and_result_of_a_score_is_reported() -> None:
    text = section(PAGE, "## Reports and candidates")
    assert named(tables(text)["`kind`"]) == list(get_args(reports.ScoreKind))
    assert all(f"`{result}`" in text for result in get_args(reports.Result))
    assert all(f"`{field.name}`" in text for field in fields(reports.Candidate))


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        ("In a `grade`", reports.Grade),
        ("In a node", reports.TreeNode),
        ("In a reviewed move", reports.ReviewedMove),
        ("In a `record`", records.GameRecord),
    ],
)
def test_every_field_of_a_grade_a_node_and_a_record_is_reported(head: str, kind: Any) -> None:
    assert sorted(named(TABLES[head])) == sorted(field.name for field in fields(kind))


def test_every_field_of_a_puzzle_is_reported() -> None:
    reported = {field.name for field in fields(answers.Puzzle)} - {"type", "id"}
    assert sorted(named(TABLES["In a `puzzle`"])) == sorted(reported)
    assert f"up to {DAYS_KEPT} days back" in PAGE


def test_grades_and_entrants_are_reported_with_their_bounds() -> None:
    text = section(PAGE, "## Reports and candidates") + section(PAGE, "## Game trees and races")
    assert all(f"`{name}`" in text for name in get_args(reports.GradeName) + get_args(reports.Entrant))
    assert f"loses {grades.MISTAKE}% or more" in text
    assert f"loses {grades.BLUNDER}% or more" in text
    assert f"{MOST_NODES:,} at most" in text
    assert f"up to {MOST_REVIEWED}" in PAGE


def test_what_a_program_reports_is_reported_with_its_bounds() -> None:
    text = section(PAGE, "### What a program reports")
    assert sorted(named(TABLES["In a `report` sent"])) == sorted(
        field.name for field in fields(reports.ProgramReport)
    )
    assert all(
        f"`{field.name}`" in text for field in (*fields(reports.ProgramCandidate), *fields(reports.Score))
    )
    assert f"up to {MOST_REPORTED} each" in text
    assert f"{MOST_POINTS:,}" in text
    example = decode_to_server(re.search(r"\{.*\}\}", text, re.DOTALL)[0])  # type: ignore[index]
    assert isinstance(example, commands.PlayMove)
    assert example.report is not None
    assert [one.score.kind for one in example.report.candidates] == ["estimate", "exact"]


# ---------------------------------------------------------------- the rest


def test_the_board_shown_is_the_one_that_the_server_sends() -> None:
    (board,) = blocks(PAGE, "board")
    position, last = TICTACTOE.replay("a1 b2 a3")
    sent = {key: value for key, value in asdict(TICTACTOE.view(position, last)).items() if value is not None}
    assert json.loads(board) == sent


def test_figures_are_those_of_the_code() -> None:
    assert SUBPROTOCOL in PAGE
    assert f"usual port {DEFAULT_PORT}" in PAGE
    assert f"{MAX_MESSAGE_BYTES:,}" in PAGE
