"""How a tournament of bots stands, as a table and in sentences, or as JSON."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from parlour_client.cli.match_report import faults_said, signed
from parlour_client.matches.match import MOST_FAULTS
from parlour_client.matches.tournament import Played
from parlour_client.render.board import plain
from parlour_client.sdk.match_result import Count
from parlour_client.text.names import game_name
from parlour_protocol.views.lists import Column, Columns
from parlour_protocol.words import language, say


@dataclass(frozen=True, slots=True)
class Row:
    """How an entrant stands."""

    number: int
    """By the order in which they were named."""
    rank: int
    bot: str
    points: float
    """By pairings won and drawn."""
    count: Count
    elo: float
    reach: float
    """How far the rating may be off."""
    faults: int
    benched: bool
    results: list[str]
    """Its row of the cross table."""

    @property
    def score(self) -> float:
        """Its share of all games' points."""
        return self.count.score

    @property
    def rating(self) -> str:
        """Its rating, with how far it may be off."""
        return f"{signed(self.elo)} ±{self.reach:.0f}" if self.count.games else ""

    @property
    def failed(self) -> str:
        """How often it failed, and whether it was benched for that."""
        said = f"{self.faults or ''}"
        return f"{said} ({say('command.tournament.benched')})" if self.benched else said


STANDINGS: Columns[Row] = (
    Column("rank", "number"),
    Column("bot", of=lambda row: plain(row.bot, "bold"), raw=lambda row: row.bot),
    Column("points", "number", of=lambda row: row.points),
    Column("games", "number", of=lambda row: row.count.games),
    Column("won", "number", of=lambda row: row.count.wins, from_width=80),
    Column("drawn", "number", of=lambda row: row.count.draws, from_width=80),
    Column("lost", "number", of=lambda row: row.count.losses, from_width=80),
    Column("score", "share"),
    Column("elo", of=lambda row: row.rating, raw=lambda row: round(row.elo, 1)),
    Column("faults", of=lambda row: row.failed, raw=lambda row: row.faults or None),
    Column("results", of=lambda row: " ".join(f"{one or '-':>2}" for one in row.results), from_width=100),
)


class Counted:
    """A tournament that is played, for the bar."""

    def __init__(self, played: Played) -> None:
        self._played = played
        self.add = played.add
        self.title = say("command.arena.games")

    @property
    def games(self) -> int:
        """How many games are counted."""
        return self._played.games

    def counts(self, number: int) -> bool:
        """Does a pair count, or may it yet? Who was benched has some that don't."""
        return not self._played.pairings.over or number in self._played.counted


def rows(played: Played) -> list[Row]:
    """A row for each entrant, the best first."""
    rated = played.pairings.ratings()
    return [
        Row(
            line.number,
            line.rank,
            line.name,
            line.points,
            played.counts[line.number - 1],
            rated[line.number - 1].elo,
            rated[line.number - 1].reach,
            sum(played.faults[line.number - 1].values()),
            line.number - 1 in played.benched,
            line.results,
        )
        for line in played.pairings.view().entrants
    ]


def sentences(played: Played) -> Iterator[str]:
    """What was played, and what went wrong."""
    plan, view = played.plan, played.pairings.view()
    yield say(
        "command.tournament.played",
        games=say("count.game", count=played.games),
        game=language().listed([game_name(game) for game in plan.plays]),
        format=say(f"tournament.format.{plan.format}"),
        rounds=say("count.round", count=view.round),
        seed=str(plan.seed),
    )
    if view.phase == "over" and view.round < played.pairings.rounds:
        rounds = {"round": str(view.round), "of": str(played.pairings.rounds)}
        yield say("command.tournament.fewer_rounds", **rounds)
    yield say("command.tournament.ratings")
    for number, one in enumerate(plan.entrants):
        for kind, count in played.faults[number].items():
            yield faults_said(one.name, kind, count, played.first_fault[number, kind])
        if number in played.benched:
            yield say("command.tournament.benched_after", name=one.name, count=MOST_FAULTS)


def as_json(played: Played) -> dict[str, Any]:
    """What `parlour tournament run --json` prints."""
    plan, view = played.plan, played.pairings.view()
    files = [one.bot if one.digest else None for one in plan.entrants]
    return {
        "title": plan.title,
        "games": list(plan.plays),
        "format": plan.format,
        "rounds": view.round,
        "over": view.phase == "over",
        "seed": plan.seed,
        "played": played.games,
        "standings": [
            {
                "rank": row.rank,
                "bot": row.bot,
                "file": files[row.number - 1],
                "interface": plan.entrants[row.number - 1].called_as,
                "points": row.points,
                "games": row.count.games,
                "won": row.count.wins,
                "drawn": row.count.draws,
                "lost": row.count.losses,
                "score": round(row.score, 4),
                "elo": round(row.elo, 1),
                "elo_95": [round(row.elo - row.reach, 1), round(row.elo + row.reach, 1)],
                "faults": dict(played.faults[row.number - 1]),
                "benched": row.benched,
                "results": row.results,
            }
            for row in rows(played)
        ],
        "boards": [
            {
                "round": one.round,
                "board": one.board,
                "bots": one.names,
                "score": one.score,
                "forfeit": one.forfeit,
            }
            for one in view.boards
        ],
    }
