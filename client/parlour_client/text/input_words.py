"""What a line typed at a table means. Pure: from a line, and what is shown, to a command."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from parlour_client.sdk.requests import new_id
from parlour_client.sdk.state import ClientRoomState
from parlour_client.text import wording
from parlour_client.text.actions import ACTIONS, BY_WORD, QUICK_WORDS
from parlour_client.text.open_actions import in_room, why_closed
from parlour_protocol import LONGEST_CHAT, LONGEST_WORD, commands
from parlour_protocol.actions import OFFERS
from parlour_protocol.ids import Seat
from parlour_protocol.nearest import nearest
from parlour_protocol.views.rooms import RoomView
from parlour_protocol.words import language, say

ScreenWord = Literal[
    "help",
    "rules",
    "board",
    "hint",
    "thoughts",
    "games",
    "abort",
    "resign",
    "quit",
    "back",
    "forward",
    "start",
    "now",
    "carry",
]
"""What the screen itself does, or asks about first."""

_FOR_SCREEN: dict[str, ScreenWord] = {word: word for word in get_args(ScreenWord)} | {
    "?": "help",
    "exit": "quit",
}
_ASKED_OF_ROOM = ("abort", "hint", "resign")
"""Those of the screen's words that the room has to allow."""
LEAST_LIKE = 3
"""Letters: shorter words may be columns."""
_YES = ("y", "yes")
_NO = ("n", "no", "decline")
_ALONE = {*_FOR_SCREEN, *(word for word, action in BY_WORD.items() if not action.typed)} - {"no", "takeover"}
"""What takes nothing behind it. Not y and n, which may be columns."""
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


Meaning = ForScreen | Wrong | commands.RoomCommand[Any]


def read(line: str, shown: ClientRoomState) -> Meaning:
    """What a line means, that has no spaces at its ends and is not empty. What is no word is a move."""
    word, _, rest = line.partition(" ")
    word, rest = word.casefold(), rest.strip()
    room = shown.view.room
    if word == "say":
        return _chat(rest, room)
    if word == "quick":
        return _quick(rest.casefold(), room)
    if word == "claim":
        return _claim(rest.casefold(), room)
    if word == "takeover":
        return _take_over(rest.casefold(), room)
    if word in _NO and (word != "n" or not rest):
        return _decline(rest.casefold(), shown)
    if rest and word in _ALONE:
        return Wrong(_more_than(word))
    if rest:
        return _mistyped(word, shown) or _move(line, shown)
    if word in _FOR_SCREEN:
        return ForScreen(_FOR_SCREEN[word])
    if word in _YES:
        return _agree(shown)
    action = BY_WORD.get(word)
    if action is not None and action.request is not None:
        return action.request(shown.view).command
    return _mistyped(word, shown) or _move(line, shown)


def open_words(view: RoomView) -> frozenset[str]:
    """The words that mean something to a viewer now: the screen's own, and those of the open actions."""
    names = in_room(view)
    own = {word for word in get_args(ScreenWord) if word not in _ASKED_OF_ROOM or word in names}
    if view.position is None:
        own -= {"back", "forward", "start", "now", "board"}
    return frozenset(own | {action.word for action in ACTIONS if action.name in names})


def is_open(line: str, shown: ClientRoomState) -> bool:
    """Can what a line means be done now, whoever is to move?"""
    allowed = shown.view.open_actions()
    match read(line, shown):
        case ForScreen(word=word) if word in _ASKED_OF_ROOM:
            return word in allowed
        case ForScreen():
            return True
        case (
            commands.PlayerAction()
            | commands.Decline()
            | commands.Claim()
            | commands.TakeOver()
            | commands.Say() as asked
        ):
            return asked.type in allowed
        case _:
            return False


def is_quit(line: str) -> bool:
    """Does a line say to leave?"""
    return _FOR_SCREEN.get(line.strip().casefold()) == "quit"


def _mistyped(word: str, shown: ClientRoomState) -> Wrong | None:
    """Why a word is no move, where it is much like one that means something. It needs letters for that."""
    position = shown.view.position
    if (
        not word.isalpha()
        or len(word) < LEAST_LIKE
        or (position and word in map(str.casefold, position.legal))
    ):
        return None
    near = nearest(word, {*_FOR_SCREEN, *BY_WORD})
    meant = language().listed(near, last="list.or")
    return Wrong(say("input.meant", text=word[:LONGEST_WORD], meant=meant)) if near else None


def _move(line: str, shown: ClientRoomState) -> Meaning:
    if len(line) > LONGEST_WORD:
        return Wrong(say("input.long_move"))
    return commands.PlayMove(id=new_id(), room=shown.view.room, version=shown.version, move=line)


def _more_than(word: str) -> str:
    again = word in ("back", "forward")
    return say("input.alone_again", word=word) if again else say("input.alone", word=word)


def _agree(shown: ClientRoomState) -> Meaning:
    room, offers = shown.view.room, wording.standing_offers(shown.view)
    match offers:
        case []:
            return Wrong(why_closed("agree", shown.view))
        case [offer]:
            return commands.PlayerAction(id=new_id(), room=room, type=offer)
        case _:
            return Wrong(say("input.agree_which", ways=_either(offers)))


def _decline(which: str, shown: ClientRoomState) -> Meaning:
    room, offers = shown.view.room, wording.standing_offers(shown.view)
    if which and which not in OFFERS:
        return Wrong(say("input.decline_what", ways=_either([f"no {offer}" for offer in OFFERS])))
    if which and offers:
        offers = [offer for offer in shown.view.offers if offer == which]
    match offers:
        case []:
            return Wrong(why_closed("agree", shown.view))
        case [offer]:
            return commands.Decline(id=new_id(), room=room, offer=offer)
        case _:
            return Wrong(say("input.decline_which", ways=_either([f"no {offer}" for offer in offers])))


def _either(words: Sequence[str]) -> str:
    return language().listed(words, last="list.or")


def _chat(text: str, room: str) -> Meaning:
    if not text:
        return Wrong(say("input.say_what"))
    if len(text) > LONGEST_CHAT:
        return Wrong(say("input.long_chat", length=len(text), most=LONGEST_CHAT))
    return commands.Say(id=new_id(), room=room, text=text)


def _quick(rest: str, room: str) -> Meaning:
    for number, word in enumerate(QUICK_WORDS, 1):
        if rest and rest in (str(number), word, word.replace("_", " "), say(f"quick.{word}").casefold()):
            return commands.Say(id=new_id(), room=room, quick=word)
    words = [f"{number} {say(f'quick.{word}')}" for number, word in enumerate(QUICK_WORDS, 1)]
    return Wrong(say("input.quick_what", words=words))


def _claim(rest: str, room: str) -> Meaning:
    what, _, bot = rest.partition(" ")
    for one in _CLAIMS:
        if one == (what or "win") and (one == "bot" or not bot) and len(bot) <= LONGEST_WORD:
            if bot:
                return commands.Claim(id=new_id(), room=room, what=one, bot=bot.strip())
            return commands.Claim(id=new_id(), room=room, what=one)
    return Wrong(say("input.claim_what"))


def _take_over(rest: str, room: str) -> Meaning:
    if rest and rest not in _SEATS:
        return Wrong(say("input.take_over_whose"))
    return commands.TakeOver(id=new_id(), room=room, seat=_SEATS.get(rest))
