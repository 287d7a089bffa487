"""Scores as people read them: in words, on a cell of the board, in colours, for the side to move.

What is proven, what is bounded and what is guessed never look the same. What is proven is said in words, in
green, red and grey. A guess is a chance to win in percent, from ochre to blue, wears a `~`, slants, and is
hatched; a bound wears a `>` or a `<`, and is dotted. A guess that is a bound wears both signs, slants, and is
dotted.
"""

from collections.abc import Sequence
from typing import Literal

from parlour_protocol.views.reports import Candidate, Report, Score
from parlour_protocol.words import language, say, spoken

# Each has a contrast of 4.5 or more on black and on white: nobody can ask a terminal which one it is.
FIRST = "#b06300"
SECOND = "#008383"
PAST = "#767676"
WIN = "#16883f"
LOSS = "#e0302a"
NOTICE = "#a86a00"

SIGNS = {"exact": "", "estimate": "~", "at_least": ">=", "at_most": "<="}
ESTIMATES_END = 50
"""In points: no estimate is beyond, no win or loss within."""
CHOSEN = "*"
"""Stands behind what is known of the move that was chosen."""

_PALE = {"win": (128, 202, 140), "loss": (240, 150, 138)}
_DEEP = {"win": (14, 104, 44), "loss": (176, 24, 20), "draw": (150, 150, 150)}
_EVEN = (208, 206, 196)
_LIKELY, _UNLIKELY = (98, 150, 222), (226, 168, 72)


def number(points: float, decimals: int = 2) -> str:
    """Points in as many decimals as it needs, and no more than that many: `95`, `3.42`, `-0.5`."""
    points = round(points, decimals) + 0.0  # there is no -0
    needed = next((few for few in range(decimals) if round(points, few) == points), decimals)
    return language().number(points, needed)


Look = Literal["exact", "bound", "estimate", "estimated bound"]


def look(score: Score) -> Look:
    """What a score is to the eye: bars and cells are filled by it."""
    if score.kind == "estimate":
        return "estimated bound" if score.bound else "estimate"
    return "exact" if score.kind == "exact" else "bound"


def _signs(score: Score) -> str:
    return (SIGNS[score.bound] if score.bound else "") + SIGNS[score.kind]


def points_text(score: Score) -> str:
    """A value in points, as game trees have it: `95` is exact, `~3.42` a guess, `<=95` a proven bound."""
    return f"{_signs(score)}{number(score.points)}"


def cell_text(score: Score) -> str:
    """What a cell of the board has room for: `W5` wins in 5 (or by 5), `L4`, `D`, `~54` a chance of 54%.

    A bound's sign is `>` or `<` here, also where it is a guess, which slants.
    """
    if score.kind == "estimate":
        return f"{_signs(score)[:1]}{score.percent}"
    if score.result is None:
        return f"{_signs(score)[:1]}{say(f'score.letter.{_worth(score)}')}"
    letter = say(f"score.letter.{score.result}")
    far = "" if score.result == "draw" else score.plies if score.margin is None else abs(score.margin)
    return f"{_signs(score)[:1]}{letter}{'' if far is None else far}"


def legend(report: Report) -> str:
    """What the cells of a board with these scores say, by an example of each."""
    examples: dict[str, Score] = {}
    for one in report.candidates:
        examples.setdefault(one.score.result or one.score.kind, one.score)
    shown = []
    for score in examples.values():
        if score.kind == "estimate":
            shown.append(say("score.legend_estimate", cell=cell_text(score), outlook=outlook(score)))
        else:
            shown.append(f"{cell_text(score)}: {outlook(score)}")
    if report.best is not None:
        shown.append(f"{CHOSEN} {say('score.chosen')}")
    return "; ".join(shown)


def score_style(score: Score) -> str:
    """Green for a proven win, red for a proven loss, grey for a draw; a guess has no colour, but slants."""
    if score.kind == "estimate":
        return "italic"
    return {"win": f"bold {WIN}", "loss": LOSS, "draw": PAST, None: ""}[score.result]


def heat(score: Score, *, chosen: bool = False) -> str:
    """A cell's colours: a win deepens to green, a loss to red, a draw is grey; bounds stay pale.

    A guess goes from ochre to blue as its chance does, with nothing of either at 50%.
    """
    if score.result is None:
        off = 0.0 if score.chance is None else score.chance / 50 - 1
        # The root brings out small differences, and most are small.
        colour = _mixed(_EVEN, _LIKELY if off > 0 else _UNLIKELY, abs(off) ** 0.5)
    elif score.result == "draw":
        colour = _DEEP["draw"]
    else:
        # How soon it comes is what a bound does not know.
        exact = score.kind == "exact"
        strength = min(max((abs(score.points) - ESTIMATES_END) / ESTIMATES_END, 0.0), 1.0) if exact else 0.0
        colour = _mixed(_PALE[score.result], _DEEP[score.result], strength)
    style = f"{_hex(ink(colour))} on {_hex(colour)}"
    return style + (" italic" if score.kind == "estimate" else "") + (" bold underline" if chosen else "")


def most_promising(report: Report, most: int) -> list[Candidate]:
    """The first so many candidates; the chosen move is always among them."""
    shown = report.candidates[:most]
    chosen = next((one for one in report.candidates[most:] if one.move == report.best), None)
    return shown if chosen is None else [*shown[:-1], chosen]


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
    """What a move leads to, as `Score.outlook` has it, in the language of this process."""
    return spoken(score.outlook)


def leads_to(candidate: Candidate) -> str:
    """The same of a move that was considered, and how often, where that decides; of one that was cut off,
    which move it is no better than."""
    if candidate.no_better_than is not None:
        return say("score.no_better_than", move=candidate.no_better_than)
    worth = outlook(candidate.score)
    visits = candidate.visits
    return worth if visits is None else say("score.visits", worth=worth, number=str(visits))


def _worth(score: Score) -> str:
    return "draw" if score.points == 0 else "win" if score.points > 0 else "loss"
