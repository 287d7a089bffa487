"""Textual's bindings for a player's actions at a table: each action's keys call `perform` with its name."""

from textual.binding import Binding, BindingType

from parlour_client.text.actions import ACTIONS


def table_bindings() -> list[BindingType]:
    """A binding for each action that has a key."""
    return [
        Binding(
            action.key,
            f"perform('{action.name}')",
            action.label or _sentence(action.help),
            show=bool(action.label),
            key_display=action.shown_key or None,
            tooltip=_sentence(action.help),
        )
        for action in ACTIONS
        if action.key
    ]


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]
