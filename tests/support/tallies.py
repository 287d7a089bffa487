"""A second kind of log, beside those of rooms: a tally, which counts."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import Field, TypeAdapter

from parlour_server.log import LogRecord
from parlour_server.store.encoding import EventCodecs


@dataclass(slots=True)
class TallyOpened:
    title: str
    kind: Literal["tally_opened"] = "tally_opened"


@dataclass(slots=True)
class Counted:
    number: int
    note: str = ""
    kind: Literal["counted"] = "counted"


@dataclass(slots=True)
class TallyClosed:
    closes_log: ClassVar[bool] = True
    kind: Literal["tally_closed"] = "tally_closed"


TallyEvent = TallyOpened | Counted | TallyClosed
CODECS = EventCodecs({"tally": TypeAdapter(Annotated[TallyEvent, Field(discriminator="kind")])})


def opened(title: str = "Votes") -> LogRecord[TallyEvent]:
    return LogRecord(TallyOpened(title), 1, "p-ada", "c0")


def shut() -> LogRecord[TallyEvent]:
    return LogRecord(TallyClosed(), 9_000, "p-ada", "c9")


def counted(number: int, note: str = "") -> LogRecord[TallyEvent]:
    return LogRecord(Counted(number, note), 1_000 + number, "p-ada", f"c{number}")
