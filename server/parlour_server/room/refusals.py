"""A refusal, as the room speaks it."""

from dataclasses import dataclass, field

from parlour_protocol.errors import Code


@dataclass(slots=True)
class Refusal(Exception):
    """A command that can't be obeyed; nothing changed.

    `code` is for programs, `message` tells a person what to do, `legal` lists the moves where one was
    asked for, and `retry_after` is in seconds.
    """

    code: Code
    message: str
    legal: list[str] | None = field(default=None)
    retry_after: float | None = None

    def __str__(self) -> str:
        return self.message
