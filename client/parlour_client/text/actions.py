"""A player's actions at a table, in one registry.

Keys, footer, lists of keys, typed words and their help derive from `ACTIONS`; which of them are open at a
moment is asked by their names. To add an action, add an entry. What is not listed can't be done.
"""

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from typing import Any

from parlour_client.sdk.commands import command
from parlour_client.text import wording
from parlour_protocol import commands
from parlour_protocol.actions import DECLINE, Offer, PlainAction
from parlour_protocol.ids import other
from parlour_protocol.views.rooms import RoomView

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
    label: str
    request: MakeRequest | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """Something a player can do. What has neither request nor choices is done by the screen itself."""

    name: str
    """As a view's `may` lists it, where it sends a command."""
    help: str
    """What it does, in words that may stand behind a key or behind a typed word."""
    watching: str = ""
    """The same for a spectator, where that differs."""
    key: str = ""
    """Its key in the full screen, several parted by commas; empty where it has none."""
    shown_key: str = ""
    """How the key is written, where its name is not that."""
    label: str = ""
    """What the footer calls it; empty: it isn't in the footer."""
    makes_way: bool = False
    """It leaves a narrow footer before others."""
    word: str = ""
    """What is typed for it in the plain client; empty where nothing is."""
    typed: str = ""
    """How that is written in its help, where something stands behind the word."""
    request: MakeRequest | None = None
    question: str = ""
    """What is asked before anything is sent; `choices` are the answers."""
    choices: Sequence[ActionChoice] = ()


BACK = ActionChoice("escape", "Back")


def sends(kind: type[Any], sentence: str, **fields: object) -> MakeRequest:
    """The request of a command of this kind with these fields, whatever the room's state."""
    return lambda view: ActionRequest(command(kind, room=view.room, **fields), sentence)


def acts(action: PlainAction, sentence: str) -> MakeRequest:
    """The request of an action that needs no more words than its name."""
    return sends(commands.PlayerAction, sentence, type=action)


def _agree(view: RoomView) -> ActionRequest:
    action, sentence = _AGREE[wording.standing_offers(view)[0]]
    return acts(action, sentence)(view)


def _rematch(view: RoomView) -> ActionRequest:
    offered = view.you is not None and other(view.you) in view.rematch
    return acts("rematch", _AGREE["rematch"][1] if offered else "asking for another game")(view)


def _decline(view: RoomView) -> ActionRequest:
    return acts(DECLINE[wording.standing_offers(view)[0]], "declining")(view)


_AGREE: dict[Offer, tuple[PlainAction, str]] = {
    "draw": ("draw", "agreeing to a draw"),
    "takeback": ("takeback", "giving the move back"),
    "rematch": ("rematch", "agreeing to another game"),
}

ACTIONS = (
    Action(name="agree", key="Y", label="Yes", word="yes", help="agree to what is offered", request=_agree),
    Action(
        name="decline",
        key="N",
        label="No",
        word="no",
        help="decline an offer, or withdraw yours",
        request=_decline,
    ),
    Action(
        name="claim",
        key="C",
        label="Claim",
        word="claim",
        typed="claim WHAT",
        help="claim win, draw or bot, when the other is away",
        question="Claim W the win, D a draw, or B have a bot play on?",
        choices=(
            ActionChoice("W", "The win", sends(commands.Claim, "claiming the win", what="win")),
            ActionChoice("D", "A draw", sends(commands.Claim, "claiming a draw", what="draw")),
            ActionChoice("B", "A bot", sends(commands.Claim, "calling a bot", what="bot", bot=BOT)),
            BACK,
        ),
    ),
    Action(
        name="rematch",
        key="G",
        label="Again",
        word="rematch",
        help="ask for another game, or agree to one",
        request=_rematch,
    ),
    Action(name="review", key="V", label="Review", help="review the game, move by move"),
    Action(name="games", key="L", label="Games", word="games", help="list the games of this room"),
    Action(
        name="sit",
        key="S",
        label="Sit down",
        help="take the free seat",
        request=sends(commands.TakeSeat, "sitting down"),
    ),
    Action(
        name="add_bot",
        key="B",
        label="Call a bot",
        help="let a bot take the free seat",
        request=sends(commands.AddBot, "calling a bot", bot=BOT),
    ),
    Action(name="hint", key="H", label="Hint", word="hint", help="show what each move is worth"),
    Action(name="thoughts", word="thoughts", help="show how the bots thought in this game"),
    Action(
        name="draw",
        key="D",
        label="Draw",
        makes_way=True,
        word="draw",
        help="offer a draw, or agree to one",
        request=acts("draw", "offering a draw"),
    ),
    Action(
        name="takeback",
        key="U",
        label="Take back",
        makes_way=True,
        word="takeback",
        help="ask for your last move back, or allow it",
        request=acts("takeback", "asking for the move back"),
    ),
    Action(
        name="take_over",
        key="O",
        label="Take over",
        word="takeover",
        help="play on in a bot's place",
        request=sends(commands.TakeOver, "sitting down"),
    ),
    Action(name="dismiss", key="escape", shown_key="esc", label="Back", help="back to the game"),
    Action(
        name="back",
        key="pageup,left_square_bracket",
        shown_key="pgup",
        label="Prev",
        word="back",
        help="the position before",
    ),
    Action(
        name="forward",
        key="pagedown,right_square_bracket",
        shown_key="pgdn",
        label="Next",
        word="forward",
        help="the next position",
    ),
    Action(name="start", key="home", word="start", help="the first position"),
    Action(name="now", key="end", word="now", help="the present position"),
    Action(
        name="abort",
        key="A",
        label="Abort",
        word="abort",
        help="end the game before each side has moved",
        request=acts("abort", "ending the game"),
    ),
    Action(
        name="resign",
        key="R",
        label="Resign",
        word="resign",
        help="give the game up",
        question="Give this game up? Y or N",
        choices=(
            ActionChoice("Y", "Yes", acts("resign", "giving the game up")),
            ActionChoice("N", "No"),
            BACK,
        ),
    ),
    Action(name="board", word="board", help="draw the board again"),
    Action(
        name="say", key="T", label="Talk", word="say", typed="say TEXT", help="say something to the others"
    ),
    Action(name="carry", key="P", word="carry", help="play on in a browser, as on a phone"),
    Action(
        name="help", key="question_mark", shown_key="?", label="Keys", word="help", help="all there is to do"
    ),
    Action(
        name="quit",
        key="Q",
        label="Lobby",
        word="quit",
        help="leave; your seat is kept",
        watching="stop watching",
    ),
)
"""A key that begins a word is a capital: small letters and digits are for moves."""

BY_NAME = {action.name: action for action in ACTIONS}
BY_WORD = {action.word: action for action in ACTIONS if action.word}


def typed_help(example: str, open_words: Container[str], *, watching: bool = False) -> list[str]:
    """A line for each of these words that can be typed at a table; `example` shows how a move is written.

    `watching`: a spectator is to read it.
    """
    rows = [("a move", f"as the board names it: {example}")] if example else []
    rows += [
        (action.typed or action.word, (action.watching if watching else "") or action.help)
        for action in ACTIONS
        if action.word and action.word in open_words
    ]
    return [f"  {word:<12} {what}" for word, what in rows]
