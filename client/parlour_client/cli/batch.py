"""Many positions of one game, a line of moves each: an analysis of each as JSON, in order."""

from collections.abc import AsyncIterator
from pathlib import Path

from parlour_client.cli.reports import analysis_json
from parlour_client.plain.input import Lines
from parlour_client.render.console import Screen
from parlour_client.sdk.errors import Refused, UsageError
from parlour_client.sdk.queries import QueryClient
from parlour_client.sdk.requests import new_id
from parlour_client.sdk.retry import with_retries
from parlour_protocol import LONGEST_MOVES, answers, commands
from parlour_protocol.errors import Code
from parlour_protocol.words import say

UNREADABLE = "\ufffd"
"""What stands in a line for bytes that are no UTF-8."""
ABOUT_THE_LINE = frozenset({Code.INVALID_MOVE, Code.ILLEGAL_MOVE, Code.GAME_OVER})
"""Refusals that another line need not meet. Any other ends the whole."""


async def analyse(client: QueryClient, screen: Screen, game: str, file: str, bot: str) -> None:
    """Analyse each line of a file, `-` being standard input, as it comes.

    A line that can't be analysed prints an object with its `error`. Raises `UsageError` in the end if
    there was any, and `Refused` at once for what is wrong with all lines alike.
    """
    count = failed = 0
    async for moves in _lines(file):
        count += 1
        try:
            answer = await _one(client, game, moves, bot)
        except (Refused, UsageError) as error:
            if isinstance(error, Refused) and error.code not in ABOUT_THE_LINE:
                raise
            failed += 1
            screen.emit({"error": str(error), "moves": moves})
        else:
            screen.emit(analysis_json(answer))
    if failed:
        raise UsageError(say("error.lines_failed", failed=failed, count=count))


async def _one(client: QueryClient, game: str, moves: str, bot: str) -> answers.Analysis:
    if UNREADABLE in moves:
        raise UsageError(say("error.no_utf8"))
    if len(moves) > LONGEST_MOVES:
        raise UsageError(say("error.moves_too_long", most=str(LONGEST_MOVES)))
    moves = " ".join(moves.split())
    if not moves.isprintable():
        raise UsageError(say("error.moves_unprintable"))
    return await with_retries(
        lambda: client.request(commands.Analyse(id=new_id(), game=game, moves=moves, bot=bot))
    )


async def _lines(file: str) -> AsyncIterator[str]:
    """The lines, without the blanks around each."""
    if file == "-":
        typed = Lines()
        while (line := await typed.next()) is not None:
            yield line.strip()
        return
    for line in Path(file).read_text(encoding="utf-8", errors="replace").splitlines():  # noqa: ASYNC240
        yield line.strip()
