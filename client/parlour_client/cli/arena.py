"""The command `parlour arena`: two bots play a match, and how it went is shown."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from parlour_client.bots.limits import MEMORY
from parlour_client.cli.help_text import command
from parlour_client.cli.options import (
    MOVE_SECONDS,
    CalledAs,
    Csv,
    Dask,
    Force,
    Jobs,
    Json,
    MatchMoveSeconds,
    MatchOut,
    MaybeGame,
    Memory,
    ReplayMatch,
    Seed,
    entrant,
    found,
    is_given,
    is_own,
    screen,
    whole,
)
from parlour_client.sdk.errors import UsageError
from parlour_client.sdk.sprt import GREATEST, MODELS, Model, Sprt
from parlour_protocol.words import say

if TYPE_CHECKING:
    from parlour_client.cli.match_file import MatchFile
    from parlour_client.matches.plan import OpeningSource, Plan
    from parlour_client.matches.referee import Referee
    from parlour_client.render.console import Screen

GAMES = 10

app = typer.Typer()


def _sprt(given: str) -> Sprt:
    """Reads `elo0,elo1[,alpha,beta]`."""
    try:
        elo0, elo1, *errors = (float(part) for part in given.split(","))
        alpha, beta = errors or (0.05, 0.05)
    except ValueError:
        raise typer.BadParameter(say("error.sprt", text=repr(given[:40]))) from None
    if not (-1000 <= elo0 < elo1 <= 1000 and 0 < alpha < 0.5 and 0 < beta < 0.5):
        raise typer.BadParameter(say("error.sprt", text=repr(given[:40])))
    return Sprt(elo0, elo1, alpha, beta)


def _bounded(sprt: Sprt | None, model: Model) -> Sprt | None:
    """The test in this model. Raises `UsageError` for differences that it has no room for."""
    if sprt is None:
        return None
    if max(abs(sprt.elo0), abs(sprt.elo1)) > GREATEST[model]:
        raise UsageError(say("error.sprt_too_far", model=model, most=f"{GREATEST[model]:g}"))
    return replace(sprt, model=model)


def _model(given: str) -> Model:
    known = [model for model in MODELS if model == given]
    if not known:
        raise typer.BadParameter(say("invalid.one_of", known=", ".join(MODELS)))
    return known[0]


@command(app, "command.arena.help", "parlour arena tictactoe --first perfect --second random --games 100")
def arena(
    ctx: typer.Context,
    game: MaybeGame = None,
    first: Annotated[
        str, typer.Option(metavar="BOT|FILE", help=say("option.first"), callback=entrant)
    ] = "perfect",
    second: Annotated[
        str, typer.Option(metavar="BOT|FILE", help=say("option.second"), callback=entrant)
    ] = "perfect",
    games: Annotated[
        int, typer.Option(metavar="1..1000000", parser=whole(1, 1_000_000), help=say("option.games"))
    ] = GAMES,
    random_plies: Annotated[
        int | None,
        typer.Option("--random-plies", metavar="0..40", parser=whole(0, 40), help=say("option.random_plies")),
    ] = None,
    openings: Annotated[
        Path | None, typer.Option("--openings", metavar="FILE", help=say("option.openings"))
    ] = None,
    interface: CalledAs = None,
    seed: Seed = None,
    sprt: Annotated[
        Sprt | None,
        typer.Option("--sprt", metavar="ELO0,ELO1[,ALPHA,BETA]", parser=_sprt, help=say("option.sprt")),
    ] = None,
    model: Annotated[
        Model,
        typer.Option("--sprt-model", metavar="|".join(MODELS), parser=_model, help=say("option.sprt_model")),
    ] = "normalised",
    jobs: Jobs = 1,
    dask: Dask = None,
    out: MatchOut = None,
    force: Force = False,
    replay: ReplayMatch = None,
    move_seconds: MatchMoveSeconds = MOVE_SECONDS,
    memory: Memory = MEMORY,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Let two bots play a match."""
    here = screen(as_json, as_csv)
    from parlour_client.cli import match_play

    if replay is not None:
        match_play.replay(here, replay, "match", (jobs, dask))
        return
    from parlour_client.cli import entrants
    from parlour_client.cli.match_file import MatchFile
    from parlour_client.matches import plan as plans
    from parlour_client.matches.referee import referee

    first, second = found((first, second), interface)
    if out == "-":
        raise UsageError(say("error.games_to_stdout"))
    if openings is not None and random_plies is not None:
        raise UsageError(say("error.either_or", first="--openings", second="--random-plies"))
    if not is_own(first) and not is_own(second):
        for option, parameter in (("--move-seconds", "move_seconds"), ("--memory", "memory")):
            if is_given(ctx, parameter):
                raise UsageError(say("error.for_own_files", option=option))
    kept = None if out is None else MatchFile(out, force=force)
    judge = referee(game or "tictactoe")
    if games % plans.PAIR:
        games += plans.PAIR - games % plans.PAIR
        here.note(say("command.arena.pairs", count=games))
    if seed is None:
        import secrets

        # Drawn here, so that a match that was not asked for by its seed can be played again, too.
        seed = secrets.randbelow(2**31) if kept is None or kept.begun is None else kept.begun.seed
    ours = (entrants.entrant([judge], first, memory), entrants.entrant([judge], second, memory))
    entrants.tell_interfaces(here, ours)
    plan = plans.Plan(
        judge.name,
        ours,
        games,
        seed,
        _openings(judge, openings, random_plies),
        move_seconds if any(one.digest for one in ours) else None,
        memory,
        _bounded(sprt, model),
        plans.versions(),
        plans.machine(),
    )
    if is_given(ctx, "seed"):
        match_play.warn_of_time(here, [judge], plan)
    _play(here, judge, plan, kept, jobs, dask)


def _openings(judge: "Referee", file: Path | None, plies: int | None) -> "OpeningSource":
    """Where the openings come from. Raises `UsageError` with the line that can't be read."""
    from parlour_client.cli.output_file import lines_of
    from parlour_client.matches.plan import OpeningSource

    if file is None:
        return OpeningSource(plies)
    lines, wrong = [], []
    for number, line in enumerate(lines_of(file), 1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        try:
            judge.opening(text)
        except ValueError as error:
            wrong.append(say("error.opening_line", file=str(file), line=str(number), why=str(error)))
        lines.append(text)
    if wrong:
        raise UsageError(*wrong)
    if not lines:
        raise UsageError(say("error.no_openings", file=str(file)))
    return OpeningSource(None, str(file), tuple(lines))


def _play(
    here: "Screen",
    judge: "Referee",
    plan: "Plan",
    kept: "MatchFile | None",
    jobs: int,
    dask: str | None,
) -> None:
    """Let the bots play, and show how it went; where that is stopped, as far as it went."""
    import time

    from parlour_client.cli.match_play import play
    from parlour_client.cli.match_report import STANDINGS, Counted, as_json, sentences, standings
    from parlour_client.matches.match import Tally, openings_of, play_match

    if judge.must_compile:
        here.note(say("command.arena.compiles", game=plan.game))
    judge.prepare()
    # Of a game's openings all are balanced, or none is.
    tally, begun = Tally(plan, balanced=next(openings_of(judge, plan)).balanced), time.perf_counter()

    def show() -> None:
        if here.as_json:
            here.emit(as_json(tally, time.perf_counter() - begun))
        else:
            here.show_list(STANDINGS, standings(tally))
            here.say("", *sentences(tally, time.perf_counter() - begun))

    play(
        here,
        plan,
        kept,
        (jobs, dask),
        Counted(tally),
        plan.games,
        lambda at_work, done, played: play_match(judge, plan, at_work, tally, done, played),
        show,
    )
