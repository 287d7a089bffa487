"""Whether a game's machine code is ready, and making it so: its kernel's, and a solver's where it has one."""

from typing import Any

from parlour_server.games.game import Game
from parlour_server.search import connect4
from parlour_server.search.kernels import compiled
from parlour_server.search.kernels.compiled import kernel_for

__all__ = ["functions", "is_kept", "is_ready", "kernel_for", "prepare"]


def is_ready(game: Game[Any]) -> bool:
    """Is all of the game's machine code loaded in this process?"""
    return compiled.is_ready(game) and (not connect4.knows(game) or connect4.is_ready())


def is_kept(game: Game[Any]) -> bool:
    """Does the cache have all of it, as far as one can see?"""
    try:
        return compiled.is_kept(game) and (not connect4.knows(game) or connect4.is_kept())
    except Exception:
        # Whatever is wrong with a stranger's kernel, its compiler will say.
        return False


def functions(game: Game[Any]) -> int:
    """How many functions are compiled for it, the first time; 0: it has no machine code here."""
    solver = connect4.functions() if kernel_for(game) is not None and connect4.knows(game) else 0
    return compiled.functions(game) + solver


def prepare(game: Game[Any]) -> None:
    """Load or compile it now: seconds, the first time. Raises `CompileFailed`, or what numba raises."""
    compiled.prepare(game)
    if kernel_for(game) is not None and connect4.knows(game):
        connect4.prepare()
