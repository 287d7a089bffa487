"""The keys of a player's actions at a table, and what the footer shows of them at a model."""

from dataclasses import replace
from typing import Any

from textual.binding import ActiveBinding, Binding, BindingType
from textual.dom import DOMNode

from parlour_client.text.actions import ACTIONS, BY_NAME, Action
from parlour_client.tui.table_model import TableModel
from parlour_client.tui.worded import said
from parlour_protocol.words import ENGLISH, say


def table_bindings() -> list[BindingType]:
    """A binding for each action that has a key: it calls `perform` with the action's name."""
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


def footer(model: TableModel) -> dict[str, str]:
    """What decides how the footer looks: the answers of a question that stands, else the open actions."""
    if model.question:
        return {key: choice.label for key, choice in model.answers.items()}
    return {action.name: said(_label(action, model)) for action in ACTIONS if action.name in model.open}


def active(model: TableModel, node: DOMNode, bindings: dict[str, ActiveBinding]) -> dict[str, ActiveBinding]:
    """The bindings of `node` among these active ones, as the footer is to show them."""
    if model.question:
        return {
            key: ActiveBinding(
                node, Binding(key, f"answer_{key}", words, key_display=_SHOWN.get(key)), True, ""
            )
            for key, words in footer(model).items()
        }
    now: dict[str, dict[str, Any]] = {
        action.key: {"description": words}
        for action in (BY_NAME["decline"], BY_NAME["quit"])
        if (words := _label(action, model)) != label(action)
    }
    # What is offered is agreed to by its own key, too: one of the two is enough to read.
    now |= {BY_NAME[offer].key: {"show": False} for offer in model.view.offers_to_answer()}
    return {
        key: one._replace(binding=replace(one.binding, **now.get(one.binding.key, {})))
        if one.node is node
        else one
        for key, one in bindings.items()
    }


def capital_meant(model: TableModel, letter: str) -> str:
    """A hint where a small letter was probably meant for an open action; else empty."""
    meant = letter.upper() if letter.islower() else None
    found = next((one for one in ACTIONS if one.name in model.open and one.key == meant), None)
    if found is None:
        return ""
    return say("screen.table.capitals", key=found.key, action=said(_label(found, model)))


def closed_action(model: TableModel, character: str) -> str:
    """The name of the action that a key stands for, though it is not open; empty for any other key."""
    found = (one.name for one in ACTIONS if one.key == character and one.name not in model.open)
    return next(found, "") if character else ""


def _label(action: Action, model: TableModel) -> str:
    match action.name:
        case "quit":
            return "screen.key.games" if model.earlier else "screen.key.lobby"
        case "decline" if not model.view.offers_to_answer():
            return "screen.key.withdraw"
        case _:
            return label(action)


_SHOWN = {"escape": "esc"}
