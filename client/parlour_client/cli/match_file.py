"""A match's file: a record a line, in the order of their numbers once it has ended, and a manifest beside it.

While it is played each pair is added as soon as it is over, so that a killed match goes on from where it was.
"""

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import IO

from pydantic import TypeAdapter, ValidationError

from parlour_client.cli.output_file import target, unwritable, write
from parlour_client.matches import plan as plans
from parlour_client.matches.pair import PlayedPair
from parlour_client.matches.plan import PAIR, AnyPlan
from parlour_client.sdk.errors import UsageError, unreadable
from parlour_protocol.views.records import GameRecord
from parlour_protocol.words import say

try:
    import fcntl
except ImportError:  # Windows, where a file that is open is not replaced, either
    fcntl = None  # type: ignore[assignment]

MANIFEST = ".manifest.json"

_RECORDS = TypeAdapter(GameRecord)


def manifest_of(path: Path) -> Path:
    """The manifest beside a match's file."""
    return path.with_name(path.name + MANIFEST)


def games_of(manifest: Path) -> Path:
    """The match's file beside a manifest. Raises `UsageError` where that is called otherwise."""
    if not manifest.name.endswith(MANIFEST):
        raise UsageError(say("error.no_manifest", file=repr(str(manifest))))
    return manifest.with_name(manifest.name.removesuffix(MANIFEST))


class MatchFile:
    """The file of a match that is played now: opened once nothing can keep that from beginning, and closed.

    Made, it looks whether there is something to go on with. Raises `UsageError` where the file is another
    match's, unless `force` lets that be overwritten, and where it can't be written.
    """

    def __init__(self, out: str, *, force: bool) -> None:
        self.path = Path(out)
        self.begun: AnyPlan | None = None
        """The plan of what the file has already; None: nothing."""
        manifest = manifest_of(self.path)
        if self.path.is_file() and manifest.is_file() and not force:
            self.begun = plans.read(manifest)
        if manifest.is_file():
            # Said at once, before bots are tried for seconds; `open` looks again.
            self._hold(manifest).close()
        target(out, force=force or self.begun is not None)
        target(str(manifest), force=force or self.begun is not None or not self.path.exists())
        self.pairs: list[PlayedPair] = []
        """All whole pairs that it has."""
        self._before: set[int] = set()
        """The numbers of those that it had when it was opened."""
        self._file: IO[bytes] | None = None
        self._held: IO[bytes] | None = None
        """The manifest, which is ours alone while it is open: a kill lets it go, too."""

    def open(self, plan: AnyPlan) -> None:
        """Begin, or go on, with this plan.

        Raises `UsageError` where the file is another match's, or is being written by another command.
        """
        self._held = self._hold(manifest_of(self.path))
        try:
            self._begin(plan)
        except BaseException:
            self._release()
            raise

    def _begin(self, plan: AnyPlan) -> None:
        if self.begun is not None:
            self._check(self.begun, plan)
            self.pairs = whole_pairs(self.path)
            self._before = {pair.number for pair in self.pairs}
            # It was begun with these, and has as many games as were ever asked for.
            plan = replace(plan, games=max(plan.games, self.begun.games), versions=self.begun.versions)
        try:
            if self.begun is None:
                # Killed in between, nothing stands there that the same command would not overwrite.
                self.path.unlink(missing_ok=True)
            # Held before it stands there.
            held = self._replace(manifest_of(self.path), plans.written(plan), holds=True)
            self._release()
            self._held = held
            self._replace(self.path, _lines(self.pairs))
            self._file = self.path.open("ab")
        except OSError as error:
            raise unwritable(self.path, error) from None

    def _release(self) -> None:
        """Let other commands write it."""
        if self._held is not None:
            self._held.close()
            self._held = None

    def _check(self, begun: AnyPlan, plan: AnyPlan) -> None:
        file = repr(str(self.path))
        for before, now in zip(begun.entrants, plan.entrants, strict=False):
            if before.bot == now.bot and before.digest != now.digest:
                raise UsageError(say("error.bot_changed", bot=now.bot, file=file))
        if begun.is_same_match(plan):
            return
        if begun.is_same_match(replace(plan, games=begun.games)):
            raise UsageError(say("error.other_games", file=file, games=str(begun.games)))
        raise UsageError(say("error.another_match", file=file))

    def add(self, pair: PlayedPair) -> None:
        """Add a pair. Raises `UsageError`."""
        assert self._file is not None, "the file is open"
        self.pairs.append(pair)
        try:
            # At once, so that a stop in between leaves one torn line at most.
            self._file.write(_lines([pair]))
            self._file.flush()
        except OSError as error:
            raise unwritable(self.path, error) from None

    def close(self, counts: Callable[[int], bool] = lambda number: True) -> int:
        """Put the games in order, those that were played now and don't count left out; gives how many."""
        if self._file is not None:
            self._file.close()
            self._file = None
            self.pairs = [pair for pair in self.pairs if pair.number in self._before or counts(pair.number)]
            self._replace(self.path, _lines(sorted(self.pairs, key=lambda pair: pair.number)))
        self._release()
        return PAIR * len(self.pairs)

    def _replace(self, path: Path, content: bytes, *, holds: bool = False) -> IO[bytes] | None:
        """Write a file anew: whole, or not at all; give it where one `holds` it."""
        beside = path.with_name(f"{path.name}.new")
        write(beside, content)
        held = self._hold(beside) if holds else None
        try:
            beside.replace(path)
        except OSError as error:
            if held is not None:
                held.close()
            raise unwritable(path, error) from None
        return held

    def _hold(self, path: Path) -> IO[bytes]:
        """Open a file, and keep other commands from it until it is closed. Raises `UsageError`."""
        try:
            file = path.open("ab")
        except OSError as error:
            raise unwritable(path, error) from None
        try:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not os.path.samestat(os.fstat(file.fileno()), path.stat()):
                # Another command has written it anew, and holds that.
                raise BlockingIOError
        except OSError as error:
            file.close()
            if isinstance(error, BlockingIOError):
                raise UsageError(say("error.out_in_use", file=repr(str(self.path)))) from None
            raise unwritable(path, error) from None
        return file


def whole_pairs(path: Path, *, strict: bool = False) -> list[PlayedPair]:
    """The pairs of which a match's file has both games, in order.

    What was being written when a match was killed is left out, unless it is to be `strict`.

    Raises `UsageError`.
    """
    found: dict[int, dict[int, GameRecord]] = {}
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise unreadable(path, error) from None
    for number, line in enumerate(lines, 1):
        try:
            record = _RECORDS.validate_json(line)
        except ValidationError:
            if strict:
                raise UsageError(say("error.no_game_in_line", file=str(path), line=str(number))) from None
            continue
        found.setdefault((record.number - 1) // PAIR, {})[record.number] = record
    pairs = [
        PlayedPair(number, [games[one] for one in sorted(games)])
        for number, games in sorted(found.items())
        if len(games) == PAIR
    ]
    if strict and (not pairs or PAIR * len(pairs) != len(lines)):
        raise UsageError(say("error.half_pairs", file=str(path)))
    return pairs


def _lines(pairs: Iterable[PlayedPair]) -> bytes:
    records = (record for pair in pairs for record in pair.records)
    return b"".join(
        _RECORDS.dump_json(record, exclude_none=True, ensure_ascii=True) + b"\n" for record in records
    )
