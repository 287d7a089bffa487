"""Which of a table's actions mean something now. Pure."""

from parlour_client import sentences
from parlour_client.model import Shown
from parlour_protocol.ids import other
from parlour_protocol.views import RoomView


def possible(action: str, shown: Shown) -> bool:
    """May an action of this name be taken? One that is not named here always may."""
    view = shown.view
    seated, playing = view.you is not None, view.phase == "playing"
    played = len(view.moves) - view.started_with
    match action:
        case "answer":
            return seated and bool(sentences.standing_offers(view))
        case "agree":
            return offered_by_other(view)
        case "offer_draw":
            return seated and playing and view.draw_offer is None and played > 0
        case "takeback":
            return (
                seated and playing and view.settings.takebacks and view.takeback_offer is None and played > 0
            )
        case "resign":
            return seated and playing
        case "abort":
            return seated and playing and played < 2
        case "claim":
            return sentences.may_claim(view)
        case "take_over":
            return playing and not seated and _may_take_over(view)
        case "sit":
            return not seated and view.phase == "waiting"
        case "bot":
            return (seated or view.owner) and view.phase == "waiting"
        case "rematch":
            return view.phase == "finished" and _may_ask_again(view)
        case "review":
            return view.phase in ("finished", "closed") and bool(view.moves)
        case "hint":
            return _may_see_costs(shown)
        case "step" | "begin":
            return bool(view.moves)
        case "talk":
            return view.settings.chat and view.phase != "closed"
        case _:
            return True


def offered_by_other(view: RoomView) -> bool:
    """Does an offer of the other player's stand? One's own can only be taken back."""
    if view.you is None:
        return False
    them = other(view.you)
    return them in (view.draw_offer, view.takeback_offer) or them in view.rematch


def _may_take_over(view: RoomView) -> bool:
    bots = sum(1 for seat in view.seats if seat.kind == "bot")
    return bots > 0 and (view.owner or bots == 2)


def _may_ask_again(view: RoomView) -> bool:
    if view.you is None:
        return view.owner and all(seat.kind == "bot" for seat in view.seats)
    return view.you not in view.rematch


def _may_see_costs(shown: Shown) -> bool:
    """A hint at one's own turn, where the room gives them; at a bot's turn what it thinks."""
    view = shown.view
    if view.phase != "playing":
        return False
    if view.you is not None and view.to_move == view.you:
        hints = view.settings.hints
        return hints == "always" or (hints == "bots" and view.seats[other(view.you)].kind == "bot")
    mover = view.seats[view.to_move] if view.to_move is not None else None
    bots_turn = mover is not None and (mover.kind == "bot" or mover.stand_in is not None)
    return bots_turn and (view.you is None or view.settings.reports == "at_once")
