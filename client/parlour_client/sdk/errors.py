"""What can go wrong between a person and a server.

    ParlourError
    +-- UsageError               what was typed can't be meant
    +-- Refused                  the server refused a command, and why
    +-- ConnectionFailed         no server there, or none that speaks our protocol
    +-- ConnectionLost           the connection is over for good
    |   +-- ServerClosed         the host has closed the server, or ended our connection
    +-- ServerStartFailed        a server of our own didn't start
    +-- AdminFailed              what a server's keeper asked for is not done

Each `str()` is a sentence for people that says what to do. `exit_code` is a command line's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parlour_protocol.errors import INPUT_FAULTS, Code
from parlour_protocol.words import language, say, spoken, system_fault, translated

if TYPE_CHECKING:  # so that a command line can fail, or show its help, without the wire's types
    from parlour_protocol import answers


class ParlourError(Exception):
    """An error that is shown to a person as a sentence, never as a traceback."""

    exit_code = 1

    @property
    def sentences(self) -> list[str]:
        """What there is to say, one thing a line."""
        return [str(self)]


class UsageError(ParlourError):
    """A malformed code, link, address or name; or several, in `also`."""

    exit_code = 2

    def __init__(self, said: str, *also: str) -> None:
        super().__init__(said)
        self._also = also

    @property
    def sentences(self) -> list[str]:
        """All that is wrong."""
        return [str(self), *self._also]


def unreadable(path: object, why: str | OSError) -> UsageError:
    """Why a file can't be read, to be raised."""
    said = spoken(system_fault(why)) if isinstance(why, OSError) else why
    return UsageError(say("error.unreadable", file=repr(str(path)), why=said))


class Refused(ParlourError):
    """The server refused a command; nothing changed. `refusal` is what it sent."""

    def __init__(self, refusal: answers.Refused) -> None:
        super().__init__(translated(refusal.said, refusal.message, language()))
        self.refusal = refusal
        self.exit_code = 2 if refusal.code in INPUT_FAULTS else 1

    @property
    def code(self) -> Code:
        """Why, for programs."""
        return self.refusal.code


class ConnectionFailed(ParlourError):
    """No server answers at `address`, or not in our protocol: two sentences, why and what to do.

    `lasting` says that trying again would not help. Where the server itself turned us away, `said` is its
    sentence, and `retry_after` the seconds to wait.
    """

    def __init__(
        self,
        address: str,
        why: str,
        advice: str,
        *,
        lasting: bool = False,
        retry_after: float = 0.0,
        said: str = "",
    ) -> None:
        super().__init__(f"{why} {advice}")
        self.address = address
        self.lasting = lasting
        self.retry_after = retry_after
        self.said = said


class ConnectionLost(ParlourError):
    """The connection is over for good."""


class ServerClosed(ConnectionLost):
    """The host has closed the server, or ended our connection. The sentence is the server's."""


class ServerStartFailed(ParlourError):
    """A server of our own could not be started."""


class AdminFailed(ParlourError):
    """What a server's keeper asked for is not done, or no server was found."""
