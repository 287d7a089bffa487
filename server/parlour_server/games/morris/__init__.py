"""Nine men's morris: place men, close mills, and take the other side's men away."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar

from parlour_protocol.views.boards import VOID, Count
from parlour_protocol.words import Sentence
from parlour_server.games.array_game import ArrayGame, Numbers
from parlour_server.games.game import Extra, InvalidPosition, Move, Outcome, Rule, Setup, stones_of, written
from parlour_server.games.morris import rules
from parlour_server.games.morris.rules import EACH, HAND, KEPT, LEAST, MEN, PATIENCE, PLACING, QUIET

MARKS = ("●", "○")
FLYING = "flying"
"""The variant in which a side with three men moves to any free point."""

_AROUND = ((-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1))
POINTS = [
    (3 + down * (3 - ring)) * 7 + 3 + across * (3 - ring) for ring in range(3) for down, across in _AROUND
]
"""The cell of each of the rules' points."""
RINGS = [[8 * ring + (at + step) % 8 for step in range(3)] for ring in range(3) for at in (0, 2, 4, 6)]
MILLS = [*RINGS, *([at, at + 8, at + 16] for at in (1, 3, 5, 7))]

POINT = r"(?:[ag][147]|[bf][246]|[ce][345]|d[1-35-7])"
OPENING = "d6 f4 d2 b4 d5 d3 d7f4"
"""Men are placed, and the last one closes a mill."""
MIDDLE = "f4 d2 g4 e4 b4 d6 g7 g1 d3 f6 b6 b2 f2 a1 d1 d7 d5 a4"
"""All men are placed, and no mill was closed."""


class Morris(ArrayGame):
    """Nine men's morris, with flying or without."""

    code: ClassVar = rules
    marks: ClassVar = [[mark] for mark in MARKS]
    layout: ClassVar = "points"
    joins: ClassVar = [[POINTS[point] for point in mill] for mill in MILLS]
    notation = re.compile(f"{POINT}(?:[-x:×]?{POINT}){{0,2}}")
    variants = Sentence("game.morris.variants")
    usual = (f"no {FLYING}", FLYING)
    sample = OPENING
    # 300 games, 13,399 positions, off by 1.7%.
    estimate_scale = 3.5
    # All men are placed; then one is removed at the latest when patience ends, until two are left.
    max_plies = 2 * EACH + PATIENCE * (2 * (EACH - LEAST) + 2)

    def __init__(self, *, flying: bool = False) -> None:
        self.flying = flying
        self.rows, self.columns = [*"7654321"], [*"abcdefg"]
        self.name = f"morris:{FLYING}" if flying else "morris"
        self.title = Sentence(f"game.morris.{'title_flying' if flying else 'title'}")
        self.summary = Sentence("game.morris.summary")

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the variant alone."""
        return _rebuild, (self.flying,)

    def variant(self, parameters: str) -> "Morris":
        """Read `flying`. Raises `ValueError`."""
        words = parameters.lower().split()
        if words not in ([FLYING], ["no", FLYING]):
            raise written(self.variants)
        return Morris(flying=len(words) == 1)

    def initial(self) -> Numbers:
        """An empty board, and nine men in each hand."""
        return (0, 0, int(self.flying), EACH, EACH, 0, 0, 0)

    def rules(self) -> Sequence[Rule]:
        """As in the contract."""
        lost = Sentence("game.morris.rule.lost", least=LEAST)
        drawn = Sentence("game.morris.rule.drawn", moves=PATIENCE // 2)
        flying = [Rule(Sentence("game.morris.rule.fly", least=LEAST))] if self.flying else []
        return [
            Rule(Sentence("game.morris.rule.place", mark=MARKS[0], men=EACH), " ".join(OPENING.split()[:6])),
            Rule(Sentence("game.morris.rule.mill"), OPENING, "d7 d6 d5"),
            Rule(Sentence("game.morris.rule.move", mark=MARKS[0]), MIDDLE, "c4 c5 e5 c3 e3"),
            *flying,
            Rule(lost),
            Rule(drawn),
        ]

    def ending(self, position: Numbers) -> Outcome:
        """Won where the other side has too few men or can't move."""
        winner = self.winner(position)
        if winner is None:
            return Outcome(None, Sentence("game.morris.drawn", moves=PATIENCE // 2), "rules")
        left = position[MEN + 1 - winner].bit_count() + position[HAND + 1 - winner]
        if left < LEAST:
            return Outcome(winner, Sentence("game.morris.few"), "count")
        return Outcome(winner, Sentence("game.reason.no_move"), "no_moves")

    def path(self, position: Numbers, move: Move) -> Sequence[int]:
        """From where unless it is placed, to where, and what is removed if it closes a mill."""
        rest, removed = divmod(move, 25)
        start, end = divmod(rest, 24)
        first = [] if start == PLACING else [POINTS[start]]
        return [*first, POINTS[end], *([] if removed == KEPT else [POINTS[removed]])]

    def moved(self, move: Move) -> Sequence[int]:
        """The man alone, not what it removes."""
        start, end = divmod(move // 25, 24)
        return [POINTS[end]] if start == PLACING else [POINTS[end], POINTS[start]]

    def texts(self, position: Numbers) -> Sequence[str]:
        """The men on their points."""
        cells = [VOID] * len(self.rows) * len(self.columns)
        first, second = position[MEN], position[MEN + 1]
        for point, cell in enumerate(POINTS):
            cells[cell] = MARKS[0] if first >> point & 1 else MARKS[1] if second >> point & 1 else self.empty
        return cells

    def counts(self, position: Numbers) -> list[Count]:
        """The men in hand, as long as there are some."""
        hands = [position[HAND], position[HAND + 1]]
        return [Count("in_hand", hands)] if any(hands) else []

    def extras(self) -> Sequence[Extra]:
        """The men in hand, and how many plies ago one was placed or taken."""
        hands = [Extra(Sentence("position.extra.in_hand", mark=mark), EACH) for mark in MARKS]
        return [*hands, Extra(Sentence("position.extra.quiet"), PATIENCE - 1)]

    def setup(self, position: Numbers) -> Setup:
        """With all of these."""
        return replace(super().setup(position), extras=(*position[HAND:MEN], position[QUIET]))

    def place(self, setup: Setup) -> Numbers:
        """Up to nine men a side, and at least three."""
        (first, second, quiet), side = setup.extras, setup.side
        pair = stones_of(setup, MARKS, dict(enumerate(POINTS)))
        for men, hand in zip(pair, (first, second), strict=True):
            if not LEAST <= men.bit_count() + hand <= EACH:
                raise InvalidPosition(Sentence("position.morris.men", least=LEAST, men=EACH))
        rest = (int(self.flying), first, second, *pair, quiet)
        stuck = not self.search_order((side, 0, *rest))
        return (side, 2 - side if stuck else 0, *rest)

    def refusal(self, position: Numbers, text: str) -> Sentence:
        """Which rule is against it."""
        names, side = re.findall(POINT, text.lower()), self.to_move(position)
        texts = dict(zip(map(self.named, range(49)), self.texts(position), strict=True))
        placing = position[HAND + side] > 0
        example = self.format(position, self.search_order(position)[0])
        steps = 1 if placing else 2
        (*start, end), taken = names[:steps], names[steps:]
        if len(names) not in (steps, steps + 1) or (
            placing and len(names) > 1 and texts[names[1]] == self.empty
        ):
            return Sentence(f"game.morris.{'place' if placing else 'step'}", example=example)
        if start and texts[start[0]] != MARKS[side]:
            return Sentence("game.morris.not_yours", point=start[0])
        if texts[end] != self.empty:
            return Sentence("game.move.taken", cell=end)
        move = "".join([*start, end])
        fitting = [
            one
            for one in map(partial(self.format, position), self.legal_moves(position))
            if one.startswith(move)
        ]
        if not fitting:
            return Sentence("game.morris.far", point=start[0], end=end)
        if move in fitting:
            return Sentence("game.morris.no_mill", move=move)
        if not taken:
            return Sentence("game.morris.mill", move=move, example=fitting[0])
        theirs = texts[taken[0]] == MARKS[1 - side]
        return Sentence(f"game.morris.{'in_mill' if theirs else 'not_theirs'}", point=taken[0])


def _rebuild(flying: bool) -> Morris:
    return Morris(flying=flying)


MORRIS = Morris()
