"""What a person has chosen for all screens, kept in a small file of the state folder."""

import json
import os
from contextlib import suppress
from pathlib import Path

from parlour_client.tui.themes import BOARDS, INK, PAPER, USUAL
from parlour_protocol.words import available


class Choices:
    """The theme, the board and the language that were chosen. Its methods don't raise."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "screen.json"

    @property
    def theme(self) -> str:
        """The theme that was kept; ink where none was, or none that there is."""
        kept = self._kept().get("theme")
        return kept if kept in (INK, PAPER) else INK

    @property
    def board(self) -> str:
        """The board that was kept; that of the theme where none was, or none that there is."""
        kept = self._kept().get("board")
        return kept if isinstance(kept, str) and kept in BOARDS else USUAL

    @property
    def language(self) -> str | None:
        """The language that was kept; None where none was, or none that there is."""
        kept = self._kept().get("language")
        return kept if kept in available() else None

    def keep(self, **chosen: str | None) -> None:
        """Keep it beside the others. Where nothing can be written it holds until we leave."""
        draft = self._path.with_suffix(f".{os.getpid()}.new")
        with suppress(OSError):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            draft.write_text(json.dumps({**self._kept(), **chosen}), encoding="utf-8")
            draft.replace(self._path)

    def _kept(self) -> dict[str, object]:
        try:
            kept = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return kept if isinstance(kept, dict) else {}
