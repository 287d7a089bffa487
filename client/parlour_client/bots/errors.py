"""What can go wrong with a bot's file, shown apart.

    BotError
    +-- Raised        its `choose` raised: with the file's line
    +-- NotAMove      it returned what is not a move at all
    +-- Illegal       it returned a move that the game refuses
    +-- TooSlow       it took longer than it may
    +-- Died          its process is gone, or answers no more
    +-- OutOfMemory   its process took more memory than it may
    +-- Broken        the file can't be loaded any more, after its process was ended

After any of these the bot resigns the game that it was playing, and plays the next one. A lost
connection is no error of the bot's: it reconnects by itself, and the room decides how long the other waits.
"""

from parlour_client.bots.limits import size
from parlour_client.sdk.errors import ParlourError
from parlour_client.sdk.sanitize import clean
from parlour_protocol.views.records import FaultKind
from parlour_protocol.words import say

LONGEST_QUOTE = 200


def short(text: str) -> str:
    """A stranger's text as a sentence may repeat it."""
    shown = clean(text)
    return shown if len(shown) <= LONGEST_QUOTE else f"{shown[:LONGEST_QUOTE]}..."


def at_line(file: str, line: int | None, error: str, source: str = "") -> str:
    """An error, and where it is in a bot's file."""
    if line is None:
        return say("error.bot.in_file", file=file, error=short(error))
    if source:
        return say(
            "error.bot.at_line_in", file=file, line=str(line), error=short(error), source=short(source)
        )
    return say("error.bot.at_line", file=file, line=str(line), error=short(error))


def kind_in_words(kind: FaultKind) -> str:
    """What a kind of fault is called."""
    return say(f"error.bot.kind.{kind.replace(' ', '_')}")


class BotError(ParlourError):
    """An error of a bot's own; `kind` names it for programs."""

    kind: FaultKind
    trace = ""
    """Python's, where the file raised."""

    @property
    def called(self) -> str:
        """The same for people."""
        return kind_in_words(self.kind)


class Raised(BotError):
    """`choose` raised, `line` being the last line of the bot's own file that it went through."""

    kind: FaultKind = "exception"

    def __init__(self, file: str, line: int | None, error: str, source: str = "", trace: str = "") -> None:
        super().__init__(at_line(file, line, error, source))
        self.line = line
        self.trace = trace


class NotAMove(BotError):
    """`choose` returned something else."""

    kind: FaultKind = "no move"

    def __init__(self, returned: str, said: str = "") -> None:
        """`said`: in the words of its interface, where that isn't Parlour's own."""
        super().__init__(said or say("error.bot.not_a_move", returned=short(returned)))


class Illegal(BotError):
    """`choose` returned a move that the game refuses."""

    kind: FaultKind = "illegal move"

    def __init__(self, move: str, legal: list[str], said: str = "") -> None:
        shown = " ".join(legal[:12]) + (" ..." if len(legal) > 12 else "")
        super().__init__(said or say("error.bot.illegal", move=short(repr(move)), legal=shown))
        self.move = move


class TooSlow(BotError):
    """It took longer than it may, or than its clock had left."""

    kind: FaultKind = "too slow"

    def __init__(self, said: str) -> None:
        super().__init__(said)


class Died(BotError):
    """The process that the file runs in has ended, or had to be: `said` tells which."""

    kind: FaultKind = "died"

    def __init__(self, said: str) -> None:
        super().__init__(said)


class OutOfMemory(BotError):
    """The process and all that it had started held more memory than they may, and were ended."""

    kind: FaultKind = "memory"

    def __init__(self, file: str, limit: int) -> None:
        super().__init__(say("error.bot.memory", file=clean(file), size=size(limit)))


class Broken(BotError):
    """The file can't be loaded: at the start nothing can be played, later on it costs a game."""

    kind: FaultKind = "broken"

    def __init__(self, said: str) -> None:
        super().__init__(short(said))
