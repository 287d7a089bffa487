"""Limits connections: how many there are in all and from one address, and how many come in a minute.

What is turned away costs little: it is answered why in plain HTTP, before any handshake. Past that, where
strangers come faster than they can be answered, it is only closed.
"""

import errno
import math
import os
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus

import structlog

from parlour_protocol.words import Sentence
from parlour_server.hosting.limits.rate_limits import RateLimits, Subject, is_limited
from parlour_server.net.peers import Address, Proxies, address_key
from parlour_server.refusals import Refusal
from parlour_server.settings import ServerLimits

log = structlog.get_logger()

RESERVE = 256
"""Handles that are kept for everything but connections; of few handles, half of them.

Also for the hundred that are accepted in one turn of the loop before the first of them can be turned away.
"""
MOST_ON_WINDOWS = 16_384
FULL_SECONDS = 10.0
"""When to come back where there are as many connections as may be."""
ANSWERED_AT_ONCE = RESERVE // 8
"""How many may be waiting for the answer why they are turned away; the others are closed without one.

Programs on this machine have as many places more: one of them may look whether the server is well.
"""
FILE_COST = 1 / 20
"""What an answered file costs its address, in handshakes."""
LOG_SECONDS = 60.0
SWEEP_SECONDS = 30.0


@dataclass(eq=False)
class TurnedAway(Exception):
    """Why a connection is not let in, and after how many seconds it may be."""

    status: HTTPStatus
    reason: str
    """As it is counted: a word."""
    sentence: str
    retry_after: float


@dataclass(slots=True)
class ConnectionLimiter:
    """Counts the connections of one server. `monotonic` gives seconds that never jump."""

    limits: ServerLimits
    connections: int
    """How many there may be in all: as many as there are file handles for."""
    proxies: Proxies
    monotonic: Callable[[], float]
    open: int = 0
    answering: int = 0
    """How many that were turned away are not closed yet."""
    by_address: Counter[str] = field(default_factory=Counter)
    _rates: RateLimits = field(init=False)
    _swept: float = field(init=False)
    _logged: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._rates = RateLimits(self.limits, {}, self.monotonic)
        self._swept = self.monotonic()

    def accept(self, peer: Address | None) -> str:
        """Count a connection that was just accepted, until `release`; gives its address's key.

        What comes through a proxy has its own when its request was read: see `admit`. Raises `TurnedAway`.
        """
        if self.open >= self.connections:
            self._log("as many connections as may be: others are turned away", connections=self.open)
            said = Sentence("refusal.connections_full")
            raise TurnedAway(HTTPStatus.SERVICE_UNAVAILABLE, "full", said, FULL_SECONDS)
        key = "" if self.proxies.trusts(peer) else self.admit(address_key(peer))
        self.open += 1
        return key

    def admit(self, key: str) -> str:
        """Count a connection for an address, by its key; gives that again. Raises `TurnedAway`."""
        if not is_limited(key):
            return key
        most = self.limits.address_connections
        now = self.monotonic()
        if now - self._swept > SWEEP_SECONDS:
            self._swept = now
            self._rates.sweep()
        try:
            self._rates.take("handshake", Subject(address=key))
        except Refusal as refusal:
            self._log("an address connects too often", address=key)
            said, wait = refusal.message, refusal.retry_after or FULL_SECONDS
            raise TurnedAway(HTTPStatus.TOO_MANY_REQUESTS, "too_often", said, wait) from None
        if most and self.by_address[key] >= most:
            self._log("an address has as many connections as it may", address=key)
            said = Sentence("refusal.address_full", most=most)
            raise TurnedAway(HTTPStatus.TOO_MANY_REQUESTS, "address", said, FULL_SECONDS)
        self.by_address[key] += 1
        return key

    def give_back(self, key: str) -> None:
        """It came for a file of the page, of which a browser fetches dozens."""
        self._rates.charge("handshake", Subject(address=key), FILE_COST - 1.0)

    def release(self, key: str) -> None:
        """A connection has ended that was counted."""
        self.open -= 1
        if is_limited(key):
            self.by_address[key] -= 1
            if not self.by_address[key]:
                del self.by_address[key]

    def look_at_handles(self) -> None:
        """Log where file handles run short, whatever took them: the system then closes what comes."""
        if run_short():
            self._log("file handles run short: raise the limit (ulimit -n)", connections=self.open)

    def may_answer(self, peer: Address | None) -> bool:
        """Are there handles to answer this one why it is turned away?"""
        near = peer is not None and peer.is_loopback
        return self.answering < (2 * ANSWERED_AT_ONCE if near else ANSWERED_AT_ONCE)

    def _log(self, event: str, **about: object) -> None:
        """Log it once a minute: there is one of this for each connection that a stranger tries."""
        now = self.monotonic()
        if now - self._logged.get(event, -math.inf) >= LOG_SECONDS:
            self._logged[event] = now
            log.warning(event, **about)


def room_for(connections: int) -> int:
    """Raise this process's limit as far as it takes; gives for how many connections there are handles."""
    if sys.platform == "win32":
        return min(connections, MOST_ON_WINDOWS)
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + RESERVE
    if soft != resource.RLIM_INFINITY and soft < wanted:
        if hard != resource.RLIM_INFINITY:
            wanted = min(wanted, hard)
        if wanted > soft:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    if soft == resource.RLIM_INFINITY:
        return connections
    return min(connections, max(soft - RESERVE, soft // 2))


def run_short() -> bool:
    """Are hardly any handles left? Costs two system calls."""
    if sys.platform == "win32":
        return False
    import resource

    try:
        # The kernel gives the lowest number that is free.
        free = os.dup(0)
    except OSError as error:
        return error.errno in (errno.EMFILE, errno.ENFILE)
    os.close(free)
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return limit != resource.RLIM_INFINITY and free > limit - min(RESERVE, limit // 2) // 2
