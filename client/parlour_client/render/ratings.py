"""A player's rating in a terminal: whose it is, its course, the opponents, the last games."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from parlour_client.render import tables
from parlour_client.render.board import plain
from parlour_client.text import ratings as words
from parlour_client.text.scores import FIRST
from parlour_protocol.answers import PlayerRating
from parlour_protocol.views.lists import RATED_AGAINST, RATED_GAMES
from parlour_protocol.words import say


def shown(found: PlayerRating, width: int, *, ascii_only: bool = False) -> Iterator[RenderableType]:
    """All of it, below one another."""
    yield plain(words.headline(found), "bold")
    if not ascii_only:
        yield Text(words.curve(found, width), FIRST, no_wrap=True)
    yield Text()
    yield Text(say("ratings.against", count=len(found.played)), "bold")
    yield tables.table(RATED_AGAINST, found.against, width=width, ascii_only=ascii_only)
    yield Text()
    yield Text(say("ratings.played"), "bold")
    yield tables.table(RATED_GAMES, found.played, width=width, ascii_only=ascii_only)
