"""What a server's host asks it, over a socket on the same machine: JSON, one object a line.

Requests, their answers and what is refused have the shapes of the protocol's commands. A connection asks one
thing at a time, so a request has no id; of what takes a while `Progress` comes before the answer.
The socket is open to the server's own account alone, which may do all of this.
"""

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, ValidationError
from pydantic_core import to_json

from parlour_protocol.answers import Refused
from parlour_protocol.codec import explain, one_of
from parlour_protocol.ids import RoomCode, is_player_id
from parlour_protocol.messages import AnswerT, Request, answer_type, messages_of
from parlour_protocol.words import Said, Translatable

MAX_REQUEST_BYTES = 16 * 1024
MAX_ANSWER_BYTES = 4 * 1024 * 1024
MOST_LISTED = 1_000
"""How many rows of a list are sent at most."""
LONGEST_TARGET = 100
LONGEST_ANNOUNCEMENT = 300
LONGEST_BAN_SECONDS = 10 * 365 * 86_400.0

Target = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_TARGET, strip_whitespace=True)]
"""A player's name or id; of a ban also an address or a network."""
Most = Annotated[int, Field(ge=1, le=MOST_LISTED)]

# ---------------------------------------------------------------- answers


@dataclass(slots=True)
class Done(Translatable):
    """What was asked for is done."""

    message: str
    """A sentence that says what was done."""
    said: Said | None = field(default=None, compare=False)
    type: Literal["done"] = "done"


@dataclass(slots=True)
class Progress:
    """How much is done of what takes a while: the answer follows."""

    done: int
    of: int
    type: Literal["progress"] = "progress"


@dataclass(slots=True)
class SearchNumbers:
    """The searches of bots and analyses."""

    running: int
    waiting: int
    workers: int


@dataclass(slots=True)
class Timing:
    """How long something took, since the start."""

    count: int
    seconds: float
    """All of them together."""
    p99: float
    """Seconds that 99 of 100 took at most; 0 where there was none."""


@dataclass(slots=True)
class ServerStatus:
    """How a server is. Totals count from its start. Of a cluster it is one node that answers."""

    url: str
    version: str
    pid: int
    uptime: float
    """Seconds since the start."""
    data: str
    """The data file; `:memory:`: it keeps nothing."""
    data_bytes: int
    connections: int
    players: int
    """How many players are connected, to all nodes."""
    rooms: int
    """How many are awake."""
    most_rooms: int
    phases: dict[str, int]
    """The rooms that are awake, by phase."""
    spectators: int
    events: int
    """How many events were appended to rooms' logs."""
    moves: int
    refusals: dict[str, int]
    """What was refused, by code."""
    searches: SearchNumbers
    cpu_seconds: float
    memory_bytes: int
    """Resident memory; 0 where the system doesn't say."""
    commits: Timing
    lag: Timing
    """By how much timers of the event loop came late."""
    bans: int
    draining: float | None = None
    """Seconds until the server stops at the latest; None: it isn't being drained."""
    node: str = ""
    """Its name in the cluster; empty: it keeps its games by itself."""
    nodes: int = 1
    """How many nodes the cluster has now."""
    type: Literal["status"] = "status"


@dataclass(slots=True)
class RoomRow:
    """A room that is awake."""

    room: str
    game: str
    phase: str
    players: list[str]
    """The names in its seats, first seat first; bots marked as such, empty for a free seat."""
    addresses: list[str]
    """Where its subscribers connect from."""
    spectators: int
    events: int
    """The length of its log."""
    age: float
    """Seconds since it was created, or came back from the data file."""
    quiet: float
    """Seconds since its last event, or since it came back."""
    private: bool


@dataclass(slots=True)
class RoomRows:
    """The rooms that are awake, the latest used first."""

    rooms: list[RoomRow]
    total: int
    type: Literal["rooms"] = "rooms"


@dataclass(slots=True)
class PlayerRow:
    """A connected player."""

    player: str
    """The id."""
    name: str
    addresses: list[str]
    connections: int
    since: float
    """Seconds since the oldest of these connections was opened."""
    rooms: list[str]
    """The codes of the rooms subscribed to."""
    refusals: dict[str, int]
    """What was refused on these connections, by code."""


@dataclass(slots=True)
class PlayerRows:
    """The players who are connected, the most refused first."""

    players: list[PlayerRow]
    total: int
    type: Literal["players"] = "players"


@dataclass(slots=True)
class AddressRow:
    """Where connections come from."""

    address: str
    connections: int
    players: int
    refusals: int


@dataclass(slots=True)
class AddressRows:
    """The addresses that connections come from, those with the most first."""

    addresses: list[AddressRow]
    total: int
    type: Literal["addresses"] = "addresses"


@dataclass(slots=True)
class BanRow:
    """A network, a player or a name that may not connect."""

    kind: Literal["network", "player", "name"]
    target: str
    """An address or a network, a player's id, or a name."""
    left: float | None
    """Seconds until it ends; None: for good."""


@dataclass(slots=True)
class BanRows:
    """All bans."""

    bans: list[BanRow]
    type: Literal["bans"] = "bans"


@dataclass(slots=True)
class AuditEntry:
    """What the host has done, as it stands in the audit log."""

    time: str
    """ISO 8601, UTC."""
    uid: int | None
    """The account that asked; None where the system doesn't say."""
    action: str
    target: str
    outcome: Literal["done", "failed"]
    message: str
    """The sentence of the answer."""


@dataclass(slots=True)
class AuditEntries:
    """The end of the audit log, oldest first."""

    entries: list[AuditEntry]
    file: str
    type: Literal["log"] = "log"


@dataclass(slots=True)
class Identified:
    """The player that a name or an id means."""

    player: str
    """The id."""
    type: Literal["identified"] = "identified"


# ---------------------------------------------------------------- requests


class AdminRequest(Request[AnswerT]):
    """A request of the server's host."""


class Action(AdminRequest[Done]):
    """A request that changes something: it stands in the audit log."""

    @property
    def target(self) -> str:
        """What it is about, for the audit log: its first field."""
        return str(next(value for _, value in self))


class Listing(AdminRequest[AnswerT]):
    """Asks for at most `most` rows."""

    most: Most = 100


class AskStatus(AdminRequest[ServerStatus]):
    """How is the server?"""

    type: Literal["status"] = "status"


class AskRooms(Listing[RoomRows]):
    """Which rooms are awake?"""

    type: Literal["rooms"] = "rooms"


class AskPlayers(Listing[PlayerRows]):
    """Which players are connected?"""

    type: Literal["players"] = "players"


class AskAddresses(Listing[AddressRows]):
    """Where do connections come from?"""

    type: Literal["addresses"] = "addresses"


class AskBans(AdminRequest[BanRows]):
    """Which bans are there?"""

    type: Literal["bans"] = "bans"


class AskAudit(Listing[AuditEntries]):
    """What was done?"""

    type: Literal["log"] = "log"


class Identify(AdminRequest[Identified]):
    """Which player is called so, connected or not?"""

    player: Target
    type: Literal["identify"] = "identify"


class Kick(Action):
    """End a player's connections. They may come back."""

    player: Target
    type: Literal["kick"] = "kick"


class CloseRoom(Action):
    """Close a room for good. Its log stays."""

    room: RoomCode
    type: Literal["close"] = "close"


class Ban(Action):
    """Let an address, a network, a player's id or a name connect no more, and end their connections."""

    who: Target
    seconds: Annotated[float, Field(gt=0, le=LONGEST_BAN_SECONDS)] | None = None
    """For so long; None: for good."""
    ahead: bool = False
    """Also where that is a name that no player has had here."""
    type: Literal["ban"] = "ban"


class Unban(Action):
    """Lift a ban."""

    who: Target
    type: Literal["unban"] = "unban"


class Announce(Action):
    """Show all connected players a sentence."""

    text: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_ANNOUNCEMENT)]
    type: Literal["announce"] = "announce"


class Drain(Action):
    """Begin no more games, and stop the server once the running ones are over, or after a while."""

    within: Annotated[float, Field(ge=0, le=86_400.0)] = 600.0
    """Seconds until it stops at the latest."""
    type: Literal["drain"] = "drain"

    @property
    def target(self) -> str:
        """The longest time."""
        return f"within {self.within:g} s"


class Forget(Action):
    """Remove a player's name, token and chat for good; their games stay."""

    player: Target
    type: Literal["forget"] = "forget"

    @property
    def target(self) -> str:
        """The player's id. A name is what is to be forgotten: the audit log doesn't keep it."""
        return self.player if is_player_id(self.player) else "a player"


class Backup(Action):
    """Copy the data file to a new one, while all goes on."""

    to: Annotated[str, StringConstraints(min_length=1, max_length=4096)]
    """An absolute path on the server's machine."""
    type: Literal["backup"] = "backup"


REQUESTS: tuple[type[AdminRequest[Any]], ...] = messages_of(AdminRequest)


# ---------------------------------------------------------------- lines


# Each is built when it is first read with: a server needs the one, a client the other.
_requests = one_of(REQUESTS, {"defer_build": True})
_answers = one_of((*dict.fromkeys(map(answer_type, REQUESTS)), Refused, Progress), {"defer_build": True})


def encode_line(message: Any) -> bytes:
    """Write a request or an answer as a line."""
    return to_json(message) + b"\n"


def decode_request(line: bytes) -> AdminRequest[Any]:
    """Read what was asked. Raises `BadMessage`."""
    try:
        return _requests.validate_json(line)  # type: ignore[no-any-return]
    except ValidationError as error:
        raise explain(error, line) from None


def decode_answer(line: str | bytes) -> Any:
    """Read what was answered, or how far that is. Raises `ValueError`."""
    return _answers.validate_json(line)
