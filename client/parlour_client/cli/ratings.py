"""`parlour ratings`: who is rated in a game, and a player's way there."""

from dataclasses import asdict
from typing import TYPE_CHECKING

from rich.text import Text

from parlour_client.render import tables
from parlour_client.render.console import Screen
from parlour_client.render.ratings import shown
from parlour_client.text import ratings as words
from parlour_client.text.scores import PAST
from parlour_protocol.views.lists import RATED, RATED_GAMES, RATINGS
from parlour_protocol.words import say

if TYPE_CHECKING:  # so that `--help` needs nothing of a connection
    from parlour_client.sdk.client import Client


async def games(client: "Client", screen: Screen) -> None:
    """In which games players are rated."""
    screen.show_list(RATED, (await client.ratings()).games, say("ratings.none"))


async def board(client: "Client", screen: Screen, game: str) -> None:
    """Who is rated in a game: people, and below them bots."""
    found = await client.ratings(game)
    if not (screen.for_people and found.lines):
        screen.show_list(RATINGS, found.lines, say("ratings.none_of", game=found.game or game))
        return
    for heading, lines in words.groups(found.lines):
        screen.say("", Text(heading, "bold"), tables.table(RATINGS, lines, width=screen.out.width))
    if any(line.provisional for line in found.lines):
        screen.say("", Text(say("ratings.provisional"), PAST))


async def player(client: "Client", screen: Screen, game: str, name: str) -> None:
    """A player's rating in a game, its course, the last games and the opponents."""
    found = await client.rating(game, name)
    if screen.as_json:
        values = asdict(found)
        del values["id"], values["type"]
        screen.emit(values)
    elif screen.for_people:
        screen.say(*shown(found, screen.out.width, ascii_only=screen.ascii_only))
    else:
        screen.show_list(RATED_GAMES, found.played)
