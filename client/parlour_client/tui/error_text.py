"""User-facing sentences for errors, on every screen."""

from parlour_client.sdk.errors import ParlourError, Refused
from parlour_protocol.words import say


def game_error_sentence(fault: ParlourError) -> str:
    """The sentence for an error about one of the player's own games, whose code nobody typed."""
    from parlour_protocol.errors import Code

    if isinstance(fault, Refused) and fault.code is Code.UNKNOWN_ROOM:
        return say("screen.no_game")
    return error_sentence(fault)


def error_sentence(fault: ParlourError) -> str:
    """The sentence for an error: with the legal moves, or with when to retry, where that helps."""
    if not isinstance(fault, Refused):
        return str(fault)
    from parlour_client.text import wording

    return wording.refusal(fault.refusal)
