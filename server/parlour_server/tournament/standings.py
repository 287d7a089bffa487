"""Standings with tie-breaks, and the cross table, from what was decided so far."""

from collections.abc import Iterator
from dataclasses import dataclass

from parlour_server.tournament.state import Pair, TournamentState

MOST_CROSSED = 40
"""Of more there is no cross table, nor of an arena."""
STREAK = 2
"""So many wins in a row double an arena's points, until a game is not won."""


@dataclass(slots=True)
class Standing:
    """How somebody stands. Those whom nothing parts share a rank."""

    number: int
    rank: int = 0
    points: float = 0.0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    buchholz: float = 0.0
    """The points of all opponents; a bye counts as one who has as many as oneself."""
    sonneborn_berger: float = 0.0
    """The points of those one has beaten, and half of those one drew with; a bye as in `buchholz`."""
    direct: float = 0.0
    """Points against those with whom all else is equal."""
    run: int = 0
    """Wins in a row up to now, in an arena."""
    streak: bool = False
    """Do points count double in the arena?"""
    reached: int = 0
    """The last round of a knock-out in which they were."""


def standings(state: TournamentState) -> list[Standing]:
    """Everyone who takes part, the best first.

    A knock-out is ordered by the round that one came to, all others by points; then an arena by fewer losses,
    the rest by Buchholz (in a Swiss), Sonneborn-Berger, and direct encounters.
    """
    found = {one.number: Standing(one.number) for one in state.entrants}
    met: dict[int, list[tuple[int, float]]] = {number: [] for number in found}
    for pair in state.pairs():
        for number in pair.both:
            found[number].reached = pair.round + (pair.done and pair.winner == number)
        if pair.done:
            for number, other, points in _sides(pair):
                _count(state, found[number], points)
                met[number].append((other, points))
    for one in state.rounds:
        for number in one.byes:
            found[number].reached = one.number + 1
            if state.settings.format == "swiss":
                found[number].points += 1
                met[number].append((number, 1.0))
    for number, line in found.items():
        line.buchholz = sum(found[other].points for other, _ in met[number])
        line.sonneborn_berger = sum(points * found[other].points for other, points in met[number])
    for group in _groups(state, list(found.values())):
        numbers = {line.number for line in group}
        for line in group:
            line.direct = sum(
                points for other, points in met[line.number] if other in numbers - {line.number}
            )
    order = sorted(found.values(), key=lambda line: (*_key(state, line), -line.direct, line.number))
    for place, line in enumerate(order):
        before = order[place - 1] if place else None
        even = before is not None and _all(state, before) == _all(state, line)
        line.rank = before.rank if before is not None and even else place + 1
    return order


def _sides(pair: Pair) -> Iterator[tuple[int, int, float]]:
    first, second = pair.points
    yield pair.first, pair.second, first
    yield pair.second, pair.first, second


def _count(state: TournamentState, line: Standing, points: float) -> None:
    if not state.is_arena:
        line.points += points
    else:
        line.points += 2 * points * (2 if line.streak else 1)
    line.wins += points == 1
    line.draws += points == 0.5
    line.losses += points == 0
    if state.is_arena:
        line.run = line.run + 1 if points == 1 else 0
        line.streak = line.run >= STREAK


def _key(state: TournamentState, line: Standing) -> tuple[float, ...]:
    match state.settings.format:
        case "knockout":
            return (-line.reached,)
        case "arena":
            return (-line.points, line.losses)
        case "swiss":
            return (-line.points, -line.buchholz, -line.sonneborn_berger)
        case _:
            return (-line.points, -line.sonneborn_berger)


def _all(state: TournamentState, line: Standing) -> tuple[float, ...]:
    return (*_key(state, line), line.direct)


def _groups(state: TournamentState, lines: list[Standing]) -> list[list[Standing]]:
    """Those with whom all but direct encounters is equal."""
    groups: dict[tuple[float, ...], list[Standing]] = {}
    for line in lines:
        groups.setdefault(_key(state, line), []).append(line)
    return [group for group in groups.values() if len(group) > 1]


def cross_table(state: TournamentState, order: list[Standing]) -> tuple[list[str], list[list[str]]]:
    """Its headings, and a line for each in this order.

    Where all meet all, a column for each opponent, by rank: `1`, `½`, `0`. Else one for each round: `+4`,
    `=2` or `-7`, won against, drawn with or lost to the one with that number; `*` is a bye, `.` no game.
    """
    if len(order) > MOST_CROSSED:
        return [], [[] for _ in order]
    if state.settings.format in ("round_robin", "double_round_robin", "gauntlet"):
        results: dict[tuple[int, int], str] = {}
        for pair in state.pairs():
            if pair.done:
                for number, other, points in _sides(pair):
                    results[number, other] = results.get((number, other), "") + _POINTS[points]
        heads = [str(place) for place in range(1, len(order) + 1)]
        rows = [[_cell(results, line.number, other.number) for other in order] for line in order]
        return heads, rows
    if state.is_arena:
        return [], [[] for _ in order]
    heads = [str(one.number) for one in state.rounds]
    return heads, [[_of_round(state, at, line.number) for at in range(len(heads))] for line in order]


_POINTS = {1.0: "1", 0.5: "½", 0.0: "0"}
_SIGNS = {1.0: "+", 0.5: "=", 0.0: "-"}


def _cell(results: dict[tuple[int, int], str], number: int, other: int) -> str:
    return "x" if number == other else results.get((number, other), "")


def _of_round(state: TournamentState, at: int, number: int) -> str:
    one = state.rounds[at]
    if number in one.byes:
        return "*"
    for pair in one.pairs:
        if number in pair.both:
            seat = pair.both.index(number)
            other = str(pair.both[1 - seat])
            return f"{_SIGNS[pair.points[seat]]}{other}" if pair.done else f"?{other}"
    return "."
