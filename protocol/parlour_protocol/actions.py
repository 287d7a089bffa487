"""What people do at a table, by name: the commands' types, and what a view's `may` lists.

leave       stand up, while no game runs
resign      give the game up
abort       end a game before each side has moved, without a result
draw, takeback, rematch
            offer it, or agree where the other player has offered it; a bot answers at once
decline_... turn that offer down, or withdraw one's own
close       close the room for good
"""

from collections.abc import Mapping
from typing import Literal

Offer = Literal["draw", "takeback", "rematch"]

PlainAction = Literal[
    "leave",
    "resign",
    "abort",
    "draw",
    "takeback",
    "rematch",
    "decline_draw",
    "decline_takeback",
    "decline_rematch",
    "close",
]
"""An action that needs no more words than its name."""

DECLINE: Mapping[Offer, PlainAction] = {
    "draw": "decline_draw",
    "takeback": "decline_takeback",
    "rematch": "decline_rematch",
}
"""The action that turns an offer down."""

Action = Literal[PlainAction, "sit", "take_over", "add_bot", "play", "hint", "claim", "say"]
