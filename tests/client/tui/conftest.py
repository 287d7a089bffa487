"""A folder of its own for what each test remembers, and one server for many of them."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from textual._compositor import Compositor
from textual._doc import take_svg_screenshot
from textual.app import App
from textual.css.stylesheet import Stylesheet
from textual.pilot import Pilot

from parlour_client.sdk import connection
from tests.client.tui import quiet
from tests.client.tui.shots import Album
from tests.support.server import serving


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nobody's theme and nobody's players; colours as they are meant."""
    monkeypatch.setenv("PARLOUR_STATE", str(tmp_path))
    monkeypatch.delenv("NO_COLOR", raising=False)
    return tmp_path


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each key is pressed, and each look taken, when nothing is under way any more, on any machine."""
    monkeypatch.setattr(Pilot, "press", quiet.press)
    monkeypatch.setattr(Pilot, "_wait_for_screen", quiet.settled)
    monkeypatch.setattr(Compositor, "render_update", quiet.draw_once)
    for place in ("app", "pilot"):
        monkeypatch.setattr(f"textual.{place}.wait_for_idle", quiet.one_turn)


@pytest.fixture(autouse=True)
def styled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one application has read of our style sheets is so for the next one in the same colours."""
    monkeypatch.setattr(Stylesheet, "_parse_rules", quiet.parse_once)


@pytest.fixture(autouse=True)
def soon_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lost connection is tried again at once, however often that has failed."""
    monkeypatch.setattr(connection, "LONGEST_BACKOFF", connection.FIRST_BACKOFF)


@pytest.fixture
async def server() -> AsyncIterator[str]:
    async with serving() as url:
        yield url


@pytest.fixture
def album(request: pytest.FixtureRequest, tmp_path: Path) -> Album:
    """The pictures that this test keeps."""
    return Album(request.path, request.node.name, tmp_path)


@pytest.fixture
def snap_compare(album: Album) -> Callable[..., bool]:
    """Runs an application, and tells whether it looks as it did."""

    def compare(app: App[Any], **options: Any) -> bool:
        return album.same(take_svg_screenshot(app, **options))

    return compare
