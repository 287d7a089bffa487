"""How a match went, as a table and in sentences, or as JSON."""

from dataclasses import dataclass, field
from math import isinf
from typing import Any

from rich.table import Table
from rich.text import Text

from parlour_client.render.board import plain
from parlour_client.sdk.match_result import Count, MatchResult, elo
from parlour_client.text.reports import ran_in_match
from parlour_client.text.sanitize import clean
from parlour_client.text.scores import FIRST, PAST, SECOND
from parlour_protocol.views.records import GameRecord

BAR = 20
SIDES = ("moving first", "moving second")


@dataclass(slots=True)
class PlayedMatch:
    """A match so far, and all that stands beside its result."""

    game: str
    names: tuple[str, str]
    seed: int
    result: MatchResult
    random_plies: int
    seconds: float
    timed: tuple[bool, bool]
    """Does time end a bot's searches? Not known of files."""
    compiled: tuple[set[bool], set[bool]] = field(default_factory=lambda: (set(), set()))
    """Whether the bots' moves were found by machine code, as far as there is some for them."""

    def add(self, pair: int, record: GameRecord, seconds: float) -> None:
        """Count a game of a pair, `seconds` after the match began."""
        winner = None if record.result is None else record.result.winner
        bots_moves = record.moves[record.started_with :]
        self.result.add(pair, record.starter, winner, len(bots_moves))
        self.game, self.random_plies, self.seconds = record.game, record.started_with, seconds
        for move in bots_moves:
            if move.report is not None and move.report.compiled is not None:
                self.compiled[move.seat].add(move.report.compiled)

    def as_json(self) -> dict[str, Any]:
        """What `parlour arena --json` prints: results are those of the first bot."""
        result, games = self.result, self.result.all
        low, high = result.interval
        return {
            "game": self.game,
            "first": self.names[0],
            "second": self.names[1],
            "games": games.games,
            "first_wins": games.wins,
            "second_wins": games.losses,
            "draws": games.draws,
            "moves": result.moves,
            "seconds": round(self.seconds, 3),
            "seed": self.seed,
            "random_plies": self.random_plies,
            "first_began": _count_json(result.began),
            "second_began": _count_json(result.replied),
            "pairs": result.pairs,
            "score": round(result.score, 4),
            "score_95": [round(low, 4), round(high, 4)],
            "elo": _finite(elo(result.score)),
            "elo_95": [_finite(elo(low)), _finite(elo(high))],
            "timed": list(self.timed),
            "ran": [ran_in_match(ran) for ran in self.compiled],
        }


def _count_json(count: Count) -> dict[str, int]:
    return {"first_wins": count.wins, "second_wins": count.losses, "draws": count.draws}


def _finite(points: float) -> float | None:
    return None if isinf(points) else round(points, 1)


def result_table(match: PlayedMatch, *, ascii_only: bool = False) -> Table:
    """A row for each bot, and one for each colour that it had."""
    table = Table(box=None, pad_edge=False, header_style=PAST, padding=(0, 2, 0, 0))
    table.add_column("bot", overflow="fold")
    for title in ("games", "won", "drawn", "lost", "score"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    result = match.result
    # Each bot's games as the one who moves first, and as the one who moves second.
    counts = ((result.began, result.replied), (result.replied.reversed(), result.began.reversed()))
    for name, sides, style in zip(match.names, counts, (FIRST, SECOND), strict=True):
        table.add_row(plain(name, "bold"), *_cells(sides[0] + sides[1], style, ascii_only=ascii_only))
        for side, count in zip(SIDES, sides, strict=True):
            if count.games:
                table.add_row(Text(f"  {side}", PAST), *_cells(count, PAST, ascii_only=ascii_only))
    return table


def _cells(count: Count, style: str, *, ascii_only: bool) -> list[Text]:
    score = count.points / count.games if count.games else 0.0
    length = max(round(score * BAR), 1) if score else 0
    numbers = [Text(f"{number:,}") for number in (count.games, count.wins, count.draws, count.losses)]
    return [*numbers, Text(percent(score)), Text(("#" if ascii_only else "█") * length, style)]


def sentences(match: PlayedMatch) -> list[str]:
    """What the table means: the score with its bounds, what was played, and what ran."""
    result = match.result
    low, high = result.interval
    first, second = (clean(name) for name in match.names)
    said = [
        f"{first} scores {percent(result.score)} against {second}, "
        f"95% between {percent(low)} and {percent(high)}.",
        difference(result.score, low, high),
    ]
    if low <= 0.5 <= high:
        said.append("These games do not show which of the two is stronger.")
    return [*said, "", *_played(match)]


def difference(score: float, low: float, high: float) -> str:
    """A score and the bounds around it as Elo points: `Elo +120, 95% between +40 and +210.`"""
    if score >= 1:
        return f"Elo: with 95% confidence more than {signed(elo(low))}."
    if score <= 0:
        return f"Elo: with 95% confidence less than {signed(elo(high))}."
    return f"Elo {signed(elo(score))}, 95% between {signed(elo(low))} and {signed(elo(high))}."


def _played(match: PlayedMatch) -> list[str]:
    games, moves = match.result.all.games, match.result.moves
    rate = games / match.seconds if match.seconds else 0.0
    count = "1 game" if games == 1 else f"{games:,} games"
    made = "1 move" if moves == 1 else f"{moves:,} moves"
    said = [
        f"{count} of {clean(match.game)}, {made} in {match.seconds:.2f} s ({rate:.1f} games/s), "
        f"seed {match.seed}."
    ]
    if match.random_plies:
        plies = "1 random move" if match.random_plies == 1 else f"{match.random_plies} random moves"
        whole = sum(match.result.pairs)
        once = games - 2 * whole
        if whole:
            but = "" if not once else f"; {once:,} {'was' if once == 1 else 'were'} played only once"
            said.append(f"Each opening of {plies} is played twice, with colours swapped{but}.")
        else:
            said.append(f"{'The opening' if once == 1 else 'Each opening'} of {plies} was played only once.")
    for name, ran in zip(match.names, match.compiled, strict=True):
        if (how := ran_in_match(ran)) is not None:
            said.append(f"{clean(name)}: {how}.")
    return said


def percent(share: float) -> str:
    """A share of the points: `62.5%`."""
    return f"{share:.1%}"


def signed(points: float) -> str:
    """A difference in Elo points: `+120`."""
    return f"{points:+.0f}" if round(points) else "0"
