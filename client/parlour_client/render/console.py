"""Where things are shown: the game and reports on standard output, notices and refusals on standard error."""

import json
import sys
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.text import Text

from parlour_client.render.board import plain
from parlour_client.text.scores import LOSS, PAST

if TYPE_CHECKING:
    from parlour_protocol.views.lists import Columns, RowT


class Screen:
    """Two consoles that read no markup in anything, and a prompt that never stands in the way.

    With `as_json` standard output takes JSON values alone, one a line, and with `as_csv` lists as CSV alone:
    `say` is silent then.
    """

    def __init__(self, *, as_json: bool = False, as_csv: bool = False) -> None:
        self.as_json = as_json
        self._as_csv = as_csv
        self.out = _console(stderr=False)
        self.err = _console(stderr=True)
        person = _is_tty(sys.stdin)
        self.interactive = person and self.out.is_terminal and not (as_json or as_csv)
        self.piped = not person
        """Are lines read from a file or another program?"""
        self._prompted = ""
        self._progress = False
        """Does a line of progress stand there?"""

    @property
    def ascii_only(self) -> bool:
        """Can the output take no more than ASCII?"""
        return self.out.options.ascii_only

    @property
    def for_people(self) -> bool:
        """Is no form for programs asked for?"""
        return not (self.as_json or self._as_csv)

    def say(self, *shown: RenderableType) -> None:
        """Show the game, or a report. A string is taken as a stranger's words."""
        if self.as_json or self._as_csv:
            return
        self.clear_prompt()
        for one in shown:
            self.out.print(plain(one) if isinstance(one, str) else one)

    def show_list(self, columns: "Columns[RowT]", rows: "Sequence[RowT]", none: str = "") -> None:
        """Show a list, or the sentence that there is nothing in it: as JSON its rows, as they are."""
        from parlour_client.render.list_csv import csv_text
        from parlour_client.render.tables import table

        if self.as_json:
            self.emit([asdict(row) for row in rows])  # type: ignore[call-overload]
        elif self._as_csv:
            self.write(csv_text(columns, rows))
        elif rows or not none:
            self.say(table(columns, rows, width=self.out.width, ascii_only=self.ascii_only))
        else:
            self.say(none)

    def show_facts(self, columns: "Columns[RowT]", row: "RowT") -> None:
        """Show one row, a column a line; as CSV it is a list of one."""
        if self._as_csv:
            self.show_list(columns, [row])
        elif not self.as_json:
            from parlour_client.render.tables import facts

            self.say(facts(columns, row))

    def whole(self, lines: Iterable[str]) -> None:
        """Show lines that are there to be copied: they are not broken, however narrow the terminal is."""
        if self.as_json or self._as_csv:
            return
        self.clear_prompt()
        for line in lines:
            self.out.print(plain(line), soft_wrap=True)

    def height_of(self, *shown: RenderableType) -> int:
        """How many lines that takes on standard output."""
        return sum(len(self.out.render_lines(one, pad=False)) for one in shown)

    def note(self, text: str, *, hang: int = 0) -> None:
        """Tell what is no part of the game; in a terminal its further lines `hang` below what it explains."""
        self.clear_prompt()
        if hang and self.err.is_terminal:
            text = textwrap.fill(text, self.err.width - 1, subsequent_indent=" " * hang)
        self.err.print(plain(text, PAST), soft_wrap=True)

    def refuse(self, text: str) -> None:
        """Tell what was refused."""
        self.clear_prompt()
        # A terminal by itself would break the words; what reads a pipe wants its lines whole.
        self.err.print(plain(text, LOSS), soft_wrap=not self.err.is_terminal)

    def emit(self, value: Any) -> None:
        """One JSON value on a line of its own, in ASCII: no stranger's sign reaches a terminal."""
        sys.stdout.write(json.dumps(value) + "\n")
        sys.stdout.flush()

    def write(self, text: str) -> None:
        """Lines that go to standard output as they are; what strangers wrote in them is clean."""
        sys.stdout.write(text)
        sys.stdout.flush()

    def prompt(self, text: str) -> None:
        """Ask for a line, where somebody sits there to read it and nothing is asked yet."""
        if self.interactive and not self._prompted:
            self.clear_prompt()
            self.out.print(Text(text, "bold"), end="")
            self._prompted = text

    def tick(self, text: str) -> None:
        """Change the words of the prompt that stands there, and leave what is being typed behind it alone."""
        old = self._prompted
        if not old or text == old or self.out.is_dumb_terminal or cell_len(text) > cell_len(old):
            return
        shown = " " * (cell_len(old) - cell_len(text)) + text
        style = "" if self.out.no_color else "\x1b[1m"
        self.out.file.write(f"\x1b7\r{style}{shown}\x1b[0m\x1b8")
        self.out.file.flush()
        self._prompted = shown

    def progress(self, text: str) -> None:
        """Show how far something has come, on a line that whatever is shown next takes the place of."""
        if not self.interactive or self.out.is_dumb_terminal:
            return
        self.clear_prompt()
        line = Text(text, PAST)
        # A terminal that echoes ^C behind it must not break the line, or it could not be erased.
        line.truncate(max(self.out.width - 4, 1), overflow="ellipsis")
        self.out.print(line, end="")
        self._progress = True

    def entered(self) -> None:
        """A line was typed: the cursor stands below the prompt."""
        self._prompted = ""

    def clear_prompt(self) -> None:
        """Leave the prompt that stands there, for a line of its own; a line of progress is erased."""
        if self._prompted:
            self.out.print()
            self._prompted = ""
        if self._progress:
            self.out.file.write("\r\x1b[K")
            self._progress = False


def _console(*, stderr: bool) -> Console:
    return Console(stderr=stderr, markup=False, emoji=False, highlight=False)


def _is_tty(stream: Any) -> bool:
    try:
        return bool(stream.isatty())
    except (AttributeError, ValueError):
        return False
