"""How a match went, as a table and in sentences, or as JSON."""

from dataclasses import dataclass, field
from math import isinf
from typing import Any, Literal

from rich.text import Text

from parlour_client.render.board import plain
from parlour_client.render.lists import percent
from parlour_client.sdk.match_result import Count, MatchResult, elo
from parlour_client.text.names import game_name
from parlour_client.text.reports import ran_in_match
from parlour_client.text.scores import PAST
from parlour_protocol.views.lists import Column, Columns, Tone
from parlour_protocol.views.records import GameRecord
from parlour_protocol.words import language, say

SIDES: tuple[Tone, Tone] = ("first", "second")
MOVES: tuple[Literal["first", "second"], ...] = ("first", "second")
_RAN = {"compiled": "compiled", "plain Python": "interpreted", "partly compiled": "partly"}
"""How a bot's moves ran, as JSON has it, and in the catalogue."""


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


@dataclass(frozen=True, slots=True)
class Standing:
    """How one bot did: in all its games, or in those in which it had one of the sides."""

    bot: str
    count: Count
    tone: Tone
    side: Literal["", "first", "second"] = ""

    @property
    def title(self) -> Text:
        """The bot, or below it a side."""
        return (
            Text(f"  {say(f'command.arena.moving_{self.side}')}", PAST)
            if self.side
            else plain(self.bot, "bold")
        )

    @property
    def score(self) -> float:
        """Its share of the points."""
        return self.count.points / self.count.games if self.count.games else 0.0


STANDINGS: Columns[Standing] = (
    Column("bot", of=lambda row: row.title, raw=lambda row: row.bot),
    Column("side", of=lambda row: None, raw=lambda row: row.side),
    Column("games", "number", of=lambda row: row.count.games),
    Column("won", "number", of=lambda row: row.count.wins),
    Column("drawn", "number", of=lambda row: row.count.draws),
    Column("lost", "number", of=lambda row: row.count.losses),
    Column("score", "share"),
    Column("", "bar", of=lambda row: row.score, tone=lambda row: row.tone),
)


def standings(match: PlayedMatch) -> list[Standing]:
    """A row for each bot, and one for each colour that it had."""
    result = match.result
    # Each bot's games in which it moves first, and those in which it moves second.
    counts = ((result.began, result.replied), (result.replied.reversed(), result.began.reversed()))
    rows = []
    for name, sides, tone in zip(match.names, counts, SIDES, strict=True):
        rows.append(Standing(name, sides[0] + sides[1], tone))
        rows += [
            Standing(name, count, "past", side)
            for side, count in zip(MOVES, sides, strict=True)
            if count.games
        ]
    return rows


def sentences(match: PlayedMatch) -> list[str]:
    """What the table means: the score with its bounds, what was played, and what ran."""
    result = match.result
    low, high = result.interval
    first, second = match.names
    bounds = {"score": percent(result.score), "low": percent(low), "high": percent(high)}
    said = [
        say("command.arena.score", first=first, second=second, **bounds),
        difference(result.score, low, high),
    ]
    if low <= 0.5 <= high:
        said.append(say("command.arena.undecided"))
    return [*said, "", *_played(match)]


def difference(score: float, low: float, high: float) -> str:
    """A score and the bounds around it as Elo points: `Elo +120, 95% between +40 and +210.`"""
    if score >= 1:
        return say("command.arena.elo_above", elo=signed(elo(low)))
    if score <= 0:
        return say("command.arena.elo_below", elo=signed(elo(high)))
    return say("command.arena.elo", elo=signed(elo(score)), low=signed(elo(low)), high=signed(elo(high)))


def _played(match: PlayedMatch) -> list[str]:
    games, rate = match.result.all.games, 0.0
    if match.seconds:
        rate = games / match.seconds
    said = [
        say(
            "command.arena.played",
            games=say("count.game", count=games),
            game=game_name(match.game),
            moves=say("count.move", count=match.result.moves),
            seconds=language().number(match.seconds, 2),
            rate=language().number(rate, 1),
            seed=str(match.seed),
        )
    ]
    if match.random_plies:
        moves = say("command.arena.random_moves", count=match.random_plies)
        whole = sum(match.result.pairs)
        once = games - 2 * whole
        if not whole:
            said.append(say("command.arena.once", moves=moves, count=once))
        elif once:
            said.append(say("command.arena.twice_but", moves=moves, count=once))
        else:
            said.append(say("command.arena.twice", moves=moves))
    for name, ran in zip(match.names, match.compiled, strict=True):
        if (how := ran_in_match(ran)) is not None:
            how = say(f"command.arena.ran_{_RAN[how]}")
            said.append(say("command.arena.ran", name=name, how=how))
    return said


def signed(points: float) -> str:
    """A difference in Elo points: `+120`."""
    return f"{points:+.0f}" if round(points) else "0"
