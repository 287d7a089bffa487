"""What may be asked of a counter."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Add:
    amount: int


@dataclass(frozen=True, slots=True)
class Reset:
    """Begin at nought again; asked of one that stands there, it changes nothing."""


@dataclass(frozen=True, slots=True)
class Close:
    """Count no further."""


CounterCommand = Add | Reset | Close
