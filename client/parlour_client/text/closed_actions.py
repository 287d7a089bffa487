"""Why an action is not open to a viewer now, in a few words: each action's reasons, the first that holds."""

from collections.abc import Callable, Mapping, Sequence

from parlour_client.text import wording
from parlour_client.text.open_actions import offered_by_other
from parlour_protocol.actions import Offer
from parlour_protocol.ids import other
from parlour_protocol.views.rooms import RoomView
from parlour_protocol.words import say

Reason = Callable[[RoomView], str]
"""The id of a sentence where it holds in a view, else nothing."""


def why_closed(name: str, view: RoomView) -> str:
    """Why the action of this name can't be done now; `play` is to make a move.

    `view` has its times as of now.
    """
    found = (reason(view) for reason in _REASONS.get(name, ()))
    return say(next(filter(None, found), "closed.not_now"))


def _when(holds: Callable[[RoomView], bool], id_: str) -> Reason:
    return lambda view: id_ if holds(view) else ""


def _other_seat(view: RoomView, field: str) -> object:
    return None if view.you is None else getattr(view.seats[other(view.you)], field)


def _asked(offer: Offer) -> Reason:
    """The viewer's own offer stands."""

    def holds(view: RoomView) -> bool:
        return not offered_by_other(view) and offer in wording.standing_offers(view)

    return _when(holds, "closed.asked_already")


def _has_hints(view: RoomView) -> bool:
    hints = view.settings.hints
    return hints == "always" or (hints == "bots" and any(seat.kind == "bot" for seat in view.seats))


_watching = _when(lambda view: view.you is None, "closed.only_players")
_sitting = _when(lambda view: view.you is not None, "closed.sitting")
_closed = _when(lambda view: view.phase == "closed", "table.closed")
_not_owner = _when(lambda view: not view.owner, "refusal.who_closes")
_running = _when(lambda view: view.phase == "playing", "refusal.resign_first")
_not_begun = _when(lambda view: view.phase == "waiting", "closed.not_begun")
_over = _when(lambda view: view.phase in ("finished", "closed"), "closed.over")
_not_over = _when(lambda view: view.phase in ("waiting", "playing"), "closed.not_over")
_not_your_turn = _when(lambda view: view.to_move != view.you, "closed.not_your_turn")
_nothing_offered = _when(lambda view: not wording.standing_offers(view), "closed.nothing_offered")
_unanswered = _when(offered_by_other, "closed.answer_first")
_no_seat = _when(lambda view: all(seat.kind != "open" for seat in view.seats), "closed.no_seat")
_stood_in = _when(lambda view: _other_seat(view, "stand_in") is not None, "closed.stood_in")
_nobody_away = _when(
    lambda view: view.you is None or view.away_for(other(view.you)) is None, "closed.nothing_to_claim"
)
_OF_A_GAME = (_watching, _not_begun, _over)

_REASONS: Mapping[str, Sequence[Reason]] = {
    "play": (*_OF_A_GAME, _not_your_turn),
    "agree": (_watching, _nothing_offered, _when(lambda _: True, "closed.not_yours")),
    "decline": (_watching, _nothing_offered),
    "claim": (*_OF_A_GAME, _nobody_away, _when(lambda _: True, "closed.too_early")),
    "rematch": (_closed, _watching, _not_over, _asked("rematch"), _unanswered),
    "review": (_when(lambda view: not view.moves, "closed.no_moves"), _not_over),
    "games": (_when(lambda view: view.game_number == 1, "closed.only_game"), _not_begun),
    "sit": (_closed, _sitting, _no_seat),
    "add_bot": (_closed, _no_seat, _watching),
    "hint": (
        _not_begun,
        _over,
        _watching,
        _when(lambda view: not _has_hints(view), "closed.no_hints"),
        _not_your_turn,
    ),
    "draw": (*_OF_A_GAME, _unanswered, _asked("draw"), _stood_in),
    "takeback": (
        *_OF_A_GAME,
        _when(lambda view: not view.settings.takebacks, "closed.no_takebacks"),
        _unanswered,
        _asked("takeback"),
        _stood_in,
        _when(lambda _: True, "closed.not_moved"),
    ),
    "take_over": (
        _closed,
        _sitting,
        _not_begun,
        _when(lambda view: all(seat.kind != "bot" for seat in view.seats), "closed.no_bot"),
        _when(lambda _: True, "closed.only_owner"),
    ),
    "abort": (*_OF_A_GAME, _when(lambda _: True, "closed.too_late")),
    "resign": _OF_A_GAME,
    "leave": (_closed, _watching, _running),
    "close": (_closed, _not_owner, _when(lambda _: True, "refusal.game_runs")),
    "carry": (_closed,),
    "say": (_closed, _when(lambda view: not view.settings.chat, "closed.no_chat")),
}
