"""All that a connection's stream brings: what the server says unasked, and how the connection is."""

from dataclasses import dataclass

from parlour_protocol import answers
from parlour_protocol.messages import Notice as ServerNotice
from parlour_protocol.messages import RoomMessage


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The connection is lost, or an attempt to reconnect failed; the next one is in `retry_in` seconds."""

    retry_in: float
    attempt: int
    """0 right after the loss, then one more for each failed attempt."""
    reason: str = ""
    """The server's words on why, if it had any, or else what a person can do about it."""


@dataclass(frozen=True, slots=True)
class Reconnected:
    """Connected again. What was missed follows."""


@dataclass(frozen=True, slots=True)
class SubscriptionLost:
    """A subscription that the server has ended or refuses to renew."""

    room: str
    refusal: answers.Refused


Notice = ServerNotice | Disconnected | Reconnected | SubscriptionLost | answers.Refused
"""What belongs to no room. A refusal is one of a message that carried no readable id."""

Update = RoomMessage | Notice
"""What a connection's stream brings."""

RoomUpdate = RoomMessage | Disconnected | Reconnected
"""What a room's stream brings."""
