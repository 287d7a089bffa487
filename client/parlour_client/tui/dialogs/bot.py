"""Which bot is to take the free seat? Those that the server has."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from parlour_client.text.actions import BOT
from parlour_client.text.names import localised
from parlour_client.tui.dialogs.dialog import Dialog
from parlour_client.tui.dialogs.fields import ChoiceList
from parlour_client.tui.widgets.footer import Footer
from parlour_protocol.views.rooms import BotLine
from parlour_protocol.words import say


class BotDialog(Dialog[str]):
    """Its answer is a bot's name."""

    def __init__(self, bots: Sequence[BotLine]) -> None:
        super().__init__()
        self._bots = bots

    def compose(self) -> ComposeResult:
        """All there are."""
        with Vertical(classes="frame") as frame:
            frame.border_title = say("question.call_bot")
            yield ChoiceList(*(Option(_line(bot), id=bot.name) for bot in self._bots), markup=False)
        yield Footer()

    def on_mount(self) -> None:
        """The usual one is chosen."""
        bots = self.query_one(ChoiceList)
        names = [bot.name for bot in self._bots]
        bots.highlighted = names.index(BOT) if BOT in names else 0 if names else None
        bots.focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Call it."""
        event.stop()
        self.leave(event.option.id)


def _line(bot: BotLine) -> Content:
    name = Content.styled(bot.name, "bold")
    return name + Content.styled(f"  {localised(bot.summary, bot.summary_said)}", "$past")
