"""The review of a room's game: each of its positions is asked about, the answers put together."""

from collections.abc import Callable, Sequence

from parlour_client import sentences
from parlour_client.parlour import Parlour
from parlour_client.reviewing import Review, look_back
from parlour_protocol.ids import other
from parlour_protocol.to_client import Analysis
from parlour_protocol.views import RoomView

BOT = "perfect"
"""Who looks at the positions."""


async def grade(parlour: Parlour, view: RoomView, progress: Callable[[int, int], None]) -> Review:
    """Have the moves of the game that is shown graded; tells how many are. Raises `Refused`."""
    moves = list(view.moves)

    async def ask(before: Sequence[str], played: str | None) -> Analysis:
        return await parlour.analyse(view.game, " ".join(before), bot=BOT, played=played)

    last = await ask(moves, None)
    answers = []
    for ply, move in enumerate(moves):
        answers.append(await ask(moves[:ply], move))
        progress(ply + 1, len(moves))
    first, second = view.starter, other(view.starter)
    names = (sentences.name_of(view, first), sentences.name_of(view, second))
    return look_back(answers, last, names, BOT)
