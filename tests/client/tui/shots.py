"""Pictures of screens: as they were when somebody looked at them and kept them, and as they are now.

They stand beside the tests, in `pictures/`. `PICTURES=keep pytest tests/client/tui/screens` keeps those of
now: look at them before they are committed. Each shows something that no other does.
"""

import os
import re
from pathlib import Path

from textual.pilot import Pilot

from tests.client.tui.quiet import SECONDS
from tests.support.waiting import within

SMALL, LARGE = (80, 24), (160, 48)
KEEP = os.environ.get("PICTURES") == "keep"
DRAWN_SECONDS = 0.5


class Album:
    """The pictures that one test has kept, under its name; what differs from them goes `elsewhere`."""

    def __init__(self, test: Path, name: str, elsewhere: Path) -> None:
        self._folder = test.parent / "pictures" / test.stem
        self._name = name
        self._remote = elsewhere
        self.different = ""

    def same(self, picture: str) -> bool:
        """Is this how it looked?"""
        # Rich marks each picture's parts with a number drawn from its text.
        picture = re.sub(r"\bterminal-\d+-", "terminal-", picture)
        path = self._folder / f"{self._name}.svg"
        if KEEP:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(picture, encoding="utf-8")
        if path.is_file() and path.read_text(encoding="utf-8") == picture:
            return True
        now = self._remote / path.name
        now.write_text(picture, encoding="utf-8")
        self.different = f"{path} is not what is shown, which is in {now}"
        return False

    async def compare(self, pilot: Pilot[None], theme: str, size: tuple[int, int]) -> None:
        """Hold what is shown, in a theme and a size, against its picture."""
        pilot.app.theme = theme
        await pilot.resize_terminal(*size)
        # A new size is drawn a little later: what is kept is looked at then, and what is compared until then.
        await pilot.pause(DRAWN_SECONDS if KEEP else None)
        try:
            await within(
                SECONDS, lambda: self.same(pilot.app.export_screenshot(title="Parlour", simplify=True))
            )
        except AssertionError:
            raise AssertionError(self.different) from None
