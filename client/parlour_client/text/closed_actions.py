"""Why an action is not open to a viewer now, in a few words: each action's reasons, the first that holds."""

from collections.abc import Callable, Mapping, Sequence

from parlour_client.text import wording
from parlour_client.text.open_actions import offered_by_other
from parlour_protocol.actions import Offer
from parlour_protocol.ids import other
from parlour_protocol.views.rooms import RoomView

NOTHING_OFFERED = "Nothing is offered."
ONLY_PLAYERS = "Only players can do that."

Reason = Callable[[RoomView], str]
"""A sentence where it holds in a view, else nothing."""


def why_closed(name: str, view: RoomView) -> str:
    """Why the action of this name can't be done now; `play` is to make a move.

    `view` has its times as of now.
    """
    found = (reason(view) for reason in _REASONS.get(name, ()))
    return next(filter(None, found), "That can't be done now.")


def _when(holds: Callable[[RoomView], bool], sentence: str) -> Reason:
    return lambda view: sentence if holds(view) else ""


def _other_seat(view: RoomView, field: str) -> object:
    return None if view.you is None else getattr(view.seats[other(view.you)], field)


def _asked(offer: Offer) -> Reason:
    """The viewer's own offer stands."""

    def holds(view: RoomView) -> bool:
        return not offered_by_other(view) and offer in wording.standing_offers(view)

    return _when(holds, "You have asked already.")


def _has_hints(view: RoomView) -> bool:
    hints = view.settings.hints
    return hints == "always" or (hints == "bots" and any(seat.kind == "bot" for seat in view.seats))


_watching = _when(lambda view: view.you is None, ONLY_PLAYERS)
_sitting = _when(lambda view: view.you is not None, "You sit here already.")
_closed = _when(lambda view: view.phase == "closed", "The room is closed.")
_not_begun = _when(lambda view: view.phase == "waiting", "No game has begun.")
_over = _when(lambda view: view.phase in ("finished", "closed"), "The game is over.")
_not_over = _when(lambda view: view.phase in ("waiting", "playing"), "The game isn't over yet.")
_not_your_turn = _when(lambda view: view.to_move != view.you, "It is not your turn.")
_nothing_offered = _when(lambda view: not wording.standing_offers(view), NOTHING_OFFERED)
_unanswered = _when(offered_by_other, "Answer what is offered first.")
_no_seat = _when(lambda view: all(seat.kind != "open" for seat in view.seats), "No seat is free.")
_stood_in = _when(
    lambda view: _other_seat(view, "stand_in") is not None, "A bot plays for the other player, who is away."
)
_nobody_away = _when(
    lambda view: view.you is None or view.away_for(other(view.you)) is None, "There is nothing to claim now."
)
_OF_A_GAME = (_watching, _not_begun, _over)

_REASONS: Mapping[str, Sequence[Reason]] = {
    "play": (*_OF_A_GAME, _not_your_turn),
    "agree": (_watching, _nothing_offered, _when(lambda _: True, "Only the other player can agree to that.")),
    "decline": (_watching, _nothing_offered),
    "claim": (*_OF_A_GAME, _nobody_away, _when(lambda _: True, "It is too early to claim the game.")),
    "rematch": (_closed, _watching, _not_over, _asked("rematch"), _unanswered),
    "review": (_when(lambda view: not view.moves, "There is no move to review."), _not_over),
    "games": (_when(lambda view: view.game_number == 1, "There is only this game."), _not_begun),
    "sit": (_closed, _sitting, _no_seat),
    "add_bot": (_closed, _no_seat, _watching),
    "hint": (
        _not_begun,
        _over,
        _watching,
        _when(lambda view: not _has_hints(view), "There are no hints in this room."),
        _not_your_turn,
    ),
    "draw": (*_OF_A_GAME, _unanswered, _asked("draw"), _stood_in),
    "takeback": (
        *_OF_A_GAME,
        _when(lambda view: not view.settings.takebacks, "No moves are taken back in this room."),
        _unanswered,
        _asked("takeback"),
        _stood_in,
        _when(lambda _: True, "You have made no move yet."),
    ),
    "take_over": (
        _closed,
        _sitting,
        _not_begun,
        _when(lambda view: all(seat.kind != "bot" for seat in view.seats), "No bot sits here."),
        _when(lambda _: True, "Only the room's owner can do that."),
    ),
    "abort": (*_OF_A_GAME, _when(lambda _: True, "It is too late to abort the game.")),
    "resign": _OF_A_GAME,
    "carry": (_closed,),
    "say": (_closed, _when(lambda view: not view.settings.chat, "There is no chat in this room.")),
}
