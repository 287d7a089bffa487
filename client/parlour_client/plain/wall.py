"""All running games of a server, one after the other, line by line; or its tournament."""

import json
from collections.abc import AsyncIterator

from parlour_client.plain.input import Lines
from parlour_client.plain.narrator import Narrator
from parlour_client.plain.tournament import follow_until
from parlour_client.render.console import Screen
from parlour_client.sdk.client import Client
from parlour_client.sdk.game_rotation import GameRotation
from parlour_client.sdk.messages import Disconnected, Reconnected
from parlour_client.sdk.room import Room
from parlour_client.sdk.sanitize import clean
from parlour_client.sdk.tasks import first_done
from parlour_client.text import input_words
from parlour_protocol.codec import encode_to_client
from parlour_protocol.views.tournaments import TournamentView
from parlour_protocol.words import say


class Wall:
    """Shows each game as a spectator of its table sees it, and a tournament while one is under way."""

    def __init__(self, client: Client, screen: Screen, seconds: float) -> None:
        self._client, self._screen = client, screen
        self._rotation = GameRotation(
            client, seconds, self._show, lambda: screen.note(say("table.nothing_runs"))
        )

    async def run(self) -> None:
        """Until somebody at a terminal types q. Raises what ended the connection."""
        quitting = [self._typed_quit()] if self._screen.interactive else []
        await first_done(self._go_on(), *quitting)

    async def _go_on(self) -> None:
        views = self._client.tournaments_under_way()
        while True:
            view = await first_done(anext(views), beside=[self._rotation.run()])
            if view is not None:
                await follow_until(_shown(view, views), self._screen, lambda _: False)

    async def _typed_quit(self) -> None:
        lines = Lines()
        while (line := await lines.next()) is not None:
            if line.strip().casefold() == "q" or input_words.is_quit(clean(line)):
                return

    async def _show(self, room: Room) -> None:
        narrator = Narrator(self._screen, self._client.url)
        async for change in room.changes():
            match change.message:
                case Disconnected() as lost:
                    narrator.show_disconnected(lost, seated=False)
                case Reconnected():
                    self._screen.note(say("connection.again"))
                case message:
                    if self._screen.as_json:
                        self._screen.emit(json.loads(encode_to_client(message)))
                    narrator.show(change.before, change.after, message)


async def _shown(
    first: TournamentView, views: AsyncIterator[TournamentView | None]
) -> AsyncIterator[TournamentView]:
    """The views until there is none to be shown."""
    yield first
    async for view in views:
        if view is None:
            return
        yield view
