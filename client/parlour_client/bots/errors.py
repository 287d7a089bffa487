"""What can go wrong with a bot's file, shown apart.

    BotError
    +-- Raised        its `choose` raised: with the file's line
    +-- NotAMove      it returned what is not a move at all
    +-- Illegal       it returned a move that the game refuses
    +-- TooSlow       it took longer than it may
    +-- Died          its process is gone, or answers no more
    +-- Broken        the file can't be loaded any more, after its process was ended

After any of these the bot resigns the game that it was playing, and plays the next one. A lost
connection is no error of the bot's: it reconnects by itself, and the room decides how long the other waits.
"""

from parlour_client.sdk.errors import ParlourError
from parlour_client.text.sanitize import clean

LONGEST_QUOTE = 200


def short(text: str) -> str:
    """Somebody's text as a sentence may repeat it."""
    shown = clean(text)
    return shown if len(shown) <= LONGEST_QUOTE else f"{shown[:LONGEST_QUOTE]}..."


class BotError(ParlourError):
    """An error of a bot's own; `kind` names it for programs."""

    kind = "fault"


class Raised(BotError):
    """`choose` raised, `line` being the last line of the bot's own file that it went through."""

    kind = "exception"

    def __init__(self, file: str, line: int | None, error: str, source: str = "") -> None:
        where = file if line is None else f"{file}, line {line}"
        code = f" (in `{short(source)}`)" if source else ""
        super().__init__(f"{where}: {short(error)}{code}")
        self.line = line


class NotAMove(BotError):
    """`choose` returned something else."""

    kind = "no move"

    def __init__(self, returned: str) -> None:
        super().__init__(
            f"choose returned {short(returned)}: a move as text is wanted, one of position.legal_moves, "
            "or such a move and a Report."
        )


class Illegal(BotError):
    """`choose` returned a move that the game refuses."""

    kind = "illegal move"

    def __init__(self, move: str, legal: list[str]) -> None:
        shown = " ".join(legal[:12]) + (" ..." if len(legal) > 12 else "")
        super().__init__(
            f"choose returned {short(repr(move))}, which is not legal here. Legal: {clean(shown)}."
        )
        self.move = move


class TooSlow(BotError):
    """It took longer than it may, or than its clock had left."""

    kind = "too slow"

    def __init__(self, said: str) -> None:
        super().__init__(said)


class Died(BotError):
    """The process that the file runs in has ended, or had to be: `said` tells which."""

    kind = "died"

    def __init__(self, said: str) -> None:
        super().__init__(said)


class Broken(BotError):
    """The file can't be loaded: at the start nothing can be played, later on it costs a game."""

    kind = "broken"

    def __init__(self, said: str) -> None:
        super().__init__(short(said))
