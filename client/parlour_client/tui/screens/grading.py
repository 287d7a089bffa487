"""The review of a room's game."""

from collections.abc import Callable

from parlour_client.sdk.client import Client
from parlour_client.sdk.requests import new_id
from parlour_client.sdk.review import Review, review_game
from parlour_client.text import wording
from parlour_protocol import commands
from parlour_protocol.ids import other
from parlour_protocol.views.reports import Report
from parlour_protocol.views.rooms import RoomView

BOT = "perfect"
"""Who looks at the positions, as on the command line."""


async def grade(
    parlour: Client,
    view: RoomView,
    progress: Callable[[int, int], None],
    waiting: Callable[[Report], None],
) -> Review:
    """Have the moves of the game that is shown graded; see `review_game`. Raises `Refused`."""
    asked = commands.AskReview(
        id=new_id(), game=view.game, moves=" ".join(view.moves), bot=BOT, progress=True
    )
    first, second = view.starter, other(view.starter)
    names = (wording.name_of(view, first), wording.name_of(view, second))
    answer, reports = await review_game(parlour, asked, progress, waiting)
    return wording.review_of(answer, names, reports)
