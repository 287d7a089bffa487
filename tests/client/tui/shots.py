"""Pictures of a screen as it should look, in both themes, small and large."""

from pytest_textual_snapshot import SVGImageExtension
from syrupy.assertion import SnapshotAssertion
from textual.pilot import Pilot

from parlour_client.tui.themes import THEMES

SIZES = ((80, 24), (160, 48))


async def compare(pilot: Pilot[None], snapshot: SnapshotAssertion) -> None:
    """Hold what is shown against the pictures that were looked at and kept.

    `pytest --snapshot-update FILE` keeps new ones: look at them.
    """
    different = []
    for theme in THEMES:
        for width, height in SIZES:
            pilot.app.theme = theme.name
            await pilot.resize_terminal(width, height)
            await pilot.pause()
            name = f"{theme.name}-{width}x{height}"
            picture = pilot.app.export_screenshot(title="Parlour", simplify=True)
            if picture != snapshot(name=name, extension_class=SVGImageExtension):
                different.append(name)
    assert not different, "what is shown is not what was kept; look at it, then use --snapshot-update"
