"""The keys of a table's open actions, and what the footer shows of them."""

from dataclasses import replace

from textual.binding import ActiveBinding, Binding
from textual.dom import DOMNode

from parlour_client.text.actions import ACTIONS, BY_NAME, Action
from parlour_client.tui.bindings import label
from parlour_client.tui.screens.prompt import Prompt
from parlour_client.tui.worded import said
from parlour_protocol.views.rooms import RoomView
from parlour_protocol.words import say


class ActionKeys:
    """Knows which actions are open; while a question stands, only its answers have keys."""

    def __init__(self, prompt: Prompt) -> None:
        self._prompt = prompt
        self.open: frozenset[str] = frozenset()
        """The names of the actions that are open now."""
        self._labels: dict[str, str] = {}
        """The ids of what some are called in the footer at this moment, by key."""

    def show(self, view: RoomView, opened: frozenset[str], leave: str) -> None:
        """These are open now; the key that leaves leads to what the sentence of the id `leave` names."""
        self.open = opened
        own = "decline" in opened and not view.offers_to_answer()
        self._labels = {_QUIT_KEY: leave} | ({_DECLINE_KEY: "screen.key.withdraw"} if own else {})

    def called(self, letter: str) -> str:
        """A hint where a small letter was probably meant for an open action; else empty."""
        if not letter.islower():
            return ""
        found = next((one for one in ACTIONS if one.name in self.open and one.key == letter.upper()), None)
        if found is None:
            return ""
        return say("screen.table.capitals", key=found.key, action=said(self._label(found)))

    def closed(self, character: str) -> str:
        """The name of the action that a key stands for, though it is not open; empty for any other key."""
        found = (one.name for one in ACTIONS if one.key == character and one.name not in self.open)
        return next(found, "") if character else ""

    def footer(self) -> dict[str, str]:
        """All that decides what the footer shows."""
        return self._prompt.labels or {
            action.name: said(self._label(action)) for action in ACTIONS if action.name in self.open
        }

    def _label(self, action: Action) -> str:
        return self._labels.get(action.key, label(action))

    def bindings(self, node: DOMNode, active: dict[str, ActiveBinding]) -> dict[str, ActiveBinding]:
        """The bindings of `node` among those that are `active`, as the footer is to show them."""
        if labels := self._prompt.labels:
            return {
                key: ActiveBinding(
                    node, Binding(key, f"answer_{key}", words, key_display=_SHOWN.get(key)), True, ""
                )
                for key, words in labels.items()
            }

        def shown(one: ActiveBinding) -> ActiveBinding:
            if one.node is not node or one.binding.key not in self._labels:
                return one
            return one._replace(binding=replace(one.binding, description=self._labels[one.binding.key]))

        return {key: shown(one) for key, one in active.items()}


_DECLINE_KEY, _QUIT_KEY = BY_NAME["decline"].key, BY_NAME["quit"].key
_SHOWN = {"escape": "esc"}
