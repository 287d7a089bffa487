"""One of several values, below each other: a bot, a board, a language."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from parlour_client.text.actions import BOT
from parlour_client.text.names import localised
from parlour_client.tui import themes
from parlour_client.tui.dialogs.dialog import Dialog
from parlour_client.tui.dialogs.fields import ChoiceList
from parlour_protocol.views.rooms import BotLine
from parlour_protocol.words import available, language, load, say

SYSTEM = "system"
"""No language is chosen: that of the system is spoken."""


class Chooser(Dialog[str]):
    """Its answer is one of `values`; `chosen` is what enter would choose at once."""

    def __init__(self, values: Sequence[tuple[str, Content]], chosen: str) -> None:
        super().__init__()
        self._values = values
        self._chosen = chosen

    def content(self) -> ComposeResult:
        """All there are."""
        yield ChoiceList(*(Option(words, id=value) for value, words in self._values), markup=False)

    def on_mount(self) -> None:
        """One is chosen already."""
        values = [value for value, _ in self._values]
        shown = self.query_one(ChoiceList)
        if values:
            shown.highlighted = values.index(self._chosen) if self._chosen in values else 0
        shown.focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """This one."""
        event.stop()
        self.leave(event.option.id)


class BotDialog(Chooser):
    """Which of the server's bots is to take the free seat?"""

    def __init__(self, bots: Sequence[BotLine]) -> None:
        super().__init__([(bot.name, _line(bot)) for bot in bots], BOT)

    @property
    def heading(self) -> str:
        """Its title."""
        return say("question.call_bot")


class BoardDialog(Chooser):
    """How are boards to look?"""

    def __init__(self, now: str) -> None:
        boards = (themes.USUAL, *themes.BOARDS)
        super().__init__([(board, Content(say(f"boards.{board or 'paper'}"))) for board in boards], now)

    @property
    def heading(self) -> str:
        """Its title."""
        return say("boards.title")


class LanguageDialog(Chooser):
    """A language's tag, each by its own name; or `SYSTEM`."""

    def __init__(self) -> None:
        system = (SYSTEM, Content.styled(say("screen.language.system"), "$past"))
        tags = [(tag, Content(load(tag).say("language.name"))) for tag in available()]
        super().__init__([*tags, system], language().tag)

    @property
    def heading(self) -> str:
        """Its title."""
        return say("screen.language.title")


def _line(bot: BotLine) -> Content:
    name = Content.styled(bot.name, "bold")
    return name + Content.styled(f"  {localised(bot.summary, bot.summary_said)}", "$past")
