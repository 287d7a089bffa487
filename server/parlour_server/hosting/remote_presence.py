"""What the other nodes of a cluster have posted about rooms: the players there, and lines of the list.

In a server of one node all of this is empty.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from pydantic import TypeAdapter

from parlour_protocol.views.rooms import RoomLine


@dataclass(slots=True)
class Status:
    """What one node posts about one room."""

    here: dict[str, int] = field(default_factory=dict)
    """The seated players who are connected there, with the milliseconds of their longest lags, roughly."""
    watching: int = 0
    """How many spectators are connected there."""
    walls: bool = False
    """Are others subscribed there, who count as nobody's presence?"""
    line: RoomLine | None = None
    """The room in the list of what is played; posted by the node that holds its lease."""
    seeks: str | None = None
    """The key of the match request by which a player waits in it; posted by that node, too."""

    def __bool__(self) -> bool:
        return bool(self.here or self.watching or self.walls or self.line or self.seeks)


_POST = TypeAdapter(Status)


def write_post(post: Status) -> str | None:
    """A post as text; None: it is empty."""
    return _POST.dump_json(post, exclude_defaults=True).decode() if post else None


def read_post(text: str) -> Status:
    """A post that another node wrote. Raises `ValueError`."""
    return _POST.validate_json(text)


class RemotePresence:
    """The posts of all other nodes, by room."""

    def __init__(self) -> None:
        self.players: dict[str, int] = {}
        """How many players are connected to each other node that is alive. Of the rest nothing counts."""
        self._posts: dict[str, dict[str, Status]] = {}
        """By room, then by node."""

    def update(self, node: str, room: str, post: Status | None) -> None:
        """A node has posted this about a room, or has withdrawn its post."""
        posts = self._posts.setdefault(room, {})
        if post is None:
            posts.pop(node, None)
        else:
            posts[node] = post
        if not posts:
            del self._posts[room]

    def alive(self, players: Mapping[str, int]) -> list[str]:
        """These nodes are alive, with their numbers of players. Gives the rooms for which that matters."""
        differ = players.keys() ^ self.players.keys()
        self.players = dict(players)
        return [room for room, posts in self._posts.items() if not differ.isdisjoint(posts)] if differ else []

    def keep(self, standing: Collection[tuple[str, str]]) -> list[str]:
        """Drop all posts but these, each named by its node and its room; the rooms of those that went."""
        gone = [
            (node, room)
            for room, posts in self._posts.items()
            for node in posts
            if (node, room) not in standing
        ]
        for node, room in gone:
            self.update(node, room, None)
        return [room for _, room in gone]

    def forget(self, node: str) -> None:
        """Drop all posts of a node."""
        for room in [room for room, posts in self._posts.items() if node in posts]:
            self.update(node, room, None)

    @property
    def silent(self) -> set[str]:
        """The nodes of which there are posts, and that are not alive."""
        return {node for posts in self._posts.values() for node in posts if node not in self.players}

    def of(self, room: str) -> list[tuple[str, Status]]:
        """The posts about a room, each with its node, of those that are alive."""
        posts = self._posts.get(room)
        return [] if posts is None else [one for one in posts.items() if one[0] in self.players]

    def has(self, room: str, player: str) -> bool:
        """Is a seated player connected to a room elsewhere?"""
        return any(player in post.here for _, post in self.of(room))

    def watching(self, room: str) -> int:
        """How many spectators a room has elsewhere."""
        return sum(post.watching for _, post in self.of(room))

    def attended(self, room: str) -> str | None:
        """A node where people are connected to a room: the one with a player before any other."""
        there = [
            (bool(post.here), bool(post.watching), node)
            for node, post in self.of(room)
            if post.here or post.watching or post.walls
        ]
        return max(there)[-1] if there else None

    def lag_of(self, room: str, player: str) -> int:
        """The longest lag of a player's connections elsewhere, in milliseconds."""
        return max((post.here.get(player, 0) for _, post in self.of(room)), default=0)

    def line(self, room: str) -> RoomLine | None:
        """A room's line in the list."""
        return next((post.line for _, post in self.of(room) if post.line is not None), None)

    def lines(self) -> Iterator[RoomLine]:
        """All rooms that are in the list elsewhere. Written out, since there may be tens of thousands."""
        alive = self.players
        for posts in self._posts.values():
            for node, post in posts.items():
                if post.line is not None and node in alive:
                    yield post.line
                    break

    def seeking(self, key: str) -> Iterator[str]:
        """The rooms in which a player waits by this match request."""
        alive = self.players
        for room, posts in self._posts.items():
            for node, post in posts.items():
                if post.seeks == key and node in alive:
                    yield room
                    break
