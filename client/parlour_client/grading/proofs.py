"""Positions of a game, and what each of their moves is proven to lead to: the same ones for every file."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from itertools import islice

from parlour_client.bots.position import Position
from parlour_client.matches.plan import PAIR
from parlour_client.matches.referee import Opening, Referee, referee
from parlour_protocol.views.reports import Score

NODES = 200_000
"""Bounds the proofs of games that have no solver: a position of which no move is proven isn't asked about."""
MOST_TRIED = 40
"""At most so many random games are searched for positions."""
ORDER = {"loss": 0, "draw": 1, "win": 2}


@dataclass(frozen=True, slots=True)
class Begun:
    """A game's beginning by its moves."""

    game: str
    moves: str = ""
    balanced: bool = True


@dataclass(frozen=True, slots=True)
class Proven:
    """A position, and what its moves lead to."""

    moves: tuple[str, ...]
    scores: dict[str, Score] = field(hash=False)

    @property
    def best(self) -> str:
        """A move that leads to the best result, the soonest win or the latest loss."""
        return max(self.scores, key=lambda move: self.scores[move].points)

    @property
    def result(self) -> int:
        """What best play leads to: 0 a loss, 1 a draw, 2 a win."""
        return max(map(order, self.scores.values()))


def order(score: Score) -> int:
    """A proven result as a number: 0 a loss, 1 a draw, 2 a win."""
    return ORDER[score.result or "draw"]


class Proofs:
    """One game's positions and their proofs, made once for a whole class."""

    def __init__(self, game: str, seed: int) -> None:
        self.judge: Referee = referee(game)
        self.game, self.seed = self.judge.name, seed
        self.judge.prepare()
        timed = self.judge.bot("perfect").timed
        self.perfect = self.judge.bot(f"perfect:nodes={NODES}" if timed else "perfect")
        self.chance = self.judge.bot("random")
        self._proven: list[Proven] | None = None

    def begin(self, moves: tuple[str, ...]) -> Position:
        """A position, for the side to move."""
        position = _played(self.game, moves)
        return Position(self.game, position.view, list(moves), mark=position.to_move or position.marks[0])

    @cache  # noqa: B019 - it lives as long as the command
    def boards(self, count: int) -> list[tuple[str, ...]]:
        """So many positions of games at random, by their moves, early and late."""
        dice, found = random.Random(self.seed), list[tuple[str, ...]]()  # noqa: S311 - the same each time
        while len(found) < count:
            game = self._at_random(dice)
            found += [tuple(game[:ply]) for ply in sorted(dice.sample(range(len(game)), min(4, len(game))))]
        return found[:count]

    @cache  # noqa: B019
    def ended(self, count: int) -> list[tuple[tuple[str, ...], int | None]]:
        """So many games at random to their ends, each with the side that won."""
        dice = random.Random(self.seed + 1)  # noqa: S311
        games = [tuple(self._at_random(dice)) for _ in range(count)]
        return [(moves, self._winner(moves)) for moves in games]

    def openings(self, games: int) -> list[Opening]:
        """The even openings of a match of so many games, each twice: begun by the one, and by the other."""
        pairs = -(-games // PAIR)
        return [one for one in islice(self.judge.openings(self.seed), pairs) for _ in range(PAIR)][:games]

    def proven(self, count: int, done: Callable[[int], None] = lambda _: None) -> list[Proven]:
        """So many positions in which it matters what is played, or as many as are found.

        `done` hears of each.
        """
        if self._proven is None or len(self._proven) < count:
            dice, found, seen = random.Random(self.seed + 2), list[Proven](), set[tuple[str, ...]]()  # noqa: S311
            for _ in range(MOST_TRIED):
                game = self._at_random(dice)
                for ply in range(len(game)):
                    moves = tuple(game[:ply])
                    if moves in seen or len(found) >= count:
                        continue
                    seen.add(moves)
                    if (one := self.proof(moves)) is not None and len({*map(order, one.scores.values())}) > 1:
                        found.append(one)
                        done(len(found))
                if len(found) >= count:
                    break
            self._proven = found
        return self._proven[:count]

    @cache  # noqa: B019
    def proof(self, moves: tuple[str, ...]) -> Proven | None:
        """What each move leads to in a position; None where it isn't proven of all."""
        game = self.judge.begin(Begun(self.game, " ".join(moves)))
        report = game.think(self.perfect, 1, every_move=True)
        scores = {one.move: one.score for one in report.candidates}
        known = len(scores) == len(game.view().legal) and all(one.kind == "exact" for one in scores.values())
        return Proven(moves, scores) if known else None

    def _at_random(self, dice: random.Random) -> list[str]:
        position = Position.begin(self.game)
        while not position.over:
            position = position.play(dice.choice(position.legal_moves))
        return position.moves

    def _winner(self, moves: tuple[str, ...]) -> int | None:
        ended = _played(self.game, moves)
        assert ended.outcome is not None
        return None if ended.outcome.winner is None else ended.marks.index(ended.outcome.winner)


def _played(game: str, moves: tuple[str, ...]) -> Position:
    return Position.begin(game, " ".join(moves))
