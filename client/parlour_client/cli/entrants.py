"""Who is to play in a match or a tournament, tried before anything is played."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from parlour_client.bots.entrant import is_file
from parlour_client.matches.plan import Entrant, digest_of
from parlour_client.sdk.errors import UsageError

if TYPE_CHECKING:
    from parlour_client.matches.referee import Referee


def entrant(judges: "Sequence[Referee]", bot: str, memory: int, name: str | None = None) -> Entrant:
    """Who was meant, for all these games. A file is started once. Raises `UsageError` where it can't play."""
    from parlour_client.cli.options import found

    found([bot])
    if not is_file(bot):
        try:
            timed = [judge.bot(bot).timed for judge in judges]
        except ValueError as error:
            raise UsageError(str(error)) from None
        return Entrant(bot, name or bot, timed=any(timed))
    return Entrant(bot, asyncio.run(_own_name(judges, bot, memory, name)), digest_of(Path(bot)))


async def _own_name(judges: "Sequence[Referee]", bot: str, memory: int, name: str | None) -> str:
    from parlour_client.bots.process import BotProcess

    async with BotProcess(Path(bot), memory) as process:
        for judge in judges:
            process.check(judge.name)
        return name or process.name
