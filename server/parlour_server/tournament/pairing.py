"""Who plays whom next: a function of the state alone, so the same state gives the same round."""

from random import Random

from parlour_server.tournament.state import Pair, TournamentState
from parlour_server.tournament.swiss import Plan, pair_swiss


def next_round(state: TournamentState) -> Plan | None:
    """The next round, once it is due; None: the last one is over. An arena's may be empty: nobody is free."""
    active, of = state.active(), state.settings.rounds_of(len(state.entrants))
    if state.is_arena:
        return _arena(state, active)
    if len(active) < 2 or (of is not None and len(state.rounds) >= of):
        return None
    match state.settings.format:
        case "swiss":
            return pair_swiss(state, of or 0)
        case "knockout":
            return _knockout(state)
        case "gauntlet":
            return ([_alternating(1, len(state.rounds) + 2, len(state.rounds))], []) if 1 in active else None
        case _:
            return _berger(state)


def draw(state: TournamentState, what: str, most: int) -> int:
    """A number below `most`, the same for the same thing of a tournament."""
    return Random(f"{state.seed}/{what}").randrange(most)  # noqa: S311


def _alternating(one: int, other: int, turn: int) -> tuple[int, int]:
    return (one, other) if turn % 2 == 0 else (other, one)


def _berger(state: TournamentState) -> Plan:
    """FIDE's tables: the last one stays, all others go round; in a second half the others move first."""
    entrants = len(state.entrants)
    size = entrants + entrants % 2
    second_half, turn = divmod(len(state.rounds), size - 1)
    # Who meets the last one: 1, then half of the table further each round.
    start = turn * (size // 2) % (size - 1)
    circle = [(start + step) % (size - 1) + 1 for step in range(size - 1)]
    pairs = [_alternating(circle[0], size, turn)]
    pairs += [(circle[step], circle[-step]) for step in range(1, size // 2)]
    if second_half:
        pairs = [(second, first) for first, second in pairs]
    byes = [min(pair) for pair in pairs if max(pair) > entrants]
    return [pair for pair in pairs if max(pair) <= entrants], byes


def _knockout(state: TournamentState) -> Plan | None:
    """The winners of neighbours in the bracket; who has no opponent goes on."""
    left: list[int | None] = list(_bracket(len(state.entrants)))
    for one in state.rounds:
        met = {_two(*pair.both): pair for pair in one.pairs}
        left = [
            _winner(met.get(_two(first, second)), first, second)
            for first, second in zip(left[::2], left[1::2], strict=True)
        ]
    gone = {one.number for one in state.entrants if one.withdrawn}
    left = [None if number in gone else number for number in left]
    pairs: list[tuple[int, int]] = []
    byes: list[int] = []
    for first, second in zip(left[::2], left[1::2], strict=True):
        if first is not None and second is not None:
            pairs.append(_alternating(min(first, second), max(first, second), len(state.rounds) + state.seed))
        elif first is not None or second is not None:
            byes.append(first or second or 0)
    return (pairs, byes) if len(pairs) + len(byes) > 1 or pairs else None


def _bracket(entrants: int) -> list[int | None]:
    """Seeds in the order of the bracket: the first two can meet in the last round alone."""
    order = [1]
    while len(order) < entrants:
        size = 2 * len(order) + 1
        order = [seed for one in order for seed in (one, size - one)]
    return [seed if seed <= entrants else None for seed in order]


def _two(first: int | None, second: int | None) -> frozenset[int | None]:
    return frozenset((first, second))


def _winner(pair: Pair | None, first: int | None, second: int | None) -> int | None:
    return pair.winner if pair is not None else first or second


def _arena(state: TournamentState, active: list[int]) -> Plan:
    """Those who are free, the nearest by points, and not the same two twice in a row where others play."""
    points, last, firsts = dict.fromkeys(active, 0.0), {}, dict.fromkeys(active, 0)
    for pair in state.pairs():
        for seat, number in enumerate(pair.both):
            last[number] = pair.both[1 - seat]
            if number in points:
                points[number] += pair.points[seat] if pair.done else 0
                firsts[number] += seat == 0
    busy = state.playing()
    free = sorted((one for one in active if one not in busy), key=lambda one: (-points[one], one))
    pairs: list[tuple[int, int]] = []
    while len(free) > 1:
        one = free.pop(0)
        other = next((two for two in free if last.get(one) != two), None)
        if other is None:
            # Of those who are free there is only the last opponent.
            if busy or pairs:
                continue
            other = free[0]
        free.remove(other)
        chance = draw(state, f"{len(state.rounds)}/{one}", 2)
        turned = firsts[one] > firsts[other] or (firsts[one] == firsts[other] and chance)
        pairs.append(_alternating(one, other, int(turned)))
    return pairs, []
