"""What happens to a counter."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import Field


@dataclass(slots=True)
class Added:
    amount: int
    kind: Literal["added"] = "added"


@dataclass(slots=True)
class CounterReset:
    kind: Literal["counter_reset"] = "counter_reset"


@dataclass(slots=True)
class CounterClosed:
    closes_log: ClassVar[bool] = True
    kind: Literal["counter_closed"] = "counter_closed"


CounterEvent = Annotated[Added | CounterReset | CounterClosed, Field(discriminator="kind")]
