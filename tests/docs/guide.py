"""Follows a guide: what its `diff` blocks change is changed in a copy of the checkout."""

import sys
from pathlib import Path

from tests.docs.markdown import ROOT, blocks, page
from tests.mutations.copy import Copy

SECONDS = 240


class Guide:
    """A page's steps. A block names its file, then shows lines that are there, added or removed."""

    def __init__(self, name: str, folder: Path) -> None:
        self.copy = Copy(folder)
        self.by_hand = 0
        """How many lines are written by hand, without blank ones."""
        self.files: dict[str, None] = {}
        for block in blocks(page(name), "diff"):
            self._change(block.splitlines())

    def _change(self, lines: list[str]) -> None:
        file = lines.pop(0).removeprefix("+++ ")
        before, after = (
            "".join(f"{line[1:]}\n" for line in lines if line[:1] != left_out) for left_out in "+-"
        )
        path = self.copy.root / file
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        if before:
            # Whole lines.
            found = f"\n{text}".count(f"\n{before}")
            assert found == 1, f"{file} holds this {found} times:\n{before}"
            text = f"\n{text}".replace(f"\n{before}", f"\n{after}")[1:]
        else:
            text += after
        path.parent.mkdir(parents=True, exist_ok=True)
        self.copy.write(file, text)
        self.files[file] = None
        self.by_hand += sum(line.startswith("+") and len(line) > 1 for line in lines)

    def run(self, *command: str) -> None:
        """Run a module or a script of Python in the copy. Raises `AssertionError` where it fails."""
        printed = self.copy.run([sys.executable, *command], SECONDS)
        assert printed is not None, "it takes too long"

    def check(self) -> None:
        """Hold what was changed against the linter."""
        python = [file for file in self.files if file.endswith(".py")]
        for does in (["check"], ["format", "--check"]):
            printed = self.copy.run([str(ROOT / ".venv/bin/ruff"), *does, *python], SECONDS)
            assert printed is not None
            assert "error" not in printed.lower(), printed

    def test(self, *paths: str) -> None:
        """Run these tests in the copy. Raises `AssertionError` where one fails."""
        ran = self.copy.test(paths, SECONDS)
        assert (ran.failed, ran.problem) == (None, None)
