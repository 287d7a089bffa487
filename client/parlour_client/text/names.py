"""What players and bots are called where people read it, and what a server says. Pure."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from parlour_protocol.words import Said, language, say, translated

if TYPE_CHECKING:  # so that a screen starts without the wire's types
    from parlour_protocol.views.rooms import SeatView

NO_TITLES: Mapping[str, str] = MappingProxyType({})


def seat_name(who: "SeatView") -> str:
    """A seat's player; a bot is always marked as one."""
    if who.kind == "open":
        return say("seat.free")
    # A player's own program plays as players do, and is shown for what it is.
    return bot_name(who.name) if who.kind == "bot" or who.program else who.name


def bot_name(name: str) -> str:
    """A bot's name, marked as one."""
    return say("seat.bot", name=name)


def game_name(name: str, titles: Mapping[str, str] = NO_TITLES) -> str:
    """A game by its name, or by its title where that is known; one that begins elsewhere is said to.

    Its position is long, and tells a reader little.
    """
    base, at, _ = name.partition("@")
    known = titles.get(base, base)
    return say("position.title", game=known) if at else known


def localised(text: str, said: Said | None) -> str:
    """A server's sentence in our language; as it is where we can't say it."""
    return translated(said, text, language())


def counted_label(label: str) -> str:
    """What stands beside the numbers of a board: `discs`."""
    id_ = f"game.count.{label}"
    return say(id_) if id_ in language() else label
