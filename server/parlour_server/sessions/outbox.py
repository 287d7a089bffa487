"""A connection, as a session sees it. The socket behind it is `net`'s business."""

from typing import Protocol


class Outbox(Protocol):
    """Where a session's messages go out.

    Bounded: a peer that doesn't read is cut by the implementation, with
    `CloseCode.TOO_SLOW`; `send` never waits and never raises.
    """

    def send(self, message: bytes) -> None:
        """Send one text message, or drop it if the connection has ended."""

    def close(self, code: int, reason: str) -> None:
        """End the connection, after what was sent."""

    def pause(self) -> None:
        """Read no more from the peer for now."""

    def resume(self) -> None:
        """Read on."""

    def lag(self) -> int:
        """Milliseconds to the peer and back, as last measured; 0 before that."""
