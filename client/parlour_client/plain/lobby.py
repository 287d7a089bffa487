"""The lobby, line by line: lists what there is; a typed line leads to a table, and from there back here."""

from collections.abc import Awaitable

from parlour_client.plain.input import Lines
from parlour_client.plain.interrupts import Interrupts
from parlour_client.plain.table import Table
from parlour_client.render import tables
from parlour_client.render.console import Screen
from parlour_client.render.rules import RulesDrawing
from parlour_client.sdk import pagination
from parlour_client.sdk.client import Client
from parlour_client.sdk.errors import ParlourError, Refused, UsageError
from parlour_client.sdk.messages import Disconnected, Reconnected
from parlour_client.sdk.room import Room
from parlour_client.sdk.room_list import Listing, in_order
from parlour_client.sdk.sanitize import clean
from parlour_client.sdk.seek import Seek
from parlour_client.sdk.tasks import first_done
from parlour_client.text import lobby_words, wording
from parlour_client.text.events import ANNOUNCED_ATTEMPTS, connection_lost
from parlour_protocol.notices import Announcement
from parlour_protocol.notices import Lobby as LobbyNotice
from parlour_protocol.views.lists import MET, OWN_ROOMS, ROOMS
from parlour_protocol.views.records import PastRoom
from parlour_protocol.words import say


class Lobby:
    """One terminal in the lobby, and at the tables that it leads to."""

    def __init__(self, client: Client, screen: Screen, lines: Lines, interrupts: Interrupts) -> None:
        self._client = client
        self._screen = screen
        self._lines = lines
        self._interrupts = interrupts
        self.room: Room | None = None
        """The last room that was entered."""
        self._at_table = False
        self._listing = Listing([], 0)
        self._codes: list[str] = []
        """Of the rooms with the numbers 1, 2, 3, as they were listed last."""

    async def run(self) -> None:
        """Stay until the person quits, or a pipe has ended. Raises what ends the connection for good."""
        self._screen.say(say("plain.lobby.where", name=self._client.name, server=self._client.url))
        # Read from now on: the list below is newer than what comes before it.
        notices = self._client.notices()
        await self._list()
        self._screen.say(say("plain.lobby.words"))

        async def announce() -> None:
            async for notice in notices:
                await self._take(notice)

        await first_done(self._run_lines(), announce())

    # ------------------------------------------------------------ what happens

    async def _take(self, notice: object) -> None:
        match notice:
            case LobbyNotice():
                waited = {line.room for line in self._listing.rooms if line.standing == "waiting"}
                own = None if self.room is None else self.room.code
                self._listing = self._listing.after(notice)
                for line in notice.rooms:
                    if line.standing == "waiting" and line.room not in (*waited, own) and not self._at_table:
                        self._screen.note(wording.room_waits(line))
            case Announcement() if not self._at_table:
                self._screen.note(wording.announced(notice))
            case Disconnected() if not self._at_table and notice.attempt in ANNOUNCED_ATTEMPTS:
                self._screen.note(connection_lost(notice.retry_in, notice.reason))
            case Reconnected():
                # A subscription ends with its connection.
                await self._fetch()
                if not self._at_table:
                    self._screen.note(say("connection.again"))
            case _:
                pass
        if not self._at_table:
            self._screen.prompt(say("plain.lobby.prompt"))

    async def _fetch(self) -> None:
        answer = await self._client.rooms(subscribe=True)
        self._listing = Listing(answer.rooms, answer.players)

    # ------------------------------------------------------------ what is typed

    async def _run_lines(self) -> None:
        while True:
            self._screen.prompt(say("plain.lobby.prompt"))
            line = await self._lines.next()
            self._screen.entered()
            if line is None:
                return
            text = " ".join(clean(line).split())
            try:
                if text and not await self._do(text):
                    return
            except (Refused, UsageError) as error:
                self._refuse(error)

    def _refuse(self, error: ParlourError) -> None:
        self._screen.refuse(wording.refusal(error.refusal) if isinstance(error, Refused) else str(error))

    async def _do(self, text: str) -> bool:
        """Run a line; False where it was to quit. Raises `Refused` and `UsageError`."""
        match lobby_words.read(text, self._codes, self._client.url):
            case lobby_words.Show(word="quit"):
                return False
            case lobby_words.Show(word=word):
                await self._show(word)
            case lobby_words.Enter(code=code, sit=True):
                await self._go(self._client.enter(code))
            case lobby_words.Enter(code=code):
                await self._go(self._client.watch(code))
            case lobby_words.Explain(game=game):
                self._screen.say(RulesDrawing(await self._client.rules(game)))
            case lobby_words.Rename(name=name):
                await self._client.rename(name)
                self._screen.note(say("event.seat_renamed.you", name=self._client.name))
            case lobby_words.Create(game=game, bot=bot, seat=seat, settings=settings):
                await self._go(self._client.create(game, opponent=bot, seat=seat, settings=settings))
            case Seek() as seek:
                await self._go(seek.start(self._client), seek)
        return True

    async def _show(self, word: lobby_words.ListWord) -> None:
        match word:
            case "list":
                await self._list()
            case "games":
                self._screen.show_list(tables.GAMES, await self._client.games())
            case "bots":
                self._screen.show_list(tables.BOTS, await self._client.bots())
            case "history":
                own = await pagination.history(self._client)
                self._screen.show_list(OWN_ROOMS, own.rooms, say("plain.lobby.no_games"))
                if own.met:
                    self._screen.say("", say("page.lobby.met"))
                    self._screen.show_list(MET, own.met)
            case "help":
                for line in lobby_words.help_lines():
                    self._screen.note(line, hang=lobby_words.BEFORE)
            case "quit":
                pass

    async def _list(self) -> None:
        """Show the rooms, and the player's own games to go back to, each with its number."""
        past = await self._client.history()
        await self._fetch()
        rooms = in_order(self._listing.rooms)
        listed = [line.room for line in rooms]
        own = [one for one in past if _goes_on(one) and one.room not in listed]
        self._codes = [*listed, *(one.room for one in own)]
        self._screen.say("")
        if rooms:
            self._screen.say(tables.table(ROOMS, rooms, first=1), "")
        if own:
            numbered = tables.table(OWN_ROOMS, own, first=len(rooms) + 1)
            self._screen.say(say("plain.lobby.games"), numbered, "")
        if not self._codes:
            self._screen.say(say("plain.lobby.no_rooms"), "")
        self._screen.say(say("presence.players_here", count=self._listing.players))

    async def _go(self, entering: Awaitable[Room], seek: Seek | None = None) -> None:
        """Enter a room and stay at its table; afterwards one is back here. Raises what `Table.run` raises."""
        self.room = room = await entering
        self._at_table = True
        try:
            if seek is not None and room.view.phase == "waiting":
                await self._name_others(room.view.game)
            await Table(
                self._client, room, self._screen, self._lines, self._interrupts, seeks=seek is not None
            ).run()
        finally:
            self._at_table = False
        if seek is not None and room.view.phase == "waiting" and not room.ended:
            await seek.withdraw(room)
        kept = not room.ended and room.seat is not None and room.view.phase != "finished"
        if not room.ended:
            await room.unwatch()
        self._screen.clear_prompt()
        here = say("plain.lobby.here_with_seat", room=room.code) if kept else say("plain.lobby.here")
        self._screen.note(here)

    async def _name_others(self, game: str) -> None:
        """Say who else waits to play a game: no match for us, but they may be one with another clock."""
        own = {past.room for past in await self._client.history()}
        rooms = [line for line in self._listing.rooms if line.room not in own]
        if others := wording.others_waiting(rooms, game):
            self._screen.note(others)


def _goes_on(past: PastRoom) -> bool:
    return past.phase in ("waiting", "playing") and past.seated
