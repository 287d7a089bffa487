"""The languages to choose from, each by its own name."""

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from parlour_client.tui.dialogs.dialog import Dialog
from parlour_client.tui.dialogs.fields import ChoiceList
from parlour_client.tui.widgets.footer import Footer
from parlour_protocol.words import available, language, load, say

SYSTEM = "system"
"""No language is chosen: that of the system is spoken."""


class LanguageDialog(Dialog[str]):
    """Its answer is a language's tag, or `SYSTEM`."""

    def compose(self) -> ComposeResult:
        """All there are."""
        with Vertical(classes="frame") as frame:
            frame.border_title = say("screen.language.title")
            yield ChoiceList(
                *(Option(Content(load(tag).say("language.name")), id=tag) for tag in available()),
                Option(Content.styled(say("screen.language.system"), "$past"), id=SYSTEM),
                markup=False,
            )
        yield Footer()

    def on_mount(self) -> None:
        """The one that is spoken is chosen."""
        languages = self.query_one(ChoiceList)
        languages.highlighted = languages.get_option_index(language().tag)
        languages.focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Speak it."""
        event.stop()
        self.leave(event.option.id)
