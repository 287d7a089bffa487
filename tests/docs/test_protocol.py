"""docs/protocol.md: its transcripts happen, and its tables are whole."""

import json
import re
from dataclasses import MISSING, asdict, fields, is_dataclass
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from parlour_protocol import (
    DEFAULT_PORT,
    MOST_NODES,
    MOST_POINTS,
    MOST_REPORTED,
    SUBPROTOCOL,
    to_client,
    to_server,
    views,
)
from parlour_protocol.codec import MAX_MESSAGE_BYTES, decode_to_server
from parlour_protocol.errors import CloseCode, Code
from parlour_protocol.schema import ANSWERED_BY
from parlour_server.games.mnk import TICTACTOE
from parlour_server.live.directory import MOST_LISTED as LONGEST_LIST
from parlour_server.live.session import MOST_PAST, RECORD_MOVES
from parlour_server.search import review
from tests.docs.markdown import anchors, blocks, links, named, page, section, tables
from tests.docs.transcript import Replay, read
from tests.support.server import serving

PAGE = page("docs/protocol.md")
TRANSCRIPTS = blocks(PAGE, "transcript")
TABLES = tables(PAGE)
UNASKED = {"event", "snapshot", "thinking", "progress", "presence", "replaced", "lobby", "goodbye"}


def members(union: Any) -> list[Any]:
    """The members of a union, out of what annotates it and them."""
    return [get_args(one)[0] if not isinstance(one, type) else one for one in get_args(get_args(union)[0])]


def tag(member: Any, name: str = "type") -> str:
    if isinstance(member, type) and issubclass(member, BaseModel):
        return str(get_args(member.model_fields[name].annotation)[0])
    return str(get_args(member.__annotations__[name])[0])


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


def told_fields(cell: str) -> tuple[set[str], set[str]]:
    """The fields in a table's cell: `needed`, [`optional`]."""
    words = [word.strip() for word in cell.split(",") if word.strip()]
    optional = {word[2:-2] for word in words if word.startswith("[")}
    return {word[1:-1] for word in words if not word.startswith("[")}, optional


COMMANDS = {tag(member): member for member in members(to_server.ToServer)}
SAID = {tag(member): member for member in members(to_client.ToClient)}
EVENTS = {
    tag(member, "kind"): member
    for member in members(to_client.RoomEvent)
    if member is not to_client.UnknownEvent
}


# ---------------------------------------------------------------- transcripts


@pytest.mark.parametrize("number", range(len(TRANSCRIPTS)))
@pytest.mark.parametrize("direct", [True, False])
async def test_a_transcript_happens_as_it_is_told(number: int, direct: bool) -> None:
    async with serving(messages_per_second=20.0, direct=direct) as url:
        await Replay(url).run(read(TRANSCRIPTS[number]))


def test_a_whole_game_and_its_rematch_are_told() -> None:
    heard = [json.loads(step.text) for step in read(TRANSCRIPTS[0]) if step.does == "<"]
    kinds = [message["event"]["kind"] for message in heard if message["type"] == "event"]
    assert kinds.count("game_started") == 2
    assert kinds.index("game_finished") < kinds.index("rematch_offered")


def test_a_clock_a_takeback_and_a_draw_are_told() -> None:
    heard = [json.loads(step.text) for step in read(TRANSCRIPTS[-1]) if step.does == "<"]
    events = [message for message in heard if message["type"] == "event"]
    kinds = [message["event"]["kind"] for message in events]
    assert {"takeback_offered", "moves_taken_back", "draw_offered", "offer_declined", "said"} <= set(kinds)
    assert events[-1]["event"]["draws"] == 1
    assert all("clock" in message for message in events if message["version"] >= 4)


async def test_a_replay_notices_what_is_wrong() -> None:
    whole = TRANSCRIPTS[0]
    less = whole.rpartition("\nada < ")[0]
    for wrong in (
        less,
        whole.replace('"moves": []', '"moves": ["a1"]'),
        whole.replace('"takebacks": true, ', ""),
    ):
        assert wrong != whole
        async with serving(messages_per_second=20.0) as url:
            with pytest.raises(AssertionError):
                await Replay(url).run(read(wrong))


# ---------------------------------------------------------------- tables


def test_every_command_is_told_with_its_fields_and_answer() -> None:
    rows = TABLES["Command"]
    assert sorted(named(rows)) == sorted(COMMANDS)
    for name, told, answer, *_ in rows:
        kind = name.strip("`")
        assert told_fields(told) == needed_and_optional(COMMANDS[kind], "type", "id"), kind
        assert answer == f"`{ANSWERED_BY.get(kind, 'accepted')}`"


def test_every_message_of_the_server_is_told() -> None:
    answers = {row[2].strip("`") for row in TABLES["Command"]} | {"refused"}
    assert answers | UNASKED == set(SAID)
    rows = TABLES["Notice"]
    assert sorted(named(rows)) == sorted(UNASKED - {"event", "snapshot"})
    for name, told, *_ in rows:
        assert told_fields(told) == needed_and_optional(SAID[name.strip("`")], "type"), name
    codes = get_args(to_client.Goodbye.__annotations__["code"])
    assert sorted(named(TABLES["Goodbye"])) == sorted(codes)


def test_every_event_is_told_with_its_fields() -> None:
    rows = TABLES["Event"]
    assert sorted(named(rows)) == sorted(EVENTS)
    for name, told, *_ in rows:
        assert told_fields(told) == needed_and_optional(EVENTS[name.strip("`")], "kind"), name


def test_every_refusal_is_told() -> None:
    refusals = tables(section(PAGE, "## Refusals"))["Code"]
    assert named(refusals) == [code.value for code in Code]


def test_every_close_code_is_told() -> None:
    told = [int(row[0]) for row in tables(section(PAGE, "## Closing"))["Code"]]
    ours = [code for name, code in vars(CloseCode).items() if name.isupper()]
    assert [code for code in told if code >= 4000] == sorted(ours)
    assert [code for code in told if code < 4000] == [1001, 1007, 1008, 1009, 1011]


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("## The room", views.RoomView),
        ("## The board", views.BoardView),
        ("## Reports and candidates", views.Report),
    ],
)
def test_every_field_of_a_view_is_told(heading: str, kind: Any) -> None:
    told = named(tables(section(PAGE, heading))["Field"])
    assert sorted(told) == sorted(field.name for field in fields(kind))


def test_every_setting_of_a_room_is_told_with_its_values() -> None:
    rows = TABLES["Setting"]
    assert named(rows) == list(views.RoomSettings.model_fields)
    for name, values, default in rows:
        info = views.RoomSettings.model_fields[name.strip("`")]
        assert default == f"`{info.default}`"
        choices = [value for value in get_args(info.annotation) if isinstance(value, str)]
        assert all(f"`{value}`" in values for value in choices)


def test_every_field_of_a_recorded_move_and_of_a_past_room_is_told() -> None:
    text = section(PAGE, "## Records and history")
    told = [*fields(views.RecordedMove), *fields(views.PastRoom)]
    assert all(f"`{field.name}`" in text for field in told)
    assert f"up to {RECORD_MOVES} moves" in text
    assert f"up to {LONGEST_LIST} public rooms" in PAGE
    assert f"the last {MOST_PAST} used" in PAGE


def test_every_kind_and_result_of_a_score_is_told() -> None:
    text = section(PAGE, "## Reports and candidates")
    assert named(tables(text)["`kind`"]) == list(get_args(views.ScoreKind))
    assert all(f"`{result}`" in text for result in get_args(views.Result))
    assert all(f"`{field.name}`" in text for field in fields(views.Candidate))


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        ("In a `grade`", views.Grade),
        ("In a node", views.TreeNode),
        ("In a `record`", views.GameRecord),
    ],
)
def test_every_field_of_a_grade_a_node_and_a_record_is_told(head: str, kind: Any) -> None:
    assert sorted(named(TABLES[head])) == sorted(field.name for field in fields(kind))


def test_grades_and_entrants_are_told_with_their_bounds() -> None:
    text = section(PAGE, "## Reports and candidates") + section(PAGE, "## Game trees and races")
    assert all(f"`{name}`" in text for name in get_args(views.GradeName) + get_args(views.Entrant))
    assert f"loses {review.MISTAKE:g} points" in text
    assert f"loses {review.BLUNDER:g} points" in text
    assert f"{MOST_NODES:,} at most" in text


def test_what_a_program_reports_is_told_with_its_bounds() -> None:
    text = section(PAGE, "### What a program reports")
    assert sorted(named(TABLES["In a `report` sent"])) == sorted(
        field.name for field in fields(to_server.GivenReport)
    )
    assert all(f"`{field.name}`" in text for field in fields(to_server.GivenCandidate))
    assert f"up to {MOST_REPORTED} each" in text
    assert f"{MOST_POINTS:,}" in text
    example = decode_to_server(re.search(r"\{.*\}\}", text, re.DOTALL)[0])  # type: ignore[index]
    assert isinstance(example, to_server.PlayMove)
    assert example.report is not None
    assert [one.kind for one in example.report.candidates] == ["estimate", "exact"]


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


def test_links_lead_somewhere() -> None:
    assert all(link.removeprefix("#") in anchors(PAGE) for link in links(PAGE))
