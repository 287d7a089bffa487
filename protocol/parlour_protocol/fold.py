"""How a client keeps a room's view right: by applying what each event and presence notice says has changed.

No kind of event need be known for that. The same in other languages: see docs/protocol.md.
"""

from typing import Any, Protocol


class Changes(Protocol):
    """An event, or a presence notice."""

    set: dict[str, Any]
    splice: dict[str, list[list[Any]]]


def fold(view: dict[str, Any], change: Changes) -> None:
    """Apply a change to a view as plain data, in place. An event's version is the view's from then on."""
    for path, value in change.set.items():
        owner, field = _find(view, path)
        owner[field] = value
        if value is None and isinstance(owner, dict):
            del owner[field]
    for path, cuts in change.splice.items():
        owner, field = _find(view, path)
        for start, count, *items in cuts:
            owner[field][start : start + count] = items
    view["version"] = getattr(change, "version", view["version"])


def _find(view: dict[str, Any], path: str) -> tuple[Any, Any]:
    """What holds the last part of a path, and that part: a dictionary's key or a list's index."""
    owner: Any = view
    *way, last = (int(part) if part.isdigit() else part for part in path.split("."))
    for part in way:
        owner = owner[part]
    return owner, last
