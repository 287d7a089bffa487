"""A player's actions at a table, in one registry.

Keys, footer, lists of keys, typed words and their help derive from `ACTIONS`; which of them are open at a
moment is asked by their names. To add an action, add an entry. What is not listed can't be done.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from parlour_client.sdk.commands import command
from parlour_client.text import wording
from parlour_protocol import commands
from parlour_protocol.actions import DECLINE, Offer, PlainAction
from parlour_protocol.views import RoomView

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
    key: str = ""
    """Its key in the full screen, several parted by commas; empty where it has none."""
    shown_key: str = ""
    """How the key is written, where its name is not that."""
    label: str = ""
    """What the footer calls it; empty: it isn't in the footer."""
    word: str = ""
    """What is typed for it in the plain client; empty where nothing is."""
    typed: str = ""
    """How that is written in its help, where something stands behind the word."""
    request: MakeRequest | None = None
    question: str = ""
    """What is asked before anything is sent; `choices` are the answers."""
    choices: Sequence[ActionChoice] = ()


def sends(kind: type[Any], sentence: str, **fields: object) -> MakeRequest:
    """The request of a command of this kind with these fields, whatever the room's state."""
    return lambda view: ActionRequest(command(kind, room=view.room, **fields), sentence)


def acts(action: PlainAction, sentence: str) -> MakeRequest:
    """The request of an action that needs no more words than its name."""
    return sends(commands.PlayerAction, sentence, type=action)


def _agree(view: RoomView) -> ActionRequest:
    action, sentence = _AGREE[wording.standing_offers(view)[0]]
    return acts(action, sentence)(view)


def _decline(view: RoomView) -> ActionRequest:
    return acts(DECLINE[wording.standing_offers(view)[0]], "declining")(view)


_AGREE: dict[Offer, tuple[PlainAction, str]] = {
    "draw": ("draw", "agreeing to a draw"),
    "takeback": ("takeback", "giving the move back"),
    "rematch": ("rematch", "agreeing to another game"),
}

ACTIONS = (
    Action(name="agree", key="y", label="Yes", word="yes", help="agree to what is offered", request=_agree),
    Action(
        name="decline",
        key="n",
        label="No",
        word="no",
        help="decline an offer, or take yours back",
        request=_decline,
    ),
    Action(
        name="claim",
        key="C",
        label="Claim",
        word="claim",
        typed="claim WHAT",
        help="claim win, draw or bot, when the other is away",
        question="Claim w the win, d a draw, or b have a bot play on?",
        choices=(
            ActionChoice("w", "The win", sends(commands.Claim, "claiming the win", what="win")),
            ActionChoice("d", "A draw", sends(commands.Claim, "claiming a draw", what="draw")),
            ActionChoice("b", "A bot", sends(commands.Claim, "calling a bot", what="bot", bot=BOT)),
            ActionChoice("escape", "Wait on"),
        ),
    ),
    Action(
        name="rematch",
        key="g",
        label="Again",
        word="rematch",
        help="ask for another game",
        request=acts("rematch", "asking for another game"),
    ),
    Action(name="review", key="r", label="Review", help="look back on the game"),
    Action(
        name="sit",
        key="s",
        label="Sit down",
        help="take the free seat",
        request=sends(commands.TakeSeat, "sitting down"),
    ),
    Action(
        name="add_bot",
        key="b",
        label="Call a bot",
        help="let a bot take the free seat",
        request=sends(commands.AddBot, "calling a bot", bot=BOT),
    ),
    Action(name="hint", key="h", label="Hint", word="hint", help="show what each move is worth"),
    Action(name="thoughts", word="thoughts", help="show how the bots thought in this game"),
    Action(
        name="draw",
        key="o",
        label="Draw",
        word="draw",
        help="offer a draw, or take the one that is offered",
        request=acts("draw", "offering a draw"),
    ),
    Action(
        name="takeback",
        key="u",
        label="Take back",
        word="takeback",
        help="ask for your last move back, or allow it",
        request=acts("takeback", "asking for the move back"),
    ),
    Action(
        name="take_over",
        key="T",
        label="Take over",
        word="takeover",
        help="play on in a bot's place",
        request=sends(commands.TakeOver, "sitting down"),
    ),
    Action(
        name="abort",
        key="A",
        label="Abort",
        word="abort",
        help="end a game before its second move",
        request=acts("abort", "ending the game"),
    ),
    Action(
        name="resign",
        key="R",
        label="Resign",
        word="resign",
        help="give the game up",
        question="Give this game up? y or n",
        choices=(ActionChoice("y", "Yes", acts("resign", "giving the game up")), ActionChoice("n", "No")),
    ),
    Action(
        name="back",
        key="pageup,left_square_bracket",
        shown_key="pgup",
        word="back",
        help="the board before",
    ),
    Action(
        name="forward",
        key="pagedown,right_square_bracket",
        shown_key="pgdn",
        word="forward",
        help="the next board",
    ),
    Action(name="start", key="home", word="start", help="the first board"),
    Action(name="now", key="end", shown_key="end", label="Now", word="now", help="the board as it stands"),
    Action(name="board", word="board", help="draw the board again"),
    Action(
        name="say", key="t", label="Talk", word="say", typed="say TEXT", help="say something to the others"
    ),
    Action(
        name="help", key="question_mark", shown_key="?", label="Keys", word="help", help="all there is to do"
    ),
    Action(name="quit", key="q", label="Lobby", word="quit", help="leave; your seat is kept"),
    Action(name="dismiss", key="escape", help="close what is open"),
)

BY_NAME = {action.name: action for action in ACTIONS}
BY_WORD = {action.word: action for action in ACTIONS if action.word}


def typed_help(example: str) -> list[str]:
    """A line for each word that can be typed at a table; `example` shows how a move is written."""
    rows = [("a move", f"as the board names it: {example}")]
    rows += [(action.typed or action.word, action.help) for action in ACTIONS if action.word]
    return [f"  {word:<12} {what}" for word, what in rows]
