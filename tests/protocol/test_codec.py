"""Every message, both ways, and whatever else may come in by the door."""

import dataclasses
import json
from types import NoneType
from typing import Any, get_args

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel
from pydantic_core import to_json

from parlour_protocol import LONGEST_WORD, MOST_REPORTED
from parlour_protocol.actions import PlainAction
from parlour_protocol.answers import Accepted, Board, Refused, Welcome
from parlour_protocol.codec import (
    MAX_MESSAGE_BYTES,
    BadMessage,
    ToClient,
    decode_to_client,
    decode_to_server,
    encode_accepted,
    encode_event,
    encode_fact,
    encode_to_client,
    encode_to_server,
    find_id,
    snapshot_of,
)
from parlour_protocol.commands import COMMANDS, SIGNALS, PlayMove
from parlour_protocol.errors import Code
from parlour_protocol.events import (
    EVENTS,
    Event,
    GameFinished,
    OfferMade,
    UnknownEvent,
    fields_marked,
    kind_of,
    read_view,
)
from parlour_protocol.ids import CODE_ALPHABET, CODE_LENGTH
from parlour_protocol.messages import answer_type, types_of
from parlour_protocol.schema import json_schema
from parlour_protocol.views.reports import ProgramCandidate, ProgramReport, Score
from parlour_protocol.views.rooms import May, ResultView
from parlour_server.room.view import room_view
from tests.protocol.messages import TO_CLIENT, TO_SERVER, hints, messages, shown_types
from tests.support.rooms import ADA, HERE, Table, started

_definitions = json_schema()["$defs"]
_unions = {"ToServer": TO_SERVER, "ToClient": TO_CLIENT}
_schemas = {
    name: Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": _definitions})
    for name in (*_unions, *(kind.__name__ for kind in (*TO_SERVER, *TO_CLIENT)))
}

few = settings(max_examples=10, deadline=None)  # the first of a kind has its reader and writer built
room_codes = st.text(CODE_ALPHABET, min_size=CODE_LENGTH, max_size=CODE_LENGTH)
versions = st.integers(0, 2**53)
ANSWER = st.one_of([messages(kind) for kind in TO_CLIENT])
QUESTION = st.one_of([messages(kind) for kind in TO_SERVER])


# ---------------------------------------------------------------- what a program reports

CANDIDATE = {"move": "b2", "score": {"points": 1}}


@pytest.mark.parametrize(
    ("report", "where"),
    [
        ({"candidates": [CANDIDATE] * 65}, "candidates"),
        ({"candidates": [{**CANDIDATE, "move": "b" * 17}]}, "move"),
        ({"candidates": [{**CANDIDATE, "move": "b\u202e2"}]}, "can't be seen"),
        ({"candidates": [{**CANDIDATE, "move": ""}]}, "move"),
        ({"candidates": [{**CANDIDATE, "score": {"points": 1e300}}]}, "points"),
        ({"candidates": [{**CANDIDATE, "score": {"points": "1"}}]}, "points"),
        ({"candidates": [{**CANDIDATE, "score": 1}]}, "score"),
        ({"candidates": [{**CANDIDATE, "score": {"points": 1, "plies": 1.0}}]}, "plies"),
        ({"candidates": [{**CANDIDATE, "score": {"points": 1, "why": "because"}}]}, "why"),
        ({"candidates": [{**CANDIDATE, "score": {"points": 1, "kind": "sure"}}]}, "kind"),
        ({"candidates": [{**CANDIDATE, "why": "because"}]}, "why"),
        ({"line": ["b2"] * 65}, "line"),
        ({"line": ["\x1b[2J"]}, "can't be seen"),
        ({"nodes": -1}, "nodes"),
        ({"seconds": -1}, "seconds"),
        ({"bot": "perfect"}, "bot"),
        ({"best": "a1"}, "best"),
    ],
)
def test_a_report_that_is_none_is_refused(report: dict[str, Any], where: str) -> None:
    command = {"type": "play", "id": "1", "room": "KMRTQA", "version": 4, "move": "b2", "report": report}
    with pytest.raises(BadMessage, match=where) as raised:
        decode_to_server(json.dumps(command))
    assert (raised.value.refused.code, raised.value.refused.id) == (Code.BAD_MESSAGE, "1")


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_score_is_a_finite_number(number: str) -> None:
    text = '{"type":"play","id":"1","room":"KMRTQA","version":4,"move":"b2","report":{"candidates":'
    with pytest.raises(BadMessage):
        decode_to_server(f'{text}[{{"move":"b2","score":{{"points":{number}}}}}]}}}}')


def test_a_report_keeps_its_numbers_as_they_are() -> None:
    report = {"candidates": [CANDIDATE, {"move": "a1", "score": {"points": 0.5}}]}
    command = {"type": "play", "id": "1", "room": "KMRTQA", "version": 4, "move": "b2", "report": report}
    read = decode_to_server(json.dumps(command))
    assert isinstance(read, PlayMove)
    assert read.report is not None
    scores = [one.score.points for one in read.report.report().candidates]
    assert scores == [1, 0.5]
    assert type(scores[0]) is int


def test_the_longest_report_fits_into_a_message() -> None:
    longest = "\U0001f600" * 16
    candidate = ProgramCandidate(longest, Score(-123456.12345678912, "estimate", "loss", 10_000))
    report = ProgramReport(
        [candidate] * MOST_REPORTED,
        [longest] * MOST_REPORTED,
        nodes=2**53,
        cutoffs=2**53,
        table_hits=2**53,
        depth=10_000,
        seconds=1e5 / 3,
    )
    move = PlayMove(id="i" * 64, room="KMRTQA", version=2**53, move="m" * LONGEST_WORD, report=report)
    assert len(encode_to_server(move).encode()) < MAX_MESSAGE_BYTES


# ---------------------------------------------------------------- there and back


@pytest.mark.parametrize("kind", TO_CLIENT, ids=lambda kind: kind.__name__)
@few
@given(data=st.data())
def test_what_a_server_says_arrives_as_it_was(kind: Any, data: st.DataObject) -> None:
    message = data.draw(messages(kind))
    text = encode_to_client(message)
    assert decode_to_client(text) == message
    _schemas[kind.__name__].validate(json.loads(text))


@pytest.mark.parametrize("kind", TO_SERVER, ids=lambda kind: kind.__name__)
@few
@given(data=st.data())
def test_what_a_client_asks_arrives_as_it_was(kind: Any, data: st.DataObject) -> None:
    message = data.draw(messages(kind))
    text = encode_to_server(message)
    assert decode_to_server(text) == message
    _schemas[kind.__name__].validate(json.loads(text))


@pytest.mark.parametrize("union", _unions)
def test_a_message_is_known_by_its_type_alone(union: str) -> None:
    """So that its kind's schema says all that the union of them does."""
    kinds = [one["$ref"].rpartition("/")[2] for one in _definitions[union]["oneOf"]]
    assert sorted(kinds) == sorted(kind.__name__ for kind in _unions[union])
    tags = [_definitions[kind]["properties"]["type"] for kind in kinds]
    types = [kind for tag in tags for kind in tag.get("enum", [tag.get("const")])]
    assert len(set(types)) == len(types)
    assert all("type" in _definitions[kind]["required"] for kind in kinds)


@pytest.mark.parametrize("channel", [True, False])
@pytest.mark.parametrize("kind", EVENTS, ids=kind_of)
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_an_event_arrives_without_what_is_private_or_of_anothers_channel(
    kind: Any, channel: bool, data: st.DataObject
) -> None:
    fact = data.draw(messages(kind))
    whole = Event(data.draw(room_codes), data.draw(versions), data.draw(versions), fact, {"turn": None}, {})
    hidden = fields_marked(kind, "private") if channel else fields_marked(kind, "private", "channel")
    change = b'"set":%b,"splice":%b,' % (to_json(whole.set), to_json(whole.splice))
    text = encode_event(whole.room, whole.version, whole.at, encode_fact(fact, channel=channel), change)
    assert not hidden & json.loads(text)["event"].keys()
    _schemas["Event"].validate(json.loads(text))
    defaults = {one.name: one.default for one in dataclasses.fields(kind) if one.name in hidden}
    assert decode_to_client(text) == dataclasses.replace(whole, event=dataclasses.replace(fact, **defaults))


def test_what_is_private_of_events_is_named_so() -> None:
    marked = {(kind_of(kind), name) for kind in EVENTS for name in fields_marked(kind, "private")}
    assert marked == {
        ("room_created", "owner"),
        ("seat_taken", "player"),
        ("seat_taken", "seed"),
        ("bot_awaited", "seed"),
        ("stand_in_seated", "seed"),
        ("move_played", "report"),
        ("move_played", "lag"),
        ("clocks_stopped", "spent"),
        ("clocks_resumed", "rested"),
        ("game_finished", "summary"),
    }
    assert {(kind_of(kind), name) for kind in EVENTS for name in fields_marked(kind, "channel")} == {
        ("chat_posted", "name"),
        ("chat_posted", "text"),
        ("chat_posted", "text_said"),
    }


def test_every_command_names_its_answer() -> None:
    answers = set(TO_CLIENT)
    types = [kind for command in TO_SERVER for kind in types_of(command)]
    assert len(types) == len(set(types)) >= len(get_args(PlainAction)) + len(TO_SERVER) - 1
    assert all(answer_type(command) in answers - {Refused} for command in COMMANDS)
    assert not any("id" in signal.model_fields for signal in SIGNALS)


@given(st.text(st.characters(codec="utf-8", min_codepoint=1), min_size=1, max_size=64), st.integers(0, 2**53))
@example('say "\\" twice', 1)
def test_an_acceptance_is_written_as_every_message_is(command_id: str, version: int) -> None:
    for key in ("KMRTQA", f"counter:{command_id}"):
        assert encode_accepted(command_id, key, version) == encode_to_client(
            Accepted(command_id, key, version)
        )


@pytest.mark.parametrize("kind", shown_types(), ids=lambda kind: kind.__name__)
def test_what_may_be_none_is_none_unless_it_is_said(kind: Any) -> None:
    """None is left out when a message is written, so whoever reads must find it by default."""
    fields = {field.name: field for field in dataclasses.fields(kind)}
    for name, hint in hints(kind).items():
        if NoneType in get_args(hint):
            assert fields[name].default is None, name


def test_none_is_left_out() -> None:
    assert json.loads(encode_to_server(a_hello())) == {
        "type": "hello",
        "id": "h",
        "protocols": [1],
        "name": "Ada",
        "client": "",
        "capabilities": [],
    }


def a_hello() -> Any:
    return decode_to_server('{"type": "hello", "id": "h", "protocols": [1], "name": "Ada"}')


# ---------------------------------------------------------------- what a client tolerates


PLAIN_DATA = {"args", "set", "splice", "view"}


def with_more(value: Any) -> Any:
    """The same JSON with a field in every object that nobody knows; what is to be folded is kept as data."""
    if isinstance(value, dict):
        kept = {key: item if key in PLAIN_DATA else with_more(item) for key, item in value.items()}
        return {**kept, "from_the_future": [1]}
    return [with_more(item) for item in value] if isinstance(value, list) else value


@few
@given(message=ANSWER)
def test_a_client_ignores_fields_that_it_does_not_know(message: ToClient) -> None:
    richer = json.dumps(with_more(json.loads(encode_to_client(message))))
    assert decode_to_client(richer) == message


@few
@given(message=QUESTION)
def test_a_server_refuses_fields_that_it_does_not_know(message: Any) -> None:
    asked = json.loads(encode_to_server(message))
    with pytest.raises(BadMessage) as caught:
        decode_to_server(json.dumps({**asked, "from_the_future": 1}))
    assert (caught.value.refused.code, caught.value.refused.id) == (Code.BAD_MESSAGE, message.id)
    assert "`from_the_future`" in caught.value.refused.message


def test_a_client_ignores_notices_that_it_does_not_know() -> None:
    assert decode_to_client('{"type": "fireworks", "colour": "red"}') is None


def test_a_client_counts_events_that_it_does_not_know() -> None:
    text = '{"type": "event", "room": "KMRTQA", "version": 7, "at": 1, "event": {"kind": "paused", "by": 1}}'
    assert decode_to_client(text) == Event("KMRTQA", 7, 1, UnknownEvent("paused"))


@pytest.mark.parametrize("kind", ["offer_made", "offer_declined"])
def test_a_client_ignores_offers_and_actions_that_it_does_not_know(kind: str) -> None:
    event = {"kind": kind, "seat": 1, "offer": "truce"}
    text = json.dumps({"type": "event", "room": "KMRTQA", "version": 7, "at": 1, "event": event})
    assert decode_to_client(text) == Event("KMRTQA", 7, 1, UnknownEvent(kind, "truce"))
    may = {"seats": [["truce", "draw"], []], "spectator": ["say"], "owner": ["knight"]}
    table = Table([*started(), OfferMade(0, "draw")])
    view = read_view({**room_view(table.state, ADA, HERE), "offers": {"truce": 1, "draw": 0}, "may": may})
    assert view.offers == {"draw": 0}
    assert view.may == May([["draw"], []], ["say"], [])


def test_a_client_reads_an_ending_that_it_does_not_know_as_another_rule() -> None:
    ending = {
        "kind": "game_finished",
        "termination": "adjudication",
        "winner": 1,
        "reason": "the referee's word",
    }
    text = json.dumps({"type": "event", "room": "KMRTQA", "version": 7, "at": 1, "event": ending})
    assert decode_to_client(text) == Event("KMRTQA", 7, 1, GameFinished("rules", 1, "the referee's word"))
    view = room_view(Table([*started()]).state, ADA, HERE)
    assert read_view({**view, "result": ending}).result == ResultView("rules", "the referee's word", 1)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("nonsense", Code.NOT_JSON),
        ("{}", Code.UNKNOWN_TYPE),
        ('{"type": "accepted", "id": "x"}', Code.BAD_MESSAGE),
        ('{"type": "accepted", "id": "x", "room": "KMRTQA", "version": -1}', Code.BAD_MESSAGE),
        ('{"type": "event", "room": "KMRTQA", "version": 1, "at": 1, "event": {}}', Code.BAD_MESSAGE),
        (
            '{"type": "event", "room": "A", "version": 1, "at": 1, "event": {"kind": "seat_left"}}',
            Code.BAD_MESSAGE,
        ),
        (
            '{"type": "event", "room": "A", "version":1, "at":1, "event": {"kind": "seat_left", "seat": 2}}',
            Code.BAD_MESSAGE,
        ),
    ],
)
def test_a_client_reads_what_is_wrong_with_a_message_it_knows(text: str, code: Code) -> None:
    with pytest.raises(BadMessage) as caught:
        decode_to_client(text)
    assert caught.value.refused.code == code


def test_an_answer_is_known_by_its_type_wherever_it_stands() -> None:
    assert decode_to_client('{"version": 1, "room": "KMRTQA", "id": "x", "type": "accepted"}') == Accepted(
        "x", "KMRTQA", 1
    )
    limits = '{"message_bytes": 1, "messages_per_second": 1, "burst": 1, "heartbeat_seconds": 1}'
    welcome = decode_to_client(
        f'{{"limits": {limits}, "id": "x", "protocol": 1, "server": "s", "player": "p", "name": "n", '
        '"type": "welcome"}'
    )
    assert isinstance(welcome, Welcome)
    assert welcome.token is None


# ---------------------------------------------------------------- what a server refuses


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
TYPES = [kind for command in TO_SERVER for kind in types_of(command)]


def fault_of(text: str | bytes) -> Refused | None:
    """Why a message can't be read; it says so in one bounded line that people can read."""
    try:
        message = decode_to_server(text)
    except BadMessage as error:
        fault = error.refused
        assert fault.message.endswith(".")
        assert fault.message.isprintable(), fault.message
        assert len(fault.message) < 700
        assert fault.id is None or 1 <= len(fault.id) <= 64
        return fault
    assert isinstance(message, BaseModel)
    return None


@few
# Hypothesis also draws what our sources quote, whole messages among it.
@given(text=(st.text() | st.binary()).filter(lambda text: "type" not in str(text)))
@example("[" * 100_000)
@example('{"a":' * 100_000)
@example('"' + "\\u0000" * 3000)
@example('{"type": "rooms", "id": "\ud800"}'.encode("utf-8", "surrogatepass"))
@example(b"\xff\xfe{}")
def test_noise_is_refused_in_one_sentence(text: str | bytes) -> None:
    assert fault_of(text) is not None


@few
@given(value=JSON, kind=st.sampled_from(TYPES), field=st.text(max_size=80), odd=JSON)
@example(value={}, kind="rooms", field="a\nb\x1b[31m", odd=1)
@example(value={}, kind="rooms", field="‮evil", odd=1)
@example(value={}, kind="rooms", field="x" * 5000, odd=1)
@example(value={}, kind="hello", field="protocols", odd=["x" * 5000])
@example(value={}, kind="create", field="settings", odd={"\x1b]52;c;aGk=\x07": 1})
def test_odd_json_is_refused_in_one_sentence(value: Any, kind: str, field: str, odd: Any) -> None:
    fault_of(json.dumps(value))
    fault_of(json.dumps({"type": kind, "id": "x", field: odd}))


@few
@given(message=QUESTION, data=st.data())
def test_a_message_with_one_odd_field_is_refused_or_means_the_same(message: Any, data: st.DataObject) -> None:
    asked = json.loads(encode_to_server(message))
    field = data.draw(st.sampled_from(sorted(asked)))
    odd = data.draw(JSON)
    text = json.dumps({**asked, field: odd})
    if fault_of(text) is None:
        _schemas["ToServer"].validate(json.loads(text))


@few
@given(message=QUESTION, data=st.data())
def test_a_message_that_lacks_a_field_names_it(message: Any, data: st.DataObject) -> None:
    asked = json.loads(encode_to_server(message))
    # Without a `type` it is no known message at all.
    needed = {name for name, info in type(message).model_fields.items() if info.is_required()} - {"type"}
    left_out = data.draw(st.sampled_from(sorted(needed)))
    fault = fault_of(json.dumps({name: value for name, value in asked.items() if name != left_out}))
    assert fault is not None
    assert (fault.code, fault.message) == (Code.BAD_MESSAGE, f"The field `{left_out}` is missing.")
    assert fault.field == left_out
    assert fault.id == (None if left_out == "id" else getattr(message, "id", None))


@pytest.mark.parametrize("kind", TO_SERVER)
@few
@given(data=st.data())
def test_what_only_looks_like_a_number_or_a_yes_is_none(kind: Any, data: st.DataObject) -> None:
    asked = json.loads(encode_to_server(data.draw(messages(kind))))
    for fields in (asked, asked.get("settings", {})):
        for field, value in list(fields.items()):
            if isinstance(value, bool):
                lookalikes: list[Any] = [int(value), str(value).lower()]
            elif isinstance(value, int):
                lookalikes = [str(value), bool(value)]
            else:
                continue
            for lookalike in lookalikes:
                fields[field] = lookalike
                fault = fault_of(json.dumps(asked))
                assert fault is not None, (field, lookalike)
                assert (fault.code, fault.id) == (Code.BAD_MESSAGE, asked["id"])
                assert field in fault.message
            fields[field] = value


@pytest.mark.parametrize(
    ("message", "known"),
    [({"type": "rooms", "id": "a\0b"}, None), ({"type": "cancel", "id": "x", "search": "a\0b"}, "x")],
)
def test_an_id_has_no_nul_which_not_every_database_can_keep(message: Any, known: str | None) -> None:
    fault = fault_of(json.dumps(message))
    assert fault is not None
    assert (fault.code, fault.id) == (Code.BAD_MESSAGE, known)
    assert f"`{fault.field}` is wrong" in fault.message


@pytest.mark.parametrize("seat", ["1.0", "true", '"1"', "2", "-1", "[]", "0.5", "1e0"])
def test_a_seat_is_zero_or_one_and_nothing_like_it(seat: str) -> None:
    fault = fault_of(f'{{"type": "sit", "id": "x", "room": "KMRTQA", "seat": {seat}}}')
    assert fault is not None
    assert (fault.code, fault.id) == (Code.BAD_MESSAGE, "x")
    assert "`seat" in fault.message


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"id": "x"}', "x"),
        ('{"id": "' + "x" * 64 + '"}', "x" * 64),
        ('{"id": "' + "x" * 65 + '"}', None),
        ('{"id": ""}', None),
        ('{"id": "a\\u0000"}', None),
        ('{"id": 7}', None),
        ('["id"]', None),
        ("null", None),
        ("", None),
        ("[" * 100_000, None),
        (b"\xff", None),
        ('{"id": "x", "text": "\\ud800"}', "x"),
        ('{"id": "\\ud800"}', None),
    ],
)
def test_an_id_is_found_where_there_is_one(text: str | bytes, found: str | None) -> None:
    assert find_id(text) == found


def test_a_fault_that_is_a_sentence_already_ends_with_one_full_stop() -> None:
    with pytest.raises(BadMessage) as caught:
        decode_to_server('{"type":"create","id":"1","game":"tictactoe","settings":{"clock":"soon"}}')
    assert caught.value.refused.message.endswith("(30/move).")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rows": []}, "cells"),
        ({"cells": ["...", "...", ".."]}, "cells"),
        ({"cells": ["...", "..."]}, "cells"),
        ({"cells": [["...", ".", "."], "...", ["wall!", ".", "."]]}, "1 to 4 characters"),
        ({"cells": ["...", "..😀", "..."]}, "make it a list"),
        ({"marks": [["X"]]}, "marks"),
        ({"marks": [["X"], []]}, "own sign first"),
        ({"marks": [["X", "K"], ["O", "K"]]}, "the same"),
        ({"empty": ""}, "1 to 4 characters"),
        ({"empty": "X"}, "`empty`"),
        ({"paths": [0]}, "legal moves"),
        ({"paths": [6, 9]}, "a path"),
        ({"paths": [6, [8]]}, "a path of several"),
        ({"paths": [6, [8, -1]]}, "a path of several"),
        ({"joins": [[0]]}, "joins"),
        ({"joins": [[0, 9]]}, "joins"),
        ({"last": [-1]}, "last move"),
        ({"line": [9]}, "line"),
        ({"counts": [{"label": "discs", "of": [1]}]}, "counts"),
        ({"groups": {"width": 2, "height": 3, "owners": ["."], "active": []}}, "groups"),
        ({"groups": {"width": 3, "height": 3, "owners": ["."], "active": [1]}}, "groups"),
    ],
)
def test_a_board_whose_parts_do_not_belong_together_is_not_read(change: dict[str, Any], said: str) -> None:
    board: dict[str, Any] = {
        "rows": ["3", "2", "1"],
        "columns": ["a", "b", "c"],
        "cells": ["...", ".X.", "..."],
        "marks": [["X"], ["O"]],
        "legal": ["a1", "pass"],
        "paths": [6, -1],
        "last": [4],
        "groups": {"width": 3, "height": 1, "owners": [".", "=", "X"], "active": [0]},
    }
    message = {"type": "board", "id": "1", "game": "tictactoe", "moves": [], "position": board}
    read = decode_to_client(json.dumps(message))
    assert isinstance(read, Board)
    assert (read.position.last, snapshot_of(json.dumps(message))) == ([4], None)
    board |= change
    with pytest.raises(BadMessage, match=said):
        decode_to_client(json.dumps(message))


@pytest.mark.parametrize(
    ("settings", "wrong"),
    [({"clock": "soon"}, "settings.clock"), ({"pace": -1}, "settings.pace"), ({"x": 1}, "settings.x")],
)
def test_an_error_names_the_field_that_it_is_about(settings: dict[str, Any], wrong: str) -> None:
    text = json.dumps({"type": "create", "id": "x", "game": "tictactoe", "settings": settings})
    with pytest.raises(BadMessage) as raised:
        decode_to_server(text)
    assert raised.value.refused.field == wrong
