"""Kaggle's Connect X: the last function of a file, `agent(observation, configuration)`, gives a column.

`observation.board` is a flat list from the top left, 0 for an empty cell, 1 and 2 for the players' discs, and
`observation.mark` is one's own. Both may be asked by attribute or by key.
"""

import inspect
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from parlour_client.bots.interfaces.base import Choose, Interface, by_column, move_of, number, numbers
from parlour_client.bots.position import Position

IN_A_ROW = 4
SECONDS = 2.0
"""For a move, where nothing else is said: as at Kaggle."""


class Struct(dict[str, Any]):
    """A dictionary whose values are attributes, too."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    __setattr__ = dict.__setitem__


def _find(module: ModuleType) -> Callable[..., Any] | None:
    functions = [one for one in vars(module).values() if callable(one)]
    last = functions[-1] if functions else None
    if not isinstance(last, FunctionType):
        return None
    parameters = list(inspect.signature(last).parameters)
    return last if 1 <= len(parameters) <= 2 and parameters[0].startswith("ob") else None


def _speak(agent: Callable[..., Any]) -> Choose:
    taken = len(inspect.signature(agent).parameters)

    def choose(position: Position) -> str:
        rows, seconds = numbers(position), position.limit or SECONDS
        observation = Struct(
            board=[cell for row in rows for cell in row],
            mark=number(position),
            step=len(position.moves),
            remainingOverageTime=60.0,
        )
        configuration = Struct(
            columns=len(rows[0]), rows=len(rows), inarow=IN_A_ROW, timeout=seconds, actTimeout=seconds
        )
        return move_of("kaggle", agent(*(observation, configuration)[:taken]), by_column(position))

    return choose


INTERFACE = Interface("kaggle", ("connect4",), _speak, _find)
