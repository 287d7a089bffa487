"""Kernels as machine code: which of them are loaded, and the inner search compiled with each.

A kernel is compiled into one module, and the inner search (`negamax.py`) into another one that calls it,
once for each kernel. Where a game has an exact solver, that comes with its kernel. Compiling takes seconds
and blocks: a caller that can't wait asks `is_ready` first.

Everything in here works without numba too, and then says that nothing is there.
"""

import ast
from functools import cache, partial
from types import ModuleType
from typing import Any

from parlour_server.games.game import Game, PositionT
from parlour_server.search.kernels import numba_modules
from parlour_server.search.kernels.inner_search import MOVE_NUMBERS, InnerSearch, TableMemory
from parlour_server.search.kernels.numba_modules import (
    IMPORTS,
    CompileFailed,
    ModuleSource,
    available,
    decorated,
    dtype_of,
    make,
    named,
    read_source,
    source_text,
)
from parlour_server.search.turns import PASS, PaddedTurn

SLOTS = 1 << 22
"""Numbers in a search's table: 32 MB, of which memory is taken only where it is used."""

# Functions without a signature are compiled into those that call them.
_STATE = "{dtype}[::1]"
SIGNATURES = {
    "play": f"void({_STATE}, int64)",
    "undo": f"void({_STATE}, int64)",
    "ended": f"int64({_STATE})",
    "moves": f"int64({_STATE}, int64[::1], int64)",
    "evaluate": f"int64({_STATE})",
    "urgent": f"int64({_STATE})",
    "plies_left": f"int64({_STATE})",
    "margin": f"int64({_STATE})",
    "key": f"int64({_STATE})",
    "ended_score": f"int64({_STATE}, int64[::1], int64, int64)",
    # A function that calls itself needs its signature, or a second process fails on loading it.
    "value": f"int64({_STATE}, int64[::1], int64[::1], uint8[::1], int64, int64, int64, int64)",
}

SOLVERS = {"parlour_server.search.kernels.connect4": "parlour_server.search.connect4.solver"}
"""By kernel: the exact solver of its game."""
SOLVER_SIGNATURES = {
    "prove": "int64(int64, int64, int64, int64, int64[::1], int64[::1], int64, uint8[::1])",
    "solve": "int64(int64, int64, int64, int64[::1], int64[::1], int64, uint8[::1])",
}

INNER_SEARCH = "parlour_server.search.kernels.negamax"

CONTRACT = (
    *("STATE", "DTYPE", "MOST_MOVES", "MOVE_NUMBERS", "MOST_PLIES"),
    *("play", "undo", "ended", "moves", "evaluate", "urgent", "plies_left", "margin", "key"),
)
"""What the engine takes from a kernel: see `kernels/__init__.py`."""

ARRAYS = "parlour_server.search.kernels.arrays"
ARRAY_SIGNATURES = {f"engine_{name}": SIGNATURES[name] for name in CONTRACT if name in SIGNATURES}
ARRAY_CONTRACT = (
    *("DTYPE", "MOST_MOVES", "MOST_PLIES"),
    *("ENGINE_STATE as STATE", "ENGINE_NUMBERS as MOVE_NUMBERS", "ENGINE_PASS as PASS"),
    *(f"engine_{name} as {name}" for name in CONTRACT if name in SIGNATURES),
)
"""The same of rules that are functions over numbers: see `kernels/arrays.py`."""

_UNSAID = {
    "MOST_PLIES": "MOST_PLIES = 250",
    "KEYED": "KEYED = POSITION",
    "SCRATCH": "SCRATCH = 0",
    "DTYPE": "DTYPE = np.int64",
    "urgent": "def urgent(s):\n    return 0",
    "margin": "def margin(s):\n    return 0",
    "plies_left": "def plies_left(s):\n    return MOST_PLIES",
}
"""What such rules need not say."""

_PRELUDE = """
from parlour_server.search.kernels import ORDERED, RANKED, SELECTIVE

@_njit
def slot_of(k, mask):
    return (k >> 24) & mask & -4
"""

_loaded: dict[str, ModuleType | None] = {}
"""Every kernel that was asked for; None where it can't be compiled."""


def kernel_for(game: Game[Any]) -> str | None:
    """The module of the game's kernel where it could be used here."""
    return game.kernel if game.kernel and available() else None


def is_ready(game: Game[Any]) -> bool:
    """Is the machine code for this game loaded in this process?"""
    return _loaded.get(game.kernel) is not None


def is_kept(game: Game[Any]) -> bool:
    """Does the cache have the game's machine code, as far as one can see? Then `prepare` compiles nothing."""
    kernel = kernel_for(game)
    try:
        return kernel is None or all(map(numba_modules.is_kept, _sources(kernel)))
    except Exception:
        # Whatever is wrong with a stranger's kernel, its compiler will say.
        return False


def functions(game: Game[Any]) -> int:
    """How many functions `prepare` compiles where the cache has none of them."""
    kernel = kernel_for(game)
    return 0 if kernel is None else sum(source.functions for source in _sources(kernel))


def prepare(game: Game[Any]) -> None:
    """Load the game's machine code, or compile it: seconds, the first time. Raises `CompileFailed`."""
    kernel = kernel_for(game)
    if kernel is None or _loaded.get(kernel) is not None:
        return
    if kernel in _loaded:
        raise CompileFailed(f"The kernel {kernel} could not be compiled before.")
    try:
        _loaded[kernel] = _load_inner_search(kernel)
    except Exception as error:
        # Also a third party's kernel may fail in any way; its game goes on without.
        _loaded[kernel] = None
        raise CompileFailed(f"The kernel {kernel} can't be compiled: {error}") from error


def solver(game: Game[Any]) -> Any:
    """The machine code of the game's exact solver, which is made now unless it is ready."""
    prepare(game)
    return _loaded[game.kernel].solver  # type: ignore[union-attr]


def compiled_search(
    game: Game[PositionT],
    position: PositionT,
    flag: Any = None,
    *,
    memory: TableMemory | None = None,
    slots: int = SLOTS,
) -> InnerSearch:
    """An engine of machine code. The game's must be ready. `flag` is a buffer of one byte that stops it."""
    import numpy as np

    code = _loaded[game.kernel]
    assert code is not None
    state = np.zeros(code.STATE, code.DTYPE)
    code.load(game, position, state)
    passing = getattr(code, "PASS", None)
    return InnerSearch(
        code=code,
        state=state,
        work=np.zeros(code.WORK, np.int64),
        table=(memory or TableMemory()).empty_table(slots),
        slots=slots,
        stop=np.zeros(1, np.uint8) if flag is None else np.frombuffer(flag, np.uint8),
        move=int if passing is None else lambda number: PASS if number == passing else number,
    )


def _load_inner_search(kernel: str) -> ModuleType:
    """A kernel's functions and the engine's, which has a module of its own: names may be the same."""
    ours, inner, *solvers = _sources(kernel)
    base = make(ours)
    array = hasattr(base, "POSITION")
    if (most := MOVE_NUMBERS - array) < base.MOVE_NUMBERS:
        raise ValueError(f"its MOVE_NUMBERS may be {most:,} at most, not {base.MOVE_NUMBERS:,}")
    module = make(inner)
    module.load = partial(_load_numbers, base) if array else base.load  # type: ignore[attr-defined]
    for source in solvers:
        module.solver = make(source)  # type: ignore[attr-defined]
    return module


@cache
def _sources(kernel: str) -> tuple[ModuleSource, ...]:
    """A kernel's, its engine's, which says by name whose functions it calls, and perhaps a solver's."""
    plain = ast.parse(source_text(kernel))
    if "POSITION" in _defined(plain):
        base, names = _around(kernel, plain), ARRAY_CONTRACT
    else:
        base, names = read_source(kernel, SIGNATURES), CONTRACT
    engine = decorated(source_text(INNER_SEARCH), SIGNATURES, dtype_of(base.text))
    text = f"{IMPORTS}from {base.module} import {', '.join(names)}\n{_PRELUDE}{ast.unparse(engine)}"
    solvers = [read_source(SOLVERS[kernel], SOLVER_SIGNATURES)] if kernel in SOLVERS else []
    return base, named(f"{kernel}.engine", text), *solvers


def _around(kernel: str, rules: ast.Module) -> ModuleSource:
    """Rules that are functions over numbers, with what they need not say and what the engine needs."""
    defined = _defined(rules)
    unsaid = ast.parse("\n".join(said for name, said in _UNSAID.items() if name not in defined))
    around = ast.parse(source_text(ARRAYS))
    if taken := defined & _defined(around):
        raise CompileFailed(f"{', '.join(sorted(taken))} is a name of the engine's own: choose another one.")
    whole = ast.unparse(ast.Module([*rules.body, *unsaid.body, *around.body[1:]], []))
    return named(kernel, IMPORTS + ast.unparse(decorated(whole, ARRAY_SIGNATURES, "int64")))


def _defined(module: ast.Module) -> set[str]:
    """The names of a module's functions and constants."""
    found = {node.name for node in module.body if isinstance(node, ast.FunctionDef)}
    for node in module.body:
        match node:
            case ast.Assign(targets=targets):
                found |= {
                    name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)
                }
            case ast.AnnAssign(target=ast.Name(id=name)):
                found.add(name)
    return found


def _load_numbers(code: ModuleType, game: Game[Any], position: Any, s: Any) -> None:
    """Write a position of such rules into a state."""
    passes = 0
    if isinstance(position, PaddedTurn):
        position, passes = position
    s[: code.POSITION] = position
    s[code.ENGINE_PASSES] = passes
    s[code.ENGINE_TOP] = code.ENGINE_TOP + 1
