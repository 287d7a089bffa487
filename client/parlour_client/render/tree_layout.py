"""Where a tree's nodes stand: as close as their outlines allow, each parent over the middle of its children.

After Reingold and Tilford, Tidier Drawings of Trees (1981): each subtree is laid out by itself, then moved
against its left neighbour until their outlines touch at some level.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Size:
    """What a node takes, to either side of its middle."""

    half: float
    """Half of its own width."""
    beside: float = 0.0
    """What stands half a level below it, to the right of its last child (or of its middle)."""


@dataclass(slots=True)
class _Outline:
    """A subtree's edges, from its root's middle: at its root, half a level below that, and so on."""

    left: list[float]
    right: list[float]


def lay_out(children: Sequence[Sequence[int]], sizes: Sequence[Size], gap: float) -> list[float]:
    """The middle of each node; the leftmost edge of all is at 0.

    Nodes are numbered so that parents come before their children; node 0 is the root. `gap` stands between
    neighbours.
    """
    offsets = [0.0] * len(children)
    """From a parent's middle to its child's."""
    outlines: dict[int, _Outline] = {}
    for node in range(len(children) - 1, -1, -1):
        below = children[node]
        outline = _beside_each_other([outlines.pop(child) for child in below], below, offsets, gap)
        middle = (offsets[below[0]] + offsets[below[-1]]) / 2 if below else 0.0
        for child in below:
            offsets[child] -= middle
        size = sizes[node]
        last = offsets[below[-1]] if below else 0.0
        # Nothing but what is beside stands half a level below.
        between = (last, last + size.beside) if size.beside else (0.0, 0.0)
        outlines[node] = _Outline(
            [-size.half, between[0], *(edge - middle for edge in outline.left)],
            [size.half, between[1], *(edge - middle for edge in outline.right)],
        )
    middles = [0.0] * len(children)
    middles[0] = -min(outlines[0].left)
    for node, below in enumerate(children):
        for child in below:
            middles[child] = middles[node] + offsets[child]
    return middles


def _beside_each_other(
    outlines: Sequence[_Outline], nodes: Sequence[int], offsets: list[float], gap: float
) -> _Outline:
    """Move subtrees against each other from left to right; notes their offsets from the first."""
    whole = _Outline([], [])
    for outline, node in zip(outlines, nodes, strict=True):
        pairs = zip(whole.right, outline.left, strict=False)
        offset = max((right - left + gap for right, left in pairs), default=0.0)
        offsets[node] = offset
        deep = len(whole.left)
        whole.left += [edge + offset for edge in outline.left[deep:]]
        whole.right[: len(outline.right)] = [edge + offset for edge in outline.right]
    return whole
