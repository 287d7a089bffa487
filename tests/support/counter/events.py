"""What happens to a counter."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field


@dataclass(slots=True)
class Added:
    amount: int
    kind: Literal["added"] = "added"


@dataclass(slots=True)
class CounterReset:
    kind: Literal["counter_reset"] = "counter_reset"


CounterEvent = Annotated[Added | CounterReset, Field(discriminator="kind")]
