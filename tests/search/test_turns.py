"""Games in which a side may move twice running: every search agrees with a minimax that asks who moves."""

import re
from functools import cache
from random import Random
from typing import Any, ClassVar

import pytest

from parlour_protocol.ids import Side, other
from parlour_protocol.views.boards import BoardView
from parlour_protocol.views.reports import Report
from parlour_server.games.game import Game, Move, Outcome
from parlour_server.search.algorithms.alphabeta import alphabeta
from parlour_server.search.algorithms.engine import engine
from parlour_server.search.algorithms.minimax import minimax
from parlour_server.search.control import Control
from parlour_server.search.levels import parse_bot
from parlour_server.search.reports.lab import IDEAS, race
from parlour_server.search.reports.tree import Tree, grow
from parlour_server.search.scores import ESTIMATE_LIMIT, POINT, decided, top_score
from parlour_server.search.thinking import analyse


class Again(Game[Any]):
    """What the two games below share."""

    alternates = False
    notation = re.compile("[0-9]+")
    summary = ""

    def parse(self, position: Any, text: str) -> Move:
        return int(text)

    def format(self, position: Any, move: Move) -> str:
        return str(move)

    def view(self, position: Any, last: Move | None = None) -> BoardView:
        return BoardView(["1"], ["a"], ["."], [["X"], ["O"]])


class Take(Again):
    """Take one to three of a heap; who takes the last wins, and who takes two moves again."""

    name = title = "take"
    max_plies = 12

    def initial(self) -> Any:
        return 12, 0

    def to_move(self, position: Any) -> Side:
        side: Side = position[1]
        return side

    def legal_moves(self, position: Any) -> list[Move]:
        return [take for take in (1, 2, 3) if take <= position[0]]

    def play(self, position: Any, move: Move) -> Any:
        left, side = position
        return left - move, side if move == 2 and left > 2 else other(side)

    def outcome(self, position: Any) -> Outcome | None:
        return Outcome(other(position[1]), "took the last", "rules") if position[0] == 0 else None

    def evaluate(self, position: Any) -> int:
        return int(100 * (position[0] % 4) - 150)

    def plies_left(self, position: Any) -> int:
        left: int = position[0]
        return left


class Sow(Again):
    """Mancala with two pits and a store for each side; who ends in the own store moves again."""

    name = title = "sow"
    max_plies = 40
    margins: ClassVar[bool] = True

    def initial(self) -> Any:
        return (2, 2, 0, 2, 2, 0), 0

    def to_move(self, position: Any) -> Side:
        side: Side = position[1]
        return side

    def legal_moves(self, position: Any) -> list[Move]:
        pits, side = position
        return [] if self.outcome(position) else [pit for pit in (0, 1) if pits[3 * side + pit]]

    def play(self, position: Any, move: Move) -> Any:
        pits, side = list(position[0]), position[1]
        at = 3 * side + move
        seeds, pits[at] = pits[at], 0
        while seeds:
            at = (at + 1) % 6
            if at == 3 * other(side) + 2:
                continue
            pits[at] += 1
            seeds -= 1
        return tuple(pits), side if at == 3 * side + 2 else other(side)

    def outcome(self, position: Any) -> Outcome | None:
        pits = position[0]
        if any(pits[0:2]) and any(pits[3:5]):
            return None
        mine, theirs = sum(pits[:3]), sum(pits[3:])
        return Outcome(None if mine == theirs else 0 if mine > theirs else 1, "has more", "rules")

    def margin(self, position: Any) -> int:
        lead: int = sum(position[0][:3]) - sum(position[0][3:])
        return abs(lead)

    def evaluate(self, position: Any) -> int:
        pits, side = position
        lead: int = 100 * (pits[2] - pits[5])
        return -lead if side else lead


TAKE, SOW = Take(), Sow()


class Doubled(Take):
    """Only to score ends as a search does, which counts the passes."""

    max_plies = 24


def worth(game: Game[Any], position: Any, side: Side) -> int:
    """A position's value to a side, as plain as can be; a pass between two moves counts as a ply."""
    scored = Doubled() if game is TAKE else game

    @cache
    def value(position: Any, ply: int) -> int:
        outcome = game.outcome(position)
        if outcome is not None:
            if outcome.winner is None:
                return 0
            margin = ESTIMATE_LIMIT + game.margin(position)
            worth = POINT * (margin if game.margins else top_score(scored) - ply)
            return worth if outcome.winner == side else -worth
        mover, values = game.to_move(position), []
        for move in game.legal_moves(position):
            after = game.play(position, move)
            again = game.outcome(after) is None and game.to_move(after) == mover
            values.append(value(after, ply + 2 if again else ply + 1))
        return max(values) if mover == side else min(values)

    again = game.to_move(position) == side and game.outcome(position) is None
    return value(position, 2 if again else 1)


def positions(game: Game[Any], count: int) -> list[Any]:
    rng, found = Random(3), [game.initial()]
    while len(found) < count:
        position = game.initial()
        for _ in range(rng.randrange(7)):
            after = game.play(position, rng.choice(game.legal_moves(position)))
            if game.outcome(after) is None:
                position = after
        found.append(position)
    return found


@pytest.mark.parametrize("game", [TAKE, SOW], ids=["take", "sow"])
def test_every_search_finds_each_moves_worth(game: Game[Any]) -> None:
    twice = 0
    for position in positions(game, 25):
        side = game.to_move(position)
        children = {move: game.play(position, move) for move in game.legal_moves(position)}
        truth = {str(move): worth(game, child, side) for move, child in children.items()}
        twice += any(game.to_move(child) == side for child in children.values())
        reports: list[Report] = [
            minimax(game, position, rng=Random(1), control=Control()),
            alphabeta(game, position, rng=Random(1), control=Control(), scores="every"),
            engine(game, position, rng=Random(1), control=Control(), full=True),
            analyse(game, position, parse_bot("perfect"), control=Control()),
        ]
        for report in reports:
            assert report.finished
            assert {one.move: POINT * one.score.points for one in report.candidates} == truth, report.bot
            for one in report.candidates:
                value = truth[one.move]
                assert one.score.kind == "exact"
                assert one.score.result == ("draw" if not decided(value) else "win" if value > 0 else "loss")
                assert one.score.plies is None or one.score.result == "draw"
            follow(game, position, report.line)
        best = max(truth.values())
        pruned = alphabeta(game, position, rng=Random(1), control=Control())
        assert POINT * pruned.candidates[0].score.points == best
        for entrant in IDEAS:
            found = race(game, position, entrant, 2 * game.max_plies, Control()).candidates[0]
            assert POINT * found.score.points == best, entrant
        tree = grow(game, position, depth=80, prune=True, limit=20_000, control=Control())
        assert isinstance(tree, Tree)
        assert POINT * tree.nodes[0].score.points == best
    assert twice > 5


def follow(game: Game[Any], position: Any, line: list[str]) -> None:
    """The line is of legal moves of the game itself, without passes, and leads on."""
    assert line
    for text in line:
        move = game.parse(position, text)
        assert move in game.legal_moves(position)
        position = game.play(position, move)


def test_a_search_with_a_horizon_agrees_too() -> None:
    for position in positions(SOW, 15):
        plain = minimax(SOW, position, rng=Random(1), control=Control(), depth=4)
        full = alphabeta(SOW, position, rng=Random(1), control=Control(), depth=4, scores="every")
        assert {one.move: one.score.points for one in full.candidates} == {
            one.move: one.score.points for one in plain.candidates
        }
