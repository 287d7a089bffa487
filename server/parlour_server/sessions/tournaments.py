"""What a session does with commands for tournaments."""

from functools import partial
from typing import Protocol, assert_never

from parlour_protocol import answers, commands
from parlour_protocol.codec import ToClient
from parlour_protocol.ids import Version
from parlour_protocol.tournaments import TournamentSettings
from parlour_server.hosting.actors.requests import ReplyCallback, Request
from parlour_server.hosting.connections import Connection
from parlour_server.hosting.limits.rate_limits import RateLimits
from parlour_server.hosting.tournaments.live_tournament import LiveTournament
from parlour_server.hosting.tournaments.registry import Tournaments
from parlour_server.refusals import Refusal
from parlour_server.sessions import prices
from parlour_server.sessions.names import clean_chat
from parlour_server.sessions.queries import read_bot, read_game
from parlour_server.tournament import commands as asked
from parlour_server.tournament.view import tournament_line

BOT_ROOMS = 0.25
"""What a bot in a tournament costs of the rooms that one may make."""


class Asker(Connection, Protocol):
    """The connection that asks."""

    def say(self, message: ToClient) -> None:
        """Send a message."""


class TournamentDesk:
    """One connection's tournaments; it does not hold the connection, which holds it. Raises `Refusal`."""

    def __init__(self, tournaments: Tournaments, rates: RateLimits) -> None:
        self._tournaments, self._rates = tournaments, rates
        self._watched: dict[str, LiveTournament] = {}
        self._closed = False

    async def create(self, asker: Asker, message: commands.CreateTournament, reply: ReplyCallback) -> None:
        """Make one. Its games, clock and format are checked."""
        game = read_game(message.settings.game)
        settings = TournamentSettings(**{**message.settings.model_dump(), "game": game.name})
        self._rates.take("new_room", asker)
        command = asked.Create(clean_chat(message.title), settings, asker.name)
        await self._tournaments.create(command, asker.player, message.id, reply)

    async def show(self, asker: Asker, message: commands.AskTournament) -> None:
        """Show one, and what changes in it where that is wanted."""
        actor = await self._find(asker, message.tournament)
        if message.subscribe and not self._closed:
            self._watched[actor.key] = actor
            actor.subscribe(asker)
        elif self._watched.pop(actor.key, None) is not None:
            actor.unsubscribe(asker)
        asker.say(answers.Tournament(message.id, actor.view_of(asker.player, message.round)))

    async def list(self, asker: Asker, message: commands.ListTournaments) -> None:
        """Show which there are."""
        found = await self._tournaments.listed()
        lines = [tournament_line(one.state, one.code) for one in found]
        asker.say(answers.Tournaments(message.id, lines))

    async def act(self, asker: Asker, message: commands.InTournament, reply: ReplyCallback) -> None:
        """Pass a command on."""
        actor = await self._find(asker, message.tournament)
        if isinstance(message, commands.EnterBot):
            # Each has rooms of its own to play in.
            self._rates.take("new_room", asker, BOT_ROOMS)
        command = self._command(asker, message)
        actor.submit(Request(command, asker.player, message.id, partial(_by_code, reply, actor.code)))

    async def rename(self, asker: Asker, command_id: str) -> None:
        """Have the asker's new name where they take part and nothing has begun."""
        await self._tournaments.rename(asker.player, asker.name, command_id)

    def came_or_went(self, player: str) -> None:
        """The player has just connected, or the connection has ended."""
        self._tournaments.presence_changed(player)

    def close(self, asker: Asker) -> None:
        """The connection has ended."""
        self._closed = True
        for actor in self._watched.values():
            actor.unsubscribe(asker)
        self._watched.clear()

    async def _find(self, asker: Asker, code: str) -> LiveTournament:
        self._rates.check("wrong_code", asker)
        self._rates.take("query", asker, prices.FETCH)
        try:
            return await self._tournaments.find(code, asker.address)
        except Refusal:
            self._rates.charge("wrong_code", asker)
            raise

    def _command(self, asker: Asker, message: commands.InTournament) -> asked.TournamentCommand:
        match message:
            case commands.JoinTournament():
                return asked.Join(asker.name, message.program)
            case commands.EnterBot():
                return asked.Enter(str(read_bot(message.bot)))
            case commands.WithdrawFromTournament():
                return asked.Withdraw(message.entrant)
            case commands.StartTournament():
                return asked.Start()
            case commands.EndTournament():
                return asked.End()
            case commands.ForfeitGame():
                return asked.Forfeit(message.round, message.board, message.loser)
            case commands.ReplayGame():
                return asked.Replay(message.round, message.board)
            case _:
                assert_never(message)


def _by_code(
    reply: ReplyCallback, code: str, command_id: str, key: str, version: Version, refusal: Refusal | None
) -> None:
    """People know a tournament by its code, not by its log's key."""
    reply(command_id, code, version, refusal)
