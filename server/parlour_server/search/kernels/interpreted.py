"""The inner search over a game's rules, in plain Python: for games without a kernel, servers without numba.

The same source as the compiled one, and the same nodes as long as neither table is full. Its memory and its
table are dictionaries where the compiled one has arrays, and need no sizes; its state is a list of the
positions from the root on.
"""

from collections import OrderedDict, defaultdict
from functools import cache
from importlib.resources import files
from itertools import count
from types import CodeType, SimpleNamespace
from typing import Any

from parlour_server.games.game import Game, Move, PositionT
from parlour_server.search.kernels import ORDERED, RANKED, SELECTIVE
from parlour_server.search.kernels.inner_search import MOVE_NUMBERS, InnerSearch

MOST_PLIES = 500
MOST_MOVES = 1 << 14
SLOTS = 1 << 20
"""Numbers in the table: about 100 MB when all are taken."""
BUCKET = 4
"""Of them in a bucket, two positions'."""

POLL_EVERY = 32
"""Positions between two looks at the stop flag: in Python one may take a millisecond."""


class _Stop:
    """The stop byte of a search that asks a function instead."""

    def __init__(self, control_stopped: Any) -> None:
        self._stopped = control_stopped

    def __getitem__(self, _: int) -> int:
        return 1 if self._stopped() else 0


def interpreted_search(
    game: Game[PositionT],
    position: PositionT,
    stopped: Any,
    *,
    slots: int = SLOTS,
    key: Any = None,
) -> InnerSearch:
    """An inner search over the rules. `slots` is a power of two; `key` may give positions other keys.

    A search by it raises `ValueError` where the game has more moves than it can number.
    """
    numbers: dict[Move, int] = {}
    by_number: list[Move] = []

    def number(move: Move) -> int:
        known = numbers.get(move)
        if known is None:
            known = numbers[move] = len(by_number)
            if known >= MOVE_NUMBERS:
                raise ValueError(f"{game.name} has more than {MOVE_NUMBERS:,} moves: too many for the engine")
            by_number.append(move)
        return known

    names: dict[str, Any] = _contract(game, number, by_number, slots // BUCKET) | {
        "MOST_PLIES": MOST_PLIES,
        "MOST_MOVES": MOST_MOVES,
        "MOVE_NUMBERS": MOVE_NUMBERS,
        "SELECTIVE": SELECTIVE,
        "ORDERED": ORDERED,
        "RANKED": RANKED,
    }
    if key is not None:
        names["key"] = lambda s: key(s[-1])
        names["slot_of"] = lambda k, mask: (k >> 24) & mask & -4
    exec(_inner_search(), names)  # noqa: S102 - our own source
    names["POLL_EVERY"] = POLL_EVERY
    return InnerSearch(
        code=SimpleNamespace(**names),
        state=[position],
        work=defaultdict(int),
        table=defaultdict(int),
        slots=slots,
        stop=_Stop(stopped),
        number=number,
        move=by_number.__getitem__,
    )


@cache
def _inner_search() -> CodeType:
    source = files("parlour_server.search.kernels").joinpath("negamax.py").read_text("utf-8")
    return compile(source, "parlour_server/search/kernels/negamax.py", "exec")


def _contract(game: Game[Any], number: Any, by_number: list[Move], buckets: int) -> dict[str, Any]:
    """The functions of a kernel, as `kernels/__init__.py` lists them, over the rules."""
    seen: OrderedDict[Any, int] = OrderedDict()
    counted = count(1)

    def play(s: list[Any], move: int) -> None:
        s.append(game.play(s[-1], by_number[move]))

    def undo(s: list[Any], move: int) -> None:
        s.pop()

    def ended(s: list[Any]) -> int:
        outcome = game.outcome(s[-1])
        if outcome is None:
            return 0
        if outcome.winner is None:
            return 2
        return 3 if outcome.winner == game.to_move(s[-1]) else 1

    def moves(s: list[Any], out: Any, at: int) -> int:
        position = s[-1]
        order = game.search_order(position)
        if len(order) > MOST_MOVES:
            raise ValueError(f"a position of {game.name} has {len(order):,} moves: too many for the engine")
        for offset, move in enumerate(order):
            out[at + offset] = number(move)
        signs = (SELECTIVE if game.selective(position) else 0) + (ORDERED if game.ordered(position) else 0)
        return len(order) + signs

    def key(s: list[Any]) -> int:
        # Numbered as they are met: the same in every process, which hashes of texts are not.
        position = game.search_key(s[-1])
        known = seen.get(position)
        if known is None:
            known = seen[position] = next(counted)
            # The table hardly knows one from so long ago any more; and a long search would fill the memory.
            if known > buckets:
                seen.popitem(last=False)
        return known

    return {
        "play": play,
        "undo": undo,
        "ended": ended,
        "moves": moves,
        "evaluate": lambda s: game.evaluate(s[-1]),
        "urgent": lambda s: game.urgent(s[-1]),
        "plies_left": lambda s: game.plies_left(s[-1]),
        "margin": lambda s: game.margin(s[-1]),
        "key": key,
        "slot_of": lambda k, mask: BUCKET * k & mask,
    }
