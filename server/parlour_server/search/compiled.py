"""The engine as machine code: one module for each kernel, compiled by numba and kept on disk.

A kernel's source gets numba's decorators and is written to a file; so is the engine's, once for each kernel,
whose functions are compiled into it. Folders are named by a hash of all that went in, so that a change
makes a new one and a second process compiles nothing. Compiling takes seconds and blocks: whoever may
not wait asks `is_ready` first.

Everything in here works without numba too, and then says that nothing is there.
"""

import ast
import atexit
import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.machinery import SourceFileLoader
from importlib.metadata import version
from importlib.resources import files
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from platformdirs import user_cache_path

from parlour_server.games.game import Game, PositionT
from parlour_server.search.machine import MOVE_NUMBERS, Machine, Memory

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

ENGINE = "parlour_server.search.engine"

CONTRACT = (
    *("STATE", "DTYPE", "MOST_MOVES", "MOVE_NUMBERS", "MOST_PLIES"),
    *("play", "undo", "ended", "moves", "evaluate", "urgent", "plies_left", "margin", "key"),
)
"""What the engine takes from a kernel: see `kernels/__init__.py`."""

_NUMBA = "import numpy as np\nfrom numba import njit as _njit\n"

_PRELUDE = """
from parlour_server.search.kernels import ORDERED, RANKED, SELECTIVE

@_njit
def slot_of(k, mask):
    return (k >> 24) & mask & -4
"""

MADE = "made"
"""The file beside machine code that tells that all of it is there."""

_loaded: dict[str, ModuleType | None] = {}
"""Every kernel that was asked for; None where it can't be compiled."""


class CompileFailed(Exception):
    """A kernel can't be compiled or loaded, and a sentence says why. Its game is still searched plainly."""


@cache
def available() -> bool:
    """Is numba installed? Found without importing it."""
    return find_spec("numba") is not None


def kernel_for(game: Game[Any]) -> str | None:
    """The module of the game's kernel where it could be used here."""
    return game.kernel if game.kernel and available() else None


def is_ready(game: Game[Any]) -> bool:
    """Is the machine code for this game loaded in this process?"""
    return _loaded.get(game.kernel) is not None


def is_kept(game: Game[Any]) -> bool:
    """Does the cache have the game's machine code, as far as one can see? Then `prepare` compiles nothing."""
    kernel = kernel_for(game)
    return kernel is None or all(map(_is_kept, _sources(kernel)))


def prepare(game: Game[Any]) -> None:
    """Load the game's machine code, or compile it: seconds, the first time. Raises `CompileFailed`."""
    kernel = kernel_for(game)
    if kernel is None or _loaded.get(kernel) is not None:
        return
    if kernel in _loaded:
        raise CompileFailed(f"The kernel {kernel} could not be compiled before.")
    try:
        _loaded[kernel] = _load_engine(kernel)
    except Exception as error:
        # Also a third party's kernel may fail in any way; its game goes on without.
        _loaded[kernel] = None
        raise CompileFailed(f"The kernel {kernel} can't be compiled: {error}") from error


def compiled_machine(
    game: Game[PositionT],
    position: PositionT,
    flag: Any = None,
    *,
    memory: Memory | None = None,
    slots: int = SLOTS,
) -> Machine:
    """An engine of machine code. The game's must be ready. `flag` is a buffer of one byte that stops it."""
    import numpy as np

    code = _loaded[game.kernel]
    assert code is not None
    state = np.zeros(code.STATE, code.DTYPE)
    code.load(game, position, state)
    return Machine(
        code=code,
        state=state,
        work=np.zeros(code.WORK, np.int64),
        table=(memory or Memory()).empty_table(slots),
        slots=slots,
        stop=np.zeros(1, np.uint8) if flag is None else np.frombuffer(flag, np.uint8),
    )


# ---------------------------------------------------------------- making a module


def load(source: str, signatures: dict[str, str]) -> ModuleType:
    """A module like the one named, but whose functions are machine code.

    Those named in `signatures` are compiled now or taken from the cache, and can be called from Python.
    The others are compiled into their callers, except for `load`, which stays Python. In a
    signature, `{dtype}` stands for the source's DTYPE. Raises whatever numba raises.
    """
    return _made(_source(source, signatures))


def has_kept(source: str, signatures: dict[str, str]) -> bool:
    """Does the cache have all that `load` would compile, as far as one can see?"""
    return _is_kept(_source(source, signatures))


def _load_engine(kernel: str) -> ModuleType:
    """A kernel's functions and the engine's, which has a module of its own: names may be the same."""
    ours, engine = _sources(kernel)
    base = _made(ours)
    if base.MOVE_NUMBERS > MOVE_NUMBERS:
        raise ValueError(f"its MOVE_NUMBERS may be {MOVE_NUMBERS:,} at most, not {base.MOVE_NUMBERS:,}")
    module = _made(engine)
    module.load = base.load  # type: ignore[attr-defined]
    return module


@dataclass(frozen=True, slots=True)
class _Source:
    """A module to be made."""

    name: str
    text: str
    digest: str
    """A hash of all that its machine code is made of, which names its folder in the cache."""

    @property
    def module(self) -> str:
        """Its name among all modules."""
        return f"parlour_compiled_{self.digest}_{self.name}"


@cache
def _sources(kernel: str) -> tuple[_Source, _Source]:
    """A kernel's and its engine's, which says by name whose functions it calls."""
    base = _source(kernel, SIGNATURES)
    engine = _decorated(_text(ENGINE), SIGNATURES, _dtype(base.text))
    text = f"{_NUMBA}from {base.module} import {', '.join(CONTRACT)}\n{_PRELUDE}{ast.unparse(engine)}"
    return base, _named(f"{kernel}.engine", text)


def _source(module: str, signatures: dict[str, str]) -> _Source:
    text = _text(module)
    return _named(module, _NUMBA + ast.unparse(_decorated(text, signatures, _dtype(text))))


def _named(name: str, text: str) -> _Source:
    digest = sha256("\0".join([version("numba"), sys.version, text, *_imported(text)]).encode())
    return _Source(name.replace(".", "_"), text, digest.hexdigest()[:16])


def _dtype(text: str) -> str:
    """The name of a source's DTYPE."""
    for node in ast.parse(text).body:
        match node:
            case ast.Assign(targets=[ast.Name("DTYPE")], value=ast.Attribute(attr=name)):
                return name
    return "int64"


def _is_kept(source: _Source) -> bool:
    return (cache_folder() / source.digest / MADE).exists()


def _made(source: _Source) -> ModuleType:
    """The module of this source, from its file in the cache."""
    folder = _folder(source.digest)
    path = folder / f"{source.name}.py"
    _write(path, source.text)
    name = source.module
    spec = spec_from_file_location(name, path, loader=SourceFileLoader(name, str(path)))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    # numba looks functions up by their module's name when it loads them from its cache.
    sys.modules[name] = module
    made = folder / MADE
    with contextlib.nullcontext() if made.exists() else _alone(folder):
        spec.loader.exec_module(module)
    with contextlib.suppress(OSError):
        made.touch()
    return module


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let other processes wait meanwhile that would compile the same; they then find it there.

    Whoever is killed keeps nobody waiting. On Windows, and where files have no locks, all of them compile.
    """
    if sys.platform == "win32":
        yield
        return
    import fcntl

    with (folder / "lock").open("w") as lock:
        with contextlib.suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _text(module: str) -> str:
    package, _, name = module.rpartition(".")
    return files(package).joinpath(f"{name}.py").read_text("utf-8")


def _decorated(source: str, signatures: dict[str, str], dtype: str) -> ast.Module:
    """The source with numba's decorator on each of its functions."""
    tree = ast.parse(source)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name != "load":
            signature = signatures.get(node.name)
            options = "nogil=True, error_model='numpy', _nrt=False" + (
                "" if node.name in ("value",) else ", forceinline=True"
            )
            if signature is not None:
                options = f"{signature.replace('{dtype}', dtype)!r}, cache=True, {options}"
            decorator = ast.parse(f"_njit({options})", mode="eval").body
            node.decorator_list = [decorator]
            # Names for the type checker alone: numba would have to find them.
            node.returns = None
            for argument in node.args.args:
                argument.annotation = None
            _Unsigned().visit(node)
    return ast.fix_missing_locations(tree)


class _Unsigned(ast.NodeTransformer):
    """Makes every index unsigned: else each access asks whether it counts from the end. None here does."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.slice, ast.UnaryOp) and isinstance(node.slice.op, ast.USub):
            raise CompileFailed(f"Line {node.lineno} counts an index from the end, which a kernel can't.")
        if not isinstance(node.slice, ast.Constant | ast.Tuple | ast.Slice):
            node.slice = ast.Call(ast.parse("np.uint64", mode="eval").body, [node.slice], [])
        return node


def cache_folder() -> Path:
    """Where machine code is kept from one process to the next. PARLOUR_CACHE names another place for it."""
    given = os.environ.get("PARLOUR_CACHE")
    return (Path(given) if given else user_cache_path("parlour")) / "kernels"


def _folder(digest: str) -> Path:
    """Make the folder in which the machine code of this source is kept."""
    folder = cache_folder() / digest
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        usable = os.access(folder, os.W_OK) and _is_ours_alone(folder)
    except OSError:
        usable = False
    return folder if usable else _folder_of_this_process()


def _imported(text: str) -> list[str]:
    """The sources of the modules that this one imports names from: they are compiled into it."""
    sources = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("parlour_server."):
            spec = find_spec(node.module)
            assert spec is not None
            assert spec.origin is not None
            sources.append(Path(spec.origin).read_text("utf-8"))
    return sources


def _is_ours_alone(folder: Path) -> bool:
    """Machine code is loaded from there, so nobody else may write to it."""
    status = folder.stat()
    return not hasattr(os, "getuid") or (status.st_uid == os.getuid() and not status.st_mode & 0o022)


@cache
def _folder_of_this_process() -> Path:
    """Where nothing can be kept it is compiled for this process alone, and goes with it."""
    folder = tempfile.mkdtemp(prefix="parlour-kernels-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _write(path: Path, text: str) -> None:
    """Write the file unless it stands there. Whole or not at all: others may be about to read it."""
    if path.exists() and path.read_text("utf-8") == text:
        return
    handle, draft = tempfile.mkstemp(dir=path.parent, suffix=".draft")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    # numba knows a source by its date: a file that another process has just written must stay as it is.
    if not path.exists():
        with contextlib.suppress(OSError):
            Path(path).hardlink_to(draft)
    if path.exists() and path.read_text("utf-8") == text:
        Path(draft).unlink()
    else:
        Path(draft).replace(path)
