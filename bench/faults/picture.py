"""A run of the cluster as a picture: moves a second, how long they took, and when which fault befell it."""

from collections import defaultdict
from collections.abc import Sequence

from parlour_client.render.svg import INK, SANS, box, label

WIDTH, LEFT, RIGHT, CHART, LEGEND_ROW = 1100.0, 64.0, 16.0, 170.0, 20.0
TOP, BETWEEN, BELOW = 62.0, 44.0, 34.0
COLOURS = (
    "#c0392b",
    "#8e44ad",
    "#2c5aa0",
    "#2a9db0",
    "#1e8449",
    "#9a7d0a",
    "#d35400",
    "#111111",
    "#7f8c8d",
    "#d6579a",
)
FAINT, MOVES, WAITS = "#d9dce1", "#4a6fa5", "#b5542c"


def draw(
    moves: Sequence[tuple[float, float]], faults: Sequence[tuple[float, float, str]], seconds: float
) -> str:
    """An SVG of two charts over the same time.

    `moves` are when each was accepted and what it took, `faults` when each began, when it was over, and of
    which kind it was; all in seconds, from the run's beginning on.
    """
    kinds = list(dict.fromkeys(kind for _, _, kind in sorted(faults, key=lambda fault: fault[2])))
    colours = dict(zip(kinds, COLOURS * len(kinds), strict=False))
    by_second: dict[int, list[float]] = defaultdict(list)
    for at, took in moves:
        by_second[int(at)].append(took)
    count = [float(len(by_second[second])) for second in range(int(seconds))]
    waits = [1000 * _p99(by_second[second]) for second in range(int(seconds))]
    rows = -(-len(kinds) // 4)
    height = TOP + 2 * CHART + BETWEEN + BELOW + rows * LEGEND_ROW + 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {height:g}" font-family="{SANS}">',
        box(0, 0, WIDTH, height, "#ffffff"),
        label(LEFT, 22, "Three nodes under faults", size=16, anchor="start", weight=600),
    ]
    scale = (WIDTH - LEFT - RIGHT) / max(seconds, 1.0)
    for begun, over, kind in faults:
        span = max(1.5, (over - begun) * scale)
        parts.append(
            f'<rect x="{LEFT + begun * scale:.1f}" y="{TOP:g}" width="{span:.1f}" '
            f'height="{2 * CHART + BETWEEN:g}" fill="{colours[kind]}" opacity="0.16"/>'
        )
        parts.append(box(LEFT + begun * scale, TOP - 5, span, 5, colours[kind]))
    second_top = TOP + CHART + BETWEEN
    parts += _chart(count, TOP, scale, MOVES, "moves a second", most=_round_up(max(count, default=1.0), 20))
    parts += _chart(
        waits,
        second_top,
        scale,
        WAITS,
        "ms from play to accepted, p99 of each second",
        most=_round_up(max(waits, default=1.0), 2000),
    )
    step = next(one for one in (10, 20, 30, 60, 120, 300, 600) if seconds / one <= 14)
    for at in range(0, int(seconds) + 1, step):
        shown = f"{at // 60}:{at % 60:02}"
        parts.append(label(LEFT + at * scale, second_top + CHART + 16, shown, size=11))
    for number, kind in enumerate(kinds):
        x = LEFT + (number % 4) * (WIDTH - LEFT - RIGHT) / 4
        y = second_top + CHART + BELOW + (number // 4) * LEGEND_ROW
        parts += [box(x, y, 11, 11, colours[kind]), label(x + 17, y + 10, kind, size=12, anchor="start")]
    return "\n".join([*parts, "</svg>\n"])


def _chart(
    values: Sequence[float], top: float, scale: float, colour: str, title: str, most: float
) -> list[str]:
    bottom = top + CHART
    parts = [label(LEFT, top - 9, title, size=12, anchor="start")]
    for share in (0.0, 0.5, 1.0):
        y = bottom - share * CHART
        parts.append(box(LEFT, y, WIDTH - LEFT - RIGHT, 0.8, FAINT))
        parts.append(label(LEFT - 6, y + 4, f"{share * most:,.0f}", size=11, anchor="end", fill=INK))
    path = " ".join(
        f"{LEFT + (second + 0.5) * scale:.1f},{bottom - min(value, most) / most * CHART:.1f}"
        for second, value in enumerate(values)
    )
    return [*parts, f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.4"/>']


def _p99(values: Sequence[float]) -> float:
    return sorted(values)[min(len(values) - 1, int(0.99 * len(values)))] if values else 0.0


def _round_up(value: float, step: float) -> float:
    return max(step, -(-value // step) * step)
