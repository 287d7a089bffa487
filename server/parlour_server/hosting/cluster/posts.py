"""What this node posts about its rooms, and reads of the other nodes' posts.

A post may be old or lost: nothing in it is true of a game.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Collection

import structlog

from parlour_server.hosting.background import Background
from parlour_server.hosting.context import Context
from parlour_server.hosting.remote_presence import RemotePresence, read_post, write_post
from parlour_server.hosting.rooms.directory import Directory
from parlour_server.store.cluster import Cluster
from parlour_server.store.port import StoreError

log = structlog.get_logger()

POST_SECONDS = 0.1
"""So long posts are gathered."""
MOVES_SECONDS = 5.0
"""So long, where games went on and nothing else happened: the list shows how they stand."""
READ_SECONDS = 0.05
"""So long new posts are gathered before they are read."""
WITHDRAWN_KEPT = 1000


class Posts:
    """The posts of one node, and its reading of the others'."""

    def __init__(
        self,
        cluster: Cluster,
        context: Context,
        background: Background,
        directory: Directory,
        remote: RemotePresence,
    ) -> None:
        self._cluster, self._context = cluster, context
        self._background, self._directory = background, directory
        self._remote = remote
        self._dirty: dict[str, None] = {}
        """The rooms whose posts are to be written anew."""
        self._posted: dict[str, str] = {}
        """What stands of this node's posts; empty: not known."""
        self._withdrawn: deque[str] = deque(maxlen=WITHDRAWN_KEPT)
        """The rooms whose posts it has withdrawn lately: others may have missed that."""
        self._writing = asyncio.Lock()
        self._reading = asyncio.Lock()
        self._afresh = False
        """Are all posts to be read, not the new ones alone?"""
        self._moves_posted_at = 0.0

    def mark_dirty(self, code: str) -> None:
        """Write a room's post anew, in a moment."""
        self._dirty[code] = None
        self._soon("post", POST_SECONDS, self.write, "what happens here could not be posted")

    def mark_all_dirty(self) -> None:
        """Write and read all anew: it is not known what stands, here or there."""
        self._afresh = True
        self._posted = dict.fromkeys([*self._posted, *self._withdrawn], "")
        self._withdrawn.clear()
        for code in [*self._posted, *(room.code for room in self._directory.awake())]:
            self.mark_dirty(code)

    def post_moves(self) -> None:
        """Post now and then how the games stand that went on."""
        self._background.later("moves", MOVES_SECONDS, self.post_moves)
        before, self._moves_posted_at = self._moves_posted_at, self._context.monotonic()
        for room in self._directory.awake():
            if room.changed_at >= before:
                self._dirty[room.code] = None

    def _soon(self, name: str, seconds: float, work: Callable[[], Awaitable[None]], failed: str) -> None:
        async def work_or_warn() -> None:
            try:
                await work()
            except StoreError as error:
                # The next beat tries again.
                log.warning(failed, reason=str(error))

        if not self._background.waits_for(name):
            self._background.later(name, seconds, lambda: self._background.spawn(work_or_warn()))

    async def write(self) -> None:
        """Write the posts that are to be written anew. Raises `StoreError`."""
        async with self._writing:
            dirty, self._dirty = list(self._dirty), {}
            texts = {code: write_post(self._directory.post_of(code)) for code in dirty}
            news = {code: text for code, text in texts.items() if text != self._posted.get(code)}
            if not news or self._background.ended:
                return
            try:
                await self._cluster.post(news)
            except StoreError:
                # Some of it may stand.
                self._posted.update(dict.fromkeys(news, ""))
                self._dirty.update(dict.fromkeys(dirty))
                raise
            for code, text in news.items():
                if text is None:
                    self._posted.pop(code, None)
                    self._withdrawn.append(code)
                else:
                    self._posted[code] = text

    def read_soon(self) -> None:
        """Others have posted something."""
        self._soon("read", READ_SECONDS, self.read, "what happens elsewhere could not be read")

    async def read(self) -> None:
        """Read what is new of the others' posts. Raises `StoreError`."""
        async with self._reading:
            afresh, self._afresh = self._afresh, False
            try:
                posts = await self._cluster.posts(afresh=afresh)
            except StoreError:
                self._afresh = afresh or self._afresh
                raise
            changed: dict[str, None] = {}
            if afresh:
                changed |= dict.fromkeys(self._remote.keep({(one.node, one.room) for one in posts}))
            for one in posts:
                try:
                    post = None if one.text is None else read_post(one.text)
                except ValueError as error:
                    log.warning("a post of another node can't be read", node=one.node, reason=str(error))
                    post = None
                self._remote.update(one.node, one.room, post)
                changed[one.room] = None
        self.rooms_changed(changed)

    def rooms_changed(self, codes: Collection[str]) -> None:
        """What is known of these rooms elsewhere is not as it was."""
        for code in codes:
            self._directory.lobby.changed_elsewhere(code)
            if (room := self._directory.get(code)) is not None:
                room.presence_changed_elsewhere()
