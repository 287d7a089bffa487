"""A player's actions at a table, in one registry.

Keys, footer, lists of keys, typed words and their help derive from `ACTIONS`; which of them are open at a
moment is asked by their names. To add an action, add an entry. What is not listed can't be done.
"""

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from parlour_client.sdk.commands import command
from parlour_client.text import wording
from parlour_protocol import commands
from parlour_protocol.actions import OFFERS, Offer, PlainAction, QuickWord
from parlour_protocol.views.rooms import RoomView
from parlour_protocol.words import ENGLISH, language, say

QUICK_WORDS: tuple[QuickWord, ...] = get_args(QuickWord)
BOT = "medium"
"""The bot that is called where nobody wants to wait for a friend."""


@dataclass(frozen=True, slots=True)
class ActionRequest:
    """A command to send, and the words that are shown until its answer comes."""

    command: commands.RoomCommand[Any]
    sentence: str


MakeRequest = Callable[[RoomView], ActionRequest]


@dataclass(frozen=True, slots=True)
class ActionChoice:
    """One answer to an action's question; without a request it only withdraws the question."""

    key: str
    id: str
    """Of what it is called."""
    request: MakeRequest | None = None

    @property
    def label(self) -> str:
        """What it is called."""
        return say(self.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """Something a player can do. What has neither request nor choices is done by the screen itself."""

    name: str
    """As a view's `may` lists it, where it sends a command."""
    key: str = ""
    """Its key in the full screen, several parted by commas; empty where it has none."""
    shown_key: str = ""
    """How the key is written, where its name is not that."""
    label: bool = True
    """Is it in the footer, under the name that `screen.action` has for it?"""
    makes_way: bool = False
    """It leaves a narrow footer before others."""
    word: str = ""
    """What is typed for it in the plain client; empty where nothing is."""
    typed: str = ""
    """How that is written in its help, where something stands behind the word."""
    request: MakeRequest | None = None
    choices: Sequence[ActionChoice] = ()
    """The answers to what is asked before anything is sent."""
    shared_choices: Sequence[ActionChoice] = ()
    """What is asked beside that, where two play at one device."""

    def asks(self, view: RoomView) -> Sequence[ActionChoice]:
        """The answers to what is asked at this table before anything is sent."""
        return self.choices or (self.shared_choices if view.shared else ())

    @property
    def help(self) -> str:
        """The id of what it does, in words that may stand behind a key or behind a typed word."""
        return f"action.{self.name}.help"

    def question(self, view: RoomView) -> str:
        """What is asked at this table where there are choices; what they are where they need no question."""
        asked = f"action.{self.name}.question"
        if view.shared and f"{asked}_of" in ENGLISH and view.acting is not None:
            return say(f"{asked}_of", name=wording.name_of(view, view.acting))
        own = (f"{one.key} {one.label}" for one in self.choices if one is not BACK)
        return say(asked) if asked in language() else "  ".join(own)


BACK = ActionChoice("escape", "answer.back")


def sends(kind: type[Any], sent: str, **fields: object) -> MakeRequest:
    """The request of a command of this kind with these fields, whatever the room's state.

    `sent` is the id of what is shown meanwhile.
    """
    return lambda view: ActionRequest(command(kind, room=view.room, **fields), say(sent))


def acts(action: PlainAction, sent: str) -> MakeRequest:
    """The request of an action that needs no more words than its name."""
    return sends(commands.PlayerAction, sent, type=action)


def _yes_or_no(action: PlainAction) -> tuple[ActionChoice, ...]:
    """Whether something is to be done that can't be undone."""
    return (
        ActionChoice("Y", "answer.yes", acts(action, f"action.{action}.sent")),
        ActionChoice("N", "answer.no"),
        BACK,
    )


def _agree(view: RoomView) -> ActionRequest:
    return acts(wording.standing_offers(view)[0], "action.agree.sent")(view)


def _decline(view: RoomView) -> ActionRequest:
    offer = wording.standing_offers(view)[0]
    return sends(commands.Decline, "action.decline.sent", offer=offer)(view)


def _offers(offer: Offer, key: str) -> Action:
    """To make an offer, or to agree where the other player makes it."""

    def request(view: RoomView) -> ActionRequest:
        agrees = offer in view.offers_to_answer()
        return acts(offer, f"action.{'agree' if agrees else offer}.sent")(view)

    makes_way = OFFERS[offer].phase == "playing"
    # At one device an offer is made and agreed to at once: nothing but a draw can't be undone.
    choices = _yes_or_no(offer) if offer == "draw" else ()
    return Action(
        name=offer, key=key, word=offer, makes_way=makes_way, request=request, shared_choices=choices
    )


ACTIONS = (
    Action(name="agree", key="Y", word="yes", request=_agree),
    Action(name="decline", key="N", word="no", request=_decline),
    Action(
        name="claim",
        key="C",
        word="claim",
        typed="claim WHAT",
        choices=(
            ActionChoice("W", "claim.win", sends(commands.Claim, "claim.win_sent", what="win")),
            ActionChoice("D", "claim.draw", sends(commands.Claim, "claim.draw_sent", what="draw")),
            ActionChoice(
                "B", "claim.bot_short", sends(commands.Claim, "action.add_bot.sent", what="bot", bot=BOT)
            ),
            BACK,
        ),
    ),
    _offers("rematch", "G"),
    Action(name="review", key="V"),
    Action(name="games", key="L", word="games"),
    Action(name="sit", key="S", word="sit", request=sends(commands.TakeSeat, "action.sit.sent")),
    Action(name="add_bot", key="B"),
    Action(name="hint", key="H", word="hint"),
    Action(name="thoughts", label=False, word="thoughts"),
    _offers("draw", "D"),
    _offers("takeback", "U"),
    Action(
        name="take_over",
        key="O",
        word="takeover",
        request=sends(commands.TakeOver, "action.take_over.sent"),
    ),
    _offers("seat", "K"),
    Action(name="dismiss", key="escape", shown_key="esc"),
    Action(name="back", key="pageup,left_square_bracket", shown_key="pgup", makes_way=True, word="back"),
    Action(
        name="forward",
        key="pagedown,right_square_bracket",
        shown_key="pgdn",
        makes_way=True,
        word="forward",
    ),
    Action(name="start", label=False, key="home", word="start"),
    Action(name="now", label=False, key="end", word="now"),
    Action(
        name="abort",
        key="A",
        word="abort",
        choices=_yes_or_no("abort"),
    ),
    Action(
        name="resign",
        key="R",
        word="resign",
        choices=_yes_or_no("resign"),
    ),
    Action(
        name="leave",
        key="E",
        makes_way=True,
        word="leave",
        request=acts("leave", "action.leave.sent"),
    ),
    Action(
        name="close",
        key="X",
        makes_way=True,
        choices=_yes_or_no("close"),
    ),
    Action(name="board", label=False, word="board"),
    Action(name="say", key="T", word="say", typed="say TEXT"),
    Action(
        name="quick",
        key="W",
        label=False,
        word="quick",
        typed="quick WORD",
        choices=(
            *(
                ActionChoice(
                    str(key), f"quick.{word}", sends(commands.Say, "screen.table.saying", quick=word)
                )
                for key, word in enumerate(QUICK_WORDS, 1)
            ),
            BACK,
        ),
    ),
    Action(name="carry", label=False, key="P", word="carry"),
    Action(name="rules", key="I", makes_way=True, word="rules"),
    Action(name="help", key="question_mark", shown_key="?", word="help"),
    Action(name="quit", key="Q", word="quit"),
)
"""A key that begins a word is a capital: small letters and digits are for moves."""

KEYS = frozenset(key for action in ACTIONS for key in action.key.split(",") if key)
BY_NAME = {action.name: action for action in ACTIONS}
BY_WORD = {action.word: action for action in ACTIONS if action.word}
BEFORE = 15
"""Columns before what a typed word does."""


def typed_help(example: str, open_words: Container[str], *, watching: bool = False) -> list[str]:
    """A line for each of these words that can be typed at a table; `example` shows how a move is written.

    `watching`: a spectator is to read it.
    """
    rows = [(say("input.move"), say("input.as_named", moves=example))] if example else []
    for action in ACTIONS:
        if action.word and action.word in open_words:
            stops = watching and action.name == "quit"
            what = say("action.quit.help_watching") if stops else say(action.help)
            rows.append((action.typed or action.word, what))
    return [f"  {word:<{BEFORE - 3}} {what}" for word, what in rows]
