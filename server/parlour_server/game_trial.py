"""A game of one's own tried before a server lists it, step by step: see `game_command.py`.

It may loop, raise or exit in each of its functions, so this is a process of its own: it prints a line of JSON
when a step starts, and another with its result. A step that takes too long ends it with a traceback.
"""

import faulthandler
import inspect
import json
import random
import re
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from parlour_server.games import NAME, UnknownGame, contract, find_game
from parlour_server.games.game import BrokenContract, Game, quoted
from parlour_server.search.algorithms.alphabeta import alphabeta
from parlour_server.search.algorithms.engine import Deepening, engine
from parlour_server.search.algorithms.minimax import minimax
from parlour_server.search.control import Control
from parlour_server.search.kernels import compiled
from parlour_server.search.kernels.numba_modules import available
from parlour_server.search.kernels.witness import both_searches
from parlour_server.search.turns import in_turns

DEPTHS, POSITIONS = (1, 2, 3), 6
"""How deep the searches are compared, in so many positions."""
MOST_NODES = 20_000
"""Positions that plain minimax may visit in one of them, before it is left at the depth before."""
NODES = 500
"""Positions in which machine code and rules are compared."""
PLAIN_NODES, COMPILED_NODES = 3_000, 1_000_000
"""For how many positions speeds are measured."""

Detail = str | None
"""A figure of a step that passed."""


def games_in(path: Path) -> list[Game[Any]]:
    """The games that a file makes. Raises what the file raises, and `BrokenContract` where there are none."""
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[path.stem] = module
    sys.path.insert(0, str(path.parent))
    spec.loader.exec_module(module)
    found = [one for one in vars(module).values() if isinstance(one, Game)]
    if not found:
        raise BrokenContract("it makes no game: write GAME = MyGame() at its end")
    return list({id(one): one for one in found}.values())


def steps(game: Game[Any], path: Path) -> Iterator[tuple[str, Callable[[], Detail]]]:
    """The steps of a game's trial, by name."""
    yield "contract", lambda: _contract(game, path)
    yield "variants", lambda: _variants(game)
    yield "searches", lambda: _searches(game)
    if game.kernel and available():
        yield "kernel", lambda: _kernel(game)
    yield "speed", lambda: _speed(game)


def _contract(game: Game[Any], path: Path) -> Detail:
    _check_name(game, path)
    contract.check(game)
    contract.check_ends(game)
    return None


def _check_name(game: Game[Any], path: Path) -> None:
    """Would a server take the game by its name?"""
    if not NAME.fullmatch(game.name):
        breach = f"{quoted(game.name)} can't be typed as a game's name: write small letters, digits, - and _"
        raise Misnamed(breach, game.name, path)
    try:
        other = find_game(game.name)
    except UnknownGame:
        return
    # The same game may be installed already.
    if (type(other).__name__, Path(inspect.getfile(type(other))).name) != (type(game).__name__, path.name):
        raise Misnamed(f"another game is called {game.name} already", game.name, path)


class Misnamed(BrokenContract):
    """A game that no server takes by its name; with the line that gives the name."""

    def __init__(self, breach: str, name: str, path: Path) -> None:
        super().__init__(breach)
        gives = re.compile(rf"\bname\b.*[\"']{re.escape(name)}[\"']")
        lines = enumerate(path.read_text("utf-8").splitlines(), 1)
        self.line = next((number for number, line in lines if gives.search(line)), None)


def _variants(game: Game[Any]) -> Detail:
    for parameters in game.usual[1:]:
        contract.check(game.variant(parameters))
    return f"{len(game.usual[1:])}" if game.usual[1:] else None


def _positions(game: Game[Any]) -> list[Any]:
    """A few unfinished ones, of games at random."""
    dice = _dice()
    found: list[Any] = []
    while len(found) < POSITIONS:
        position = game.initial()
        for _ in range(dice.randrange(12)):
            if not (moves := game.legal_moves(position)):
                break
            position = game.play(position, dice.choice(list(moves)))
        if game.outcome(position) is None:
            found.append(position)
    return found


def _searches(game: Game[Any]) -> Detail:
    """Textbook minimax and alpha-beta, which share nothing but the rules, find the same score."""
    for position in _positions(game):
        for depth in DEPTHS:
            plain = minimax(game, position, rng=_dice(), control=Control(), depth=depth)
            cut = alphabeta(game, position, rng=_dice(), control=Control(), depth=depth)
            ours, theirs = (max(one.score.points for one in report.candidates) for report in (cut, plain))
            if ours != theirs:
                cells = " ".join(game.view(position).texts())
                raise BrokenContract(
                    f"searches {depth} plies deep find {ours} and {theirs}: outcome, to_move or evaluate"
                    f" contradict themselves, or search_order leaves out what matters, at {cells}"
                )
            if plain.nodes > MOST_NODES:
                break
    return None


def _kernel(game: Game[Any]) -> Detail:
    """Machine code finds what the rules find."""
    compiled.prepare(game)
    for position in _positions(game):
        padded, begun = in_turns(game, position)
        fast, slow = (
            Deepening(padded, begun, machine, rng=_dice(), control=Control(), full=False, bot="engine").run(
                None, NODES
            )
            for machine in both_searches(padded, begun)
        )
        if (fast.candidates, fast.nodes) != (slow.candidates, slow.nodes):
            raise BrokenContract("its kernel and its rules find different scores")
    return None


def _speed(game: Game[Any]) -> Detail:
    """How many positions a second the engine visits on the rules, and on machine code where there is some."""
    speeds = [_measured(game, PLAIN_NODES, compiled=False)]
    if compiled.is_ready(game):
        speeds.append(_measured(game, COMPILED_NODES, compiled=True))
    return " / ".join(f"{round(speed, -2):,.0f}" for speed in speeds)


def _measured(game: Game[Any], nodes: int, *, compiled: bool) -> float:
    began = time.perf_counter()
    report = engine(game, game.initial(), rng=_dice(), control=Control(compiled=compiled), nodes=nodes)
    return report.nodes / max(time.perf_counter() - began, 1e-6)


def _dice() -> random.Random:
    return random.Random(1)  # noqa: S311 - the same games each time


def main(path: Path, seconds: float, compiling_seconds: float) -> None:
    """Try each game of a file; a step may take so long, and what compiles that long."""

    def write(**line: Any) -> None:
        print(json.dumps(line), file=out, flush=True)

    def start(step: str, game: str) -> None:
        write(started=step, game=game)
        faulthandler.dump_traceback_later(
            compiling_seconds if step == "kernel" else seconds, exit=True, file=out
        )

    out, sys.stdout = sys.stdout, sys.stderr
    start("load", "")
    found: list[Game[Any]] = []
    write(**_tried(lambda: found.extend(games_in(path)), path), game="", step="load")
    for game in found:
        name = str(getattr(game, "name", path.stem))
        for step, run in steps(game, path):
            start(step, name)
            result = _tried(run, path)
            write(**result, game=name, step=step)
            if not result["passed"]:
                break


def _tried(run: Callable[[], Detail], path: Path) -> dict[str, Any]:
    began, detail, line = time.perf_counter(), None, None
    passed = True
    try:
        detail = run()
    # A stranger's game may fail in any way, even by exiting.
    except (Exception, SystemExit) as error:
        kind = "" if isinstance(error, BrokenContract) else f"{type(error).__name__}: "
        passed, detail, line = False, f"{kind}{error}", _line(error, path)
    return {"passed": passed, "detail": detail, "line": line, "seconds": time.perf_counter() - began}


def _line(error: BaseException, path: Path) -> int | None:
    """The line of the file in which it went wrong."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return error.lineno
    if isinstance(error, Misnamed):
        return error.line
    frames = [
        frame
        for one in (error, error.__cause__)
        if one is not None
        for frame in traceback.extract_tb(one.__traceback__)
    ]
    return next((frame.lineno for frame in reversed(frames) if frame.filename == str(path)), None)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), *map(float, sys.argv[2:]))
