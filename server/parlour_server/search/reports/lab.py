"""The searches that are taught, raced: each has one idea more than the one before.

    minimax      the whole tree                       Shannon (1950)
    alphabeta    leave what can't matter              Knuth and Moore (1975)
    ordering     good moves first, so it cuts more    killer moves: Akl and Newborn (1977)
    table        search no position twice             Greenblatt, Eastlake and Crocker (1967)
    deepening    search 1, 2, 3, ... plies deep: each search tells the next one what to try first
                                                      Slate and Atkin (1977)

One short negamax with four switches, in plain Python over the rules of any game. They all find the
same score, since none of the ideas changes what a position is worth.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple

from parlour_protocol.views.reports import Candidate, Entrant, Report
from parlour_server.games.game import Game, Move, PositionT
from parlour_server.search.control import POLL_EVERY, SHORT_GAME, Control, Stopped
from parlour_server.search.scores import INFINITY, POINT, decided, end_score, make_score, top_score
from parlour_server.search.turns import in_turns

PATIENCE = 60_000
"""So many positions plain minimax may visit, where the depth is for us to choose."""


@dataclass(frozen=True, slots=True)
class Ideas:
    """What a search does beyond plain minimax."""

    prune: bool = False
    order: bool = False
    remember: bool = False
    deepen: bool = False


IDEAS: dict[Entrant, Ideas] = {
    "minimax": Ideas(),
    "alphabeta": Ideas(prune=True),
    "ordering": Ideas(prune=True, order=True),
    "table": Ideas(prune=True, order=True, remember=True),
    "deepening": Ideas(prune=True, order=True, remember=True, deepen=True),
}


class Known(NamedTuple):
    """What the table holds of a position: a score from so many plies deep, exact or a bound, and a move."""

    left: int
    score: int
    least: bool
    """The score is exact or a lower bound."""
    most: bool
    """The score is exact or an upper bound."""
    move: Move
    guessed: bool
    """Was anything estimated in this round before it was found?"""


def race(
    game: Game[PositionT], position: PositionT, entrant: Entrant, depth: int, control: Control
) -> Report:
    """Search a position to a depth in one of the ways that `IDEAS` names.

    The report's one candidate is the best move. Raises `ValueError` for a finished position.
    """
    if game.outcome(position) is not None:
        raise ValueError("there is nothing to search: the game is over")
    game, position = in_turns(game, position)
    return _Search(game, position, entrant, depth, control).run()


def fair_depth(game: Game[PositionT], position: PositionT, control: Control) -> int:
    """How deep a race goes where nobody says: so that plain minimax can be waited for.

    Less deep where it is stopped before that is found.
    """
    left = min(game.plies_left(position), game.max_plies)
    if left <= SHORT_GAME:
        return max(left, 1)
    depth, level, visited = 0, [position], 1
    while depth < left:
        below: list[PositionT] = []
        for number, one in enumerate(level, start=1):
            if number % POLL_EVERY == 0 and control.stopped():
                return max(depth, 1)
            if game.outcome(one) is None:
                below += [game.play(one, move) for move in game.legal_moves(one)]
            if visited + len(below) > PATIENCE:
                return max(depth, 1)
        depth, level, visited = depth + 1, below, visited + len(below)
    return max(depth, 1)


class _Search(Generic[PositionT]):
    def __init__(
        self, game: Game[PositionT], position: PositionT, entrant: Entrant, depth: int, control: Control
    ) -> None:
        self.game, self.position, self.depth = game, position, depth
        self.entrant, self.ideas = entrant, IDEAS[entrant]
        self.control = control
        self.began = control.clock()
        self.top = top_score(game) * POINT
        self.table: dict[PositionT, Known] = {}
        self.killers: dict[int, list[Move]] = {}
        """For each ply the moves that cut off last, where they were tried."""
        self.nodes = self.cutoffs = self.hits = 0
        self.best: Move | None = None
        self.guessed = False
        """Was a position estimated in this round?"""

    def run(self) -> Report:
        """Search, and tell."""
        score, reached, finished, found_by_guess = 0, 0, False, True
        try:
            for depth in range(1, self.depth + 1) if self.ideas.deepen else [self.depth]:
                self.guessed = False
                score = self.value(self.position, depth, 0, -INFINITY, INFINITY)
                reached, found, found_by_guess = depth, self.best, self.guessed
            finished = True
        except Stopped:
            found = found if reached else None
        candidates = [] if found is None else [self.candidate(found, score, proven=not found_by_guess)]
        return self.report(candidates, depth=reached, finished=finished)

    def poll(self) -> None:
        """Show how far it is. Raises `Stopped` once it is no longer wanted."""
        if self.control.stopped():
            raise Stopped
        if self.control.due():
            self.control.publish(self.report([], depth=0, finished=False))

    def report(self, candidates: list[Candidate], *, depth: int, finished: bool) -> Report:
        """What was found, and what that took."""
        line = [one.move for one in candidates]
        return Report(
            bot=self.entrant,
            candidates=candidates,
            best=line[0] if line else None,
            line=line,
            nodes=self.nodes,
            cutoffs=self.cutoffs,
            table_hits=self.hits,
            depth=depth,
            seconds=self.control.clock() - self.began,
            finished=finished,
        )

    def candidate(self, move: Move, score: int, *, proven: bool) -> Candidate:
        """The best move as a report has it."""
        proven = proven or (decided(score) and not self.game.margins)
        found = make_score(self.game, score, "exact" if proven else "estimate")
        return Candidate(self.game.format(self.position, move), found)

    def value(self, position: PositionT, left: int, ply: int, alpha: int, beta: int) -> int:
        """What a position is worth to the side to move, `left` plies ahead: exact between alpha and beta."""
        self.nodes += 1
        if self.nodes % POLL_EVERY == 0:
            self.poll()
        game, ideas = self.game, self.ideas
        outcome = game.outcome(position)
        if outcome is not None:
            return end_score(game, position, outcome, ply, game.to_move(position))
        if left == 0:
            self.guessed = True
            return game.evaluate(position)

        known = self.table.get(position) if ideas.remember else None
        if known is not None and known.left == left and ply > 0:
            score = self.from_here(known.score, -ply)
            if (
                (known.least and score >= beta)
                or (known.most and score <= alpha)
                or (known.least and known.most)
            ):
                self.hits += 1
                self.guessed = self.guessed or known.guessed
                return score

        best, best_move = -INFINITY, None
        floor = alpha
        moves = self.moves(position, ply, known)
        for tried, move in enumerate(moves, start=1):
            score = -self.value(game.play(position, move), left - 1, ply + 1, -beta, -floor)
            if score > best:
                best, best_move = score, move
            if ideas.prune:
                floor = max(floor, best)
                if floor >= beta:
                    self.cutoffs += tried < len(moves)
                    self.remember_killer(ply, move)
                    break
        assert best_move is not None, "a game goes on where there are moves"
        if ideas.remember:
            kept = self.from_here(best, ply)
            self.table[position] = Known(left, kept, best > alpha, best < beta, best_move, self.guessed)
        if ply == 0:
            self.best = best_move
        return best

    def moves(self, position: PositionT, ply: int, known: Known | None) -> Sequence[Move]:
        """The moves, in the order in which to try them."""
        game = self.game
        if not self.ideas.order:
            return game.legal_moves(position)
        # Whatever was best here before, then what cut off elsewhere on this ply, then the game's own order.
        first = [known.move] if known is not None else []
        usual = [*game.search_order(position)]
        legal = game.legal_moves(position)
        first += [move for move in self.killers.get(ply, ()) if move in legal]
        return list(dict.fromkeys([*first, *usual, *legal]))

    def remember_killer(self, ply: int, move: Move) -> None:
        """Keep the last two moves that cut off on this ply."""
        if self.ideas.order:
            self.killers[ply] = [move, *(one for one in self.killers.get(ply, ()) if one != move)][:2]

    def from_here(self, score: int, plies: int) -> int:
        """The score with a win's distance counted from another ply: the table counts from its position."""
        if not decided(score) or self.game.margins:
            return score
        return score + plies * POINT if score > 0 else score - plies * POINT
