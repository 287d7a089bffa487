"""The keys of a table's open actions: how they are pressed on its board, and what the footer shows."""

from dataclasses import replace

from textual.binding import ActiveBinding, Binding
from textual.dom import DOMNode

from parlour_client.text.actions import ACTIONS, Action
from parlour_client.tui.screens.prompt import Prompt
from parlour_client.tui.widgets.board import Board


class ActionKeys:
    """Knows which actions are open; while a question stands, only its answers have keys."""

    def __init__(self, board: Board, prompt: Prompt) -> None:
        self._board = board
        self._prompt = prompt
        self.open: frozenset[str] = frozenset()
        """The names of the actions that are open now."""
        self.leads_to = "Lobby"
        """Where the key that leaves leads, in a word."""

    def action_of(self, key: str) -> Action | None:
        """The open action that has this key."""
        return next((one for one in ACTIONS if one.name in self.open and key in one.key.split(",")), None)

    def label_of(self, key: str) -> str:
        """What that action is called, in small letters; empty where there is none."""
        action = self.action_of(key) if key else None
        return "" if action is None else (action.label or action.help).lower()

    def pressed(self, key: str) -> str:
        """How a key is pressed: a letter that begins a move needs enter behind it."""
        return f"{key} enter" if self._board.begins(key) else key

    def by_name(self) -> dict[str, str]:
        """How each action's key is pressed."""
        return {action.name: self.pressed(action.key) for action in ACTIONS if action.key}

    def footer(self) -> dict[str, str]:
        """All that decides what the footer shows."""
        return self._prompt.labels or {
            name: pressed for name, pressed in self.by_name().items() if name in self.open
        } | {"leads to": self.leads_to}

    def bindings(self, node: DOMNode, active: dict[str, ActiveBinding]) -> dict[str, ActiveBinding]:
        """The bindings of `node` among those that are `active`, as the footer is to show them."""
        if labels := self._prompt.labels:
            return {
                key: ActiveBinding(node, Binding(key, f"answer_{key}", label), True, "")
                for key, label in labels.items()
            }

        def shown(one: ActiveBinding) -> ActiveBinding:
            if one.node is not node:
                return one
            binding, pressed = one.binding, self.pressed(one.binding.key)
            if pressed != binding.key:
                binding = replace(binding, key_display=pressed)
            if binding.action == "perform('quit')":
                binding = replace(binding, description=self.leads_to)
            return one._replace(binding=binding)

        return {key: shown(one) for key, one in active.items()}
