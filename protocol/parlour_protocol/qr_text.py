"""A QR code as text: half blocks, each of two modules, one above the other."""

from collections.abc import Sequence

MARGIN = 2
"""Light modules on every side. Paper has four; a terminal has few lines, and readers manage with two."""
_HALVES = {(True, True): "\u2588", (True, False): "\u2580", (False, True): "\u2584", (False, False): " "}


def half_blocks(rows: Sequence[str], *, ink: str = "#") -> list[str]:
    """The code with its margin, to be written in black on white; `rows` are those of `qr_code`.

    With `ink="."` the light modules are the ones that are drawn: for light text on a dark ground.
    """
    side = "." * MARGIN
    blank = "." * (len(rows[0]) + 2 * MARGIN)
    # A code has an odd number of rows: one blank row more makes whole lines.
    framed = [*[blank] * MARGIN, *(f"{side}{row}{side}" for row in rows), *[blank] * (MARGIN + 1)]
    pairs = zip(framed[::2], framed[1::2], strict=True)
    return [
        "".join(_HALVES[top == ink, bottom == ink] for top, bottom in zip(*pair, strict=True))
        for pair in pairs
    ]
