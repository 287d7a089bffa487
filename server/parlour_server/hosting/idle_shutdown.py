"""Ends a shared server once no player is connected to it, or expected.

A player who looks for it is expected for a while: between finding a server and saying hello to it a busy
client may take seconds, and must not find it gone.
"""

from collections import deque
from collections.abc import Callable

from parlour_server.hosting.connections import Connection
from parlour_server.hosting.context import Timer

ARRIVAL_SECONDS = 30.0
"""How long a player who has found the server may take to say hello."""
LINGER_SECONDS = 2.0
"""How long it waits for another player once the last has left."""


class IdleShutdown:
    """Counts players in and out, and calls `end` once, when none is connected or expected any more.

    `saved_in` is the file that keeps the server's games; None: they end with it. The player who started the
    server is expected from the beginning.
    """

    def __init__(
        self,
        saved_in: str | None,
        end: Callable[[], None],
        later: Callable[[float, Callable[[], None]], Timer],
        now: Callable[[], float],
    ) -> None:
        self.saved_in = saved_in
        self._end = end
        self._later = later
        self._now = now
        self._here: dict[Connection, None] = {}
        self._expected: deque[float] = deque()
        """Until when each player is expected, the earliest first."""
        self._timer: Timer | None = None
        self._ending = False
        self.expect()

    def expect(self) -> bool:
        """A player is about to connect; false: too late, the server is ending."""
        if not self._ending:
            self._forget_late()
            self._expected.append(self._now() + ARRIVAL_SECONDS)
            self._wait()
        return not self._ending

    def came(self, who: Connection) -> None:
        """A player has connected."""
        if self._expected:
            self._expected.popleft()
        self._here[who] = None
        self._wait()

    def went(self, who: Connection) -> None:
        """One of a player's connections has ended."""
        self._here.pop(who, None)
        self._wait()

    def others(self, player: str) -> list[str]:
        """The names of the other players who are connected, in order of arrival."""
        return list({one.player: one.name for one in self._here if one.player != player}.values())

    def close(self, who: Connection, *, force: bool) -> bool:
        """End the server if `who` is alone here and none is expected, or by `force`. Does it end?"""
        self._forget_late()
        if force or not (self._expected or any(one is not who for one in self._here)):
            self._finish()
        return self._ending

    def stop(self) -> None:
        """The server ends: expect no more players."""
        self._ending = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _wait(self) -> None:
        """Begin to wait for the end anew, unless a player is connected."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._here or self._ending:
            return
        self._forget_late()
        until = self._expected[-1] - self._now() if self._expected else LINGER_SECONDS
        self._timer = self._later(until, self._finish)

    def _finish(self) -> None:
        self.stop()
        self._end()

    def _forget_late(self) -> None:
        while self._expected and self._expected[0] <= self._now():
            self._expected.popleft()
