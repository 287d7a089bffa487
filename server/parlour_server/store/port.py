"""What a store can do. The rooms know this much of it and no more."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from parlour_protocol.ids import Version
from parlour_server.log import AnyRecord
from parlour_server.store.finished_games import FinishedGame

MORE_TOKENS = 8
"""How many tokens a player has beside the first one: a carry code adds one, and the oldest of these goes."""


class StoreError(Exception):
    """The tree of what can go wrong with a store; each speaks a sentence for people."""


class StoreUnusable(StoreError):
    """The store can't be opened: not ours, locked, not to be written, or newer than we are."""


class StoreLocked(StoreUnusable):
    """Another program has it open."""


class VersionConflict(StoreError):
    """Another has appended to this log since: read on from your version and decide again."""


class NotSaved(StoreError):
    """The records could not be made durable (the disk is full, say); none of them stands."""


class StoreFull(NotSaved):
    """The file is as large as it may be: games go on, new rooms and players have no place."""


class NotReadable(StoreError):
    """What is asked for can't be read: it is damaged, or of a later version than ours."""


class LogDamaged(NotReadable):
    """A log's own records can't be read: nor will they be another time."""


@dataclass(frozen=True, slots=True)
class Player:
    """A player as the store knows one: the public id, never the token."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What a projection has made of the finished games, up to the number `after`.

    Or any other small state under a name: `after` then counts its changes.
    """

    after: int = 0
    state: str = ""
    """Empty at first."""


REMOVED_ROOMS = "removed "
"""Before a player's id: the name of the state that says which rooms are none of theirs any more.

It is forgotten together with the player.
"""


Done = Callable[[StoreError | None], None]
"""Called once, on the event loop's thread: None when the records are durable."""


Found = Callable[[str | None, StoreError | None], None]
"""Called once, on the event loop's thread, with what was found; or with a `NotReadable`."""


Progress = Callable[[int, int], None]
"""Called on any thread, now and then: how much is done, and of how much."""


class Store(Protocol):
    """A log for each room and for each other thing that keeps one, and the players.

    A log is known by its key (see `parlour_server.log`). What is looked up otherwise than by the key knows
    rooms alone.

    `append` takes a callback rather than being a coroutine because it stands in the path of every
    move, where a task for each would cost as much as the commit's share.
    """

    def append(self, key: str, expected: Version, records: Sequence[AnyRecord], done: Done) -> None:
        """Add records to a log that stands at version `expected`, all of them or none.

        Calls `done` with None once they are durable, with `VersionConflict` if the log stands
        elsewhere, with `StoreFull` where a new log has no place, or with `NotSaved`. It may do so before
        it returns. Events of a kind that the store was not opened for are the caller's fault: `KeyError`.
        """

    async def read(self, key: str, after: Version = 0) -> list[AnyRecord]:
        """A log's records after a version, in order; none for a log that is not there.

        Closed rooms' too. Raises `NotReadable`, and of that `LogDamaged` where it is of no use to try again.
        """

    async def open_rooms(self, since: int = 0) -> list[str]:
        """The codes of all rooms that were created and not closed, oldest first.

        Only those where something happened since then, in milliseconds since 1970.
        """

    async def open_others(self) -> list[str]:
        """The keys of all logs of other kinds that are not closed, oldest first."""

    def room_by(self, player: str, command: str, found: Found) -> None:
        """Find the room that a player's command of this id created, or where it took a seat.

        Calls `found` once with the room's code, or None; perhaps before it returns.
        """

    async def rooms_of(self, player: str, most: int) -> list[str]:
        """The codes of the rooms in which a player has or had a seat, the last used first.

        Closed ones too; at most `most`.
        """

    async def finished_games(self, after: int, most: int) -> list[tuple[int, FinishedGame]]:
        """The games that have ended, each with its number: those after a number in order, at most `most`.

        Numbers go up in the order in which this gives the games, the same at every node: where a number was
        seen, no game with a lower one appears later. The games outlive their rooms. Raises `NotReadable`.
        """

    async def games_between(self, player: str, other: str | None, most: int) -> list[FinishedGame]:
        """The games of these two players that have ended, the last one first; at most `most`.

        None: of the first one against any other person.

        Raises `NotReadable`.
        """

    async def checkpoint(self, name: str) -> Checkpoint:
        """How far a projection of this name has come. Raises `NotReadable`."""

    async def move_checkpoint(self, name: str, before: int, new: Checkpoint) -> bool:
        """Save a projection's state and how far it has come by that, as one; False: it was not at `before`.

        Raises `NotSaved`.
        """

    async def prune(self, before: int, spared: Collection[str] = ()) -> list[str]:
        """Forget every room in which nothing happened since `before` (milliseconds since 1970); their codes.

        Those that are to be spared are left as they are. Other work goes on meanwhile.

        Raises `NotSaved`.
        """

    def note_alive(self, at: int) -> None:
        """Note that the server was up at this time, in milliseconds since 1970. Soon, not at once."""

    async def last_alive(self) -> int:
        """The last such note of the server that had the store before; 0: there is none."""

    async def add_player(self, token_hash: str, player: Player, at: int) -> None:
        """Keep a player who comes at this time, in milliseconds since 1970, under the hash of their token.

        Raises `StoreFull` and `NotSaved`.
        """

    async def add_token(self, token_hash: str, player: str) -> bool:
        """Keep another token of a player, which ends their being a visitor. False: there is no such player.

        Of more than `MORE_TOKENS` the oldest is worth nothing any more. Raises `NotSaved`.
        """

    async def find_player(self, token_hash: str) -> Player | None:
        """The player with this token, or None. Raises `NotReadable`."""

    async def forget_visitors(self, before: int, spared: Collection[str] = ()) -> int:
        """Forget the players who came before then and never did anything; how many they were.

        They never made a room, sat in one or spoke there. Those whose ids are to be spared stay. In
        milliseconds since 1970. Raises `NotSaved`.
        """

    async def players_named(self, name: str) -> list[Player]:
        """The players who had this name when they first came. Raises `NotReadable`."""

    async def forget_player(self, player: str) -> list[str]:
        """Forget a person for good: their tokens, their name in all records, what they said and removed.

        The moves stay, as those of `players.SOMEONE`. Gives the codes of the rooms whose logs have changed,
        their versions being as before: those that are awake have to be read afresh. Raises `NotSaved`.
        """

    async def backup(self, to: Path, progress: Progress) -> None:
        """Copy everything to a new file while all else goes on; `progress` counts pages.

        Raises `NotSaved`, also where nothing is kept in a file or there is one at `to` already.
        """

    async def used(self) -> int:
        """How many bytes are in use on the disk: what `--data-limit` limits. Raises `NotReadable`."""

    async def check(self) -> None:
        """Commit a change that changes nothing. Raises `NotSaved` where nothing can be saved."""

    async def close(self) -> None:
        """Finish what was begun and close the files."""
