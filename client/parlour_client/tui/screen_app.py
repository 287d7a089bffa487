"""What applications on the full screen share: themes, boards, languages, and the keys that change them."""

import os
from typing import ClassVar

from textual.app import App
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from parlour_client.sdk.identity import state_folder
from parlour_client.tui import themes
from parlour_client.tui.choices import Choices
from parlour_client.tui.worded import reword
from parlour_protocol.words import available, language, speak
from parlour_protocol.words.choice import VARIABLE, chosen, find


class ScreenApp(App[None]):
    """An application in the theme and the language, and with the board, that were chosen.

    A language that is asked for, by `--lang` or in the environment, comes before the one that was kept.
    """

    TITLE = "Parlour"
    ENABLE_COMMAND_PALETTE = False
    CSS_PATH = themes.STYLESHEET

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "ctrl+c,ctrl+q", "leave", "screen.key.leave", show=False, priority=True, key_display="ctrl+c"
        ),
        Binding("ctrl+t", "other_theme", "screen.key.theme", show=False, priority=True),
        Binding("ctrl+p", "boards", "boards.title", show=False, priority=True),
        Binding("ctrl+l", "language", "screen.key.language", show=False, priority=True),
    ]

    def __init__(self) -> None:
        # Without colours Textual would still paint in greys; in the terminal's own there is nothing to paint.
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        for theme in themes.THEMES:
            self.register_theme(theme)
        self._choices = Choices(state_folder())
        self._chosen_theme, self._chosen_board = self._choices.theme, self._choices.board
        self._dress()
        kept = self._choices.language
        if kept is not None and find(os.environ.get(VARIABLE, "")) is None:
            speak(kept)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our own variables, also under a theme that is not ours."""
        return {name: themes.THEMES[0].variables[name] for name in themes.TABLE_VARIABLES}

    def action_other_theme(self) -> None:
        """From light to dark and back, and keep it."""
        self._chosen_theme = themes.other(self._chosen_theme)
        self._choices.keep(theme=self._chosen_theme)
        self._dress()

    def _dress(self) -> None:
        self.theme = themes.named(self._chosen_theme, self._chosen_board)

    def action_boards(self) -> None:
        """Ask which board is to be played on."""
        from parlour_client.tui.dialogs.chooser import BoardDialog

        if not isinstance(self.screen, ModalScreen):
            self.push_screen(BoardDialog(self._chosen_board), self._play_on)

    def _play_on(self, wanted: str | None) -> None:
        """Have all boards look like this from now on, and keep it."""
        if wanted is not None:
            self._chosen_board = wanted
            self._choices.keep(board=wanted)
            self._dress()

    def action_language(self) -> None:
        """Ask which language is to be spoken."""
        from parlour_client.tui.dialogs.chooser import LanguageDialog

        if not isinstance(self.screen, ModalScreen):
            self.push_screen(LanguageDialog(), self._speak)

    def _speak(self, wanted: str | None) -> None:
        """Speak a language from now on, on all that is shown."""
        if wanted is None:
            return
        known = wanted if wanted in available() else None
        self._choices.keep(language=known)
        before = language().tag
        speak(known or chosen())
        if language().tag != before:
            for screen in self.screen_stack:
                reword(screen)
