"""The audit log: appended, its owner's alone, and read from its end."""

from pathlib import Path

import pytest

from parlour_protocol.local.admin import AuditEntry
from parlour_server.admin.audit import AuditLog


def entry(number: int) -> AuditEntry:
    return AuditEntry(
        f"2026-11-23T08:00:{number:02}+00:00", 1000, "kick", f"Ada{number}", "done", "Zoë\nis gone."
    )


@pytest.mark.parametrize("kept", [True, False], ids=["in a file", "in memory"])
async def test_the_last_entries_come_back(tmp_path: Path, kept: bool) -> None:
    log = AuditLog(tmp_path / "audit" if kept else None)
    assert await log.last(10) == []
    for number in range(5):
        await log.append(entry(number))
    assert await log.last(2) == [entry(3), entry(4)]
    assert await log.last(10) == [entry(number) for number in range(5)]


async def test_it_is_appended_to_and_its_owners_alone(tmp_path: Path) -> None:
    file = tmp_path / "audit"
    await AuditLog(file).append(entry(1))
    await AuditLog(file).append(entry(2))
    assert file.stat().st_mode & 0o777 == 0o600
    assert len(file.read_text().splitlines()) == 2


async def test_a_torn_line_costs_no_other(tmp_path: Path) -> None:
    file = tmp_path / "audit"
    log = AuditLog(file)
    await log.append(entry(1))
    with file.open("ab") as torn:
        torn.write(b'{"time": "2026\xff\n')
    await log.append(entry(2))
    assert await log.last(10) == [entry(1), entry(2)]
