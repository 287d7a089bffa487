"""Everything that can go wrong between a person and a server.

    Fault
    +-- UsageFault         what was typed can't be meant
    +-- Refused            the server said no, and why
    +-- ConnectFailed      no server there, or none that we can talk to
    +-- ConnectionEnded    it was there, and we shall not come back
    |   +-- SatElsewhere   the same player came to the same table from another terminal
    +-- CannotStart        a server of our own didn't start

Each `str()` is a sentence for people that says what to do. `exit_code` is a command line's, and `command`
one to type now, where there is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parlour_protocol.errors import INPUT_FAULTS, Code

if TYPE_CHECKING:  # so that a command line can fail, or show its help, without the wire's types
    from parlour_protocol import to_client


class Fault(Exception):
    """What a person is told in a sentence, never as a traceback."""

    exit_code = 1
    command = ""


class UsageFault(Fault):
    """A malformed code, link, address or name."""

    exit_code = 2


class Refused(Fault):
    """The server refused a command; nothing changed. `refusal` is what it sent."""

    def __init__(self, refusal: to_client.Refused) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal
        self.exit_code = 2 if refusal.code in INPUT_FAULTS else 1

    @property
    def code(self) -> Code:
        """Why, for programs."""
        return self.refusal.code


class ConnectFailed(Fault):
    """Nobody answered at `address`, or not in our language.

    `lasting` says that trying again would not help.
    """

    def __init__(self, address: str, why: str, advice: str, *, lasting: bool = False) -> None:
        super().__init__(f"Could not reach {address}: {why}. {advice}")
        self.address = address
        self.lasting = lasting


class ConnectionEnded(Fault):
    """The connection is over for good."""


class SatElsewhere(ConnectionEnded):
    """A newer connection of the same player has the seat."""

    def __init__(self) -> None:
        super().__init__("You came back from another terminal, so this one stops here. To play on here:")


class CannotStart(Fault):
    """A server of our own could not be started."""
