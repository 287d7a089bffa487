"""Pictures of games, for a worker of searches to paint: a position, all of a game, the card of a room's link.

A board is drawn once, as shapes (`board`), and these are written as SVG (`shapes`) or painted (`raster`).
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal

from parlour_protocol.pictures.board import USUAL, card, plain
from parlour_protocol.pictures.shapes import svg
from parlour_protocol.views.boards import BoardView
from parlour_server.analysis.worker import Job
from parlour_server.games.game import Game
from parlour_server.search.control import Control
from parlour_server.search.levels import BotSpec

Format = Literal["svg", "png", "gif"]

ANIMATED: Sequence[tuple[int, float]] = ((48, 400.0), (150, 300.0), (400, 240.0))
"""Up to how many pictures an animated one has which size: so that it can be sent in one message."""


def picture_job(game: str, moves: Sequence[str], kind: Format) -> Job:
    """Draws the position after these legal moves, or as a GIF the way there."""
    task = partial(_picture, moves=" ".join(moves), kind=kind)
    return Job(game, None, BotSpec("random"), 0, task=task, brief=kind != "gif")


def card_job(game: str, moves: Sequence[str]) -> Job:
    """Paints the card of a link, as PNG."""
    return Job(game, None, BotSpec("random"), 0, task=partial(_card, moves=" ".join(moves)), brief=True)


def _picture(game: Game[Any], _: object, *, moves: str, kind: Format, control: Control) -> bytes | None:
    if kind == "svg":
        return svg(plain(game.view(*game.replay(moves))), game.title).encode()
    # Only where something is painted: the library takes a while to load.
    from parlour_server.pictures import raster

    if kind == "png":
        return raster.png(plain(game.view(*game.replay(moves)), 2 * USUAL))
    views = _views(game, moves)
    size = next((size for most, size in ANIMATED if len(views) <= most), ANIMATED[-1][1])
    return raster.animated([plain(view, size) for view in views], control.stopped)


def _views(game: Game[Any], moves: str) -> list[BoardView]:
    return [game.view(game.initial()), *(game.view(after, move) for _, move, after in game.follow(moves))]


def _card(game: Game[Any], _: object, *, moves: str, control: Control) -> bytes:
    from parlour_server.pictures import raster

    return raster.png(card(game.view(*game.replay(moves))))
