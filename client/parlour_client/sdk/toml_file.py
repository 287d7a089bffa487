"""A file that a person writes in TOML: its values, and all that is wrong in it at once, by line."""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from parlour_client.sdk.errors import UsageError, unreadable
from parlour_protocol.words import say

_TOKENS = re.compile(r"""(?s:\"{3}.*?\"{3}|\'{3}.*?\'{3})|"(?:\\.|[^"\\])*"|\'[^\']*\'|\#[^\n]*|\s+|.""")
"""What a list is read by: texts, comments, blanks, and else each character."""
Reader = Callable[[str, Any], Any]
"""Gives a key's value as it is meant. Raises `ValueError` with a sentence."""


class TomlFile:
    """One such file. Raises `UsageError` where it can't be read at all."""

    def __init__(self, path: Path) -> None:
        try:
            text = path.read_text(encoding="utf-8")
            self.content = tomllib.loads(text)
        except OSError as error:
            raise unreadable(path, error) from None
        except ValueError as error:
            raise UsageError(say("error.no_toml", file=str(path), why=str(error))) from None
        self.wrong: list[str] = []
        """All that can't be meant, each with its place."""
        self._path, self._lines = path, text.splitlines()

    def read(
        self, readers: Mapping[str, Reader], given: Mapping[str, Any] | None = None, section: str = ""
    ) -> dict[str, Any]:
        """The values of a section, or of the file's head, without those that are wrong."""
        values = {}
        for key, value in (self.content if given is None else given).items():
            if key not in readers:
                self.complain(say("error.unknown_key", key=key[:40], known=", ".join(readers)), key, section)
                continue
            try:
                values[key] = readers[key](key, value)
            except ValueError as error:
                self.complain(str(error), key, section)
        return values

    def complain(self, why: str, key: str, section: str = "") -> None:
        """Note what is wrong with a key."""
        self.wrong.append(f"{self.place(key, section)}{why}")

    def place(self, key: str, section: str = "", number: int = 0) -> str:
        """What a sentence about a key begins with: the file, and its line.

        Without a key it is about the section; where several are called so, or where it is a list's key, about
        the one of this number.
        """
        at = 0
        if section:
            heads = self._found(rf"\[*\s*{re.escape(section)}\b")
            at = heads[min(number, len(heads) - 1)] if heads else 0
            if not self._lines[at].lstrip().startswith("["):
                at = dict(enumerate(self._elements(at))).get(number, at)
        if key:
            at = next((line for line in self._found(rf"\[*\s*[\"']?{re.escape(key)}\b") if line >= at), at)
        return say("error.line", file=str(self._path), line=str(at + 1), why="")

    def _elements(self, at: int) -> Iterator[int]:
        """The lines at which the elements of a list begin, whose key is in this one."""
        text = "\n".join(self._lines[at:]).partition("=")[2]
        depth, begins = 0, False
        for part in _TOKENS.findall(text):
            if begins and part.strip() and part[0] not in "#,]":
                begins = False
                yield at
            depth += (part in "[{") - (part in "]}")
            begins = begins or (depth == 1 and part in "[,")
            at += part.count("\n")
            if not depth and part == "]":
                return

    def _found(self, pattern: str) -> list[int]:
        return [at for at, line in enumerate(self._lines) if re.match(rf"\s*{pattern}", line)]

    def check(self) -> None:
        """Raise `UsageError` with all that is wrong, if anything is."""
        if self.wrong:
            raise UsageError(*self.wrong)


def of(*kinds: type) -> Reader:
    """Reads a value of one of these kinds; the last one is named where it is none."""

    def read(key: str, value: Any) -> Any:
        if type(value) not in kinds:
            kind = say(f"error.kind_of.{kinds[-1].__name__}")
            raise ValueError(say("error.wrong_kind", key=key, kind=kind))
        return value

    return read


def number(least: float, most: float, *, whole: bool = True) -> Reader:
    """Reads a number within these bounds."""
    kind = of(int) if whole else of(int, float)

    def read(key: str, value: Any) -> Any:
        if not least <= kind(key, value) <= most:
            raise ValueError(say("error.out_of_bounds", key=key, least=f"{least:g}", most=f"{most:g}"))
        return value

    return read


def texts(key: str, value: Any) -> tuple[str, ...]:
    """Reads a list of texts."""
    return tuple(of(str)(key, one) for one in of(list)(key, value))
