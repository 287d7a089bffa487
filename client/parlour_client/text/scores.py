"""Scores as people read them: in words, in signs, in colours. From the view of the side to move.

What is proven, what is bounded and what is guessed never look the same: a guess wears a `~`, slants, and is
hatched; a bound wears a `>` or a `<`, and is dotted. A guess that is a bound wears both signs, slants, and is
dotted.
"""

from collections.abc import Sequence
from typing import Literal

from parlour_client.text.sanitize import clean
from parlour_protocol.reports import Bound, Candidate, Score

# Each has a contrast of 4.5 or more on black and on white: nobody can ask a terminal which one it is.
FIRST = "#b06300"
SECOND = "#008383"
PAST = "#767676"
WIN = "#16883f"
LOSS = "#e0302a"

SIGNS = {"exact": "", "estimate": "~", "at_least": ">=", "at_most": "<="}
AT: dict[Bound, str] = {"at_least": "at least", "at_most": "at most"}
ESTIMATES_END = 50
"""In points: no estimate is beyond, no win or loss within."""

_PALE = {"win": (128, 202, 140), "loss": (240, 150, 138)}
_DEEP = {"win": (14, 104, 44), "loss": (176, 24, 20), "draw": (150, 150, 150)}
_EVEN = (208, 206, 196)
_GUESSED = {"win": (122, 196, 136), "loss": (232, 128, 112)}
NEAREST = 6
"""Guesses all within so many points of zero are coloured as if the largest were that far from it."""


def number(points: float, decimals: int = 2) -> str:
    """Points in as many decimals as it needs, and no more than that many: `95`, `3.42`, `-0.5`."""
    if isinstance(points, int):
        return str(points)
    written = f"{points:.{decimals}f}"
    if "." in written:
        written = written.rstrip("0").rstrip(".")
    return "0" if written == "-0" else written


def plies(depth: int) -> str:
    """A depth in words: `1 ply`, `9 plies`."""
    return "1 ply" if depth == 1 else f"{depth} plies"


Look = Literal["exact", "bound", "estimate", "estimated bound"]


def look(score: Score) -> Look:
    """What a score is to the eye: bars and cells are filled by it."""
    if score.kind == "estimate":
        return "estimated bound" if score.bound else "estimate"
    return "exact" if score.kind == "exact" else "bound"


def _signs(score: Score) -> str:
    return (SIGNS[score.bound] if score.bound else "") + SIGNS[score.kind]


def score_text(score: Score, *, aligned: bool = False, decimals: int = 1) -> str:
    """A cost as it is drawn: `95` is exact, `~3.4` a guess, `<=95` a proven bound, `<=~3.4` a guessed one.

    `aligned` gives every guess a decimal, so that they stand below each other.
    """
    if aligned and score.kind == "estimate":
        return f"{_signs(score)}{score.points:.1f}"
    return f"{_signs(score)}{number(score.points, decimals)}"


def cell_text(score: Score, *, short: bool = False) -> str:
    """The same where there is little room: guesses are rounded to a tenth below 10, to a whole above.

    A bound's sign is `>` or `<` here, also where it is a guess, which slants.
    """
    return f"{_signs(score)[:1]}{number(score.points, 0 if short or abs(score.points) >= 9.95 else 1)}"


def score_style(score: Score) -> str:
    """Green for a proven win, red for a proven loss, grey for a draw; a guess has no colour, but slants."""
    if score.kind == "estimate":
        return "italic"
    return {"win": f"bold {WIN}", "loss": LOSS, "draw": PAST, None: ""}[score.result]


def heat(score: Score, *, chosen: bool = False, scale: float = ESTIMATES_END) -> str:
    """A cell's colours: a win deepens to green, a loss to red, a draw is grey; guesses and bounds stay pale.

    Guesses differ in colour up to `scale` points: see `scale_of`.
    """
    if score.result is None:
        # The root brings out small differences, and most estimates are small.
        strength = min(abs(score.points) / scale, 1.0) ** 0.5
        colour = _mixed(_EVEN, _GUESSED["win" if score.points > 0 else "loss"], strength)
    elif score.result == "draw":
        colour = _DEEP["draw"]
    else:
        # How soon it comes is what a bound does not know.
        exact = score.kind == "exact"
        strength = min(max((abs(score.points) - ESTIMATES_END) / ESTIMATES_END, 0.0), 1.0) if exact else 0.0
        colour = _mixed(_PALE[score.result], _DEEP[score.result], strength)
    style = f"{_hex(ink(colour))} on {_hex(colour)}"
    return style + (" italic" if score.kind == "estimate" else "") + (" bold" if chosen else "")


def scale_of(candidates: Sequence[Candidate]) -> float:
    """The points up to which one position's guesses are to differ in colour."""
    largest = max((abs(one.score.points) for one in candidates if one.score.result is None), default=0)
    return min(max(largest, NEAREST), ESTIMATES_END)


def hatching(style: str) -> str:
    """A heat's style for what fills a cell around a guess or a bound: its ground, and an ink less loud."""
    ground = style.partition(" on ")[2].split()
    if not ground:
        return style
    red, green, blue = (int(ground[0][at : at + 2], 16) for at in (1, 3, 5))
    return f"{_hex(_mixed((red, green, blue), (0, 0, 0), 0.3))} on {ground[0]}"


def ink(colour: tuple[int, int, int]) -> tuple[int, int, int]:
    """Black or white, whichever is read better on that colour."""
    light = luminance(colour)
    return (0, 0, 0) if (light + 0.05) / 0.05 >= 1.05 / (light + 0.05) else (255, 255, 255)


def luminance(colour: tuple[int, int, int]) -> float:
    """A colour's relative luminance, as WCAG 2 has it: 0 is black, 1 white."""

    def linear(value: float) -> float:
        return value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(part / 255) for part in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _hex(colour: tuple[int, int, int]) -> str:
    return f"#{colour[0]:02x}{colour[1]:02x}{colour[2]:02x}"


def _mixed(one: Sequence[int], other: Sequence[int], share: float) -> tuple[int, int, int]:
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue


def outlook(score: Score) -> str:
    """What a move leads to, in words: `wins in 3`, `loses in at most 4`, `draw`, `estimate at most`."""
    if score.kind == "estimate":
        return f"estimate {AT[score.bound]}" if score.bound else "estimate"
    if score.result is None:
        return bound(score) if score.kind != "exact" else "unknown"
    words = {"win": "wins", "loss": "loses", "draw": "draw"}[score.result]
    return words + (distance(score) if score.result in ("win", "loss") else "")


def leads_to(candidate: Candidate) -> str:
    """The same of a move that was considered; of one that was cut off, which move it is no better than."""
    if candidate.no_better_than is not None:
        return f"no better than {clean(candidate.no_better_than)} (cut off)"
    return outlook(candidate.score)


def bound(score: Score) -> str:
    """A bound that tells no result: `at least 2.5`, `at most a win`."""
    worth = number(score.points, 1)
    if abs(score.points) > ESTIMATES_END:
        worth = "a win" if score.points > 0 else "a loss"
    limit = score.limit
    return f"{AT[limit]} {worth}" if limit else worth


def of_points(score: Score) -> str:
    """What an estimate is counted in, to be said behind it; nothing for what stands beyond estimates."""
    if score.result is not None or abs(score.points) > ESTIMATES_END:
        return ""
    return f" of {ESTIMATES_END} points"


def distance(score: Score) -> str:
    """By how much, or in how many plies: ` by 12`, ` in 3`, ` in at most 3`; nothing where nobody knows."""
    exact = score.kind == "exact"
    if score.margin is not None:
        return f" by {'' if exact else 'at least '}{abs(score.margin)}"
    if score.plies is None:
        return ""
    return f" in {'' if exact else 'at most '}{score.plies}"
