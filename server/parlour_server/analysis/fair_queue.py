"""Searches that wait, in the order in which they are begun: fair to all requesters.

Bots that a person waits for come first, then bots among themselves, then questions, and at last what nobody
waits for. Within each of these kinds the addresses take turns, then the players of an address, then the first
asked comes first: so a person with many searches waits behind those with few, whatever number of connections
or names they use.

An address has one turn for its reviews and one for its other questions, so that a hint need not wait for the
reviews of a whole class. A review is many searches, and keeps its turn among those of its address: so they
end one after the other rather than all at last.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Generic, Literal, TypeVar, get_args

RequesterKind = Literal["seat", "bots", "question", "idle"]
"""A bot that a person waits for; a bot whose room no person waits in; an analysis, a hint, a review; and what
nobody waits for."""
KINDS: tuple[RequesterKind, ...] = get_args(RequesterKind)
"""The first goes first."""
Place = Literal["last", "next", "first"]
"""At the end of its requester's line; at the head of it, and the requester before all others of the address;
and the address before all others, too."""
PASSED_OVER = 20
"""How often a search may be passed over, so that none waits for ever; those before it hardly wait longer."""


@dataclass(frozen=True, slots=True)
class Requester:
    """Who a search is for."""

    kind: RequesterKind
    player: str = ""
    address: str = ""
    """Where the player connects from; empty: not known."""
    review: bool = False
    """Is it one of the searches of a review?"""


ItemT = TypeVar("ItemT")
KeyT = TypeVar("KeyT")

_Lines = dict[tuple[str, bool], dict[str, deque[ItemT]]]
"""What waits, by address (its reviews apart) and by player; whose turn it is stands first."""


class FairQueue(Generic[ItemT]):
    """A queue in which requesters take turns. Iterating gives what waits, the next one first.

    After `most_passed_over` searches of the kinds before it a kind has one turn all the same.
    """

    def __init__(self, most_passed_over: float = PASSED_OVER) -> None:
        self._most_passed_over = most_passed_over
        self._lines: dict[RequesterKind, _Lines[ItemT]] = {kind: {} for kind in KINDS}
        self._passed_over: dict[RequesterKind, int] = dict.fromkeys(KINDS, 0)

    def __bool__(self) -> bool:
        return any(self._lines.values())

    def __len__(self) -> int:
        return sum(
            len(line) for lines in self._lines.values() for one in lines.values() for line in one.values()
        )

    def __iter__(self) -> Iterator[ItemT]:
        return chain.from_iterable(self.of(kind) for kind in self._kinds())

    def of(self, kind: RequesterKind) -> Iterator[ItemT]:
        """What waits of one kind, the next one first."""
        addresses = self._lines[kind].values()
        return _in_turn(_in_turn(map(iter, players.values())) for players in addresses)

    def add(self, requester: Requester, item: ItemT, place: Place = "last") -> None:
        """Have an item wait at its place."""
        addresses = self._lines[requester.kind]
        players = addresses.setdefault(_address(requester), {})
        line = players.setdefault(requester.player, deque())
        if place == "last":
            line.append(item)
            return
        line.appendleft(item)
        _move_to_front(players, requester.player)
        if place == "first":
            _move_to_front(addresses, _address(requester))

    def remove(self, requester: Requester, item: ItemT) -> None:
        """Take an item out whose turn has not come. Raises `ValueError` where it doesn't wait."""
        players = self._lines[requester.kind].get(_address(requester), {})
        line = players.get(requester.player, deque())
        line.remove(item)
        if not line:
            del players[requester.player]
        if not players:
            del self._lines[requester.kind][_address(requester)]

    def take(self, requester: Requester, item: ItemT) -> None:
        """Take an item out whose turn it is: the next turn is another requester's."""
        self.remove(requester, item)
        addresses = self._lines[requester.kind]
        if (players := addresses.pop(_address(requester), None)) is not None:
            addresses[_address(requester)] = players
            if (line := players.pop(requester.player, None)) is not None:
                players[requester.player] = line
        self._passed_over[requester.kind] = 0
        for kind in KINDS[KINDS.index(requester.kind) + 1 :]:
            if self._lines[kind]:
                self._passed_over[kind] += 1

    def length(self, kind: RequesterKind, address: str, player: str | None = None) -> int:
        """How many wait of one address, or of one player there."""
        lines = [self._lines[kind].get((address, review), {}) for review in (False, True)]
        if player is None:
            return sum(len(line) for players in lines for line in players.values())
        return sum(len(players.get(player, ())) for players in lines)

    def _kinds(self) -> list[RequesterKind]:
        """The kinds in the order in which they have a turn now."""
        return sorted(KINDS, key=lambda kind: self._passed_over[kind] < self._most_passed_over)


def _address(requester: Requester) -> tuple[str, bool]:
    """What has a turn of its own beside other addresses."""
    return requester.address, requester.review


def _in_turn(lines: Iterable[Iterator[ItemT]]) -> Iterator[ItemT]:
    """One of each line, again and again, until all are empty."""
    waiting = deque(lines)
    while waiting:
        line = waiting.popleft()
        for item in line:
            yield item
            waiting.append(line)
            break


def _move_to_front(lines: dict[KeyT, ItemT], key: KeyT) -> None:
    others = [(other, line) for other, line in lines.items() if other != key]
    first = lines[key]
    lines.clear()
    lines[key] = first
    lines.update(others)
