"""Sends a table's commands: what is on its way is shown at once, then what was refused."""

from collections.abc import Awaitable, Callable
from typing import Any

from textual.screen import Screen
from textual.timer import Timer

from parlour_client.sdk.errors import ParlourError, Refused
from parlour_client.tui.error_text import error_sentence
from parlour_protocol.words import say

REFUSAL_SECONDS = 8.0
"""For so long a refusal is shown, unless something is done before."""


class Sender:
    """Keeps the commands that have no answer yet, and the latest refusal; nothing here waits.

    `screen` lends its timers and workers; `changed` is called when something else is to be shown, and
    `refused` when a refusal is.
    """

    def __init__(
        self, screen: Screen[None], changed: Callable[[], None], refused: Callable[[], None]
    ) -> None:
        self._screen = screen
        self._changed = changed
        self._refused = refused
        self._pending: dict[int, str] = {}
        self._count = 0
        self._forgetting: Timer | None = None
        self.refusal = ""

    @property
    def latest(self) -> str:
        """The latest command that has no answer yet, in words; empty where there is none."""
        return next(reversed(self._pending.values()), "")

    def send(self, sentence: str, asking: Awaitable[Any]) -> None:
        """Send something; `sentence` says what, until its answer comes."""
        self.forget_refusal()
        self._count += 1
        number = self._count
        self._pending[number] = sentence
        self._changed()

        async def wait() -> None:
            try:
                await asking
            except ParlourError as fault:
                if not self._was_left():
                    self.refuse(error_sentence(fault))
                elif isinstance(fault, Refused):
                    self._screen.notify(error_sentence(fault), severity="error", markup=False)
            finally:
                self._pending.pop(number, None)
            if not self._was_left():
                self._changed()

        # The application's worker: leaving the table before an answer has come cancels nothing.
        self._screen.app.run_worker(wait(), group="commands")

    def refuse(self, sentence: str) -> None:
        """Show a refusal for a while."""
        self.refusal = sentence
        if self._forgetting is not None:
            self._forgetting.stop()
        self._forgetting = self._screen.set_timer(REFUSAL_SECONDS, self.forget_refusal)
        self._refused()
        self._changed()

    def forget_refusal(self) -> None:
        """Something else is done."""
        if self._forgetting is not None:
            self._forgetting.stop()
            self._forgetting = None
        if self.refusal:
            self.refusal = ""
            self._changed()

    def left(self) -> None:
        """The table was left: say what becomes of the commands that wait for the connection."""
        if self._pending:
            waiting = say("screen.table.later", what=", ".join(self._pending.values()))
            self._screen.notify(f"⋯ {waiting}", markup=False)

    def _was_left(self) -> bool:
        return self._screen not in self._screen.app.screen_stack
