"""Ink and paper: the dark theme and the light one, each with every board that one may play on.

Each colour is read on each of its theme's grounds with a contrast of 4.5 or more. Nothing that matters shows
by colour alone.
"""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from textual.theme import Theme

INK, PAPER = "ink", "paper"

BOARDS: Mapping[str, Mapping[bool, tuple[str, ...]]] = MappingProxyType(
    {
        "wood": {
            True: ("#3b2a19", "#4a3520", "#a97c48", "#f2aa3f", "#45c4b9"),
            False: ("#f0d9ac", "#e3c48d", "#7d5526", "#7a3f00", "#00524f"),
        },
        "slate": {
            True: ("#1c2733", "#263443", "#6d88a1", "#f2aa3f", "#45c4b9"),
            False: ("#eef3f7", "#dbe4ec", "#5c7387", "#854a00", "#00605f"),
        },
        "contrast": {
            True: ("#000000", "#1c1c1c", "#ffffff", "#ffc861", "#6ff0e4"),
            False: ("#ffffff", "#e6e6e6", "#000000", "#6b3a00", "#004544"),
        },
    }
)
"""The colours of cells, lines and pieces on each board but the theme's own, by the names of the page's; dark
ones and light ones. `boards.css` has the same."""
USUAL = ""
"""The board in the theme's own colours."""
CELL_VARIABLES = ("cell", "other-cell", "cell-line", "first-piece", "second-piece", "on-cell")

STYLESHEET = Path(__file__).with_name("parlour.tcss")
"""What uses their colours."""


def named(theme: str, board: str) -> str:
    """What Textual knows a theme with a board by."""
    return f"{theme}-{board}" if board else theme


def _theme(
    name: str, board: str, *, dark: bool, grounds: tuple[str, str, str], text: str, colours: dict[str, str]
) -> Theme:
    background, surface, panel = grounds
    first, second, past = colours["first-seat"], colours["second-seat"], colours["past"]
    usual = (surface, panel, colours["board-line"], first, second, past)
    return Theme(
        name=named(name, board),
        dark=dark,
        primary=first,
        secondary=second,
        accent=first,
        warning=colours["notice"],
        error=colours["refusal"],
        success=colours["win"],
        foreground=text,
        background=background,
        surface=surface,
        panel=panel,
        text_alpha=1.0,
        variables={
            **colours,
            **dict(zip(CELL_VARIABLES, (*BOARDS[board][dark], text) if board else usual, strict=True)),
            # Textual's own greys are the text's colour made thin, down to where nobody can read it.
            "text": text,
            "text-muted": past,
            "text-disabled": past,
            "foreground-muted": past,
            "foreground-disabled": past,
            "border": first,
            "border-blurred": colours["board-line"],
            "block-cursor-foreground": background,
            "block-cursor-background": first,
            "block-cursor-text-style": "bold",
            "block-cursor-blurred-foreground": text,
            "block-cursor-blurred-background": panel,
            "block-cursor-blurred-text-style": "none",
            "block-hover-background": panel,
            "button-foreground": text,
            "button-color-foreground": background,
            "button-focus-text-style": "bold reverse",
            "footer-background": surface,
            "footer-foreground": text,
            "footer-key-foreground": first,
            "footer-description-foreground": past,
            "input-cursor-background": first,
            "input-cursor-foreground": background,
            "input-selection-background": panel,
            "scrollbar": colours["board-line"],
            "scrollbar-hover": past,
            "scrollbar-active": first,
            "scrollbar-background": surface,
            "scrollbar-background-hover": surface,
            "scrollbar-background-active": surface,
        },
    )


_INK = {
    "first-seat": "#f2aa3f",
    "second-seat": "#45c4b9",
    "past": "#a29d93",
    "refusal": "#ff8b7e",
    "win": "#74cf85",
    "loss": "#ff8b7e",
    "drawn": "#b3afa6",
    "board-line": "#6f7583",
    "cursor": "#fff3d6",
    "notice": "#e6c84f",
}
TABLE_VARIABLES = (*_INK, *CELL_VARIABLES)
"""The colours that are ours: `$first-seat` in styles, and what stands for it in `App.theme_variables`."""

_PAPER = {
    "first-seat": "#854a00",
    "second-seat": "#00605f",
    "past": "#635c50",
    "refusal": "#b01a16",
    "win": "#1a6532",
    "loss": "#b01a16",
    "drawn": "#5d5950",
    "board-line": "#8d8164",
    "cursor": "#27231c",
    "notice": "#6c5500",
}
THEMES = tuple(
    theme
    for board in (USUAL, *BOARDS)
    for theme in (
        _theme(
            INK,
            board,
            dark=True,
            grounds=("#16181d", "#1d2027", "#2a2e37"),
            text="#ece7dc",
            colours=_INK,
        ),
        _theme(
            PAPER,
            board,
            dark=False,
            grounds=("#faf6ec", "#f3eddf", "#e8e0cd"),
            text="#27231c",
            colours=_PAPER,
        ),
    )
)


def other(name: str) -> str:
    """The theme that is not this one."""
    return PAPER if name == INK else INK
