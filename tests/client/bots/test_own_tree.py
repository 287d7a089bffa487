"""The tree of a bot's own search, however it writes boards and values, against plain minimax."""

import json
from functools import cache
from pathlib import Path

import pytest

from parlour_client.bots.own_tree import own_tree
from parlour_client.bots.position import Position
from parlour_client.bots.process import BotProcess
from parlour_client.cli.app import main
from parlour_protocol.answers import GameTree
from tests.client.bots import engines
from tests.client.bots.files import write

MOVES = "a1 b2 c3 a3"
NEGAMAX = """
def choose(position):
    return search(position)[1]


def search(position, alpha=-2, beta=2):
    if position.over:
        return (0 if position.outcome.winner is None else -1), None
    best, chosen = -2, None
    for move in position.legal_moves:
        found = -search(position.play(move), -beta, -alpha)[0]
        if found > best:
            best, chosen = found, move
        alpha = max(alpha, best)
        PRUNE
    return best, chosen
"""
CUT = "if alpha >= beta: break"
MOVER = """
def choose(position):
    return max(position.legal_moves, key=lambda move: value(position.play(move)))


def value(position):
    if position.over:
        winner = position.outcome.winner
        return 0 if winner is None else 1 if winner == position.mark else -1
    values = [value(position.play(move)) for move in position.legal_moves]
    return max(values) if position.to_move == position.mark else min(values)
"""
PAIRS = """
import numpy as np


class AIPlayer:
    def __init__(self, player_number):
        self.me = player_number

    def get_alpha_beta_move(self, board):
        return self.best(board, self.me, 2)[0]

    def best(self, board, player, depth):
        if depth == 0:
            return [None, int(board[5, 3] == self.me)]
        found = []
        for column in np.flatnonzero(board[0] == 0):
            row = np.flatnonzero(board[:, column] == 0)[-1]
            board[row, column] = player
            found.append([column, self.best(board, 3 - player, depth - 1)[1]])
            board[row, column] = 0
        return (max if player == self.me else min)(found, key=lambda pair: pair[1])
"""


@cache
def worth(moves: str, side: str) -> int:
    """What a position is worth to a side, by plain minimax."""
    position = Position.begin("tictactoe", moves)
    if position.outcome is not None:
        return {None: 0, side: 1}.get(position.outcome.winner, -1)
    values = [worth(f"{moves} {move}".strip(), side) for move in position.legal_moves]
    return max(values) if position.to_move == side else min(values)


async def tree(
    folder: Path, source: str, moves: str, limit: int = 400, game: str = "tictactoe", strays: int = 0
) -> GameTree:
    begun = Position.begin(game, moves)
    root = Position(game, begun.view, begun.moves, mark=begun.to_move or "")
    async with BotProcess(write(folder, source, "student.py")) as process:
        found, left_out = await own_tree(process, root, limit, 20)
    assert left_out == strays
    return found


def path_to(found: GameTree, number: int) -> str:
    """The moves from the root to a node."""
    node = found.nodes[number]
    return "" if node.parent is None else f"{path_to(found, node.parent)} {node.move}"


@pytest.mark.parametrize("moves", [MOVES, f"{MOVES} b3"])
@pytest.mark.parametrize(
    "source", [engines.CS50.replace("@cache", ""), MOVER, NEGAMAX.replace("PRUNE", "pass")]
)
async def test_every_way_to_tell_values_comes_to_the_same_tree(
    source: str, moves: str, tmp_path: Path
) -> None:
    found = await tree(tmp_path, source, moves)
    side = Position.begin("tictactoe", moves).to_move or ""
    values = {path_to(found, at): node.score.points for at, node in enumerate(found.nodes)}
    assert values == {path: worth(f"{moves}{path}", side) for path in values}
    # All positions that can follow, each once.
    assert len(values) == len(found.nodes) == len(everything(moves))
    assert not any(node.pruned for node in found.nodes)
    assert sum(node.best for node in found.nodes) > 1


def everything(moves: str) -> list[str]:
    """All positions that can follow, by their moves."""
    found = [moves]
    for one in found:
        found += [f"{one} {move}" for move in Position.begin("tictactoe", one).legal_moves]
    return found


async def test_best_play_goes_by_whose_values_they_are(tmp_path: Path) -> None:
    found = await tree(tmp_path, engines.CS50.replace("@cache", ""), MOVES)
    for number, node in enumerate(found.nodes):
        below = [one for one in found.nodes if one.parent == number]
        if node.best and any(one.best for one in below):
            (best,) = [one for one in below if one.best]
            assert best.score.points == (max if node.level == "max" else min)(
                one.score.points for one in below
            )


async def test_a_piece_of_the_wrong_side_is_left_out_and_counted(tmp_path: Path) -> None:
    wrong = (
        engines.CS50.replace("@cache", "").replace("else O", "else X").replace("return X if", "return O if")
    )
    found = await tree(tmp_path, wrong, MOVES, strays=len(Position.begin("tictactoe", MOVES).legal_moves))
    assert len(found.nodes) == 1


async def test_what_alpha_beta_cut_off_is_shown_with_its_bound(tmp_path: Path) -> None:
    whole = await tree(tmp_path, NEGAMAX.replace("PRUNE", "pass"), MOVES)
    cut = await tree(tmp_path, NEGAMAX.replace("PRUNE", CUT), MOVES)
    assert cut.nodes[0].score == whole.nodes[0].score
    assert len(cut.nodes) < len(whole.nodes)
    pruned = [node for node in cut.nodes if node.pruned]
    assert len(pruned) == cut.cutoffs > 0
    for node in pruned:
        assert node.cut_at is not None
        assert node.cut == ("beta" if node.level == "max" else "alpha")
        points = node.score.points
        assert points >= node.cut_at if node.level == "max" else points <= node.cut_at


async def test_boards_of_numpy_changed_in_place_and_pairs_of_column_and_value(tmp_path: Path) -> None:
    found = await tree(tmp_path, PAIRS, "1 1", game="connect4")
    assert (len(found.nodes), found.visited) == (1 + 7 + 49, 1 + 7 + 49)
    values = {node.move: node.score.points for node in found.nodes if node.parent == 0}
    assert values == {str(column): int(column == 4) for column in range(1, 8)}
    assert found.nodes[0].score.points == 1
    some = await tree(tmp_path, PAIRS, "1 1", limit=10, game="connect4")
    assert (len(some.nodes), some.visited) == (10, 57)


def test_it_is_drawn_as_it_is_typed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bot, drawn = str(write(tmp_path, engines.CS50, "student.py")), tmp_path / "tree.svg"
    assert main(["tree", "tictactoe", MOVES, "--bot", bot, "--json", "--out", str(drawn)]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["visited"] == len(json.loads(said.out)["nodes"])
    assert "student is called by minimax(board), as in CS50." in said.err
    assert "<svg" in drawn.read_text()
    for wrong, why in (
        (("connect4", "--bot", bot), "student.py plays tictactoe, and not connect4"),
        (("tictactoe", "a1 a1", "--bot", bot), "a1"),
        (("tictactoe", "a1 b1 a2 b2 a3", "--bot", bot), "The game is over there"),
        (("tictactoe", "--bot", "easy"), "is not a Python file"),
        (("tictactoe", "--bot", bot, "--out", "x.html"), "x.html"),
    ):
        assert main(["tree", *wrong]) == 2
        assert why in " ".join(capsys.readouterr().err.split()), wrong
