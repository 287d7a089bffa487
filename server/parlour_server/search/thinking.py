"""How each bot thinks: which search it has in a game, how far that looks, and what the bot makes of it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Any, Literal, assert_never

from parlour_protocol.views.reports import Report
from parlour_protocol.views.rooms import BotInGames, BotLine
from parlour_protocol.words import Sentence
from parlour_server.games.game import Game, Move, PositionT
from parlour_server.search import connect4
from parlour_server.search.algorithms.alphabeta import Scores, alphabeta
from parlour_server.search.algorithms.engine import engine
from parlour_server.search.algorithms.mcts import USUAL_PLAYOUTS, mcts
from parlour_server.search.algorithms.minimax import minimax
from parlour_server.search.algorithms.root_search import random_move
from parlour_server.search.control import SHORT_GAME, Control
from parlour_server.search.kernels import compiled as machine_code
from parlour_server.search.kernels.compiled import kernel_for
from parlour_server.search.levels import KINDS, SETTINGS, BotSpec, Search, kind_of

BUDGETS = {"minimax": 1_000_000, "alphabeta": 10_000_000}
"""For longer games: how many leaves the whole tree may have down to the horizon, at most `max_plies`
moves a position. Alpha-beta sees a small part of its tree only. Seconds, not minutes, in plain Python."""

IsCompiled = Callable[[Game[Any]], bool]
"""Is a game searched in machine code?"""

SOLVER_NODES, ENGINE_NODES, PLAIN_NODES = 5_000_000, 1_000_000, 30_000
"""What Connect Four's solver, the engine and the engine in plain Python visit in one or two seconds."""


def can_be_compiled(game: Game[Any]) -> bool:
    """Is there machine code for the game, that could be used here?"""
    return kernel_for(game) is not None


def list_bots(games: Sequence[Game[Any]] = (), *, compiled: IsCompiled = can_be_compiled) -> list[BotLine]:
    """Every bot with its settings, levels first, and what it does in each of these games."""
    return [
        BotLine(
            name,
            Sentence(f"bot.{name}.summary"),
            [SETTINGS[key] for key in kind.settings],
            plays(BotSpec(name), games, compiled=compiled),
        )
        for name, kind in KINDS.items()
    ]


def plays(
    spec: BotSpec, games: Sequence[Game[Any]], *, compiled: IsCompiled = can_be_compiled
) -> list[BotInGames]:
    """What a bot does in these games; those in which it does the same stand together."""
    alike: dict[tuple[Sentence, bool], list[str]] = {}
    for game in games:
        there = compiled(game)
        does = _in_game(game, spec, compiled=there), _timed(game, spec, compiled=there)
        alike.setdefault(does, []).append(game.name)
    return [BotInGames(names, does, timed) for (does, timed), names in alike.items()]


def _timed(game: Game[Any], spec: BotSpec, *, compiled: bool) -> bool:
    """Does time end its searches in this game, and not their own bounds?"""
    search = _search_of(game, spec)
    if spec.time is not None:
        return True
    if search not in ("engine", "exact") or (compiled and is_solved(game, spec)):
        return False
    kind = kind_of(spec)
    return (spec.nodes is None and kind.depth is None) or kind.time is not None


def is_solved(game: Game[Any], spec: BotSpec) -> bool:
    """Does the bot have an exact solver for the game, which is machine code?"""
    return can_be_compiled(game) and _search_of(game, spec) == "exact" and _knows(game, spec)


def _knows(game: Game[Any], spec: BotSpec) -> bool:
    return connect4.knows(game) and spec.depth is None


def _in_game(game: Game[Any], spec: BotSpec, *, compiled: bool) -> Sentence:
    kind, search = kind_of(spec), _search_of(game, spec)
    depth = kind.depth
    if search == "random":
        return Sentence("bot.does.chance")
    if search == "mcts":
        if kind.time is not None and spec.playouts is None:
            return Sentence("bot.does.playouts_seconds", seconds=kind.time)
        return Sentence("bot.does.playouts", count=spec.playouts or USUAL_PLAYOUTS)
    if search in ("minimax", "alphabeta"):
        depth = _plain_depth(game, search, depth)
        does = Sentence("bot.does.all") if depth is None else Sentence("bot.does.depth", count=depth)
    elif compiled and is_solved(game, spec):
        return Sentence("bot.does.solved")
    else:
        by = Sentence("bot.by.machine_code" if compiled else "bot.by.python")
        if depth is not None:
            does = Sentence("bot.does.threats" if kind.threats else "bot.does.depth", count=depth)
        elif spec.nodes is not None:
            does = Sentence("bot.does.nodes", count=spec.nodes, by=by)
        elif kind.time is not None:
            does = Sentence("bot.does.seconds", seconds=kind.time, by=by)
        else:
            does = Sentence("bot.does.unbounded", by=by)
        if search == "exact" and _knows(game, spec):
            return Sentence("bot.does.book", does=does)
    if kind.blunders:
        return Sentence("bot.does.blunders", does=does, percent=round(100 * kind.blunders))
    if kind.lapses:
        return Sentence("bot.does.lapses", does=does, percent=round(100 * kind.lapses))
    return does


def repeatable(game: Game[Any], spec: BotSpec, *, compiled: bool) -> BotSpec:
    """The bot with a bound of positions in place of its time, so that it finds the same each time.

    It takes about as long as a person waits for one move of a review. The bot itself where it has a bound
    of its own, or needs none.
    """
    kind, search = kind_of(spec), _search_of(game, spec)
    bounded = kind.depth is not None or spec.nodes is not None or spec.time is not None
    if bounded or search not in ("engine", "exact"):
        return spec
    if not compiled:
        return replace(spec, nodes=PLAIN_NODES)
    solved = search == "exact" and connect4.knows(game)
    return replace(spec, nodes=SOLVER_NODES if solved else ENGINE_NODES)


def uses_machine_code(game: Game[Any], spec: BotSpec) -> bool:
    """Does this bot's search run as machine code here, once that is ready? Else it is Python, and slow."""
    return can_be_compiled(game) and _search_of(game, spec) in ("engine", "exact")


def open_ended(game: Game[Any], spec: BotSpec) -> bool:
    """Does this bot search deeper and deeper until it is stopped, having no bound of its own?"""
    kind = kind_of(spec)
    bounded = kind.depth is not None or spec.nodes is not None or kind.time is not None
    return not bounded and _search_of(game, spec) in ("engine", "exact")


def light(spec: BotSpec) -> bool:
    """Does this bot look so little ahead that its search takes milliseconds, whatever the position?"""
    kind = kind_of(spec)
    return kind.search == "random" or (kind.depth is not None and not kind.threats)


def think(
    game: Game[PositionT], position: PositionT, spec: BotSpec, *, move_number: int, control: Control
) -> Report:
    """Choose a move. The same seed and move number make the same choice, after any restart too.

    `move_number` tells this move from all others that the bot makes. A search that was stopped before
    it had scored any move has no best one. Raises `ValueError` for a finished position.
    """
    rng = _dice(spec, move_number)
    report = _search(game, position, spec, rng, control, full=False)
    kind, drawn = kind_of(spec), rng.random()
    if drawn < kind.blunders:
        _weaken(report, game.format(position, rng.choice(game.legal_moves(position))))
    elif drawn < kind.lapses and all(one.score.result != "win" for one in report.candidates):
        bearable = [one.move for one in report.candidates if one.score.result != "loss"]
        if bearable:
            _weaken(report, rng.choice(bearable))
    return report


def _weaken(report: Report, move: str) -> None:
    """Choose this move, whatever the search saw; its best line stays as it was seen."""
    report.weakened = True if report.best not in (None, move) else None
    report.best, report.unfinished = move, None


def analyse(
    game: Game[PositionT], position: PositionT, spec: BotSpec, *, control: Control, also: Sequence[Move] = ()
) -> Report:
    """Score every legal move as exactly as the bot can: alpha-beta cuts off those that are no better than one
    before. Raises `ValueError` for a finished position.

    Where the game is selective the likely best moves are scored, and those that are `also` asked for.
    """
    return _search(game, position, spec, _dice(spec, 0), control, full=True, also=also)


def _dice(spec: BotSpec, move_number: int) -> Random:
    return Random(f"{spec.seed or 0}/{move_number}")  # noqa: S311 - a game's dice, and meant to repeat


def _search(
    game: Game[PositionT],
    position: PositionT,
    spec: BotSpec,
    rng: Random,
    control: Control,
    *,
    full: bool,
    also: Sequence[Move] = (),
) -> Report:
    kind = kind_of(spec)
    # The seed is left out: it says nothing about the thoughts, and would tell the next move.
    bot = str(replace(spec, seed=None))
    depth, search = kind.depth, _search_of(game, spec)
    match search:
        case "random":
            return random_move(game, position, rng=rng, control=control, bot=bot)
        case "minimax":
            depth = _plain_depth(game, "minimax", depth)
            return minimax(game, position, rng=rng, control=control, depth=depth, bot=bot)
        case "alphabeta":
            depth = _plain_depth(game, "alphabeta", depth)
            scores: Scores = "every" if full else "equal"
            if full and spec.name == "alphabeta" and not also:
                # Where this very search is asked for, what it leaves out is of interest.
                scores = "best"
            return alphabeta(
                game, position, rng=rng, control=control, depth=depth, scores=scores, also=also, bot=bot
            )
        case "exact" if _knows(game, spec) and control.compiled and machine_code.is_ready(game):
            # The game is Connect Four, and so is its position.
            solved: Any = position
            return connect4.solve(
                solved, control=control, nodes=spec.nodes, every_move=full, also=also, bot=bot
            )
        case "mcts":
            playouts = spec.playouts or (USUAL_PLAYOUTS if kind.time is None else None)
            return mcts(game, position, rng=rng, control=control, playouts=playouts, bot=bot)
        case "engine" | "exact":
            report = known(game, position, spec, control=control, every_move=full)
            if report is not None:
                return report
            return engine(
                game,
                position,
                rng=rng,
                control=control,
                depth=depth,
                nodes=spec.nodes,
                full=full,
                also=also,
                threats=kind.threats,
                bot=bot,
            )
        case _:
            assert_never(search)


def known(
    game: Game[Any], position: Any, spec: BotSpec, *, control: Control, every_move: bool
) -> Report | None:
    """The bot's answer where it has a book that knows it, without a search. None for finished games."""
    if _search_of(game, spec) != "exact" or not _knows(game, spec) or game.outcome(position) is not None:
        return None
    bot = str(replace(spec, seed=None))
    return connect4.from_book(position, control=control, every_move=every_move, bot=bot)


def _search_of(game: Game[Any], spec: BotSpec) -> Search:
    """A bot's search; the levels' is plain alpha-beta where that sees the end of every game at once."""
    search = KINDS[spec.name].search
    short = game.max_plies <= SHORT_GAME and spec.name != "engine"
    return "alphabeta" if short and search in ("engine", "exact") else search


def _plain_depth(game: Game[Any], search: Literal["minimax", "alphabeta"], asked: int | None) -> int | None:
    """How far to look ahead: as was asked for, else as far as plain Python can in the game."""
    if asked is not None or game.max_plies <= SHORT_GAME:
        return asked
    depth, leaves = 1, game.max_plies**2
    while leaves <= BUDGETS[search]:
        depth, leaves = depth + 1, leaves * game.max_plies
    return depth
