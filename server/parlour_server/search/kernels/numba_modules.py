"""Python sources made into modules of machine code by numba, and kept on disk.

Each function of a source gets numba's decorator, and the result is written to a file. Folders are named by a
hash of all that went in, so that a change makes a new one and a second process compiles nothing.
"""

import ast
import atexit
import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
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

IMPORTS = "import numpy as np\nfrom numba import njit as _njit\n"
"""What every module of machine code begins with."""

KEPT = "cache=True"
"""The option of numba's decorator that has a function compiled by itself, and kept on disk."""

MADE = "made"
"""The file beside machine code that tells that all of it is there."""


class CompileFailed(Exception):
    """A source can't be compiled or loaded, and a sentence says why."""


@cache
def available() -> bool:
    """Is numba installed? Found without importing it."""
    return find_spec("numba") is not None


@dataclass(frozen=True, slots=True)
class ModuleSource:
    """A module to be made."""

    name: str
    text: str
    digest: str
    """A hash of all that its machine code is made of, which names its folder in the cache."""

    @property
    def module(self) -> str:
        """Its name among all modules."""
        return f"parlour_compiled_{self.digest}_{self.name}"

    @property
    def functions(self) -> int:
        """How many of its functions are compiled by themselves, and not as a part of their callers."""
        return self.text.count(KEPT)


def read_source(module: str, signatures: Mapping[str, str]) -> ModuleSource:
    """A module's source, with numba's decorators.

    The functions named in `signatures` can be called from Python. The others are compiled into their callers,
    except for `load`, which stays Python. In a signature, `{dtype}` stands for the source's DTYPE.
    """
    text = source_text(module)
    return named(module, IMPORTS + ast.unparse(decorated(text, signatures, dtype_of(text))))


def named(name: str, text: str) -> ModuleSource:
    """A source of this text, with the hash that names its folder."""
    digest = sha256("\0".join([version("numba"), sys.version, text, *_imported(text)]).encode())
    return ModuleSource(name.replace(".", "_"), text, digest.hexdigest()[:16])


def dtype_of(text: str) -> str:
    """The name of a source's DTYPE."""
    for node in ast.parse(text).body:
        match node:
            case ast.Assign(targets=[ast.Name("DTYPE")], value=ast.Attribute(attr=name)):
                return name
    return "int64"


@contextlib.contextmanager
def counted(progress: Callable[[int], None]) -> Iterator[None]:
    """While the block runs, call with how many functions have been compiled: see `ModuleSource.functions`."""
    from numba.core import event

    class Counter(event.Listener):
        done = depth = 0

        def on_start(self, event: Any) -> None:
            self.depth += 1

        def on_end(self, event: Any) -> None:
            self.depth -= 1
            # What is compiled within another function is a part of it.
            if self.depth == 0:
                self.done += 1
                progress(self.done)

    with event.install_listener("numba:compile", Counter()):
        yield


def is_kept(source: ModuleSource) -> bool:
    """Does the cache have its machine code, as far as one can see?"""
    return (cache_folder() / source.digest / MADE).exists()


def make(source: ModuleSource) -> ModuleType:
    """The module of this source, compiled now or taken from the cache. Raises whatever numba raises."""
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
    with contextlib.nullcontext() if made.exists() else _alone(folder), _without_linear_algebra():
        spec.loader.exec_module(module)
    with contextlib.suppress(OSError):
        made.touch()
    return module


@contextlib.contextmanager
def _without_linear_algebra() -> Iterator[None]:
    """Spare numba its look for scipy's, which takes a third of the time until the first module is loaded.

    No kernel may use it: numba may be installed without scipy.
    """
    name = "scipy.linalg"
    if name in sys.modules:
        yield
        return
    sys.modules[name] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[name]


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let other processes wait meanwhile that would compile the same; they then find it there.

    A killed process keeps no other waiting. On Windows, and where files have no locks, all of them compile.
    """
    if sys.platform == "win32":
        yield
        return
    import fcntl

    with (folder / "lock").open("w") as lock:
        with contextlib.suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def source_text(module: str) -> str:
    """A module's source as it is written."""
    package, _, name = module.rpartition(".")
    if not package:  # a single file
        spec = find_spec(name)
        assert spec is not None and spec.origin is not None
        return Path(spec.origin).read_text("utf-8")
    return files(package).joinpath(f"{name}.py").read_text("utf-8")


def decorated(source: str, signatures: Mapping[str, str], dtype: str) -> ast.Module:
    """The source with numba's decorator on each of its functions."""
    tree = ast.parse(source)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name != "load":
            signature = signatures.get(node.name)
            options = "nogil=True, error_model='numpy', _nrt=False" + (
                "" if node.name in ("value",) else ", forceinline=True"
            )
            if signature is not None:
                options = f"{signature.replace('{dtype}', dtype)!r}, {KEPT}, {options}"
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


def can_keep() -> bool:
    """May we write to the cache?"""
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


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
    """Is it writable by this account alone? Machine code is loaded from there."""
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
