"""Textual's bindings for a player's actions at a table: each action's keys call `perform` with its name."""

from textual.binding import Binding, BindingType

from parlour_client.text.actions import ACTIONS, Action
from parlour_protocol.words import ENGLISH


def table_bindings() -> list[BindingType]:
    """A binding for each action that has a key."""
    return [
        Binding(
            action.key,
            f"perform('{action.name}')",
            label(action) or action.help,
            show=bool(action.label),
            key_display=action.shown_key or None,
            tooltip=action.help,
        )
        for action in ACTIONS
        if action.key
    ]


def label(action: Action) -> str:
    """The id of what the footer calls an action, its short name where it has one; empty: nothing."""
    if not action.label:
        return ""
    short = f"screen.action.{action.name}"
    return short if short in ENGLISH else f"action.{action.name}.label"
