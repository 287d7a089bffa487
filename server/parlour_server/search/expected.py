"""How much a deeper search is expected to cost, from what the ones before it did."""

from collections.abc import Sequence
from math import sqrt


def expected_cost(costs: Sequence[int], depths: Sequence[int]) -> float | None:
    """What searches to these depths are expected to cost in all; None where too little is known.

    `costs` are those of the depths 1, 2, 3, ... In alpha-beta odd and even ones grow unlike each other, so
    two are taken together; near a game's end each grows less than the one before, and goes on to do so.
    """
    if len(costs) < 2 or not depths:
        return None
    growth = [sqrt(later / earlier) for earlier, later in zip(costs, costs[2:], strict=False)]
    growth = growth or [costs[1] / costs[0]]
    slope = min(0.0, growth[-1] - growth[-2]) if len(growth) > 1 else 0.0
    cost, factor, found = float(costs[-1]), growth[-1], 0.0
    for depth in range(len(costs) + 1, max(depths) + 1):
        factor = max(1.0, factor + slope)
        cost *= factor
        found += cost if depth in depths else 0.0
    return found
