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

from dataclasses import dataclass, replace
from pathlib import Path

from parlour_client.sdk.errors import UsageError
from parlour_client.sdk.toml_file import Reader, TomlFile, number, of, texts
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
_READERS: dict[str, Reader] = {"game": of(str), "seed": number(0, 2**63 - 1), "tests": of(dict)}
_OF_TEST: dict[str, Reader] = {
    "points": number(0, 1000, whole=False),
    "seconds": number(0.1, 86_400, whole=False),
    "move_seconds": number(0.01, 3600, whole=False),
    "games": number(1, 1000),
    "positions": number(1, 1000),
    "hidden": of(bool),
    "functions": texts,
}


@dataclass(frozen=True, slots=True)
class Rubric:
    """All that a mark follows from, beside the file."""

    game: str | None = None
    """None: tic-tac-toe."""
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
    file = TomlFile(path)
    content, tests = file.read(_READERS), list[Test]()
    for name, given in content.pop("tests", {}).items():
        section = f"tests.{name}"
        usual = next((test for test in DEFAULTS if test.name == name), None)
        if usual is None or not isinstance(given, dict):
            known = ", ".join(NAMES)
            file.complain(say("error.no_such_test", name=repr(name[:40]), known=known), "", section)
        else:
            tests.append(replace(usual, **file.read(_OF_TEST, given, section)))
    if file.content.get("tests") == {}:
        file.complain(say("error.no_tests"), "tests")
    file.check()
    return Rubric(**content, tests=tuple(tests) or DEFAULTS)
