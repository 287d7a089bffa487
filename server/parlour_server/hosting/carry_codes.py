"""Codes that carry a player to another device: random, used once, kept in memory alone.

For as long as a code can be used it is worth as much as the token that it leads to. Neither is logged.
"""

from dataclasses import dataclass, field

from parlour_protocol.ids import without_frills
from parlour_server.hosting.context import Context

CARRY_LENGTH = 10
"""Of 31 characters each: 49 bits."""


@dataclass(frozen=True, slots=True)
class CarriedPlayer:
    """Who is carried: the name that the player has at present, and the token."""

    player: str
    name: str
    token: str = field(repr=False)
    until: float
    """In seconds of the context's monotonic clock."""


class CarryCodes:
    """The open codes of one server, at most one for each player."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._open: dict[str, CarriedPlayer] = {}
        self._codes: dict[str, str] = {}
        """Each player's code."""

    def __len__(self) -> int:
        return len(self._open)

    def open(self, player: str, name: str, token: str) -> str:
        """A new code for this player; an older one is void."""
        self._close(self._codes.get(player, ""))
        code = self._context.new_code(CARRY_LENGTH)
        until = self._context.monotonic() + self._context.limits.carry_seconds
        self._open[code] = CarriedPlayer(player, name, token, until)
        self._codes[player] = code
        return code

    def redeem(self, text: str) -> CarriedPlayer | None:
        """Who a code was opened for, this once; None: there is no such code, or none any more."""
        carried = self._close(without_frills(text))
        return carried if carried is not None and self._context.monotonic() < carried.until else None

    def sweep(self) -> None:
        """Forget the codes that can no longer be used."""
        now = self._context.monotonic()
        for code in [code for code, carried in self._open.items() if carried.until <= now]:
            self._close(code)

    def _close(self, code: str) -> CarriedPlayer | None:
        carried = self._open.pop(code, None)
        if carried is not None:
            del self._codes[carried.player]
        return carried
