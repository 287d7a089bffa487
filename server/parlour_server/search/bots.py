"""The bots that can be seated: a search with its settings, or a level for people.

A bot is written as its name and, after a colon, its settings: `minimax:depth=4,seed=7`.

    BotError (a ValueError)
     +-- UnknownBot     no bot has that name
     +-- BadSetting     the bot is known, but not so: says which setting is wrong, and what would do
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Literal, assert_never

from parlour_protocol.views import BotInGames, BotLine, Report
from parlour_server.games.game import Game, Move, PositionT, quoted
from parlour_server.search import connect4
from parlour_server.search.alphabeta import alphabeta
from parlour_server.search.chance import at_random
from parlour_server.search.compiled import is_ready, kernel_for
from parlour_server.search.deepening import engine
from parlour_server.search.minimax import minimax
from parlour_server.search.search import SHORT_GAME, Control

RANGES: Mapping[str, tuple[float, float]] = {
    "depth": (1, 99),
    "nodes": (1, 10**12),
    "time": (0.01, 3600),
    "seed": (0, 2**63 - 1),
}
"""The least and the greatest value of every setting: plies, positions, seconds, and any number."""

RANGES_SHOWN = {
    "depth": "depth=1..99",
    "nodes": "nodes=N",
    "time": "time=SECONDS",
    "seed": "seed=N",
}
"""How they are written."""

BUDGETS = {"minimax": 1_000_000, "alphabeta": 10_000_000}
"""For longer games: how many leaves the whole tree may have down to the horizon, at most `max_plies`
moves a position. Alpha-beta sees a small part of its tree only. Seconds, not minutes, in plain Python."""


class BotError(ValueError):
    """A bot that can't be seated as it was written."""


class UnknownBot(BotError):
    """No bot has that name."""


class BadSetting(BotError):
    """A setting that the bot doesn't have, or a value that it can't take."""


@dataclass(frozen=True, slots=True)
class BotSpec:
    """A bot with its settings; None where one was not given. `str` writes what `parse_bot` reads."""

    name: str
    depth: int | None = None
    """How many plies it looks ahead."""
    nodes: int | None = None
    """How many positions it visits for a move: the same ones each time, which time can't promise."""
    time: float | None = None
    """How many seconds it takes for a move."""
    seed: int | None = None
    """What its random choices follow from; without one they follow from 0."""

    def __str__(self) -> str:
        given = [
            f"{key}={value:.10g}" if key == "time" else f"{key}={value}"
            for key in RANGES
            if (value := getattr(self, key)) is not None
        ]
        return f"{self.name}:{','.join(given)}" if given else self.name


Search = Literal["engine", "exact", "minimax", "alphabeta", "random"]

BOUNDED = ("depth", "nodes", "time", "seed")


@dataclass(frozen=True, slots=True)
class _Kind:
    """What stands behind a bot's name."""

    summary: str
    search: Search
    settings: Sequence[str] = ("seed",)
    depth: int | None = None
    """How far a level looks ahead; None: as far as the game allows."""
    seconds: float | None = None
    """How long a level thinks; None: as long as the server allows."""
    threats: bool = True
    """Does it look further where a threat hangs over the board?"""
    blunders: float = 0.0
    """The share of its moves that it makes at random."""
    dozes: float = 0.0
    """The share of moves made at random among those that it doesn't see lose; never where it sees a win."""


_KINDS = {
    "easy": _Kind(
        "Sees one move ahead, and now and then not even that: a child can beat it.",
        "engine",
        depth=1,
        threats=False,
        blunders=0.6,
    ),
    "medium": _Kind(
        "Looks two plies ahead: takes what you leave and stops plain threats, but dozes between.",
        "engine",
        depth=2,
        threats=False,
        dozes=0.2,
    ),
    "hard": _Kind("Thinks for half a second, as deep as it comes.", "engine", BOUNDED, seconds=0.5),
    "perfect": _Kind(
        "Exact in tic-tac-toe, and in Connect Four by a compiled solver; else as good as its time allows.",
        "exact",
        BOUNDED,
    ),
    "minimax": _Kind(
        "The textbook algorithm: the whole tree, or down to a depth.", "minimax", ("depth", "time", "seed")
    ),
    "alphabeta": _Kind("Minimax that skips what can't matter.", "alphabeta", ("depth", "time", "seed")),
    "engine": _Kind(
        "Deeper and deeper, with a table and good moves first, to the bounds you set.", "engine", BOUNDED
    ),
    "random": _Kind("Plays any legal move.", "random"),
}


def list_bots(games: Sequence[Game[Any]] = (), *, compiled: bool = True) -> list[BotLine]:
    """Every bot with its settings, levels first, and what it does now in each of these games.

    `compiled`: is machine code used here, where it is ready?
    """
    return [
        BotLine(
            name, kind.summary, [RANGES_SHOWN[key] for key in kind.settings], _in_games(name, games, compiled)
        )
        for name, kind in _KINDS.items()
    ]


def _in_games(bot: str, games: Sequence[Game[Any]], compiled: bool) -> list[BotInGames]:
    """What the bot does, with the games in which it does the same together."""
    alike: dict[str, list[str]] = {}
    for game in games:
        alike.setdefault(_in_game(game, BotSpec(bot), compiled), []).append(game.name)
    return [BotInGames(names, does) for does, names in alike.items()]


def _in_game(game: Game[Any], spec: BotSpec, compiled: bool) -> str:
    kind, search = _KINDS[spec.name], _search_of(game, spec)
    if search == "random":
        return "draws a legal move"
    if search in ("minimax", "alphabeta"):
        depth = _plain_depth(game, search, kind.depth)
        does = "searches to the end of the game" if depth is None else f"searches {_plies(depth)} deep"
    elif search == "exact" and connect4.knows(game) and compiled and connect4.is_ready():
        return "knows every move's worth, from an opening book and an exact solver"
    else:
        if not compiled or kernel_for(game) is None:
            by = "in plain Python"
        else:
            by = "in machine code" if is_ready(game) else "in plain Python until its machine code is ready"
        if kind.depth is not None:
            does = f"searches {_plies(kind.depth)} deep{', and threats further' if kind.threats else ''}"
        elif kind.seconds is not None:
            does = f"searches deeper and deeper for {kind.seconds:g} s, {by}"
        else:
            does = f"searches deeper and deeper as long as the server lets it, {by}"
        if search == "exact" and connect4.knows(game):
            return f"knows the opening from a book, and {does}"
    if kind.blunders:
        return f"{does}; {kind.blunders:.0%} of its moves are chance"
    return f"{does}; {kind.dozes:.0%} of its quiet moves are chance" if kind.dozes else does


def _plies(count: int) -> str:
    return "1 ply" if count == 1 else f"{count} plies"


def parse_bot(text: str) -> BotSpec:
    """Read a bot as people write it, in capitals or not. Raises `UnknownBot` and `BadSetting`."""
    name, colon, rest = text.strip().lower().partition(":")
    name = name.strip()
    kind = _KINDS.get(name)
    if kind is None:
        missing = f"There is no bot {quoted(name)}." if name else "Name a bot."
        raise UnknownBot(f"{missing} Choose one of: {', '.join(_KINDS)}.")
    if not colon:
        return BotSpec(name)
    *most, last = (f"{key}=NUMBER" for key in kind.settings)
    takes = f"{name} takes {', '.join(most)} and {last}" if most else f"{name} takes {last}"
    values: dict[str, float] = {}
    for item in rest.split(","):
        key, equals, value = (part.strip() for part in item.partition("="))
        if not item.strip():
            raise BadSetting(f"A setting is missing in {quoted(text)}: {takes}.")
        if not (key and equals):
            raise BadSetting(f"{quoted(item)} is no setting: {takes}.")
        if key not in kind.settings:
            raise BadSetting(f"{name} has no setting {quoted(key)}: {takes}.")
        if key in values:
            raise BadSetting(f"{key} is given twice: give it once.")
        values[key] = _seconds(value) if key == "time" else _number(key, value)
    # mypy can't see which key has which kind of number.
    return BotSpec(name, **values)  # type: ignore[arg-type]


def _seconds(text: str) -> float:
    least, greatest = RANGES["time"]
    number = re.fullmatch(r"[0-9]{1,20}(\.[0-9]{1,10})?|\.[0-9]{1,10}", text)
    if number is None or not least <= float(text) <= greatest:
        raise BadSetting(f"time must be seconds from {least} to {greatest}, not {quoted(text)}.")
    return float(text)


def _number(key: str, text: str) -> int:
    least, greatest = RANGES[key]
    # Twenty digits are past every range; reading thousands of them would cost time.
    if not re.fullmatch(r"[0-9]{1,20}", text) or not least <= int(text) <= greatest:
        raise BadSetting(f"{key} must be a whole number from {least} to {greatest}, not {quoted(text)}.")
    return int(text)


def with_seed(spec: BotSpec, seed: int) -> BotSpec:
    """The same bot with this seed, unless it has one already."""
    return spec if spec.seed is not None else replace(spec, seed=seed)


def time_limit(spec: BotSpec) -> float | None:
    """The seconds that this bot takes for a move at most; None: as many as the server allows."""
    if spec.time is not None:
        return spec.time
    return None if spec.nodes is not None else _KINDS[spec.name].seconds


def uses_machine_code(game: Game[Any], spec: BotSpec) -> bool:
    """Does this bot's search run as machine code here, once that is ready? Else it is Python, and slow."""
    return kernel_for(game) is not None and _search_of(game, spec) in ("engine", "exact")


def knows_at_once(game: Game[PositionT], position: PositionT, spec: BotSpec, *, every_move: bool) -> bool:
    """Is the bot's answer there without a search, and so without machine code? False for finished games."""
    if game.outcome(position) is not None:
        return False
    return _known(game, position, spec, Control(), full=every_move) is not None


def think(
    game: Game[PositionT], position: PositionT, spec: BotSpec, *, move_number: int, control: Control
) -> Report:
    """Choose a move. The same seed and move number make the same choice, after any restart too.

    `move_number` tells this move from all others that the bot makes. A search that was stopped before
    it had scored any move has no best one. Raises `ValueError` for a finished position.
    """
    rng = _dice(spec, move_number)
    report = _search(game, position, spec, rng, control, full=False)
    kind, drawn = _KINDS[spec.name], rng.random()
    if drawn < kind.blunders:
        report.best = game.format(position, rng.choice(game.legal_moves(position)))
        report.line = [report.best]
    elif drawn < kind.dozes and all(one.result != "win" for one in report.candidates):
        bearable = [one.move for one in report.candidates if one.result != "loss"]
        report.best = rng.choice(bearable) if bearable else report.best
        report.line = [report.best] if report.best else []
    return report


def analyse(
    game: Game[PositionT], position: PositionT, spec: BotSpec, *, control: Control, also: Move | None = None
) -> Report:
    """Score every legal move as exactly as the bot can. Raises `ValueError` for a finished position.

    Where the game is selective the likely best moves are scored, and the one that is `also` asked for.
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
    also: Move | None = None,
) -> Report:
    kind = _KINDS[spec.name]
    # The seed is left out: it says nothing about the thoughts, and who knows it knows the next move.
    bot = str(replace(spec, seed=None))
    depth = kind.depth if spec.depth is None else spec.depth
    search = _search_of(game, spec)
    match search:
        case "random":
            return at_random(game, position, rng=rng, control=control, bot=bot)
        case "minimax":
            depth = _plain_depth(game, "minimax", depth)
            return minimax(game, position, rng=rng, control=control, depth=depth, bot=bot)
        case "alphabeta":
            depth = _plain_depth(game, "alphabeta", depth)
            return alphabeta(
                game, position, rng=rng, control=control, depth=depth, full=full, also=also, bot=bot
            )
        case "exact" if connect4.knows(game) and depth is None and control.compiled and connect4.is_ready():
            # The game is Connect Four, and so is its position.
            solved: Any = position
            return connect4.solve(solved, control=control, nodes=spec.nodes, every_move=full, bot=bot)
        case "engine" | "exact":
            known = _known(game, position, spec, control, full=full)
            if known is not None:
                return known
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


def _known(game: Game[Any], position: Any, spec: BotSpec, control: Control, *, full: bool) -> Report | None:
    """What a book has to say, where the bot has one."""
    if _search_of(game, spec) != "exact" or not connect4.knows(game) or spec.depth is not None:
        return None
    bot = str(replace(spec, seed=None))
    return connect4.from_book(position, control=control, every_move=full, bot=bot)


def _search_of(game: Game[Any], spec: BotSpec) -> Search:
    """A bot's search; the levels' is plain alpha-beta where that sees the end of every game at once."""
    search = _KINDS[spec.name].search
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
