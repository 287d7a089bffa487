"""Tournaments: made, joined, run and followed over a client's connection."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Unpack

from parlour_client.sdk.commands import checked, command
from parlour_client.sdk.errors import Refused, UsageError
from parlour_client.sdk.messages import Reconnected
from parlour_client.sdk.queries import QueryClient
from parlour_client.sdk.tournament_settings import TournamentSettings
from parlour_protocol import commands
from parlour_protocol.ids import parse_tournament_link
from parlour_protocol.notices import TournamentChanged
from parlour_protocol.views.tournaments import TournamentLine, TournamentView
from parlour_protocol.words import say

LOOK_SECONDS = 5.0
"""How often a wall asks whether there is a tournament."""
WINNER_SECONDS = 30.0
"""So long one that is over stays to be seen there."""


class TournamentClient(QueryClient):
    """What a client does in tournaments. `code` is one as people write it, or a link.

    Its methods raise `Refused` where the server says no, and `UsageError` for what is no code.
    """

    async def create_tournament(self, title: str, game: str, **settings: Unpack[TournamentSettings]) -> str:
        """Make one, with us as its host; gives its code."""
        asked = checked(commands.AskedTournament, {"game": game, **settings})
        made = await self.request(command(commands.CreateTournament, title=title, settings=asked))
        return made.room

    async def tournaments(self) -> list[TournamentLine]:
        """Those that are not over, the last one first, then the last that are."""
        return (await self.request(command(commands.ListTournaments))).tournaments

    async def tournament_under_way(self) -> str | None:
        """The code of the last one that is being played, if there is one: what a wall shows."""
        lines = await self.tournaments()
        return next((line.tournament for line in lines if line.phase == "playing"), None)

    async def tournaments_under_way(self) -> AsyncIterator[TournamentView | None]:
        """What a wall shows: the last one that is under way, as it changes; None: none is.

        One that is over stays until another is under way, or for a while.
        """
        shown, stays_until = False, 0.0
        while True:
            if (code := await self.tournament_under_way()) is not None:
                # Another server may be there since, which knows nothing of it.
                with suppress(Refused):
                    async for view in self.follow_tournament(code):
                        shown = True
                        yield view
                        if view.phase == "over":
                            stays_until = time.monotonic() + WINNER_SECONDS
                            break
            elif shown and time.monotonic() >= stays_until:
                shown = False
                yield None
            await asyncio.sleep(LOOK_SECONDS)

    async def tournament(self, code: str, *, round: int | None = None) -> TournamentView:  # noqa: A002
        """How one stands, with the boards of a round, or the last ones."""
        asked = command(commands.AskTournament, tournament=tournament_code(code), round=round)
        return (await self.request(asked)).view

    async def follow_tournament(self, code: str) -> AsyncIterator[TournamentView]:
        """How one stands, now and after each change."""
        asked, notices = tournament_code(code), self.notices()
        view = await self._subscribed(asked)
        yield view
        async for notice in notices:
            match notice:
                case TournamentChanged(view=changed) if changed.tournament == view.tournament:
                    yield changed
                case Reconnected():
                    yield await self._subscribed(asked)
                case _:
                    pass

    async def _subscribed(self, code: str) -> TournamentView:
        return (await self.request(command(commands.AskTournament, tournament=code, subscribe=True))).view

    async def join_tournament(self, code: str, *, program: bool = False) -> None:
        """Take part, or take part again. A `program` is marked as a bot."""
        await self.request(
            command(commands.JoinTournament, tournament=tournament_code(code), program=program)
        )

    async def withdraw(self, code: str, entrant: int | None = None) -> None:
        """Leave one, and lose the game that runs; as the host, with a number: take somebody out."""
        await self.request(
            command(commands.WithdrawFromTournament, tournament=tournament_code(code), entrant=entrant)
        )

    async def enter_bot(self, code: str, bot: str) -> None:
        """Have one of the server's bots take part, as the host."""
        await self.request(command(commands.EnterBot, tournament=tournament_code(code), bot=bot))

    async def start_tournament(self, code: str) -> None:
        """Begin the first round, as the host."""
        await self.request(command(commands.StartTournament, tournament=tournament_code(code)))

    async def end_tournament(self, code: str) -> None:
        """End one before its last round, as the host."""
        await self.request(command(commands.EndTournament, tournament=tournament_code(code)))

    async def forfeit_game(self, code: str, round_: int, board: int, loser: int | None = None) -> None:
        """Decide the game that runs at a board against one of its two, or against both, as the host."""
        await self.request(
            command(
                commands.ForfeitGame,
                tournament=tournament_code(code),
                round=round_,
                board=board,
                loser=loser,
            )
        )

    async def replay_game(self, code: str, round_: int, board: int) -> None:
        """Have the last decided game of a board played again, as the host."""
        await self.request(
            command(commands.ReplayGame, tournament=tournament_code(code), round=round_, board=board)
        )


def tournament_code(text: str) -> str:
    """The code that is meant by one as people write it, or by a link. Raises `UsageError`."""
    link = parse_tournament_link(text)
    if link is None:
        raise UsageError(say("error.no_tournament_code", text=repr(text[:80])))
    return link.code
