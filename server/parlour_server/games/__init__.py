"""The games that this server knows, its own and those that others install.

A game is offered by an entry point of the group `parlour.games` that names an instance of `Game`. It may
have variants, which are named after it: `mnk:7,7,4`. Other people's games are held to the contract when they
are loaded, which takes some milliseconds each; ours by the tests, with the same function.
"""

import re
import sys
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from parlour_protocol.nearest import nearest
from parlour_protocol.views.rooms import GameLine
from parlour_protocol.words import Sentence
from parlour_server.games.game import BrokenContract, Game, InvalidPosition, quoted
from parlour_server.games.numbers import NUMBERS
from parlour_server.games.positions import AT, begin_at

GROUP = "parlour.games"
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")
"""What can be typed as a game's name."""

BEST_KNOWN = ("connect4", "gomoku", "mnk", "reversi", "tictactoe", "ultimate")
"""What lists begin with: who has never been here knows the first one's rules."""

VARIANTS_KEPT = 64
"""Strangers may ask for any number of variants; those asked for last are kept."""

TRIAL_SECONDS = 10.0
"""For so long a stranger's game may load and be tried."""


class UnknownGame(ValueError):
    """No game has that name, or no such variant. The sentence says what would do."""


@dataclass(frozen=True, slots=True)
class BrokenGame:
    """An entry point that gave no game, its file (or the entry point's value) and why, in words for a log."""

    entry_point: str
    file: str
    reason: str


def find_game(name: str) -> Game[Any]:
    """The game of that name, or the variant (`mnk:7,7,4`), in capitals or not; from a position on, where one
    stands behind an `@` (`tictactoe@xo1/3/3 x`). Raises `UnknownGame`.
    """
    name, at, position = name.partition(AT)
    game = _of_name(name.strip())
    if not at:
        return game
    try:
        return _beginning_at(game, position.strip())
    except InvalidPosition as error:
        raise UnknownGame(str(error)) from None


def _of_name(name: str) -> Game[Any]:
    games, _ = _registry()
    base, colon, parameters = (part.strip() for part in name.lower().partition(":"))
    if parameters.partition(":")[0].strip() == base:
        # A form that asks for the variant alone is told the whole name by some.
        _, colon, parameters = (part.strip() for part in parameters.partition(":"))
    game = games.get(base)
    if game is None:
        raise no_such_game(name)
    if not colon:
        return game
    try:
        return _variant(game, parameters)
    except ValueError as error:
        raise UnknownGame(str(error)) from None


def no_such_game(name: str) -> UnknownGame:
    """To say which games there are, and which one may be meant."""
    base = name.partition(":")[0].strip()
    # Why, in a stranger's words, is the host's to know.
    if any(broken.entry_point == base.lower() for broken in broken_games()):
        return UnknownGame(Sentence("refusal.broken_game", name=quoted(base)))
    names = [one.name for one in all_games()]
    given = {"name": quoted(name), "known": ", ".join(names)}
    if near := nearest(base, names):
        return UnknownGame(Sentence("refusal.no_such_game_but", meant=near[0], **given))
    return UnknownGame(Sentence("refusal.no_such_game", **given))


@lru_cache(maxsize=VARIANTS_KEPT)
def _variant(game: Game[Any], parameters: str) -> Game[Any]:
    return game.variant(parameters)


@lru_cache(maxsize=VARIANTS_KEPT)
def _beginning_at(game: Game[Any], position: str) -> Game[Any]:
    return begin_at(game, position)


def all_games() -> list[Game[Any]]:
    """Every game that can be played: this package's own first, then the others by name."""
    return [game for game in _registry()[0].values() if game.playable]


@lru_cache(maxsize=VARIANTS_KEPT)
def game_line(game: Game[Any]) -> GameLine:
    """A game as a list of games tells it."""
    sample = game.view(*game.replay(game.sample))
    return GameLine(game.name, game.title, game.summary, sample, game.variants, [*game.usual])


def broken_games() -> list[BrokenGame]:
    """The entry points that were left out. To be logged when a server starts."""
    return list(_registry()[1])


@cache
def _registry() -> tuple[dict[str, Game[Any]], list[BrokenGame]]:
    # Offered by no entry point, and yet nobody else's name.
    games: dict[str, Game[Any]] = {NUMBERS.name: NUMBERS}
    broken: list[BrokenGame] = []
    for entry_point in sorted(entry_points(group=GROUP), key=_ours_first):
        try:
            game = _load(entry_point)
            if game.name in games:
                raise ValueError(f"another game is called {game.name} already")
        # Strangers' code may fail in any way, even by leaving: it takes no other game down.
        except (Exception, SystemExit) as error:
            kind = "" if isinstance(error, BrokenContract) else f"{type(error).__name__}: "
            broken.append(BrokenGame(entry_point.name, _file_of(entry_point), f"{kind}{error}"))
        else:
            games[game.name] = game
    return games, broken


def _ours_first(entry_point: EntryPoint) -> tuple[bool, int, str]:
    """So that no other package can take the name of a game that ships with the server."""
    name = entry_point.name
    known = BEST_KNOWN.index(name) if name in BEST_KNOWN else len(BEST_KNOWN)
    return not _is_ours(entry_point), known, name


def _is_ours(entry_point: EntryPoint) -> bool:
    return entry_point.value.startswith(f"{__name__}.")


def _file_of(entry_point: EntryPoint) -> str:
    """The file of the module that an entry point names, where that was found."""
    module = sys.modules.get(entry_point.value.partition(":")[0].strip())
    return getattr(module, "__file__", None) or entry_point.value


def _load(entry_point: EntryPoint) -> Game[Any]:
    if _is_ours(entry_point):
        return _loaded(entry_point)
    # Not needed by a server without strangers' games: so it is imported here.
    from parlour_server.games.contract import check
    from parlour_server.interruption import Interrupted, interrupted_after

    try:
        with interrupted_after(TRIAL_SECONDS):
            game = _loaded(entry_point)
            check(game)
    except Interrupted:
        raise BrokenContract(f"it says nothing for {TRIAL_SECONDS:g} s; it may loop for ever") from None
    return game


def _loaded(entry_point: EntryPoint) -> Game[Any]:
    game = entry_point.load()
    if not isinstance(game, Game):
        raise TypeError(f"{entry_point.value} is no instance of Game")
    if not NAME.fullmatch(game.name):
        raise ValueError(f"{quoted(game.name)} can't be typed as a game's name")
    return game
