"""A folder of its own for what each test remembers, and one server for many of them."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.server import serving


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nobody's theme and nobody's players; colours as they are meant."""
    monkeypatch.setenv("PARLOUR_STATE", str(tmp_path))
    monkeypatch.delenv("NO_COLOR", raising=False)
    return tmp_path


@pytest.fixture
async def server() -> AsyncIterator[str]:
    async with serving() as url:
        yield url
