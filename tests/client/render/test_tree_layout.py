"""Trees stand without touching, and no wider than they need."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from parlour_client.render.tree_layout import Size, lay_out

GAP = 4.0


def depths(parents: list[int]) -> list[int]:
    found = [0]
    for parent in parents:
        found.append(found[parent] + 1)
    return found


@st.composite
def trees(draw: st.DrawFn) -> tuple[list[list[int]], list[int]]:
    """Children by node, in preorder, and the nodes' depths."""
    shape = draw(st.recursive(st.just([]), lambda below: st.lists(below, max_size=4), max_leaves=25))
    children: list[list[int]] = []
    parents: list[int] = []

    def number(node: list[list[int]]) -> int:
        index = len(children)
        children.append([])
        for child in node:
            parents.append(index)
            children[index].append(number(child))  # type: ignore[arg-type]
        return index

    number(shape)
    return children, depths(parents)


@given(trees(), st.floats(1, 20))
def test_neighbours_keep_their_distance_and_parents_stand_in_the_middle(
    tree: tuple[list[list[int]], list[int]], half: float
) -> None:
    children, levels = tree
    middles = lay_out(children, [Size(half)] * len(children), GAP)
    assert min(middles) - half >= -1e-6
    for level in set(levels):
        row = [middles[node] for node in range(len(children)) if levels[node] == level]
        assert all(right - left >= 2 * half + GAP - 1e-6 for left, right in pairwise(row))
    for node, below in enumerate(children):
        if below:
            middle = (middles[below[0]] + middles[below[-1]]) / 2
            assert abs(middles[node] - middle) < 1e-6


def test_a_subtree_slips_beside_a_shorter_one() -> None:
    # A leaf beside a wide family stands over the family's edge, no further away than its own width asks for.
    children = [[1, 2], [], [3, 4, 5], [], [], []]
    middles = lay_out(children, [Size(10)] * 6, GAP)
    assert middles[2] - middles[1] == 24
    assert middles[3] < middles[1] + 24


def test_what_stands_beside_pushes_the_neighbour_away() -> None:
    children = [[1, 3], [2], [], [4], []]
    plain = lay_out(children, [Size(10)] * 5, GAP)
    pushed = lay_out(children, [Size(10), Size(10, beside=60.0), Size(10), Size(10), Size(10)], GAP)
    assert plain[3] - plain[1] == 24
    assert pushed[3] - pushed[1] == 64
