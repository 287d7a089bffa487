"""What is known of a search before it begins: made once, when it is submitted."""

from dataclasses import dataclass
from math import inf
from typing import Any

from parlour_server.analysis.worker import Job
from parlour_server.games import UnknownGame, find_game
from parlour_server.games.game import Game
from parlour_server.search import thinking
from parlour_server.search.levels import BotSpec, kind_of

USUAL_SECONDS = 5.0
"""How long a search without a bound of its own may take where the scheduler sets no limit."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Where a search runs, and for how long."""

    job: Job
    light: bool
    """Does it take but a moment? Then it has a worker for its like alone."""
    code: Game[Any] | None
    """The game in whose machine code it would spend its time; None: it stays in plain Python."""
    exact: bool
    """Does it take machine code to be what its bot promises?"""
    seconds: float
    """How long it may run."""
    cut_after: float | None
    """The scheduler's limit, where that is sooner than the end that the search has by itself."""
    yields_after: float
    """After how many seconds it ends as soon as another one waits for a worker."""


def make_plan(job: Job, longest: float, longest_lasting: float) -> Plan:
    """The plan of a job at a scheduler that has these limits, in seconds; 0: none."""
    game = _game(job)
    light = job.brief if job.task is not None else thinking.light(job.bot)
    seconds = job.seconds if job.seconds is not None or job.task is not None else kind_of(job.bot).time
    if game is not None and job.seconds is None and thinking.open_ended(game, job.bot):
        seconds = longest or USUAL_SECONDS
    wanted = inf if seconds is None else seconds
    limit, yields_after = longest or inf, inf
    if job.lasting and longest:
        limit, yields_after = longest_lasting, longest
    allowed = min(wanted, limit)
    return Plan(
        job=job,
        light=light,
        code=game if game is not None and runs_compiled(game, job.bot) else None,
        exact=game is not None and thinking.is_solved(game, job.bot),
        seconds=allowed,
        cut_after=allowed if allowed < wanted else None,
        yields_after=yields_after,
    )


def runs_compiled(game: Game[Any], bot: BotSpec) -> bool:
    """Does a bot search in machine code, once that is ready? For those that hardly think it is not loaded."""
    return not thinking.light(bot) and thinking.uses_machine_code(game, bot)


def _game(job: Job) -> Game[Any] | None:
    """The game that a job's bot plays; None for another task, and where the search will say what is wrong."""
    if job.task is not None:
        return None
    try:
        return find_game(job.game)
    except UnknownGame:
        return None
