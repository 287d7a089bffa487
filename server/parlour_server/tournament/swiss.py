"""A round of a Swiss by the Dutch system. `py4swiss` pairs, an extra of this package's: `[swiss]`."""

from importlib.util import find_spec

from parlour_server.tournament.state import Pair, TournamentState

Plan = tuple[list[tuple[int, int]], list[int]]
"""A round: who plays whom, the one who moves first before the other, and who has a bye."""

_DECIDED = {1.0: "1", 0.5: "=", 0.0: "0"}
_NOT_PLAYED = {1.0: "+", 0.0: "-"}
"""What a round was to a player, as FIDE's report files write it."""


def is_installed() -> bool:
    """Can a Swiss be paired here?"""
    return find_spec("py4swiss") is not None


def pair_swiss(state: TournamentState, rounds: int) -> Plan | None:
    """The next round of so many; None: nobody can be paired with anybody new.

    Nobody gets a second bye, nor one after a win without a game. Pairs that did not play are not paired again
    either: the library would.
    """
    from py4swiss.engines import DutchEngine
    from py4swiss.engines.common import PairingError
    from py4swiss.trf import ParsedTrf
    from py4swiss.trf.results import RoundResult
    from py4swiss.trf.sections import PlayerSection, XSection

    sections = []
    for entrant in state.entrants:
        results, points = _results(state, entrant.number)
        sections.append(
            PlayerSection(
                code="001",
                starting_number=entrant.number,
                rank=entrant.number,
                points_times_ten=round(10 * points),
                results=[RoundResult(id=one, color=colour, result=how) for one, colour, how in results],
            )
        )
    details = XSection(
        number_of_rounds=rounds,
        zeroed_ids={one.number for one in state.entrants if one.withdrawn},
        forbidden_pairs={tuple(sorted(pair.both)) for pair in state.pairs()},
    )
    details.configuration.first_round_color = state.seed % 2 == 0
    try:
        found = DutchEngine.generate_pairings(ParsedTrf(player_sections=sections, x_section=details))
    except PairingError:
        return None
    pairs = [(one.white, one.black) for one in found if one.black]
    return (pairs, [one.white for one in found if not one.black]) if pairs else None


def _results(state: TournamentState, number: int) -> tuple[list[tuple[int, str, str]], float]:
    """What each round was to somebody (the other one, the colour, the result), and the points."""
    results: list[tuple[int, str, str]] = []
    total = 0.0
    for one in state.rounds:
        pair = next((pair for pair in one.pairs if number in pair.both), None)
        if pair is not None:
            points, found = _of_pair(pair, number)
            total += points
            results.append(found)
        elif number in one.byes:
            total += 1
            results.append((0, "-", "U"))
        else:
            results.append((0, "-", "Z"))
    return results, total


def _of_pair(pair: Pair, number: int) -> tuple[float, tuple[int, str, str]]:
    seat = pair.both.index(number)
    points = pair.points[seat]
    how = (_NOT_PLAYED if pair.forfeited else _DECIDED)[points]
    return points, (pair.both[1 - seat], "wb"[seat], how)
