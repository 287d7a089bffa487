"""Networks, players by their ids, and names that may not connect, each for good or for a time.

Addresses are asked about at the handshake, players and names at the hello.
"""

import ipaddress
import json
import os
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from parlour_protocol.errors import Code
from parlour_protocol.ids import is_player_id
from parlour_protocol.words import Sentence
from parlour_server.refusals import Refusal, span
from parlour_server.room.look_alikes import look_alike

Kind = Literal["network", "player", "name"]
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

ONE_IPV6_PEER = 64
"""The bits of an IPv6 address that name one peer's network: the rest its peer chooses freely."""
WIDEST = {4: 8, 6: 16}
"""The fewest bits of a network that can be banned, by IP version: a wider one is a slip."""
_LIKE_AN_ADDRESS = re.compile(r"(?=.*[0-9])([0-9./]*[./][0-9./]*|[0-9a-f:./]*:[0-9a-f:./]*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Ban:
    """A network, a player or a name that may not connect."""

    kind: Kind
    target: str
    until: int | None = None
    """Milliseconds since 1970; None: for good."""

    @property
    def called(self) -> Sentence:
        """What is banned, as the beginning of a sentence."""
        single = self.kind == "network" and "/" not in self.target
        return Sentence(f"admin.target.{'address' if single else self.kind}", target=self.target)


class Bans:
    """All bans of one server. `now` gives milliseconds since 1970."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._bans: dict[tuple[Kind, str], Ban] = {}

    def __len__(self) -> int:
        return len(self.standing())

    def standing(self) -> list[Ban]:
        """Those that have not ended, the latest last."""
        now = self._now()
        if any(ban.until is not None and ban.until <= now for ban in self._bans.values()):
            self._bans = {key: ban for key, ban in self._bans.items() if ban.until is None or ban.until > now}
        return list(self._bans.values())

    def add(self, who: str, until: int | None) -> Ban:
        """Ban a network, a player or a name until a time, which replaces that of an earlier ban.

        Raises `Refusal`.
        """
        kind, target = read_target(who)
        check_target(kind, target)
        self.lift(who)
        ban = self._bans[kind, target] = Ban(kind, target, until)
        return ban

    def lift(self, who: str) -> Ban | None:
        """Lift a ban; gives that, or None where there was none."""
        kind, target = read_target(who)
        for ban in self.standing():
            same = ban.target == target or (kind == "name" and look_alike(ban.target, target))
            if ban.kind == kind and same:
                return self._bans.pop((ban.kind, ban.target))
        return None

    def of_address(self, address: str) -> Ban | None:
        """The ban that holds for an address."""
        if not self._bans or (found := _network(address)) is None:
            return None
        for ban in self.standing():
            if ban.kind == "network" and _contains(_network(ban.target), found):
                return ban
        return None

    def of_player(self, player: str, name: str) -> Ban | None:
        """The ban that holds for a player, by id, or by a name that looks like theirs."""
        if not self._bans:
            return None
        for ban in self.standing():
            if (ban.kind == "player" and ban.target == player) or (
                ban.kind == "name" and look_alike(ban.target, name)
            ):
                return ban
        return None

    # ------------------------------------------------------------ kept in a file

    def load(self, file: Path) -> None:
        """Read the bans that were kept; nothing where there is no file. Raises `OSError`, `ValueError`."""
        try:
            text = file.read_text(encoding="utf-8")
        except FileNotFoundError:
            return
        self.read(text)

    def read(self, text: str) -> None:
        """Read the bans that were kept: see `as_text`. Raises `ValueError`."""
        rows = json.loads(text)
        try:
            bans = [Ban(**row) for row in rows]
        except TypeError as error:
            raise ValueError(f"it holds no list of bans: {error}") from None
        self._bans = {(ban.kind, ban.target): ban for ban in bans}

    def as_text(self) -> str:
        """What is to be kept."""
        return json.dumps([asdict(ban) for ban in self.standing()], indent=1)


def keep(file: Path, text: str) -> None:
    """Write the bans down, whole or not at all. Raises `OSError`."""
    draft = file.with_name(f"{file.name}.new")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as written:
        written.write(text)
        written.flush()
        os.fsync(written.fileno())
    draft.replace(file)


def read_target(text: str) -> tuple[Kind, str]:
    """Read what is to be banned: an address or a network, a player's id, else a name."""
    text = text.strip()
    network = _network(text)
    if network is not None:
        single = network.prefixlen == network.max_prefixlen
        return "network", str(network.network_address) if single else str(network)
    if is_player_id(text):
        return "player", text
    return "name", " ".join(text.split())


def check_target(kind: Kind, target: str) -> None:
    """Raise `Refusal` for what is surely a slip."""
    if kind == "name" and _LIKE_AN_ADDRESS.fullmatch(target):
        raise Refusal(Code.UNKNOWN_TARGET, Sentence("admin.no_address", target=target))
    network = _network(target) if kind == "network" else None
    if network is not None and network.prefixlen < (least := WIDEST[network.version]):
        raise Refusal(
            Code.UNKNOWN_TARGET,
            Sentence("admin.network_too_wide", target=target, bits=least, version=network.version),
        )


def ban_sentence(ban: Ban, now: int) -> Sentence:
    """What a banned player reads."""
    if ban.kind == "name":
        return Sentence("refusal.banned.name")
    if ban.until is None:
        return Sentence("refusal.banned.for_good")
    return Sentence("refusal.banned.until", span=span((ban.until - now) / 1000))


@lru_cache(maxsize=4096)
def _network(text: str) -> Network | None:
    """The network that an address or a network names, an IPv6 address by the network of its peer."""
    try:
        network = ipaddress.ip_network(text, strict=False)
    except ValueError:
        return None
    if isinstance(network, ipaddress.IPv6Network):
        mapped = network.network_address.ipv4_mapped
        if mapped is not None and network.prefixlen == network.max_prefixlen:
            return ipaddress.ip_network(mapped)
        if network.prefixlen > ONE_IPV6_PEER:
            return network.supernet(new_prefix=ONE_IPV6_PEER)
    return network


def _contains(outer: Network | None, inner: Network) -> bool:
    if isinstance(outer, ipaddress.IPv4Network) and isinstance(inner, ipaddress.IPv4Network):
        return inner.subnet_of(outer)
    if isinstance(outer, ipaddress.IPv6Network) and isinstance(inner, ipaddress.IPv6Network):
        return inner.subnet_of(outer)
    return False
