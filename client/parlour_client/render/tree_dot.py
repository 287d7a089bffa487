"""A game tree for Graphviz: `dot -Tpdf tree.dot -o tree.pdf`."""

import json

from rich.cells import cell_len

from parlour_client.render.tree_text import value_colour, value_text
from parlour_client.text.scores import PAST, number
from parlour_protocol.answers import GameTree
from parlour_protocol.views.boards import Row

HEAD = """\
digraph tree {{
  graph [label={title}, labelloc=t, fontname="sans-serif", nodesep=0.15, ranksep=0.5, bgcolor=white];
  node [shape=box, style=rounded, fontname="monospace", fontsize=10];
  edge [arrowhead=none, fontname="sans-serif", fontsize=10];
"""


def document(tree: GameTree, title: str) -> str:
    """The tree in Graphviz' language."""
    lines = [HEAD.format(title=_quoted(title))]
    widest = max((cell_len(text) for node in tree.nodes for row in node.cells for text in row), default=1)
    for index, node in enumerate(tree.nodes):
        triangle = "▲" if node.level == "max" else "▼"
        board = "\n".join(_row(row, widest) for row in node.cells)
        colour = value_colour(node, PAST)
        look = (
            f'color="{colour}"'
            + (", penwidth=3" if node.best else "")
            + (', style="rounded,dashed"' if node.score.kind == "estimate" else "")
        )
        lines.append(
            f"  n{index} [label={_quoted(f'{triangle} {value_text(node)}' + chr(10) + board)}, {look}];"
        )
        if node.parent is not None:
            heavy = ", penwidth=3" if node.best else ""
            lines.append(f"  n{node.parent} -> n{index} [label={_quoted(node.move or '')}{heavy}];")
        if node.pruned and node.cut_at is not None:
            said = f"{node.cut} = {number(node.cut_at)}\n{' '.join(node.pruned[:6])}"
            said += " ..." if len(node.pruned) > 6 else ""
            lines.append(f'  p{index} [label={_quoted(said)}, shape=plaintext, fontcolor="{PAST}"];')
            lines.append(f'  n{index} -> p{index} [style=dashed, arrowhead=tee, color="{PAST}", label="//"];')
    return "\n".join([*lines, "}\n"])


def _row(row: Row, widest: int) -> str:
    """A row of a board; texts of several characters stand apart."""
    apart = " " if widest > 1 else ""
    return apart.join(text + " " * (widest - cell_len(text)) for text in row)


def _quoted(text: str) -> str:
    """A string of Graphviz': JSON's, but for the escapes that it doesn't know."""
    lines = [json.dumps(line, ensure_ascii=False)[1:-1] for line in text.split("\n")]
    return '"' + "\\n".join(lines) + '"'
