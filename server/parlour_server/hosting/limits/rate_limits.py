"""Every rate limit of a server: one table, and the one mechanism that keeps to it.

What is done may be limited for the connection, for its player and for the address that it comes from, all at
once: players cost nothing to make, so their address bounds them. This machine itself has no limits as an
address, and neither has one that is not known.

A limit counts how often something is done; that of queries counts milliseconds of the server's time. What a
query costs at least is paid before it is answered; what shows only then (bytes, records, searches) is charged
afterwards, and may be owed for a while.
"""

import ipaddress
import math
from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, Protocol

from parlour_protocol import TYPING_SECONDS
from parlour_protocol.errors import Code
from parlour_protocol.words import Sentence
from parlour_server.refusals import Refusal, span
from parlour_server.settings import ServerLimits

Action = Literal[
    "handshake",
    "message",
    "warning",
    "chat",
    "typing",
    "wrong_code",
    "new_player",
    "new_room",
    "query",
]
BURST_MINUTES = 2
"""For how many minutes what is limited by the minute may be had at once."""
QUERY_BURST_SECONDS = 20.0
"""A budget of queries holds what is gained in so long."""
CHAT_PER_SECOND = 1.0
CHAT_BURST = 5
TYPING_PER_SECOND = 2 / TYPING_SECONDS
"""Beyond that it is dropped."""
TYPING_BURST = 2
WARNINGS = 40
"""Messages over the limit that are refused: a peer that sends twice as fast as it may is soon cut."""


@dataclass(frozen=True, slots=True, eq=False)
class RateLimit:
    """A row of the table: how often each connection, player or address may do something."""

    action: Action
    key: Literal["connection", "player", "address"]
    rate: float
    """A second, in the long run; 0: no limit."""
    burst: float
    """At once."""
    counter: str
    """What `Counters.budgets_refused` counts its refusals by; empty: they are counted elsewhere."""
    code: Code = Code.TOO_FAST

    def sentence(self, wait: float) -> Sentence:
        """Why it is refused, and for how long."""
        return Sentence(f"refusal.limit.{self.action}.{self.key}", span=span(wait))


def rate_limits(limits: ServerLimits) -> tuple[RateLimit, ...]:
    """The table."""
    connects, sends = limits.address_handshakes_per_minute, limits.messages_per_second
    talks, types = (CHAT_PER_SECOND, TYPING_PER_SECOND) if sends else (0.0, 0.0)
    guesses = _a_minute(limits.wrong_codes_per_minute)
    guesses_of_address = _a_minute(limits.address_wrong_codes_per_minute)
    players = _a_minute(limits.address_players_per_minute)
    rooms, rooms_of_address = _a_minute(limits.rooms_per_minute), _a_minute(limits.address_rooms_per_minute)
    asks, asks_of_address = limits.player_milliseconds, limits.address_milliseconds
    return (
        RateLimit("handshake", "address", connects / 60, max(1.0, connects), ""),
        RateLimit("message", "connection", sends, limits.burst, "messages"),
        RateLimit("warning", "connection", sends, WARNINGS, ""),
        RateLimit("chat", "connection", talks, CHAT_BURST, "chat"),
        RateLimit("typing", "connection", types, TYPING_BURST, ""),
        RateLimit("wrong_code", "connection", *guesses, "codes"),
        RateLimit("wrong_code", "address", *guesses_of_address, "address_codes"),
        RateLimit("new_player", "address", *players, "address_players"),
        RateLimit("new_room", "player", *rooms, "rooms"),
        RateLimit("new_room", "address", *rooms_of_address, "address_rooms"),
        RateLimit("query", "player", asks, QUERY_BURST_SECONDS * asks, "queries"),
        RateLimit("query", "address", asks_of_address, QUERY_BURST_SECONDS * asks_of_address, "queries"),
    )  # fmt: skip


def _a_minute(number: float) -> tuple[float, float]:
    """The rate and the burst of what may be done so often a minute."""
    return number / 60, max(1.0, BURST_MINUTES * number)


@lru_cache(maxsize=4096)
def is_limited(address: str) -> bool:
    """Does what comes from here count? `address` is a key: an address, or a network of IPv6."""
    return bool(address) and not ipaddress.ip_network(address).is_loopback


class Bucket:
    """A token bucket: holds `burst` tokens at most, and gains `rate` a second. A rate of zero: no limit."""

    __slots__ = ("_at", "_burst", "_rate", "_tokens")

    def __init__(self, rate: float, burst: float, now: float) -> None:
        self._rate, self._burst = rate, burst
        self._tokens, self._at = burst, now

    def take(self, now: float, cost: float = 1.0) -> float:
        """Take `cost` tokens; 0 where there were enough, else as `wait`.

        What costs more than the bucket holds is had for a full one.
        """
        if not self._rate:
            return 0.0
        wait = self.wait(now, cost)
        if not wait:
            self._tokens -= min(cost, self._burst)
        return wait

    def wait(self, now: float, cost: float = 1.0) -> float:
        """Seconds until there are `cost` tokens, in milliseconds; 0: there are."""
        if not self._rate:
            return 0.0
        self._tokens = min(self._burst, self._tokens + (now - self._at) * self._rate)
        self._at = now
        lacking = min(cost, self._burst) - self._tokens
        # Rounded up: after so long there are enough.
        return 0.0 if lacking <= 0 else (math.floor(1000 * lacking / self._rate) + 1) / 1000

    def charge(self, now: float, cost: float) -> None:
        """Take what was spent already, even where there is less: the rest is owed.

        Less than nothing is given back; what is above the burst then is lost when it is next asked for.
        """
        if self._rate:
            self.wait(now)
            self._tokens -= cost

    def is_full(self, now: float) -> bool:
        """Is it as it was at first, so that it need not be kept?"""
        return self._tokens + (now - self._at) * self._rate >= self._burst


class Limited(Protocol):
    """Whom limits hold for: a connection with its player and its address. One that is not known is empty."""

    player: str
    address: str
    buckets: dict[Action, Bucket]
    """The connection's own."""


@dataclass(slots=True)
class Subject:
    """A player or an address without a connection: see `Limited`."""

    player: str = ""
    address: str = ""
    buckets: dict[Action, Bucket] = field(default_factory=dict)


class RateLimits:
    """The buckets of all limits. `refused` counts refusals; `monotonic` gives seconds that never jump."""

    def __init__(
        self, limits: ServerLimits, refused: MutableMapping[str, int], monotonic: Callable[[], float]
    ) -> None:
        self._table: dict[Action, list[RateLimit]] = {}
        for limit in rate_limits(limits):
            self._table.setdefault(limit.action, []).append(limit)
        self._refused, self._monotonic = refused, monotonic
        self._kept: dict[tuple[RateLimit, str], Bucket] = {}
        """Those of players and addresses."""

    def __len__(self) -> int:
        """How many buckets of players and addresses are kept."""
        return len(self._kept)

    def take(self, action: Action, subject: Limited, cost: float = 1.0) -> None:
        """Pay for an action, from each bucket that limits it or from none. Raises `Refusal`."""
        self.check(action, subject, cost)
        self.charge(action, subject, cost)

    def check(self, action: Action, subject: Limited, cost: float = 1.0) -> None:
        """Raise `Refusal` where it can't be paid for now, by the limit with the longest wait."""
        now, longest, refusing = self._monotonic(), 0.0, None
        for limit, bucket in self._buckets(action, subject, now):
            if (wait := bucket.wait(now, cost)) > longest:
                longest, refusing = wait, limit
        if refusing is not None:
            raise self._refuse(refusing, longest)

    def charge(self, action: Action, subject: Limited, cost: float = 1.0) -> None:
        """Take what was spent already, even where there is less. Less than nothing is given back."""
        now = self._monotonic()
        for _, bucket in self._buckets(action, subject, now):
            bucket.charge(now, cost)

    def bucket(self, action: Action, subject: Limited) -> Bucket:
        """A connection's own bucket, for what comes too often to look it up each time; then see `refusal`."""
        return self._bucket(self._table[action][0], subject, self._monotonic())

    def refusal(self, action: Action, wait: float) -> Refusal:
        """The refusal of what such a bucket has again after `wait` seconds."""
        return self._refuse(self._table[action][0], wait)

    def sweep(self) -> None:
        """Forget the players and addresses that have done nothing for a while."""
        now = self._monotonic()
        self._kept = {key: bucket for key, bucket in self._kept.items() if not bucket.is_full(now)}

    def _buckets(self, action: Action, subject: Limited, now: float) -> Iterator[tuple[RateLimit, Bucket]]:
        for limit in self._table[action]:
            if limit.rate and (limit.key != "address" or is_limited(subject.address)):
                yield limit, self._bucket(limit, subject, now)

    def _bucket(self, limit: RateLimit, subject: Limited, now: float) -> Bucket:
        if limit.key == "connection":
            bucket = subject.buckets.get(limit.action)
            if bucket is None:
                bucket = subject.buckets[limit.action] = Bucket(limit.rate, limit.burst, now)
            return bucket
        key = limit, subject.player if limit.key == "player" else subject.address
        bucket = self._kept.get(key)
        if bucket is None:
            bucket = self._kept[key] = Bucket(limit.rate, limit.burst, now)
        return bucket

    def _refuse(self, limit: RateLimit, wait: float) -> Refusal:
        if limit.counter:
            self._refused[limit.counter] += 1
        return Refusal(limit.code, limit.sentence(wait), retry_after=wait)
