"""How a match went, as a table and in sentences, or as JSON."""

from collections import Counter
from dataclasses import asdict, dataclass
from math import isinf
from typing import Any, Literal

from rich.text import Text

from parlour_client.bots.errors import kind_in_words
from parlour_client.matches.match import MOST_FAULTS, Tally
from parlour_client.render.board import plain
from parlour_client.render.lists import percent
from parlour_client.sdk.match_result import Count, elo
from parlour_client.text.names import game_name
from parlour_client.text.reports import ran_in_match
from parlour_client.text.scores import PAST
from parlour_protocol.ids import SEATS
from parlour_protocol.views.lists import Column, Columns, Tone
from parlour_protocol.views.records import FaultKind
from parlour_protocol.words import language, say

SIDES: tuple[Tone, Tone] = ("first", "second")
MOVES: tuple[Literal["first", "second"], ...] = ("first", "second")
ENOUGH_PAIRS = 20
"""With fewer a spread is not known well enough to say much by."""
_RAN = {"compiled": "compiled", "plain Python": "interpreted", "partly compiled": "partly"}
"""How a bot's moves ran, as JSON has it, and in the catalogue."""


def as_json(match: Tally, seconds: float) -> dict[str, Any]:
    """What `parlour arena --json` prints: results are those of the first bot."""
    plan, result = match.plan, match.result
    games, (low, high), normalised = result.all, result.interval, result.normalised_elo
    return {
        "game": plan.game,
        "first": plan.names[0],
        "second": plan.names[1],
        "games": games.games,
        "first_wins": games.wins,
        "second_wins": games.losses,
        "draws": games.draws,
        "moves": result.moves,
        "seconds": round(seconds, 3),
        "seed": plan.seed,
        "random_plies": match.random_plies,
        "openings": len(match.openings),
        "balanced": match.balanced,
        "first_began": _count_json(result.began),
        "second_began": _count_json(result.replied),
        "pairs": result.pairs,
        "score": round(result.score, 4),
        "score_95": [round(low, 4), round(high, 4)],
        "elo": _finite(elo(result.score)),
        "elo_95": [_finite(elo(low)), _finite(elo(high))],
        "normalised_elo": _finite(normalised[0]),
        "normalised_elo_95": [_finite(normalised[0] - normalised[1]), _finite(sum(normalised))],
        "likely_superior": round(result.likely_superior, 4),
        "sprt": _sprt_json(match),
        "ended": match.end,
        "faults": [
            {"bot": name, "count": sum(found.values()), **found}
            for name, found in zip(plan.names, faults_by_kind(match), strict=True)
        ],
        "ms_a_move": [None if mean is None else round(1000 * mean, 3) for mean in _mean_seconds(match)],
        "interfaces": [one.called_as for one in plan.entrants],
        "timed": [one.timed for one in plan.entrants],
        "ran": [ran_in_match(ran) for ran in match.compiled],
    }


def _sprt_json(match: Tally) -> dict[str, Any] | None:
    sprt, ratio = match.plan.sprt, match.ratio
    if sprt is None or ratio is None:
        return None
    bounds = [round(bound, 3) for bound in sprt.bounds]
    return asdict(sprt) | {"llr": round(ratio, 3), "bounds": bounds, "verdict": sprt.verdict(ratio)}


def faults_by_kind(match: Tally) -> tuple[Counter[FaultKind], Counter[FaultKind]]:
    """How often each entrant did what wrong."""
    first, second = (Counter(fault.kind for fault in match.faults if fault.seat == seat) for seat in SEATS)
    return first, second


def _mean_seconds(match: Tally) -> list[float | None]:
    return [spent / moves if moves else None for spent, moves in zip(match.seconds, match.moves, strict=True)]


class Counted:
    """A match that is played, for the bar."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self.add = tally.add

    @property
    def games(self) -> int:
        """How many games are counted."""
        return self._tally.result.all.games

    @property
    def title(self) -> str:
        """The score so far, and what a test shows."""
        return live_title(self._tally) if self.games else say("command.arena.games")

    def counts(self, number: int) -> bool:
        """Does a pair count, or may it yet?"""
        return not self._tally.over or number < self._tally.counted


def live_title(match: Tally) -> str:
    """A match that runs, in a few words: the score so far, and what a test shows."""
    games, ratio = match.result.all, match.ratio
    said, ahead = f"+{games.wins} -{games.losses} ={games.draws}", elo(match.result.score)
    if not isinf(ahead):
        said += f", Elo {signed(ahead)}"
    if match.plan.sprt is None or ratio is None:
        return said
    lower, upper = match.plan.sprt.bounds
    return f"{said}, LLR {ratio:.2f} ({lower:.2f}, {upper:.2f})"


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
        return self.count.score


STANDINGS: Columns[Standing] = (
    Column("bot", of=lambda row: row.title, raw=lambda row: row.bot),
    Column("side", of=lambda row: None, raw=lambda row: row.side),
    Column("games", "number", of=lambda row: row.count.games),
    Column("won", "number", of=lambda row: row.count.wins),
    Column("drawn", "number", of=lambda row: row.count.draws),
    Column("lost", "number", of=lambda row: row.count.losses),
    Column("score", "share"),
    Column("", "bar", of=lambda row: row.score, tone=lambda row: row.tone, from_width=72),
)


def standings(match: Tally) -> list[Standing]:
    """A row for each bot, and one for each colour that it had."""
    result = match.result
    # Each bot's games in which it moves first, and those in which it moves second.
    counts = ((result.began, result.replied), (result.replied.reversed(), result.began.reversed()))
    rows = []
    for name, sides, tone in zip(match.plan.names, counts, SIDES, strict=True):
        rows.append(Standing(name, sides[0] + sides[1], tone))
        rows += [
            Standing(name, count, "past", side)
            for side, count in zip(MOVES, sides, strict=True)
            if count.games
        ]
    return rows


def sentences(match: Tally, seconds: float) -> list[str]:
    """What the table means: the score with its bounds, what ended it, what was played, and what ran."""
    result = match.result
    low, high = result.interval
    first, second = match.plan.names
    bounds = {"score": percent(result.score), "low": percent(low), "high": percent(high)}
    normalised, reach = result.normalised_elo
    said = [
        say("command.arena.score", first=first, second=second, **bounds),
        difference(result.score, low, high),
    ]
    if not isinf(normalised) and sum(result.pairs) >= ENOUGH_PAIRS:
        said.append(
            say(
                "command.arena.normalised",
                elo=signed(normalised),
                low=signed(normalised - reach),
                high=signed(normalised + reach),
                name=_first(match),
                likely=percent(result.likely_superior),
            )
        )
    if low <= 0.5 <= high:
        said.append(say("command.arena.undecided"))
    return [*said, *_end(match), "", *_played(match, seconds), *_faults(match)]


def _first(match: Tally) -> str:
    """What the first one is called where both may be called alike."""
    first, second = match.plan.names
    return say("command.arena.the_first") if first == second else first


def _end(match: Tally) -> list[str]:
    """Why it ended, where that was not by its last game."""
    sprt, ratio = match.plan.sprt, match.ratio
    said = []
    if sprt is not None and ratio is not None:
        lower, upper = (language().number(bound, 2) for bound in sprt.bounds)
        verdict = sprt.verdict(ratio)
        said.append(
            say(
                f"command.arena.sprt_{verdict}",
                llr=language().number(ratio, 2),
                lower=lower,
                upper=upper,
                elo0=f"{sprt.elo0:g}",
                elo1=f"{sprt.elo1:g}",
                name=_first(match),
                points=say(f"command.arena.points_{sprt.model}"),
            )
        )
    if match.benched is not None:
        said.append(say("command.arena.benched", name=match.plan.names[match.benched], count=MOST_FAULTS))
    return said


def _faults(match: Tally) -> list[str]:
    """What went wrong, for each entrant, and of each kind the first one in full."""
    said = []
    for seat in SEATS:
        name = match.plan.names[seat]
        for kind, count in faults_by_kind(match)[seat].items():
            first = next(one for one in match.faults if (one.seat, one.kind) == (seat, kind))
            said.append(faults_said(name, kind, count, first.error))
    return said


def faults_said(name: str, kind: FaultKind, count: int, first: str) -> str:
    """How often an entrant did one thing wrong, and what it was the first time."""
    called = kind_in_words(kind)
    return say("command.arena.faults", name=name, kind=called, count=count, error=first)


def difference(score: float, low: float, high: float) -> str:
    """A score and the bounds around it as Elo points: `Elo +120, 95% between +40 and +210.`"""
    if score >= 1:
        return say("command.arena.elo_above", elo=signed(elo(low)))
    if score <= 0:
        return say("command.arena.elo_below", elo=signed(elo(high)))
    return say("command.arena.elo", elo=signed(elo(score)), low=signed(elo(low)), high=signed(elo(high)))


def _played(match: Tally, seconds: float) -> list[str]:
    games, result = match.result.all.games, match.result
    said = [
        say(
            "command.arena.played",
            games=say("count.game", count=games),
            game=game_name(match.plan.game),
            moves=say("count.move", count=result.moves),
            seconds=language().number(seconds, 2),
            rate=language().number(games / seconds if seconds else 0.0, 1),
            seed=str(match.plan.seed),
        )
    ]
    if match.plan.openings.lines or match.random_plies:
        moves = say("command.arena.random_moves", count=match.random_plies)
        where = "file" if match.plan.openings.lines else "drawn" if match.balanced else "unbalanced"
        said.append(say(f"command.arena.openings_{where}", count=len(match.openings), moves=moves))
    for name, ran, mean in zip(match.plan.names, match.compiled, _mean_seconds(match), strict=True):
        if mean is not None:
            how = ran_in_match(ran)
            shown = {"name": name, "ms": language().number(1000 * mean, 2 if mean < 0.01 else 0)}
            said.append(
                say("command.arena.took", **shown)
                if how is None
                else say("command.arena.took_ran", **shown, how=say(f"command.arena.ran_{_RAN[how]}"))
            )
    return said


def signed(points: float) -> str:
    """A difference in Elo points: `+120`."""
    return f"{points:+.0f}" if round(points) else "0"
