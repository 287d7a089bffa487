"""The codes of refusals: each is one of its own, and none is there that nobody gives."""

import ast
from collections import Counter
from pathlib import Path

import parlour_protocol
import parlour_server
from parlour_protocol import errors
from parlour_protocol.errors import INPUT_FAULTS, CloseCode, Code

KEPT_FOR_LATER: set[str] = set()
"""Told in the protocol's page, and given by nobody yet."""


def test_codes_are_unlike_each_other() -> None:
    assert len(list(Code)) == len(Code.__members__)
    assert all(code.value == name.lower() for name, code in Code.__members__.items())
    assert set(Code) >= INPUT_FAULTS


def test_every_other_code_is_given_by_somebody() -> None:
    given = Counter[str]()
    for package in (parlour_protocol, parlour_server):
        assert package.__file__ is not None
        for file in Path(package.__file__).parent.rglob("*.py"):
            if file.samefile(errors.__file__):
                continue
            for node in ast.walk(ast.parse(file.read_text())):
                if (
                    isinstance(node, ast.Attribute)
                    and isinstance(node.value, ast.Name)
                    and node.value.id == "Code"
                ):
                    given[node.attr] += 1
    assert set(Code.__members__) - set(given) == KEPT_FOR_LATER
    assert set(given) - set(Code.__members__) == set()


def test_close_codes_are_from_the_range_for_private_use() -> None:
    codes = [value for name, value in vars(CloseCode).items() if name.isupper()]
    assert len(codes) == len(set(codes)) > 0
    assert all(4000 <= code <= 4999 for code in codes)
