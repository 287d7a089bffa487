"""What the matches came to: tables for people, one JSON value for programs."""

from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.strength.match import Match, Pair
from bench.strength.perfect import Checked
from bench.strength.players import Effort
from bench.strength.run import Outcomes, Plan
from bench.tables import lean, word
from parlour_client.sdk.match_result import MatchResult
from parlour_protocol.ids import SEATS, Seat

WINNERS: dict[float, Seat | None] = {1.0: 0, 0.5: None, 0.0: 1}
"""By the points of a match's first player."""

BAR = 8
"""Columns of a full bar."""


@dataclass(frozen=True, slots=True)
class Line:
    """A match's result, for its first player."""

    game: str
    first: str
    second: str
    pairs: int
    won: int
    drawn: int
    lost: int
    score: float
    low: float
    high: float
    """The 95% interval, by pairs."""
    goal: float | None
    met: bool | None
    first_ms: float
    """A move, on average."""
    first_longest_ms: float
    first_nodes: float
    second_ms: float
    second_nodes: float


@dataclass(frozen=True, slots=True)
class Faults:
    """How often `perfect` spoiled a position against one opponent."""

    opponent: str
    games: int
    checked: int
    """Its moves in won or drawn positions."""
    spoiled: list[str]
    mean_ms: float
    longest_ms: float
    met: bool


def lines(found: Outcomes) -> list[Line]:
    """A line for each match."""
    return [_line(match, pairs) for match, pairs in found.pairs.items()]


def faults(found: Outcomes) -> list[Faults]:
    """A line for each opponent of `perfect`'s."""
    return [_faults(opponent, games) for opponent, games in found.checked.items()]


def as_json(plan: Plan, found: Outcomes) -> dict[str, Any]:
    """The run as one JSON value, every game in it."""
    games = {
        f"{match.game} {match.first} {match.second}": [
            {
                "opening": " ".join(pair.opening),
                "results": pair.results,
                "games": [*map(" ".join, pair.games)],
            }
            for pair in pairs
        ]
        for match, pairs in found.pairs.items()
    }
    return {
        "plan": asdict(plan),
        "matches": [asdict(line) for line in lines(found)],
        "perfect": [asdict(line) for line in faults(found)],
        "games": games,
        "perfect_games": [asdict(game) for games in found.checked.values() for game in games],
    }


def show(console: Console, plan: Plan, found: Outcomes) -> None:
    """Print the tables and the verdict."""
    rows, checks = lines(found), faults(found)
    if rows:
        console.print(_matches(rows), "")
        console.print(
            f"Pairs of games from one random opening, sides changed, seed {plan.seed}; a draw is half a "
            "point. 95% intervals: Wilson's, over as many trials as the pairs' scatter allows."
        )
        console.print(f"hard was {plan.hard}, medium {plan.medium}, easy {plan.easy}, mcts {plan.mcts}.", "")
    if checks:
        console.print(_perfect(checks), "")
        for sentence in [fault for line in checks for fault in line.spoiled]:
            console.print(f"Spoiled: {sentence}")
    verdicts = [line.met for line in rows if line.met is not None] + [line.met for line in checks]
    console.print(f"{sum(verdicts)} of {len(verdicts)} goals met.")


def _matches(rows: list[Line]) -> Table:
    numbers, after = ("won", "drawn", "lost"), ("score", "95%", "goal")
    table = lean("Matches", "game", "players", numbers=numbers, after=after)
    for line in rows:
        table.add_row(
            line.game,
            f"{_short(line.first)} - {_short(line.second)}",
            str(line.won),
            str(line.drawn),
            str(line.lost),
            f"{'█' * round(line.score * BAR):<{BAR}} {line.score:.0%}",
            f"{line.low:.0%}-{line.high:.0%}",
            "" if line.goal is None else f"{line.goal:.0%} {word(line.met)}",
        )
    return table


def _perfect(checks: list[Faults]) -> Table:
    title = "perfect at Connect Four, each move checked by exact scores"
    numbers = ("games", "moves checked", "spoiled", "mean ms", "longest ms")
    table = lean(title, "against", numbers=numbers, after=["goal"])
    for line in checks:
        table.add_row(
            line.opponent,
            f"{line.games:,}",
            f"{line.checked:,}",
            f"{len(line.spoiled):,}",
            f"{line.mean_ms:,.0f}",
            f"{line.longest_ms:,.0f}",
            f"none {word(line.met)}",
        )
    return table


def _short(text: str) -> str:
    return text.partition(":")[0]


def _line(match: Match, pairs: list[Pair]) -> Line:
    result = MatchResult()
    for number, pair in enumerate(pairs):
        for starter, points in zip(SEATS, pair.results, strict=True):
            result.add(number, starter, WINNERS[points], 0)
    low, high = result.interval
    first, second = _sum([pair.first for pair in pairs]), _sum([pair.second for pair in pairs])
    return Line(
        game=match.game,
        first=match.first,
        second=match.second,
        pairs=len(pairs),
        won=result.all.wins,
        drawn=result.all.draws,
        lost=result.all.losses,
        score=result.score,
        low=low,
        high=high,
        goal=match.goal,
        met=None if match.goal is None else result.score >= match.goal,
        first_ms=_mean_ms(first),
        first_longest_ms=1000 * first.longest,
        first_nodes=first.nodes / max(1, first.moves),
        second_ms=_mean_ms(second),
        second_nodes=second.nodes / max(1, second.moves),
    )


def _faults(opponent: str, games: list[Checked]) -> Faults:
    effort = _sum([game.effort for game in games])
    spoiled = [fault for game in games for fault in game.spoiled]
    checked = sum(game.checked for game in games)
    return Faults(
        opponent, len(games), checked, spoiled, _mean_ms(effort), 1000 * effort.longest, not spoiled
    )


def _sum(efforts: list[Effort]) -> Effort:
    total = Effort()
    for effort in efforts:
        total.merge(effort)
    return total


def _mean_ms(effort: Effort) -> float:
    return 1000 * effort.seconds / max(1, effort.moves)
