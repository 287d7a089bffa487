"""Negamax: minimax as one function for both sides, with a switch for each idea that makes it faster.

What a position is worth to one side is worth the negative to the other. Without any idea it visits what
`minimax.py` visits; with all of them it finds the same score, since no idea changes what a position is worth.
Alpha is the score that the side to move has already for sure, beta what the other side will not let it
exceed: a position that is worth beta or more will never be reached, so its other moves need no look. See
Knuth and Moore, An Analysis of Alpha-Beta Pruning (1975).
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple

from parlour_server.games.game import Game, Move, Outcome, PositionT
from parlour_server.search.algorithms.root_search import Line, Search, Value
from parlour_server.search.control import Control
from parlour_server.search.scores import INFINITY, POINT


@dataclass(frozen=True, slots=True)
class Ideas:
    """What a search does beyond plain minimax."""

    prune: bool = False
    """Leave what can't matter: alpha-beta."""
    order: bool = False
    """Try good moves first, as the game's `search_order` has them."""
    ends_first: bool = False
    """Look at the children that end the game before searching any, and for no win where none could come soon
    enough to matter ("mate distance pruning"). Moves that `search_order` leaves out aren't tried."""
    remember: bool = False
    """Search no position twice: a transposition table. See Greenblatt, Eastlake and Crocker (1967)."""
    learn: bool = False
    """Try first what cut off others at the same distance from the root (killer moves: Akl and Newborn, 1977),
    then what did so most anywhere (the history heuristic: Schaeffer, 1989)."""
    null_window: bool = False
    """Ask of all moves but the first only whether they are better, and how much where one is: principal
    variation search. See Marsland and Campbell (1982)."""


class Known(NamedTuple):
    """What the table holds of a position: the depth of a search, its score, exact or a bound, and a move."""

    left: int
    score: int
    least: bool
    """The score is exact or a lower bound."""
    most: bool
    """The score is exact or an upper bound."""
    move: Move
    guessed: bool
    """Was anything estimated in this round before it was found?"""


class Observer(Generic[PositionT]):
    """Watches a search go through its tree. Windows and scores are those of the side to move."""

    def enter(self, position: PositionT, move: Move | None, ply: int, alpha: int, beta: int) -> int | None:
        """A position is looked at, with this window. A score that is known already spares the search."""

    def cut(self, beta: int, left_out: Sequence[Move]) -> None:
        """The position that was entered last, and not left, has moves that can't matter any more."""

    def leave(self, ply: int, score: int, outcome: Outcome | None) -> None:
        """The position that was entered last, and not left, has this score: an end's, an estimate, or that of
        its best child."""


class Negamax(Search[PositionT]):
    """One search of one position and of what lies below it, with some ideas and perhaps an observer."""

    def __init__(
        self,
        game: Game[PositionT],
        position: PositionT,
        ideas: Ideas,
        *,
        control: Control,
        depth: int | None,
        observer: Observer[PositionT] | None = None,
    ) -> None:
        super().__init__(game, position, control=control, depth=depth)
        self.ideas, self.observer = ideas, observer
        self.table: dict[PositionT, Known] = {}
        self.hits = 0
        self.killers: defaultdict[int, list[Move]] = defaultdict(list)
        """The moves that cut off others last, by their ply: two each."""
        self.history: Counter[tuple[int, Move]] = Counter()
        """How much each move of a side cut off: more where the search below it was deep."""

    def value(self, position: PositionT, ply: int, alpha: int, beta: int) -> Value:
        """An unfinished position's value for the side to move, `ply` plies from the root.

        Between alpha and beta the score is exact; from beta upward it is at least that, from alpha
        downward at most. Whether it is proven is said of the bound in the same way.
        """
        game, ideas, prune, observer = self.game, self.ideas, self.ideas.prune, self.observer
        if ply >= self.horizon:
            return self.estimate(position, ply)
        known = self.table.get(position) if ideas.remember else None
        if known is not None and ply:
            score = self.recall(known, ply, alpha, beta)
            if score is not None:
                return score, not known.guessed, None
        best, best_known, proven = -INFINITY, True, True
        line: Line = None
        moves: Sequence[Move]
        unfinished: list[PositionT] = []
        if ideas.ends_first:
            # No win can come sooner than by the next move.
            soonest = self.top if game.margins else self.top - (ply + 1) * POINT
            if soonest > alpha:
                best, line, moves, unfinished = self.see_ends(position, ply, soonest)
            if soonest <= alpha or soonest == best:
                self.cutoffs += 1
                return soonest, True, line
        else:
            moves = self.moves(position, ply, known)
        floor, seen, at_horizon = alpha, None, ply + 1 >= self.horizon
        for tried, move in enumerate(moves):
            if prune:
                if best >= beta:
                    self.cutoffs += 1
                    if observer is not None:
                        observer.cut(beta, moves[tried:])
                    break
                if best > floor:
                    floor = best
            if unfinished:
                child = unfinished[tried]
            else:
                self.nodes += 1
                child = game.play(position, move)
            if self.nodes >= self.next_poll:
                self.poll()
            if observer is not None:
                seen = observer.enter(child, move, ply + 1, -beta, -floor)
            if seen is not None:
                score, known_child, reply = seen, False, None
            else:
                outcome = None if unfinished else game.outcome(child)
                if outcome is not None:
                    score, known_child, reply = self.end_value(child, outcome, ply + 1), True, None
                elif at_horizon:
                    score, known_child, reply = self.estimate(child, ply + 1)
                elif ideas.null_window and tried and beta - floor > 1:
                    score, known_child, reply = self.value(child, ply + 1, -floor - 1, -floor)
                    if floor < -score < beta:
                        score, known_child, reply = self.value(child, ply + 1, -beta, -floor)
                else:
                    score, known_child, reply = self.value(child, ply + 1, -beta, -floor)
                if observer is not None:
                    observer.leave(ply + 1, score, outcome)
            if -score > best:
                best, best_known, line = -score, known_child, (move, reply)
            if not known_child:
                proven = False
        assert line is not None, "a game goes on where there are moves"
        if ideas.learn and best >= beta:
            self.learn(line[0], ply)
        if ideas.remember:
            kept, left = self.from_here(best, ply), self.horizon - ply
            self.table[position] = Known(left, kept, best > alpha, best < beta, line[0], self.guessed)
        # A cut rests on one move alone; a score that stands up to all moves rests on them all.
        return best, proven or (best >= beta and best_known) or self.settled(best), line

    def root_value(self, position: PositionT, move: Move | None, ply: int, alpha: int, beta: int) -> None:
        """Search a position, finished or not, and show it to the observer like all below it."""
        assert self.observer is not None
        self.observer.enter(position, move, ply, alpha, beta)
        outcome = self.game.outcome(position)
        if outcome is None:
            score, _, _ = self.value(position, ply, alpha, beta)
        else:
            score = self.end_value(position, outcome, ply)
        self.observer.leave(ply, score, outcome)

    def end_value(self, position: PositionT, outcome: Outcome, ply: int) -> int:
        """What an end is worth to the side whose move it would be: at odd plies not the root's."""
        score = self.score_end(position, outcome, ply)
        return -score if ply & 1 else score

    def see_ends(
        self, position: PositionT, ply: int, soonest: int
    ) -> tuple[int, Line, list[Move], list[PositionT]]:
        """Play all moves, and tell the best end with its line, and the moves that don't end the game.

        No further than to a win that comes as soon as can be.
        """
        game, best = self.game, -INFINITY
        line: Line = None
        rest, unfinished = [], []
        tried = 0
        for tried, move in enumerate(game.search_order(position), start=1):  # noqa: B007 - counted below
            child = game.play(position, move)
            outcome = game.outcome(child)
            if outcome is None:
                rest.append(move)
                unfinished.append(child)
                continue
            score = self.score_end(child, outcome, ply + 1)
            score = -score if ply & 1 else score
            if score > best:
                best, line = score, (move, None)
                if best == soonest:
                    break
        self.nodes += tried
        return best, line, rest, unfinished

    def moves(self, position: PositionT, ply: int, known: Known | None) -> Sequence[Move]:
        """The moves, in the order in which to try them."""
        legal = self.game.legal_moves(position)
        if not self.ideas.order:
            return legal
        # What was best here before, then what cut off others, then the game's own order.
        first = [] if known is None else [known.move]
        others = [*self.game.search_order(position), *legal]
        if self.ideas.learn:
            first += [move for move in self.killers[ply] if move in others]
            others.sort(key=lambda move: -self.history[ply & 1, move])
        return list(dict.fromkeys([*first, *others]))

    def learn(self, move: Move, ply: int) -> None:
        """Note a move that cut off others."""
        self.killers[ply] = [move, *(one for one in self.killers[ply] if one != move)][:2]
        self.history[ply & 1, move] += (self.horizon - ply) ** 2

    def recall(self, known: Known, ply: int, alpha: int, beta: int) -> int | None:
        """The score that the table holds, where it is of this depth and says enough."""
        if known.left != self.horizon - ply:
            return None
        score = self.from_here(known.score, -ply)
        if not (
            (known.least and score >= beta) or (known.most and score <= alpha) or (known.least and known.most)
        ):
            return None
        self.hits += 1
        self.guessed = self.guessed or known.guessed
        return score

    def from_here(self, score: int, plies: int) -> int:
        """The score with a win's distance counted from another ply: the table counts from its position."""
        if not self.settled(score):
            return score
        return score + plies * POINT if score > 0 else score - plies * POINT
