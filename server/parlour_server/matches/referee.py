"""The referee of a match: a game's rules, its bots, and games that are played move by move."""

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import isinf
from typing import Any

from parlour_protocol.ids import Side
from parlour_protocol.views.boards import BoardView
from parlour_protocol.views.reports import Report
from parlour_protocol.views.rooms import ResultView
from parlour_protocol.words import made_of
from parlour_server.analysis.plan import make_plan
from parlour_server.analysis.worker import Job, run
from parlour_server.games import UnknownGame, find_game
from parlour_server.games.game import Move, MoveError
from parlour_server.games.positions import AT
from parlour_server.matches.openings import Opening, balanced_openings
from parlour_server.search.control import SHORT_GAME, Control
from parlour_server.search.kernels import compiled
from parlour_server.search.kernels.inner_search import TableMemory
from parlour_server.search.levels import BotSpec, kind_of, parse_bot
from parlour_server.search.thinking import plays


@dataclass(frozen=True, slots=True)
class Seeded:
    """A bot of the server's in a match."""

    spec: BotSpec
    timed: bool
    """Does time end its searches, so that no seed can promise the same ones?"""


class Referee:
    """Plays games of one kind. Its bots search one at a time, in the thread that asks.

    Raises `ValueError` with a sentence for a game that is not known.
    """

    def __init__(self, game: str) -> None:
        self.game = find_game(game)
        self.name = self.game.name
        self.title = self.game.title
        self._memory = TableMemory()

    def bot(self, text: str) -> Seeded:
        """The bot that a text names. Raises `ValueError` with a sentence."""
        spec = parse_bot(text)
        return Seeded(spec, any(one.timed for one in plays(spec, [self.game])))

    def bounded(self, spec: BotSpec) -> str:
        """The same bot, not bounded by time but by what is the same each time: as one would type it."""
        return f"{spec.name}:{'nodes=100000' if 'nodes' in kind_of(spec).settings else 'depth=6'}"

    @property
    def must_compile(self) -> bool:
        """Does `prepare` have to compile, which takes seconds?"""
        return self._has_code and not compiled.is_kept(self.game)

    def prepare(self) -> None:
        """Have machine code ready, however long it takes: for the bots and the judge of openings."""
        if self._has_code:
            compiled.prepare(self.game)

    @property
    def _has_code(self) -> bool:
        return compiled.kernel_for(self.game) is not None and self.game.max_plies > SHORT_GAME

    def openings(self, seed: int, plies: int | None = None) -> Iterator[Opening]:
        """Openings, repeated for ever; none where all games are over by then: see `balanced_openings`."""
        return balanced_openings(self.game, seed, plies)

    def opening(self, text: str) -> Opening:
        """The opening that a line of a file is: moves from the start, or a position.

        Raises `ValueError` with a sentence.
        """
        try:
            moves = self.game.read(text)
        except MoveError as no_moves:
            try:
                name = find_game(f"{self.name}{AT}{text}").name
            except UnknownGame:
                raise no_moves from None
            return Opening(name)
        return Opening(self.name, " ".join(moves))

    def begin(self, opening: Opening) -> "GameInPlay":
        """A game that begins with this opening."""
        return GameInPlay(opening, self._memory)


class GameInPlay:
    """A game of a match: played from its opening on, until `result` is there."""

    def __init__(self, opening: Opening, memory: TableMemory) -> None:
        self._game = find_game(opening.game)
        self._memory = memory
        self._position: Any = self._game.initial()
        self._last: Move | None = None
        self.moves: list[str] = []
        self.sides: list[Side] = []
        """The side that made each of the moves."""
        for _, move, after in self._game.follow(opening.moves):
            self._take(move, after)

    @property
    def name(self) -> str:
        """The game, and the position that it begins with where that is not the usual one."""
        return self._game.name

    @property
    def to_move(self) -> Side:
        """The side to move."""
        return self._game.to_move(self._position)

    @property
    def result(self) -> ResultView | None:
        """How it ended by the rules, its winner a side; None while it goes on."""
        ended = self._game.outcome(self._position)
        if ended is None:
            return None
        return ResultView(ended.termination, ended.reason, ended.winner, made_of(ended.reason))

    def view(self) -> BoardView:
        """The board."""
        return self._game.view(self._position, self._last)

    def play(self, text: str) -> bool:
        """Play a move as people write it; False where it is none, or not legal, and nothing was played."""
        game, position = self._game, self._position
        try:
            move = game.parse(position, text)
            game.check(position, move)
        except MoveError:
            return False
        self._take(move, game.play(position, move))
        return True

    def _take(self, move: Move, after: Any) -> None:
        """Note a legal move, and what is `after` it."""
        self.moves.append(self._game.format(self._position, move))
        self.sides.append(self.to_move)
        self._position, self._last = after, move

    def think(self, bot: Seeded, seed: int, every_move: bool = False) -> Report:
        """What a bot makes of the position, its chance following from the seed; `best` is its move.

        With `every_move` no move is left with a bound where its own value can be had.
        """
        spec = bot.spec if bot.spec.seed is not None else replace(bot.spec, seed=seed)
        job = Job(self._game.name, self._position, spec, len(self.moves), every_move=every_move)
        seconds = make_plan(job, 0, 0).seconds
        flag = memoryview(bytearray(1))
        control = Control(
            stopped=lambda: flag[0] != 0,
            due=lambda: False,
            clock=time.perf_counter,
            flag=flag,
            compiled=True,
            memory=self._memory,
        )
        if isinf(seconds):
            report: Report = run(job, control)
            return report
        ending = threading.Timer(seconds, flag.__setitem__, (0, 1))
        ending.start()
        try:
            report = run(job, control)
        finally:
            ending.cancel()
        return report
