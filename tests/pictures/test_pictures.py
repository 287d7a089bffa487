"""Pictures of any game: what stands on the board is in them, and they are what other programs can read."""

import io
import os
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from PIL import Image, ImageChops

from parlour_protocol.pictures.board import CARD, card, cells, plain
from parlour_protocol.pictures.pieces import FRESH, LINE, NOTICE, SIDES, TEXT
from parlour_protocol.pictures.places import LAYOUTS, Places
from parlour_protocol.pictures.shapes import Area, Box, Disc, Letters, Shape, Stroke, svg
from parlour_protocol.views.boards import BoardView, Groups
from parlour_server.analysis.plan import make_plan
from parlour_server.games import all_games, find_game
from parlour_server.games.game import Game
from parlour_server.pictures import Format, card_job, picture_job, raster
from parlour_server.search.control import Control
from parlour_server.sessions.queries import MOST_CHARACTERS
from tests.support.boards import LAYOUTS as BY_HAND
from tests.support.games import random_game
from tests.support.mancala import Mancala

MOST_BYTES = MOST_CHARACTERS * 3 // 4
"""Sent in base64."""
SVG = "{http://www.w3.org/2000/svg}"
SIZES = ("connect4:9,7", "mnk:3,7,3", "mnk:19,19,19", "reversi:6")
GAMES: list[Game[Any]] = [*all_games(), *map(find_game, SIZES), Mancala()]


def drawn(game: str, moves: str, kind: Format, control: Control | None = None) -> Any:
    """What a worker makes."""
    job = picture_job(game, moves.split(), kind)
    assert job.task is not None
    return job.task(find_game(game), None, control=control or Control())


def played(game: Game[Any], seed: int) -> list[str]:
    """The moves of a game at random, as the game writes them."""
    path = pairwise(random_game(game, seed))
    return [game.format(before, move) for (before, _), (_, move) in path if move is not None]


def view(game: str, moves: str) -> BoardView:
    rules = find_game(game)
    return rules.view(*rules.replay(moves))


def shapes(board: BoardView, size: float = 480.0) -> list[Shape]:
    return plain(board, size).shapes


def marked(lie: Places, shapes: Sequence[Shape], cell: int) -> tuple[str, ...]:
    """The kinds of shapes of a piece around the middle of a cell."""
    x, y = lie.middle(cell)
    found = []
    for one in shapes:
        if isinstance(one, Stroke) and one.colour in SIDES and len(one.points) == 2:
            middle = [sum(part) / len(one.points) for part in zip(*one.points, strict=True)]
            near = abs(middle[0] - x) + abs(middle[1] - y) < 0.1
        else:
            near = isinstance(one, Disc | Letters) and abs(one.x - x) + abs(one.y - y) < 0.1
        # Neither a hole of the board nor a point of it.
        if near and not (isinstance(one, Disc) and (one.radius > 0.4 or one.fill == LINE)):
            found.append(f"{type(one).__name__}{' filled' if isinstance(one, Disc) and one.fill else ''}")
    return tuple(found)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_every_position_of_every_game_is_drawn(game: Game[Any]) -> None:
    for position, move in random_game(game, 3)[::7]:
        board = game.view(position, move)
        picture = plain(board)
        document = ElementTree.fromstring(svg(picture, game.title))
        assert document.tag == f"{SVG}svg"
        kinds = Counter(one.tag.removeprefix(SVG) for one in document)
        # With the title and the ground, which are none of the shapes.
        assert sum(kinds.values()) == len(picture.shapes) + 2
        assert document[0].text == game.title
        named = [name for name in (*board.columns, *board.rows) if name]
        written = [one.text for one in document if one.tag == f"{SVG}text"]
        assert written[: len(named)] == named
        assert (document.get("width"), document.get("height")) == (
            str(round(picture.width)),
            str(round(picture.height)),
        )
        for one in picture.shapes:
            for x, y in one.points if isinstance(one, Stroke | Area) else [(one.x, one.y)]:
                assert -1 <= x <= picture.width + 1, one
                assert -1 <= y <= picture.height + 1, one


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_piece_stands_where_it_stands_and_the_sides_differ_in_shape(game: Game[Any]) -> None:
    ways: list[set[tuple[str, ...]]] = [set(), set()]
    # What is in a board that somebody has won is covered by the winner's mark.
    for position, move in random_game(game, 5)[:20:7]:
        board = game.view(position, move)
        lie = LAYOUTS[board.layout](board)
        drawn = list(cells(lie))
        for cell, text in enumerate(board.texts()):
            side, here = board.side_of(text), marked(lie, drawn, cell)
            if text == board.empty:
                assert here == ()
            elif side is not None and board.groups is None:
                ways[side].add(here)
    assert () not in ways[0] | ways[1]
    assert not ways[0] & ways[1]


def test_the_last_move_is_marked_by_a_line_too() -> None:
    for game, moves in (
        ("tictactoe", "b2 a1"),
        ("connect4", "4 4 3"),
        ("ultimate", "e5 e4"),
        ("reversi", "d3"),
    ):
        before, after = view(game, moves.rpartition(" ")[0]), view(game, moves)
        added = Counter(shapes(after)) - Counter(shapes(before))
        assert any(getattr(one, "fill", None) == FRESH for one in added)
        lines = [one for one in shapes(after) if isinstance(one, Stroke) and one.colour == TEXT]
        assert len(lines) == 1
        assert not [one for one in shapes(view(game, "")) if isinstance(one, Stroke) and one.colour == TEXT]


def test_where_whole_boards_have_won_the_line_leads_through_their_middles() -> None:
    """Through all of their cells it would be a scribble."""
    cells = ["." * 9] * 9
    won = [
        row * 9 + column
        for group in range(3)
        for row in range(3 * group, 3 * group + 3)
        for column in range(3)
    ]
    names = [str(name) for name in range(9)]
    groups = Groups(3, 3, ["X..", "X..", "X.."], [])
    board = BoardView(names, names, list(cells), [["X"], ["O"]], groups=groups, line=won, last=[0])
    (line,) = [one for one in shapes(board) if isinstance(one, Stroke) and len(one.points) == 3]
    assert len({x for x, _ in line.points}) == 1
    assert [round(b[1] - a[1]) for a, b in pairwise(line.points)] == [160, 160]


def test_boards_within_the_board_show_where_to_play_and_who_has_won() -> None:
    open_ = view("ultimate", "e5")
    frames = [one for one in shapes(open_) if isinstance(one, Box) and one.edge == NOTICE]
    assert len(frames) == 1
    groups = Groups(3, 3, ["X..", "...", "..="], [4])
    names = [str(name) for name in range(9)]
    board = BoardView(names, names, ["." * 9] * 9, [["X"], ["O"]], 0, groups=groups)
    crosses = [one for one in shapes(board) if isinstance(one, Stroke) and one.colour == SIDES[0]]
    assert len(crosses) == 2
    assert [one.text for one in shapes(board) if isinstance(one, Letters) and one.text == "="] == ["="]


def test_what_a_game_writes_is_text_and_nothing_else() -> None:
    hostile = ["<b>", '"&', "\x00\x1b", "]]>"]
    board = BoardView(["<"], ["&", '"', "'", ">"], [hostile], [["<b>"], ["]]>"]], 0)
    document = ElementTree.fromstring(svg(plain(board), "<a>"))
    texts = [one.text for one in document if one.tag == f"{SVG}text"]
    assert texts == ["&", '"', "'", ">", "<", "<b>", '"&', "??", "]]>"]
    assert raster.png(plain(board)).startswith(b"\x89PNG")


def test_a_board_without_cells_is_a_picture_too() -> None:
    board = BoardView([], [], [], [["X"], ["O"]])
    for picture in (plain(board), card(board)):
        assert Image.open(io.BytesIO(raster.png(picture))).size == (
            round(picture.width),
            round(picture.height),
        )


def test_every_layout_is_drawn_and_painted() -> None:
    for name, board in BY_HAND.items():
        picture = plain(board)
        pieces = sum(board.side_of(text) is not None for text in board.texts())
        coloured = [one for one in picture.shapes if isinstance(one, Disc | Box) and one.fill in SIDES]
        # Beside a board with sides' edges or stores their marks stand, too.
        assert len(coloured) == pieces + {"hex": 4, "pits": 2}.get(name, 0), name
        assert raster.png(picture).startswith(b"\x89PNG")
        if folder := os.environ.get("SHOTS"):
            (Path(folder) / f"picture-{name}.png").write_bytes(raster.png(picture))
            (Path(folder) / f"card-{name}.png").write_bytes(raster.png(card(board)))


def test_the_second_sides_lines_are_broken() -> None:
    for name in ("hex", "pits"):
        strokes = [one for one in shapes(BY_HAND[name]) if isinstance(one, Stroke)]
        first, second = (sum(one.colour == colour for one in strokes) for colour in SIDES)
        assert second > 3 * first > 0, name


# ---------------------------------------------------------------- painted


@pytest.mark.parametrize("game", GAMES[:-1:3], ids=lambda game: game.name)
def test_the_card_of_a_link_has_its_size_and_shows_the_board(game: Game[Any]) -> None:
    job = card_job(game.name, [])
    assert job.task is not None
    painted = Image.open(io.BytesIO(job.task(game, None, control=Control())))
    assert (painted.format, painted.size) == ("PNG", CARD)
    moves = played(game, 2)[:5]
    job = card_job(game.name, moves)
    assert job.task is not None
    other = job.task(game, None, control=Control())
    assert len(other) < 100_000
    different = ImageChops.difference(Image.open(io.BytesIO(other)).convert("RGB"), painted.convert("RGB"))
    assert different.getbbox() is not None


def test_a_picture_in_pixels_has_the_sides_colours_where_their_pieces_are() -> None:
    painted = Image.open(io.BytesIO(drawn("connect4", "1 7", "png"))).convert("RGB")
    picture = plain(view("connect4", "1 7"), 960)
    assert painted.size == (round(picture.width), round(picture.height))
    first, second = (
        next(one for one in picture.shapes if isinstance(one, Disc) and one.fill == colour)
        for colour in SIDES
    )
    for disc, colour in ((first, SIDES[0]), (second, SIDES[1])):
        near: Any = painted.getpixel((round(disc.x), round(disc.y + 0.8 * disc.radius)))
        wanted = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
        assert all(abs(one - other) < 12 for one, other in zip(near, wanted, strict=True))


@pytest.mark.parametrize(
    ("game", "moves"),
    [
        ("tictactoe", "b2 a1 c3 a3 a2"),
        ("connect4", "4 4 3 3 5 5 6"),
        ("reversi", "d3 c3 f5 e3 e2 f2"),
        ("ultimate", "e5 e4 d3 c7 g2 b6"),
    ],
)
def test_an_animated_picture_shows_each_position(game: str, moves: str) -> None:
    found = Image.open(io.BytesIO(drawn(game, moves, "gif")))
    count = len(moves.split()) + 1
    assert (found.format, found.n_frames, found.info["loop"]) == ("GIF", count, 0)  # type: ignore[attr-defined]
    times = []
    for at in range(count):
        found.seek(at)
        times.append(found.info["duration"])
        alone = raster.png(plain(view(game, " ".join(moves.split()[:at])), 400))
        wanted = Image.open(io.BytesIO(alone)).convert("RGB")
        assert found.size == wanted.size
        # Their palettes differ a little at the edges of shapes, and nowhere else.
        apart = ImageChops.difference(found.convert("RGB"), wanted).convert("L").point([0] * 48 + [1] * 208)
        assert sum(apart.tobytes()) < 0.002 * found.size[0] * found.size[1], at
    assert len(set(times[:-1])) == 1
    assert times[-1] > times[0]


@pytest.mark.parametrize(
    "game", [game for game in GAMES[:-1:2] if game.max_plies < 150], ids=lambda game: game.name
)
def test_a_whole_game_can_be_sent(game: Game[Any]) -> None:
    moves = played(game, 1)
    assert len(drawn(game.name, " ".join(moves), "gif")) < MOST_BYTES


def test_painting_ends_when_it_is_no_longer_wanted() -> None:
    looks = iter([False, False, True])
    assert drawn("connect4", "4 4 3 3 5 5", "gif", Control(stopped=lambda: next(looks))) is None
    assert next(looks, None) is None


def test_a_picture_has_the_worker_of_what_takes_a_moment_and_a_whole_game_waits_for_its_turn() -> None:
    assert [make_plan(picture_job("connect4", [], one), 5, 60).light for one in ("svg", "png", "gif")] == [
        True,
        True,
        False,
    ]
    assert make_plan(card_job("connect4", []), 5, 60).light
