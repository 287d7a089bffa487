"""Monte Carlo tree search: moves judged by how games by chance go on from them.

Each playout goes four steps. *Selection*: from the root down, at each position the move with the highest
upper confidence bound, so that what did well is looked at more, and what hardly was is not forgotten.
*Expansion*: at the first position with moves that were never tried one of them is, by chance, and joins the
tree. *Playout*: from there the game is played to its end by chance. *Backing up*: its result is counted at
every position on the way, for the side that moved there. No estimate of positions is needed.

See Kocsis and Szepesvari, Bandit Based Monte-Carlo Planning (2006), for the bound, which is UCB1 of Auer,
Cesa-Bianchi and Fischer (2002); Coulom, Efficient Selectivity and Backup Operators in Monte-Carlo Tree Search
(2006), for the tree that grows by one position with each playout.
"""

from math import log, sqrt
from random import Random
from typing import Generic

from parlour_protocol.ids import Side
from parlour_protocol.views.reports import Candidate, Report
from parlour_server.games.game import Game, Move, PositionT
from parlour_server.search.control import POLL_EVERY, Control
from parlour_server.search.scores import shared_score

USUAL_PLAYOUTS = 1_000
EXPLORATION = 1.0
"""How much a move's few visits count against its results, which lie between 0 and 1."""


def mcts(
    game: Game[PositionT],
    position: PositionT,
    *,
    rng: Random,
    control: Control,
    playouts: int | None = USUAL_PLAYOUTS,
    bot: str = "mcts",
) -> Report:
    """Judge the moves by so many playouts, or until it is stopped, and choose the one that was visited most.

    A move's score is its share of the points in the playouts that began with it, as a chance to win.

    Raises `ValueError` for a finished position.
    """
    return Mcts(game, position, rng, control, bot).run(playouts)


class Node(Generic[PositionT]):
    """A position of the tree, and what playouts through it came to."""

    __slots__ = ("children", "mover", "position", "total", "untried", "visits")

    def __init__(self, position: PositionT, mover: Side, untried: list[Move]) -> None:
        self.position = position
        self.mover = mover
        """Who made the move that leads here."""
        self.untried = untried
        """The moves that were never tried, in the order in which they will be, from the last one on."""
        self.children: dict[Move, Node[PositionT]] = {}
        self.visits = 0
        self.total = 0.0
        """The points of all playouts through it for the mover: a win counts 1, a draw a half."""

    @property
    def value(self) -> float:
        """The mover's share of the points."""
        return self.total / self.visits

    def select(self) -> "tuple[Move, Node[PositionT]]":
        """The move with the highest upper confidence bound: all were tried, each at least once."""
        return max(self.children.items(), key=lambda item: self.bound(item[1]))

    def bound(self, child: "Node[PositionT]") -> float:
        """The upper confidence bound of a child that was tried."""
        return child.value + EXPLORATION * sqrt(2 * log(self.visits) / child.visits)

    def by_visits(self) -> "list[tuple[Move, Node[PositionT]]]":
        """The moves that were tried, the most visited first; of equals the one that did better."""
        return sorted(self.children.items(), key=lambda item: (-item[1].visits, -item[1].value))


class Mcts(Generic[PositionT]):
    """The search, playout by playout."""

    def __init__(
        self, game: Game[PositionT], position: PositionT, rng: Random, control: Control, bot: str
    ) -> None:
        if game.outcome(position) is not None:
            raise ValueError("there is nothing to search: the game is over")
        self.game, self.rng, self.control, self.bot = game, rng, control, bot
        self.started = control.clock()
        # Nobody moved to the root; what is counted there is not looked at.
        self.root = self._node(position, game.to_move(position))
        self.nodes = 1
        self._next_poll = POLL_EVERY

    def run(self, playouts: int | None) -> Report:
        """Play so many, or until it is stopped."""
        while playouts is None or self.root.visits < playouts:
            self.playout()
            if self.nodes >= self._next_poll:
                self._next_poll = self.nodes + POLL_EVERY
                if self.control.stopped():
                    return self.report(finished=False)
                if self.control.due():
                    self.control.publish(self.report(finished=False))
        return self.report(finished=True)

    def playout(self) -> tuple[list[Node[PositionT]], float]:
        """One playout: its way through the tree, and the points of side 0."""
        path = [self.root]
        node = self.root
        while not node.untried and node.children:
            _, node = node.select()
            path.append(node)
        if node.untried:
            node = self._expand(node)
            path.append(node)
        points = self._play_on(node.position)
        for one in path:
            one.visits += 1
            one.total += points if one.mover == 0 else 1 - points
        return path, points

    def _expand(self, node: Node[PositionT]) -> Node[PositionT]:
        move, game = node.untried.pop(), self.game
        child = self._node(game.play(node.position, move), game.to_move(node.position))
        node.children[move] = child
        self.nodes += 1
        return child

    def _node(self, position: PositionT, mover: Side) -> Node[PositionT]:
        untried = [] if self.game.outcome(position) is not None else [*self.game.legal_moves(position)]
        self.rng.shuffle(untried)
        return Node(position, mover, untried)

    def _play_on(self, position: PositionT) -> float:
        """The points of side 0 once the game has been played to its end by chance."""
        game, rng = self.game, self.rng
        while (outcome := game.outcome(position)) is None:
            moves = game.legal_moves(position)
            position = game.play(position, moves[int(rng.random() * len(moves))])
            self.nodes += 1
        return 0.5 if outcome.winner is None else 1.0 - outcome.winner

    def report(self, *, finished: bool) -> Report:
        """What the playouts came to by now."""
        game, root = self.game, self.root
        found = [
            Candidate(game.format(root.position, move), shared_score(child.value), visits=child.visits)
            for move, child in root.by_visits()
        ]
        return Report(
            bot=self.bot,
            candidates=found,
            best=found[0].move if found else None,
            line=self._line(),
            nodes=self.nodes,
            playouts=root.visits,
            seconds=self.control.clock() - self.started,
            finished=finished,
        )

    def _line(self) -> list[str]:
        """What was visited most, move by move."""
        line, node = list[str](), self.root
        while node.children:
            move, child = node.by_visits()[0]
            line.append(self.game.format(node.position, move))
            node = child
        return line
