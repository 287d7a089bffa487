"""The games of a match in a file: a record a line, in the order of their numbers."""

import json
from pathlib import Path
from typing import IO

from parlour_client.cli.output_file import unwritable
from parlour_client.sdk import records
from parlour_protocol.views.records import GameRecord


class GameFile:
    """A file that games are added to; entered with `with`. An older one is replaced. Raises `UsageError`.

    A game is written as soon as all before it are; at the end those that waited for one that never came.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.count = 0
        """The games added so far."""
        self._file: IO[str] | None = None
        self._next = 1
        self._waiting: dict[int, GameRecord] = {}
        """By its number, what ended before a game that stands above it."""

    def __enter__(self) -> "GameFile":
        try:
            self._file = self.path.open("w", encoding="utf-8")
        except OSError as error:
            raise unwritable(self.path, error) from None
        return self

    def __exit__(self, *error: object) -> None:
        if self._file is None:
            return
        try:
            for _, record in sorted(self._waiting.items()):
                self._write(record)
        finally:
            self._file.close()

    def add(self, record: GameRecord) -> None:
        """Add a game of the match. Raises `UsageError`."""
        self._waiting[record.number] = record
        self.count += 1
        while self._next in self._waiting:
            self._write(self._waiting.pop(self._next))
            self._next += 1

    def _write(self, record: GameRecord) -> None:
        """Write a game: all of its line at once, so that what is there are whole games."""
        assert self._file is not None, "the file was entered"
        try:
            self._file.write(json.dumps(records.as_json(record)) + "\n")
            self._file.flush()
        except OSError as error:
            raise unwritable(self.path, error) from None
