"""How bots are called: Parlour's own way, and those of courses, competitions and engines elsewhere.

A module each, with its `INTERFACE`. To add one, write its module and name it here; its words in the
catalogue are `bot.interface.NAME` (how it is called) and `bot.answer.NAME` (what it has to answer).
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parlour_client.bots.interfaces.base import Interface

NAMES = ("parlour", "aiplayer", "cs50", "toronto", "kaggle", "gtp", "gomocup", "ugi", "uci", "nboard")
"""In the order in which a file is asked whether it speaks them: the surest first."""
PROGRAMS = ("toronto", "gtp", "gomocup", "ugi", "uci", "nboard")
"""Those that are spoken on standard input and output."""


def interface(name: str) -> "Interface":
    """The one of this name."""
    found: Interface = import_module(f"{__name__}.{name}").INTERFACE
    return found


def find(module: ModuleType) -> "Interface | None":
    """The first that a file speaks; None where it is none of them."""
    return next((one for one in map(interface, NAMES) if one.find(module) is not None), None)
