"""The games of a match in a file: a record a line, each written as soon as its game is over."""

import json
from pathlib import Path
from typing import IO

from parlour_client.cli.output_file import unwritable
from parlour_client.sdk import records
from parlour_protocol.records import GameRecord


class GameFile:
    """A file that games are added to; entered with `with`. An older one is replaced. Raises `UsageError`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.count = 0
        self._file: IO[str] | None = None

    def __enter__(self) -> "GameFile":
        try:
            self._file = self.path.open("w", encoding="utf-8")
        except OSError as error:
            raise unwritable(self.path, error) from None
        return self

    def __exit__(self, *error: object) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, record: GameRecord) -> None:
        """Write a game: all of its line at once, so that what is there are whole games."""
        assert self._file is not None, "the file was entered"
        try:
            self._file.write(json.dumps(records.as_json(record)) + "\n")
            self._file.flush()
        except OSError as error:
            raise unwritable(self.path, error) from None
        self.count += 1
