"""Who is to play in a match or a tournament, tried before anything is played."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from parlour_client.bots.entrant import own
from parlour_client.matches.plan import Entrant, own_entrant
from parlour_client.sdk.errors import UsageError

if TYPE_CHECKING:
    from parlour_client.matches.referee import Referee
    from parlour_client.render.console import Screen


def entrant(
    judges: "Sequence[Referee]",
    bot: str,
    memory: int,
    name: str | None = None,
    interface: str | None = None,
) -> Entrant:
    """Who was meant, for all these games. One's own is started once.

    Raises `UsageError` where it can't play.
    """
    from parlour_client.cli.options import found

    (bot,) = found([bot], interface)
    if own(bot) is None:
        try:
            timed = [judge.bot(bot).timed for judge in judges]
        except ValueError as error:
            raise UsageError(str(error)) from None
        return Entrant(bot, name or bot, timed=any(timed))
    return asyncio.run(_own(judges, bot, memory, name))


async def _own(judges: "Sequence[Referee]", bot: str, memory: int, name: str | None) -> Entrant:
    from parlour_client.bots.process import BotProcess

    async with BotProcess(bot, memory) as process:
        for judge in judges:
            process.check(judge.name)
        return own_entrant(bot, name or process.name, process.interface)


def tell_interfaces(here: "Screen", entrants: "Iterable[Entrant]") -> None:
    """Say how those are called that aren't in Parlour's own way."""
    from parlour_client.bots.host import called_as

    for one in entrants:
        if one.interface is not None:
            here.note(called_as(one.name, one.interface))
