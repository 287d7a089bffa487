"""What pydantic finds wrong is said in sentences of ours, whatever is sent in whichever field."""

import json
from functools import partial
from math import nan
from typing import Any

import pytest
from pydantic import BaseModel, Field, ValidationError, create_model

from parlour_protocol.commands import COMMANDS
from parlour_protocol.local.admin import REQUESTS
from parlour_protocol.settings import RoomSettings
from parlour_protocol.words import Sentence, what_is_wrong
from parlour_server.settings import ServerSettings

ODD: tuple[Any, ...] = (
    None,
    "",
    "x" * 20_000,
    "\0",
    "\ud800",
    "1.5",
    -1,
    10**400,
    1.5,
    nan,
    True,
    [],
    ["x"] * 2_000,
    {},
    {"x": 1},
)


@pytest.mark.parametrize("kind", [*COMMANDS, *REQUESTS, RoomSettings, ServerSettings])
def test_whatever_is_sent_in_a_field(kind: type[BaseModel]) -> None:
    said = set()
    for name in kind.model_fields:
        for odd in ODD:
            given, sent = {name: odd}, json.dumps({name: odd})
            for read in (partial(kind.model_validate, given), partial(kind.model_validate_json, sent)):
                try:
                    read()
                except ValidationError as error:
                    errors = [found for found in error.errors() if found["type"] != "json_invalid"]
                    said |= {(what_is_wrong(found).id, found["msg"]) for found in errors}
    assert not {msg for id_, msg in said if id_ == "invalid.other"}


@pytest.mark.parametrize(
    ("bound", "given", "said"),
    [
        ({"gt": 0}, 0, "It has to be more than 0."),
        ({"le": 1.5}, 2.0, "It can be at most 1.5."),
        ({"max_length": 2}, "abc", "It can have at most 2 characters."),
        ({"min_length": 1}, "", "It can't be empty."),
        ({"min_length": 1}, [], "It needs at least 1 entry."),
    ],
)
def test_bounds_are_named(bound: dict[str, Any], given: object, said: str) -> None:
    with pytest.raises(ValidationError) as raised:
        create_model("Model", value=(type(given), Field(**bound))).model_validate({"value": given})
    assert what_is_wrong(raised.value.errors()[0]) == said


def test_a_check_s_own_sentence_is_said_and_what_is_not_known_in_the_library_s_words() -> None:
    own = Sentence("invalid.size")
    assert what_is_wrong({"type": "value_error", "ctx": {"error": ValueError(own)}}) is own
    assert what_is_wrong({"type": "new", "msg": "Odd"}) == "It can't be read (Odd)."
