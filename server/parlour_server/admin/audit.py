"""The audit log: what was done to a running server, and by which account; JSON lines, never rewritten."""

import asyncio
import json
import os
from collections import deque
from dataclasses import asdict
from pathlib import Path

from parlour_protocol.local.admin import AuditEntry


class AuditLog:
    """Appends to its file, readable by its owner alone; without a file it keeps the last in memory."""

    KEPT_IN_MEMORY = 1_000

    def __init__(self, file: Path | None) -> None:
        self.file = file
        self._kept: deque[AuditEntry] = deque(maxlen=self.KEPT_IN_MEMORY)

    async def append(self, entry: AuditEntry) -> None:
        """Write a line, durably. Raises `OSError`."""
        if self.file is None:
            self._kept.append(entry)
        else:
            await asyncio.to_thread(_append, self.file, json.dumps(asdict(entry), ensure_ascii=False))

    async def last(self, most: int) -> list[AuditEntry]:
        """The last entries, oldest first. A line that can't be read is left out. Raises `OSError`."""
        if self.file is None:
            return list(self._kept)[-most:]
        return await asyncio.to_thread(_last, self.file, most)


def _append(file: Path, line: str) -> None:
    with os.fdopen(
        os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "w", encoding="utf-8"
    ) as log:
        log.write(line + "\n")
        log.flush()
        os.fsync(log.fileno())


def _last(file: Path, most: int) -> list[AuditEntry]:
    try:
        with file.open(encoding="utf-8", errors="replace") as log:
            lines = deque(log, maxlen=most)
    except FileNotFoundError:
        return []
    entries = []
    for line in lines:
        try:
            entries.append(AuditEntry(**json.loads(line)))
        except (ValueError, TypeError):
            continue  # a write that a full disk cut short
    return entries
