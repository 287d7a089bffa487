"""Numbers over time as a row of bars. Pure."""

from collections.abc import Sequence

BARS = " ▁▂▃▄▅▆▇█"


def sparkline(values: Sequence[float], width: int) -> str:
    """The last `width` values as bars, the highest as high as can be; right-aligned, with blanks for none."""
    shown = values[-width:] if width > 0 else []
    highest = max(shown, default=0.0)
    # Whatever is not nothing shows.
    bars = "".join(
        BARS[0] if value <= 0 else BARS[max(1, round(value / highest * (len(BARS) - 1)))] for value in shown
    )
    return bars.rjust(max(0, width))
