"""Folds what a client received by a function of docs/protocol.md, run in Node, and by the one in Python."""

import copy
import json
import subprocess
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

from parlour_protocol.fold import fold
from tests.docs.markdown import blocks, page
from tests.support.client import Message
from tests.support.needs import node

PRESENCE = ("online", "watching", "away_since", "claim_from")
"""What a snapshot tells at once, and a notice a moment later."""

_HARNESS = """
const views = [];
let view = null;
for (const message of JSON.parse(require("fs").readFileSync(0))) {
  if (message.type !== "snapshot") fold(view, message);
  else { views.push(structuredClone(view)); view = message.view; }
}
console.log(JSON.stringify(views));
"""


def runs(received: Iterable[Message]) -> list[list[Message]]:
    """Snapshots and the changes that go on from them without a gap: what a client folds.

    A client that comes back begins another run.
    """
    found: list[list[Message]] = []
    version = -1
    for message in received:
        match message["type"]:
            case "snapshot":
                if message["version"] != version:
                    found.append([])
                found[-1].append(message)
                version = message["version"]
            case "event" if message["version"] == version + 1:
                found[-1].append(message)
                version += 1
            case "presence" if found:
                found[-1].append(message)
    return found


def in_python(messages: list[Message]) -> list[Any]:
    """The view that stood before each snapshot, folded by the protocol's function."""
    views: list[Any] = []
    view: Any = None
    for message in copy.deepcopy(messages):
        if message["type"] == "snapshot":
            views.append(copy.deepcopy(view))
            view = message["view"]
        else:
            fold(view, SimpleNamespace(**{"set": {}, "splice": {}, **message}))
    return views


def in_node(messages: list[Message]) -> list[Any]:
    """The same by the page's function in JavaScript."""
    (source,) = [block for block in blocks(page("docs/protocol.md"), "js") if "function fold" in block]
    ran = subprocess.run(
        [node(), "--eval", source + _HARNESS],
        input=json.dumps(messages),
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    views: list[Any] = json.loads(ran.stdout)
    return views
