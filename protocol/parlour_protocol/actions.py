"""What people do at a table, by name: the commands' types, and what a view's `may` lists.

leave       stand up, while no game runs
resign      give the game up
abort       end a game before each side has moved, without a result
close       close the room for good
an offer    offer it, or agree where the other player has offered it; a bot answers at once

An offer between players is described in `OFFERS`, and its sentences stand in the catalogue under its name:
permissions, views and the buttons, keys and words of all clients follow. What comes of it where both agree is
decided in the server's `room/decide.py`.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

Offer = Literal[
    "draw",
    "takeback",
    "rematch",
    "seat",
]


class OfferTerms(NamedTuple):
    """When players may offer something to each other, and how long an offer stands that no one answers."""

    phase: Literal["playing", "finished"] | None = "playing"
    """It is open in this phase alone, and lapses with it; during a game also when the other player moves.

    None: from the first game on, and it stands until it is answered.
    """
    outlives_own_move: bool = False
    """Does it stand on when the player who made it moves?"""
    program_agrees: bool = True
    """Does a player's own program agree at once, or decline?"""
    to_owner: bool = False
    """Does a spectator make it, and the room's owner answer? Then its seat is the one that is asked for."""


OFFERS: Mapping[Offer, OfferTerms] = {
    "draw": OfferTerms(outlives_own_move=True, program_agrees=False),
    "takeback": OfferTerms(),
    "rematch": OfferTerms("finished"),
    "seat": OfferTerms(None, program_agrees=False, to_owner=True),
}

QuickWord = Literal["hello", "good_luck", "well_played", "thanks", "oops"]
"""What may be said by its name, so that each reader reads it in their own language."""

PlainAction = Literal[Offer, "leave", "resign", "abort", "close"]
"""An action that needs no more words than its name."""

Action = Literal[PlainAction, "decline", "sit", "take_over", "add_bot", "play", "hint", "claim", "say"]
