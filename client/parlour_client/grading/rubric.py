"""Which tests there are, what each is worth, and how long it may take.

    game = "connect4"
    seed = 7

    [tests.random]
    points = 4
    seconds = 120
    games = 20

    [tests.best]
    points = 6
    hidden = true

Without a file all tests count as `DEFAULTS` has them; a file has those alone that it names.
"""

import re
import tomllib
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from parlour_client.sdk.errors import UsageError, unreadable
from parlour_protocol.words import say


@dataclass(frozen=True, slots=True)
class Test:
    """One test, and what it is worth."""

    __test__ = False
    """It is none of pytest's."""

    name: str
    points: float
    seconds: float = 120.0
    """All of it may take so long; what was shown until then counts."""
    move_seconds: float = 10.0
    games: int = 10
    positions: int = 20
    hidden: bool = False
    """Is it kept from the students?"""
    functions: tuple[str, ...] = ()
    """Names of the file's functions that it looks for, where they aren't called as usual."""


DEFAULTS = (
    Test("loads", 1, seconds=30),
    Test("legal", 2),
    Test("speed", 1),
    Test("random", 2),
    Test("perfect", 2),
    Test("best", 4),
    Test("utility", 1),
    Test("value", 2),
    Test("alphabeta", 2),
)
NAMES = tuple(test.name for test in DEFAULTS)
_KEYS = ("game", "seed", "tests")
_BOUNDS: dict[str, tuple[float, float]] = {
    "points": (0, 1000),
    "seconds": (0.1, 86_400),
    "move_seconds": (0.01, 3600),
    "games": (1, 1000),
    "positions": (1, 1000),
}


@dataclass(frozen=True, slots=True)
class Rubric:
    """All that a mark follows from, beside the file."""

    game: str | None = None
    """None: tic-tac-toe, or the game that the files can play."""
    seed: int = 1
    tests: tuple[Test, ...] = DEFAULTS

    def only(self, names: list[str]) -> "Rubric":
        """The same with these tests alone. Raises `UsageError`."""
        known = [test.name for test in self.tests]
        for name in names:
            if name not in known:
                raise UsageError(say("error.no_such_test", name=repr(name[:40]), known=", ".join(known)))
        return replace(self, tests=tuple(test for test in self.tests if test.name in names))


def read(path: Path) -> Rubric:
    """A rubric's file. Raises `UsageError` with all that is wrong in it, by its lines."""
    try:
        text = path.read_text(encoding="utf-8")
        content = tomllib.loads(text)
    except OSError as error:
        raise unreadable(path, error) from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(say("error.no_toml", file=str(path), why=str(error))) from None
    lines, wrong = text.splitlines(), list[str]()

    def complain(key: str, why: str, section: str | None = None) -> None:
        at = 0
        if section is not None:
            at = next(
                (n for n, one in enumerate(lines) if re.match(rf"\s*\[tests\.{re.escape(section)}\]", one)), 0
            )
        line = (
            next((n for n in range(at, len(lines)) if re.match(rf"\s*{re.escape(key)}\b", lines[n])), at) + 1
        )
        wrong.append(say("error.line", file=str(path), line=str(line), why=why))

    rubric, tests = Rubric(), list[Test]()
    for key, value in content.items():
        if key == "game" and isinstance(value, str):
            rubric = replace(rubric, game=value)
        elif key == "seed" and type(value) is int and 0 <= value < 2**63:
            rubric = replace(rubric, seed=value)
        elif key == "tests" and isinstance(value, dict):
            for name, given in value.items():
                usual = next((test for test in DEFAULTS if test.name == name), None)
                if usual is None or not isinstance(given, dict):
                    complain(
                        "[tests",
                        say("error.no_such_test", name=repr(name[:40]), known=", ".join(NAMES)),
                        name,
                    )
                else:
                    tests.append(_test(usual, given, lambda key, why, name=name: complain(key, why, name)))
        elif key in _KEYS:
            kinds = {"game": "str", "seed": "int", "tests": "dict"}[key]
            complain(key, say("error.wrong_kind", key=key, kind=say(f"error.kind_of.{kinds}")))
        else:
            complain(key, say("error.unknown_key", key=key[:40], known=", ".join(_KEYS)))
    if "tests" in content and not tests and not wrong:
        complain("tests", say("error.no_tests"))
    if wrong:
        raise UsageError(*wrong)
    return replace(rubric, tests=tuple(tests)) if tests else rubric


def _test(usual: Test, given: dict[str, Any], complain: Any) -> Test:
    known = [one.name for one in fields(Test)][1:]
    for key, value in given.items():
        if key not in known:
            complain(key, say("error.unknown_key", key=key[:40], known=", ".join(known)))
        elif key in _BOUNDS:
            least, most = _BOUNDS[key]
            whole = key in ("games", "positions")
            if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
                complain(key, say("error.wrong_kind", key=key, kind=say("error.kind_of.int")))
            elif not least <= value <= most:
                complain(key, say("error.out_of_bounds", key=key, least=f"{least:g}", most=f"{most:g}"))
            else:
                changed: Any = {key: value}
                usual = replace(usual, **changed)
        elif key == "hidden" and isinstance(value, bool):
            usual = replace(usual, hidden=value)
        elif key == "functions" and isinstance(value, list) and all(isinstance(one, str) for one in value):
            usual = replace(usual, functions=tuple(value))
        else:
            complain(
                key,
                say(
                    "error.wrong_kind",
                    key=key,
                    kind=say(f"error.kind_of.{'bool' if key == 'hidden' else 'list'}"),
                ),
            )
    return usual
