"""A bot's file: loaded, and what its function returns made sense of.

    def choose(position):
        return position.legal_moves[0]

is a whole one; `interfaces` has the other ways in which one may be called. `NAME = "deep"` names it (else it
is called as its file is), and `GAMES = ["connect4"]` claims the games that it plays (else it plays all that
its interface has). This module is imported in the bot's own process alone.
"""

import importlib.util
import inspect
import linecache
import re
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic import ValidationError

from parlour_client.bots import interfaces
from parlour_client.bots.entrant import Own
from parlour_client.bots.errors import at_line
from parlour_client.bots.interfaces.program import ProgramEnded
from parlour_client.bots.position import Position
from parlour_protocol import RESERVED_NAMES
from parlour_protocol.views.reports import ProgramCandidate, ProgramReport
from parlour_protocol.words import say, spoken, system_fault, what_is_wrong


class Unusable(Exception):
    """The file can't be played with, and why, in a sentence."""


@dataclass(frozen=True, slots=True)
class BotFile:
    """A file that was loaded, or a program that was started."""

    path: Path
    name: str
    games: tuple[str, ...]
    """Those that it claims to play; empty: all."""
    choose: Callable[[Position], Any]
    interface: str = "parlour"
    call: Callable[[str, Position], Any] | None = None
    """Calls a function of the file by its name, with a position as the file writes it."""
    names: frozenset[str] = frozenset()
    """All names in the file."""


def load_own(own: Own) -> BotFile:
    """Load a file, or start a program. Raises `Unusable`."""
    told = None if own.interface is None else interfaces.interface(own.interface)
    if told is None or not told.is_program:
        return load(own.path, own.interface)
    try:
        choose = told.bot(own.words)
    except ProgramEnded as ended:
        raise Unusable(str(ended)) from None
    return BotFile(own.path.absolute(), name_of(own.path), told.games, choose, told.name)


def load(path: Path, interface: str | None = None) -> BotFile:
    """Run the file and take what is to be called of it. Raises `Unusable`."""
    # As exceptions will name it, wherever the file may go.
    path = path.absolute()
    module = _run(path)
    found = interfaces.find(module) if interface is None else interfaces.interface(interface)
    speaks = None if found is None else found.find(module)
    if found is None or speaks is None:
        if interface in (None, "parlour"):
            raise Unusable(say("error.bot.no_choose", file=path.name))
        form = say(f"bot.interface.{interface}")
        raise Unusable(say("error.bot.no_interface", file=path.name, interface=form))
    games = getattr(module, "GAMES", found.games)
    if isinstance(games, str) or not all(isinstance(game, str) for game in games):
        raise Unusable(say("error.bot.games", file=path.name))
    called = getattr(module, "NAME", name_of(path))
    if not isinstance(called, str) or not called.strip():
        raise Unusable(say("error.bot.name", file=path.name))
    argument = found.argument

    def call(function: str, position: Position) -> Any:
        assert argument is not None
        return getattr(module, function)(argument(module, position))

    own = None if argument is None else call
    return BotFile(path, called, tuple(games), found.bot(speaks), found.name, own, frozenset(vars(module)))


def _run(path: Path) -> ModuleType:
    """The file as a module. Raises `Unusable`."""
    if not path.is_file():
        raise Unusable(say("error.no_file", file=repr(str(path))))
    name = path.stem
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise Unusable(say("error.bot.not_python", file=path.name))
    if name in sys.stdlib_module_names:
        raise Unusable(say("error.bot.shadows", file=path.name, module=name))
    module = importlib.util.module_from_spec(spec)
    # Modules beside it are its own, and it may be asked for by name itself, by dataclasses say.
    sys.path.insert(0, str(path.parent.resolve()))
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        file = Path(error.filename or path).name
        raise Unusable(at_line(file, error.lineno, f"{error.msg}.")) from None
    except BaseException as error:
        line, source = where(error, path)
        if line is None and isinstance(error, OSError):
            why = spoken(system_fault(error))
            raise Unusable(say("error.unreadable", file=repr(str(path)), why=why)) from None
        raise Unusable(at_line(path.name, line, describe(error), source)) from None
    return module


def name_of(path: Path) -> str:
    """What a bot is called by its file: one word, which no server takes for its own bot or for itself."""
    name = re.sub(r"[\W_]+", "_", path.stem).strip("_")
    return f"my_{name}" if name.casefold() in RESERVED_NAMES else name or "my_bot"


def describe(error: BaseException) -> str:
    """An exception as one line: `ZeroDivisionError: division by zero`."""
    if isinstance(error, ValidationError):
        return _wrong_report(error)
    return " ".join("".join(traceback.format_exception_only(error)).split())


def _wrong_report(error: ValidationError) -> str:
    """What is wrong with a Report or a Candidate, in one line."""
    # The last of the ways in which one value may be right says the most: a number is a float, too.
    wrong = error.errors()[-1]
    what = {"ProgramReport": ProgramReport, "ProgramCandidate": ProgramCandidate}.get(error.title)
    name = str(wrong["loc"][0])
    if what is not None and name.isdecimal():
        name = fields(what)[int(name)].name
    return f"{error.title.removeprefix('Program')}: {name}: {spoken(what_is_wrong(wrong))}"


def where(error: BaseException, path: Path) -> tuple[int | None, str]:
    """The last line of the bot's own file that an exception went through, and what stands there."""
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename and Path(frame.filename) == path
    ]
    if not lines or lines[-1] is None:
        return None, ""
    return lines[-1], linecache.getline(str(path), lines[-1]).strip()


def read(returned: Any) -> tuple[str, ProgramReport | None] | None:
    """The move, and the report, that `choose` returned; None where it is neither."""
    match returned:
        case str():
            return returned, None
        case (str() as move, None | ProgramReport() as report):
            return move, report
        case _:
            return None


def is_awaitable(returned: Any) -> bool:
    """Was `choose` an `async def`?"""
    return inspect.isawaitable(returned)
