"""Follows a guide: what its `diff` blocks change is changed in a copy, and its `sh` block is run there."""

import sys
from pathlib import Path

from tests.docs.markdown import ROOT, blocks, page
from tests.mutations.copy import Copy

SECONDS = 240
WORDS = "protocol/parlour_protocol/words/"
_MAKE = {"types": "scripts/page_types.py", "options": "scripts/room_options.py"}


class Guide:
    """A page's steps. A block names its file, then shows lines that are there, added or removed.

    A line `@@` parts what stands at several places of one file.
    """

    def __init__(self, name: str, folder: Path) -> None:
        self.copy = Copy(folder)
        self.by_hand = 0
        """How many lines are written by hand, without blank ones and sentences."""
        self.files: dict[str, None] = {}
        for block in blocks(page(name), "diff"):
            head, _, changes = block.partition("\n")
            for hunk in changes.split("@@\n"):
                self._change(head.removeprefix("+++ "), hunk.splitlines())
        self._commands = [line.split() for block in blocks(page(name), "sh") for line in block.splitlines()]

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
        self.files[file] = None
        if not file.startswith(WORDS):
            self.by_hand += sum(line.startswith("+") and len(line) > 1 for line in lines)

    def follow(self) -> None:
        """Write anew what follows from the changes, then run the linter and the guide's tests."""
        for command in self._commands:
            if command[0] == "make":
                self._run(sys.executable, _MAKE[command[1]])
        python = [file for file in self.files if file.endswith(".py")]
        for does in (["check"], ["format", "--check"]):
            printed = self._run(str(ROOT / ".venv/bin/ruff"), *does, *python)
            assert "error" not in printed.lower() and "Would reformat" not in printed, printed
        for command in self._commands:
            if "pytest" in command:
                paths = [path.removeprefix("tests/") for path in command[command.index("pytest") + 1 :]]
                ran = self.copy.test(paths, SECONDS)
                assert (ran.failed, ran.problem) == (None, None), paths

    def _run(self, *command: str) -> str:
        printed = self.copy.run(command, SECONDS)
        assert printed is not None, "it takes too long"
        assert "Traceback" not in printed, printed
        return printed
