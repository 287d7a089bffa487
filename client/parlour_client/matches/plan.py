"""A match to be played, whole: what follows from it is the same each time, on any number of machines.

It is written beside a match's file as its manifest; what that says of versions and the machine is for people.
"""

import hashlib
import os
import platform
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from shutil import which
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from parlour_client.bots.entrant import own
from parlour_client.bots.limits import MEMORY
from parlour_client.sdk.errors import UsageError, unreadable
from parlour_client.sdk.sprt import Sprt
from parlour_protocol.tournaments import Format
from parlour_protocol.words import say

PAIR = 2
"""Games from one opening: each bot begins one."""
PACKAGES = ("parlour-server", "parlour-client", "numba", "numpy")
"""On whose versions moves may depend."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """Who takes part in a match: a bot of the server's, or a file."""

    bot: str
    """As it was typed: a bot's name and settings, a file's path, or an interface and a command."""
    name: str
    digest: str | None = None
    """Of one's own: its files' SHA-256 in hexadecimal digits."""
    timed: bool = False
    """Does time end its searches? Not known of files."""
    interface: str | None = None
    """How one's own is called; None: in Parlour's own way."""

    @property
    def called_as(self) -> str | None:
        """The interface by its name; None for the server's bots."""
        return self.interface or ("parlour" if self.digest else None)


@dataclass(frozen=True, slots=True)
class OpeningSource:
    """Where a match's openings come from: drawn by its seed, or a file's lines in their order."""

    plies: int | None = None
    """Random moves of each; None: as many as suit the game."""
    file: str | None = None
    lines: tuple[str, ...] = ()
    """Those of the file."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A match of two entrants."""

    game: str
    entrants: tuple[Entrant, Entrant]
    games: int
    """An even number: they come in pairs."""
    seed: int
    openings: OpeningSource = OpeningSource()
    move_seconds: float | None = None
    """What a file may take for a move, and below the bytes it may hold."""
    memory: int = MEMORY
    sprt: Sprt | None = None
    """What may end it before all games are played."""
    versions: dict[str, str] = field(default_factory=dict, hash=False)
    machine: str = field(default="", hash=False)
    kind: Literal["match"] = "match"

    @property
    def plays(self) -> tuple[str]:
        """The one game, as a tournament may have several."""
        return (self.game,)

    @property
    def pairs(self) -> int:
        """How many there are at most."""
        return self.games // PAIR

    @property
    def names(self) -> tuple[str, str]:
        """What the entrants are called."""
        first, second = self.entrants
        return first.name, second.name

    def is_same_match(self, other: "AnyPlan") -> bool:
        """Are their games the same ones, as far as both play them?"""
        if not isinstance(other, Plan):
            return False
        same = replace(other, games=self.games, sprt=self.sprt, versions=self.versions, machine=self.machine)
        return self == same

    def seed_of(self, game: int, seat: int) -> str:
        """What an entrant's chance follows from in a game, by its number."""
        return f"{self.seed}/{game}/{seat}"


@dataclass(frozen=True, slots=True)
class TournamentPlan:
    """A tournament of bots that are here: each pairing is a match of so many games."""

    title: str
    entrants: tuple[Entrant, ...]
    plays: tuple[str, ...]
    """The games, each of which every pairing plays."""
    format: Format
    rounds: int | None
    """Of a Swiss."""
    games: int
    """Of each pairing, an even number."""
    seed: int
    openings: OpeningSource = OpeningSource()
    move_seconds: float | None = None
    memory: int = MEMORY
    versions: dict[str, str] = field(default_factory=dict, hash=False)
    machine: str = field(default="", hash=False)
    kind: Literal["tournament"] = "tournament"

    def is_same_match(self, other: "AnyPlan") -> bool:
        """Are their games the same ones, as far as both play them?"""
        if not isinstance(other, TournamentPlan):
            return False
        # In a Swiss and a knock-out a pairing's games decide who meets whom next.
        games = other.games if self.format in ("swiss", "knockout") else self.games
        same = replace(other, games=games, title=self.title, versions=self.versions, machine=self.machine)
        return self == same

    def pairing(self, game: str, first: int, second: int) -> Plan:
        """The match that two of its entrants play, in one of its games."""
        return Plan(
            game,
            (self.entrants[first], self.entrants[second]),
            self.games,
            self.seed,
            self.openings,
            self.move_seconds,
            self.memory,
        )


AnyPlan = Plan | TournamentPlan
_PLANS = TypeAdapter[AnyPlan](Annotated[AnyPlan, Field(discriminator="kind")])


def versions() -> dict[str, str]:
    """Python's and the packages' on which moves may depend."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def machine() -> str:
    """This machine, for people: its system, processor and number of cores."""
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"


def digest_of(bot: str) -> str:
    """The SHA-256 of one's own bot: of the files that it or its command names. Raises `UsageError`."""
    meant = own(bot)
    words = (bot,) if meant is None else meant.words
    program = which(words[0]) if meant is not None and meant.is_command else None
    paths = [Path(program or words[0]), *(Path(word) for word in words[1:] if Path(word).is_file())]
    digest = hashlib.sha256()
    for path in paths:
        try:
            digest.update(path.read_bytes())
        except OSError as error:
            raise unreadable(path, error) from None
    return digest.hexdigest()


def own_entrant(bot: str, name: str, interface: str) -> Entrant:
    """The entrant for a user's bot, with the interface that was detected. Raises `UsageError`."""
    return Entrant(bot, name, digest_of(bot), interface=None if interface == "parlour" else interface)


def written(plan: AnyPlan) -> bytes:
    """A manifest's text."""
    return _PLANS.dump_json(plan, indent=2) + b"\n"


def read(path: Path) -> AnyPlan:
    """The plan that a manifest has. Raises `UsageError`."""
    try:
        return _PLANS.validate_json(path.read_bytes())
    except OSError as error:
        raise unreadable(path, error) from None
    except ValidationError:
        raise UsageError(say("error.no_manifest", file=repr(str(path)))) from None
