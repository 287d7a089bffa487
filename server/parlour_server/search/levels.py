"""The bots that can be seated, by name: a search with its settings, or a level for people.

A bot is written as its name and, after a colon, its settings: `minimax:depth=4,seed=7`.

    InvalidBot (a ValueError)
     +-- UnknownBot     no bot has that name
     +-- BadSetting     the bot is known, but not so: says which setting is wrong, and what would do
"""

import re
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import Any, Literal, get_args

from parlour_protocol.nearest import nearest
from parlour_protocol.views.rooms import BotSetting
from parlour_protocol.words import Sentence
from parlour_server.games.game import quoted

Search = Literal["engine", "exact", "minimax", "alphabeta", "mcts", "random"]

EVERY: tuple[Search, ...] = get_args(Search)
DEEPENING: tuple[Search, ...] = ("engine", "exact")
LOOKING: tuple[Search, ...] = (*DEEPENING, "minimax", "alphabeta")
THINKING: tuple[Search, ...] = (*LOOKING, "mcts")


class InvalidBot(ValueError):
    """A bot that can't be seated as it was written."""


class UnknownBot(InvalidBot):
    """No bot has that name."""


class BadSetting(InvalidBot):
    """A setting that the bot doesn't have, or a value that it can't take."""


def _setting(
    least: float, greatest: float, unit: str | None = None, *, of: tuple[Search, ...] = EVERY
) -> Any:
    """A field that is a setting: its bounds, what it counts, and the searches that take it."""
    setting = {"least": least, "greatest": greatest, "unit": unit}
    return field(default=None, metadata={"is": setting, "of": of})


@dataclass(frozen=True, slots=True)
class BotSpec:
    """A bot with its settings; None where one was not given. `str` writes what `parse_bot` reads.

    One that `Kind` has, too, takes its place there: see `kind_of`.
    """

    name: str
    depth: int | None = _setting(1, 99, "plies", of=LOOKING)
    """How many plies it looks ahead."""
    nodes: int | None = _setting(1, 10**12, "positions", of=DEEPENING)
    """How many positions it visits for a move: the same ones each time, which time can't promise."""
    playouts: int | None = _setting(1, 10**9, "playouts", of=("mcts",))
    """How many games it plays to their end by chance for a move."""
    time: float | None = _setting(0.01, 3600, "seconds", of=THINKING)
    """How many seconds it takes for a move."""
    seed: int | None = _setting(0, 2**63 - 1)
    """What its random choices follow from; without one they follow from 0."""

    def __str__(self) -> str:
        given = [
            f"{key}={value}" if SETTINGS[key].whole else f"{key}={value:.10g}"
            for key in SETTINGS
            if (value := getattr(self, key)) is not None
        ]
        return f"{self.name}:{','.join(given)}" if given else self.name


_FIELDS = [one for one in fields(BotSpec) if one.metadata]
SETTINGS = {
    one.name: BotSetting(one.name, **one.metadata["is"], whole=one.type == int | None) for one in _FIELDS
}
"""All that a bot may be set to; each bot takes some."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What stands behind a bot's name."""

    search: Search
    depth: int | None = None
    """How far a level looks ahead; None: as far as the game allows."""
    time: float | None = None
    """How many seconds a level thinks; None: as long as the server allows."""
    threats: bool = True
    """Does it look further where a threat hangs over the board?"""
    blunders: float = 0.0
    """The share of its moves that it makes at random."""
    lapses: float = 0.0
    """The share of moves made at random among those that it doesn't see lose; never where it sees a win."""

    @property
    def settings(self) -> list[str]:
        """The names of those it takes; a level that looks ahead so far takes what every search takes."""
        searches = EVERY if self.depth is not None else (self.search,)
        return [one.name for one in _FIELDS if set(searches) <= set(one.metadata["of"])]


KINDS = {
    "easy": Kind("engine", depth=1, threats=False, blunders=0.7),
    "medium": Kind("engine", depth=2, threats=False, lapses=0.2),
    "hard": Kind("engine", time=0.5),
    "perfect": Kind("exact"),
    "minimax": Kind("minimax"),
    "alphabeta": Kind("alphabeta"),
    "engine": Kind("engine"),
    "mcts": Kind("mcts"),
    "random": Kind("random"),
}
_OF_KIND = frozenset(one.name for one in fields(Kind))


@lru_cache(maxsize=1024)
def kind_of(spec: BotSpec) -> Kind:
    """What stands behind a bot as it is set."""
    given = {name: value for name in _OF_KIND & SETTINGS.keys() if (value := getattr(spec, name)) is not None}
    if spec.nodes is not None:
        given = {"time": None, **given}
    return replace(KINDS[spec.name], **given)


def parse_bot(text: str) -> BotSpec:
    """Read a bot as people write it, in capitals or not. Raises `UnknownBot` and `BadSetting`."""
    name, colon, rest = text.strip().lower().partition(":")
    name = name.strip()
    kind = KINDS.get(name)
    if kind is None:
        known = ", ".join(KINDS)
        if not name:
            raise UnknownBot(Sentence("bot.none", known=known))
        if near := nearest(name, KINDS):
            raise UnknownBot(Sentence("bot.unknown_but", name=quoted(name), meant=near[0], known=known))
        raise UnknownBot(Sentence("bot.unknown", name=quoted(name), known=known))
    if not colon:
        return BotSpec(name)
    takes = Sentence("bot.takes", bot=name, settings=[f"{key}=NUMBER" for key in kind.settings])
    values: dict[str, float] = {}
    for item in rest.split(","):
        key, equals, value = (part.strip() for part in item.partition("="))
        if not item.strip():
            raise BadSetting(Sentence("bot.setting_missing", text=quoted(text), takes=takes))
        if not (key and equals):
            raise BadSetting(Sentence("bot.not_a_setting", text=quoted(item), takes=takes))
        if key not in kind.settings:
            raise BadSetting(Sentence("bot.no_such_setting", bot=name, name=quoted(key), takes=takes))
        if key in values:
            raise BadSetting(Sentence("bot.given_twice", name=key))
        values[key] = _number(key, value)
    # mypy can't see which key has which kind of number.
    return BotSpec(name, **values)  # type: ignore[arg-type]


def _number(key: str, text: str) -> float:
    setting = SETTINGS[key]
    # Twenty digits are past every range; reading thousands of them would cost time.
    form = r"-?[0-9]{1,20}" if setting.whole else r"-?([0-9]{1,20}(\.[0-9]{1,10})?|\.[0-9]{1,10})"
    read = int if setting.whole else float
    if not re.fullmatch(form, text) or not setting.least <= read(text) <= setting.greatest:
        bounds = {"least": str(setting.least), "most": str(setting.greatest)}
        id_ = "bot.whole_number" if setting.whole else "bot.number"
        raise BadSetting(Sentence(id_, name=key, given=quoted(text), **bounds))
    return read(text)


def with_seed(spec: BotSpec, seed: int) -> BotSpec:
    """The same bot with this seed, unless it has one already."""
    return spec if spec.seed is not None else replace(spec, seed=seed)
