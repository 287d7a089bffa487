"""What this node posts about what it hosts, by the keys of the logs, and reads of the other nodes' posts.

A post may be old or lost: nothing in it is true of a game.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Any

import structlog

from parlour_server.hosting.actors.registry import Registry
from parlour_server.hosting.background import Background
from parlour_server.hosting.context import Context
from parlour_server.hosting.remote_presence import RemotePresence, read_post, write_post
from parlour_server.log import kind_of
from parlour_server.store.cluster import Cluster
from parlour_server.store.port import StoreError

log = structlog.get_logger()

POST_SECONDS = 0.1
"""How long posts are gathered."""
MOVES_SECONDS = 5.0
"""The same where games went on and nothing else happened: the list shows how they stand."""
READ_SECONDS = 0.05
"""How long new posts are gathered before they are read."""
WITHDRAWN_KEPT = 1000


class Posts:
    """The posts of one node, and its reading of the others'."""

    def __init__(
        self,
        cluster: Cluster,
        context: Context,
        background: Background,
        registries: Mapping[str, Registry[Any]],
        remote: RemotePresence,
    ) -> None:
        self._cluster, self._context = cluster, context
        self._background, self._remote = background, remote
        self._registries = registries
        self._dirty: dict[str, None] = {}
        """The logs about which posts are to be written anew."""
        self._posted: dict[str, str] = {}
        """What stands of this node's posts; empty: not known."""
        self._withdrawn: deque[str] = deque(maxlen=WITHDRAWN_KEPT)
        """The logs whose posts it has withdrawn lately: others may have missed that."""
        self._writing = asyncio.Lock()
        self._reading = asyncio.Lock()
        self._afresh = False
        """Are all posts to be read, not the new ones alone?"""
        self._moves_posted_at = 0.0

    def mark_dirty(self, key: str) -> None:
        """Write the post about a log anew, in a moment."""
        self._dirty[key] = None
        self._soon("post", POST_SECONDS, self.write, "what happens here could not be posted")

    def mark_all_dirty(self) -> None:
        """Write and read all anew: it is not known what stands, here or there."""
        self._afresh = True
        self._posted = dict.fromkeys([*self._posted, *self._withdrawn], "")
        self._withdrawn.clear()
        awake = (actor.key for registry in self._registries.values() for actor in registry.awake())
        for key in [*self._posted, *awake]:
            self.mark_dirty(key)

    def post_moves(self) -> None:
        """Post now and then how the games stand that went on."""
        self._background.later("moves", MOVES_SECONDS, self.post_moves)
        before, self._moves_posted_at = self._moves_posted_at, self._context.monotonic()
        for registry in self._registries.values():
            changed = (actor.key for actor in registry.awake() if actor.changed_at >= before)
            self._dirty.update(dict.fromkeys(changed))

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
            texts = {key: write_post(self._registries[kind_of(key)].status_of(key)) for key in dirty}
            news = {key: text for key, text in texts.items() if text != self._posted.get(key)}
            if not news or self._background.ended:
                return
            try:
                await self._cluster.post(news)
            except StoreError:
                # Some of it may stand.
                self._posted.update(dict.fromkeys(news, ""))
                self._dirty.update(dict.fromkeys(dirty))
                raise
            for key, text in news.items():
                if text is None:
                    self._posted.pop(key, None)
                    self._withdrawn.append(key)
                else:
                    self._posted[key] = text

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
        self.changed(changed)

    def changed(self, keys: Collection[str]) -> None:
        """What other nodes have posted about these is not as it was."""
        for key in keys:
            if (registry := self._registries.get(kind_of(key))) is not None:
                registry.changed_elsewhere(key)
