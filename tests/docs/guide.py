"""Follows guides: what their `diff` blocks change is changed in a copy, their `sh` blocks are run there."""

import sys
from pathlib import Path

from tests.docs.markdown import ROOT, blocks, page
from tests.mutations.copy import Copy, Ran

SECONDS = 240
WORDS = "protocol/parlour_protocol/words/"
_MAKE = {"types": "scripts/page_types.py", "options": "scripts/setting_options.py"}


class Guides:
    """The steps of some pages, all in one copy.

    A block names its file, then shows lines that are there, added or removed. A line `@@` parts what stands
    at several places of one file.
    """

    def __init__(self, folder: Path) -> None:
        self.copy = Copy(folder)
        self._files: dict[str, None] = {}
        self._written: dict[tuple[str, ...], None] = {}
        self._tests: dict[str, None] = {}

    def read(self, name: str) -> int:
        """Change what a page changes; how many lines that is by hand, without blank ones and sentences."""
        by_hand = 0
        for block in blocks(page(name), "diff"):
            head, _, changes = block.partition("\n")
            file = head.removeprefix("+++ ")
            for hunk in changes.split("@@\n"):
                lines = hunk.splitlines()
                self._change(file, lines)
                if not file.startswith(WORDS):
                    by_hand += sum(line.startswith("+") and len(line) > 1 for line in lines)
        for block in blocks(page(name), "sh"):
            for command in map(str.split, block.splitlines()):
                match command:
                    case ["make", made]:
                        self._written[_MAKE[made],] = None
                    case [_, "-m", "pytest", *paths]:
                        self._tests |= dict.fromkeys(path.removeprefix("tests/") for path in paths)
                    case [_, *arguments]:
                        self._written[*arguments,] = None
        return by_hand

    def _change(self, file: str, lines: list[str]) -> None:
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
        self._files[file] = None

    def follow(self) -> None:
        """Write anew what follows from the changes, then run the linter and the guides' tests."""
        for arguments in self._written:
            self._run(sys.executable, *arguments)
        python = [file for file in self._files if file.endswith(".py")]
        for does in (["check"], ["format", "--check"]):
            printed = self._run(str(ROOT / ".venv/bin/ruff"), *does, *python)
            assert "error" not in printed.lower() and "Would reformat" not in printed, printed
        ran = self.copy.test(["--hypothesis-profile=few", *self._tests], SECONDS)
        assert ran == Ran(), ran

    def _run(self, *command: str) -> str:
        printed = self.copy.run(command, SECONDS)
        assert printed is not None, "it takes too long"
        assert "Traceback" not in printed, printed
        return printed
