"""What a line typed at a table means. Pure: from a line, and what is shown, to a command."""

from dataclasses import dataclass
from typing import Literal, get_args

from parlour_client import sentences
from parlour_client.dialing import new_id
from parlour_client.model import Shown
from parlour_protocol import LONGEST_SAYING, LONGEST_WORD, to_server
from parlour_protocol.ids import Seat
from parlour_protocol.views import Offer

ScreenWord = Literal["help", "board", "hint", "thoughts", "resign", "quit", "back", "forward", "start", "now"]
"""What the screen itself does, or asks about first."""

_FOR_SCREEN: dict[str, ScreenWord] = {word: word for word in get_args(ScreenWord)} | {
    "?": "help",
    "exit": "quit",
}
_YES = ("y", "yes")
_NO = ("n", "no", "decline")
_ALONE = (*_FOR_SCREEN, "yes", "draw", "takeback", "abort", "rematch")
"""What takes nothing behind it. Not y and n, which may be columns."""
_OFFERS: tuple[Offer, ...] = get_args(Offer)
_CLAIMS: tuple[Literal["win", "draw", "bot"], ...] = ("win", "draw", "bot")
_SEATS: dict[str, Seat] = {"first": 0, "second": 1}


@dataclass(frozen=True, slots=True)
class ForScreen:
    """One of the screen's own words."""

    word: ScreenWord


@dataclass(frozen=True, slots=True)
class Wrong:
    """It can mean nothing now, and why."""

    sentence: str


Meaning = ForScreen | Wrong | to_server.RoomCommand


def read(line: str, shown: Shown) -> Meaning:
    """What a line means, that has no spaces at its ends and is not empty. What is no word is a move."""
    word, _, rest = line.partition(" ")
    word, rest = word.casefold(), rest.strip()
    room = shown.view.room
    if word == "say":
        return _saying(rest, room)
    if word == "claim":
        return _claim(rest.casefold(), room)
    if word == "takeover":
        return _take_over(rest.casefold(), room)
    if word in _NO and (word != "n" or not rest):
        return _decline(rest.casefold(), shown)
    if rest and word in _ALONE:
        return Wrong(_more_than(word))
    if rest:
        return _move(line, shown)
    if word in _FOR_SCREEN:
        return ForScreen(_FOR_SCREEN[word])
    if word in _YES:
        return _agree(shown)
    match word:
        case "draw":
            return to_server.OfferDraw(id=new_id(), room=room)
        case "takeback":
            return to_server.AskTakeback(id=new_id(), room=room)
        case "abort":
            return to_server.Abort(id=new_id(), room=room)
        case "rematch":
            return to_server.Rematch(id=new_id(), room=room)
        case _:
            return _move(line, shown)


def is_quit(line: str) -> bool:
    """Does a line say to leave?"""
    return _FOR_SCREEN.get(line.strip().casefold()) == "quit"


def _move(line: str, shown: Shown) -> Meaning:
    if len(line) > LONGEST_WORD:
        return Wrong("That is too long to be a move. Type help for what there is.")
    return to_server.PlayMove(id=new_id(), room=shown.view.room, version=shown.version, move=line)


def _more_than(word: str) -> str:
    way = "type it again to go further" if word in ("back", "forward") else f"type {word} alone"
    return f"{word} takes nothing behind it: {way}."


def _agree(shown: Shown) -> Meaning:
    room, offers = shown.view.room, sentences.standing_offers(shown.view)
    match offers:
        case []:
            return Wrong("Nothing is offered that you could answer.")
        case ["draw"]:
            return to_server.OfferDraw(id=new_id(), room=room)
        case ["takeback"]:
            return to_server.AskTakeback(id=new_id(), room=room)
        case ["rematch"]:
            return to_server.Rematch(id=new_id(), room=room)
        case _:
            return Wrong(f"There are two offers: type {' or '.join(offers)} to agree to one.")


def _decline(which: str, shown: Shown) -> Meaning:
    room, offers = shown.view.room, sentences.standing_offers(shown.view)
    if which:
        offers = [offer for offer in _OFFERS if offer == which]
    match offers:
        case [] if which:
            return Wrong("Decline what? no alone, or no draw, no takeback, no rematch.")
        case []:
            return Wrong("Nothing is offered that you could answer.")
        case [offer]:
            return to_server.Decline(id=new_id(), room=room, offer=offer)
        case _:
            ways = " or ".join(f"no {offer}" for offer in offers)
            return Wrong(f"There are two offers: type {ways}.")


def _saying(text: str, room: str) -> Meaning:
    if not text:
        return Wrong("Say what? Write say and your words: say good luck")
    if len(text) > LONGEST_SAYING:
        return Wrong(f"That is {len(text)} characters long: say at most {LONGEST_SAYING} at once.")
    return to_server.Say(id=new_id(), room=room, text=text)


def _claim(rest: str, room: str) -> Meaning:
    what, _, bot = rest.partition(" ")
    for one in _CLAIMS:
        if one == (what or "win") and (one == "bot" or not bot) and len(bot) <= LONGEST_WORD:
            if bot:
                return to_server.Claim(id=new_id(), room=room, what=one, bot=bot.strip())
            return to_server.Claim(id=new_id(), room=room, what=one)
    return Wrong("Claim what? claim win, claim draw, or claim bot to have a bot play on.")


def _take_over(rest: str, room: str) -> Meaning:
    if rest and rest not in _SEATS:
        return Wrong("Whose seat? takeover, or takeover first, or takeover second.")
    return to_server.TakeOver(id=new_id(), room=room, seat=_SEATS.get(rest))
