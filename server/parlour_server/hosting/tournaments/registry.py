"""All tournaments of one node that are awake."""

import hashlib
from collections import deque
from contextlib import suppress
from functools import partial

from parlour_protocol.errors import Code
from parlour_protocol.ids import CODE_ALPHABET, TOURNAMENT_CODE_LENGTH, Version, parse_tournament_code
from parlour_protocol.words import Sentence
from parlour_server.hosting.actors.registry import Registry
from parlour_server.hosting.actors.requests import ReplyCallback, Request, no_reply
from parlour_server.hosting.context import Context
from parlour_server.hosting.remote_presence import Status
from parlour_server.hosting.rooms.directory import Directory
from parlour_server.hosting.tournaments.live_tournament import LiveTournament
from parlour_server.refusals import Refusal
from parlour_server.store.finished_games import FinishedGame
from parlour_server.tournament import TOURNAMENT
from parlour_server.tournament.commands import Create, Rename
from parlour_server.tournament.decide import no_such_tournament
from parlour_server.tournament.state import TournamentState

LISTED = 50
ENDED_LISTED = 10
"""So many that are over are listed, so that their results are found without the link."""


class Tournaments(Registry[LiveTournament]):
    """The tournaments of one server."""

    def __init__(self, context: Context, directory: Directory) -> None:
        super().__init__(context, TOURNAMENT)
        self._directory = directory
        self._beginning: set[str] = set()
        """The keys of those that are being created."""
        self._ended: deque[str] = deque(maxlen=ENDED_LISTED)
        """The keys of those that have ended since this server began."""
        context.finished_games.subscribe(self._game_finished)

    async def create(self, command: Create, player: str, command_id: str, reply: ReplyCallback) -> None:
        """Begin one for its host. Raises `Refusal`.

        Its code follows from the command, so the same command again leads to the same tournament.
        """
        code = _code(player, command_id)
        key = f"{TOURNAMENT.kind}:{code}"
        self._beginning.add(key)
        try:
            actor = await self.fetch(key)
        finally:
            self._beginning.discard(key)
        if actor is None:
            raise Refusal(Code.BUSY, Sentence("refusal.stopping"), retry_after=2.0)
        actor.submit(Request(command, player, command_id, partial(_named, reply, code)))

    async def find(self, text: str, address: str = "") -> LiveTournament:
        """The one with this code, however it is written. Raises `Refusal`."""
        code = parse_tournament_code(text)
        actor = None if code is None else await self.fetch(f"{TOURNAMENT.kind}:{code}", address)
        if actor is None or not actor.state.version:
            raise no_such_tournament()
        return actor

    async def listed(self) -> list[LiveTournament]:
        """Those that are not over, the last first, then the last that are. Raises `StoreError`."""
        keys = [
            key for key in await self.context.store.open_others() if key.startswith(f"{TOURNAMENT.kind}:")
        ]
        found = {}
        for key in dict.fromkeys([*self._ended, *keys[-LISTED:], *self._actors]):
            actor = self._actors.get(key)
            if actor is None:
                # One that can't be read hides no other.
                with suppress(Refusal):
                    actor = await self.fetch(key)
            if actor is not None and actor.state.version:
                found[key] = actor
        last = [*found.values()][::-1]
        over = [one for one in last if one.state.phase == "over"]
        return [one for one in last if one.state.phase != "over"] + over[:ENDED_LISTED]

    async def rename(self, player: str, name: str, command_id: str) -> None:
        """Have a player's new name in those that have not begun. Raises `StoreError`."""
        for one in await self.listed():
            if one.state.phase == "joining" and one.state.entrant_of(player) is not None:
                one.submit(Request(Rename(name), player, command_id, no_reply))

    def _make(self, key: str, state: TournamentState, address: str) -> LiveTournament | None:
        if not state.version and key not in self._beginning:
            return None
        # Makes place, where there is none.
        super()._make(key, state, address)
        return LiveTournament(key, self.context, self._directory, self._note_ended)

    def _note_ended(self, key: str) -> None:
        if key not in self._ended:
            self._ended.append(key)

    def presence_changed(self, player: str) -> None:
        """A player has connected, or went."""
        for one in self._actors.values():
            if one.state.phase != "over" and one.state.entrant_of(player) is not None:
                one.presence_changed()

    def _game_finished(self, game: FinishedGame) -> None:
        """One of a tournament's is looked at at once, and not with the next beat."""
        for one in self._actors.values():
            if any(played.room == game.room for _, played in one.state.open_games()):
                one._update()

    def status_of(self, key: str) -> Status:
        """Who of those that take part is connected to it here."""
        actor = self._actors.get(key)
        if actor is None:
            return Status()
        here = self._directory.lobby.here
        return Status({one.player: 0 for one in actor.state.entrants if one.player in here})

    def changed_elsewhere(self, key: str) -> None:
        """Who is connected at another node."""
        if (actor := self._actors.get(key)) is not None:
            actor.show_soon()


def _code(player: str, command_id: str) -> str:
    drawn = int.from_bytes(hashlib.sha256(f"{player} {command_id}".encode()).digest()[:16])
    return "".join(
        CODE_ALPHABET[drawn // len(CODE_ALPHABET) ** place % len(CODE_ALPHABET)]
        for place in range(TOURNAMENT_CODE_LENGTH)
    )


def _named(
    reply: ReplyCallback, code: str, command_id: str, key: str, version: Version, refusal: Refusal | None
) -> None:
    """People know a tournament by its code, not by its log's key."""
    reply(command_id, code, version, refusal)
