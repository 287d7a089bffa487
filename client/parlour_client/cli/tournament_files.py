"""The command `parlour tournament run`: a tournament of bots that are here, from a file or by names."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from parlour_client.bots.entrant import beside
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
    Memory,
    ReplayMatch,
    Seed,
    is_given,
    is_own,
    memory_of,
    screen,
    whole,
)
from parlour_client.sdk.errors import UsageError
from parlour_client.sdk.toml_file import Reader, TomlFile, number, of, texts
from parlour_protocol.words import say

if TYPE_CHECKING:
    from parlour_client.cli.match_file import MatchFile
    from parlour_client.matches.plan import Entrant, TournamentPlan
    from parlour_client.render.console import Screen
    from parlour_protocol.tournaments import Format

FORMATS: "tuple[Format, ...]" = ("round_robin", "double_round_robin", "swiss", "knockout", "gauntlet")
"""An arena goes by the clock on the wall, and bots that nobody waits for have none."""
GAMES = 2
MOST_GAMES = 1000
FEWEST = 2

app = typer.Typer()


@dataclass(slots=True)
class Asked:
    """A tournament as it was asked for: on the command line, or in a file, with its lines."""

    title: str = ""
    plays: list[str] = field(default_factory=lambda: ["tictactoe"])
    format: str = "round_robin"
    rounds: int | None = None
    games: int = GAMES
    seed: int | None = None
    random_plies: int | None = None
    move_seconds: float = MOVE_SECONDS
    memory: int = MEMORY
    interface: str | None = None
    bots: list[tuple[str, str | None, str]] = field(default_factory=list)
    """What plays, what it is to be called, and where that stands."""
    places: dict[str, str] = field(default_factory=dict)
    """Where in a file the rest stands, by its key."""
    wrong: list[str] = field(default_factory=list)
    """All that can't be meant, each with its place."""


@command(
    app,
    "command.tournament.run.help",
    "parlour tournament run bots/*.py medium --game connect4 --games 10 --out class.jsonl",
)
def run(
    ctx: typer.Context,
    bots: Annotated[
        list[str] | None, typer.Argument(metavar="FILE.toml|BOT...", help=say("option.run_bots"))
    ] = None,
    game: Annotated[
        list[str] | None, typer.Option("--game", metavar="GAME", help=say("option.run_game"))
    ] = None,
    style: Annotated[
        str | None, typer.Option("--format", metavar="|".join(FORMATS), help=say("option.run_format"))
    ] = None,
    rounds: Annotated[
        int | None, typer.Option(metavar="N", parser=whole(1, 30), help=say("option.run_rounds"))
    ] = None,
    games: Annotated[
        int | None, typer.Option(metavar="N", parser=whole(1, MOST_GAMES), help=say("option.run_games"))
    ] = None,
    interface: CalledAs = None,
    seed: Seed = None,
    move_seconds: MatchMoveSeconds = None,
    memory: Memory = MEMORY,
    jobs: Jobs = 1,
    dask: Dask = None,
    out: MatchOut = None,
    force: Force = False,
    replay: ReplayMatch = None,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Let bots play a tournament."""
    here = screen(as_json, as_csv)
    from parlour_client.cli import match_play
    from parlour_client.cli.match_file import MatchFile

    if replay is not None:
        match_play.replay(here, replay, "tournament", (jobs, dask))
        return

    if out == "-":
        raise UsageError(say("error.games_to_stdout"))
    asked, bots = Asked(), bots or []
    if len(bots) == 1 and bots[0].endswith(".toml"):
        asked = from_file(Path(bots[0]))
    else:
        asked.bots = [(bot, None, f"{bot}: ") for bot in bots]
    given = {
        "plays": game,
        "format": style,
        "rounds": rounds,
        "games": games,
        "seed": seed,
        "interface": interface,
        "move_seconds": move_seconds,
        "memory": memory if is_given(ctx, "memory") else None,
    }
    for name, value in given.items():
        if value is not None:
            setattr(asked, name, value)
    kept = None if out is None else MatchFile(out, force=force)
    plan = plan_of(here, asked, None if kept is None or kept.begun is None else kept.begun.seed)
    _play(here, plan, kept, jobs, dask)


# ---------------------------------------------------------------- what was asked for


def _games(key: str, value: Any) -> list[str]:
    games = [value] if isinstance(value, str) else [*texts(key, value)]
    if not games:
        raise ValueError(f"{key}: {say('error.no_game_named')}")
    return games


def _memory(key: str, value: Any) -> int:
    try:
        return memory_of(of(str)(key, value))
    except typer.BadParameter as error:
        raise ValueError(f"{key}: {error.message}") from None


_READERS: Mapping[str, Reader] = {
    "title": of(str),
    "game": _games,
    "format": of(str),
    "rounds": number(1, 30),
    "games": number(1, MOST_GAMES),
    "seed": number(0, 2**63 - 1),
    "random_plies": number(0, 40),
    "move_seconds": number(0.01, 86_400, whole=False),
    "memory": _memory,
    "bots": of(list),
}


def from_file(path: Path) -> Asked:
    """A tournament's file. What is wrong in it is collected, with its lines. Raises `UsageError`."""
    file = TomlFile(path)
    values, bots = file.read(_READERS), list[tuple[str, str | None, str]]()
    for at, one in enumerate(values.pop("bots", ())):
        place = file.place("", "bots", at)
        entry = {"bot": one} if isinstance(one, str) else one if isinstance(one, dict) else {}
        bot, name = entry.get("bot"), entry.get("name")
        if not isinstance(bot, str) or not isinstance(name, str | None) or set(entry) - {"bot", "name"}:
            file.wrong.append(f"{place}{say('error.bot_entry')}")
        else:
            bots.append((beside(path.parent, bot), name, place))
    if "game" in values:
        values["plays"] = values.pop("game")
    places = {"bots": f"{path}: "} | {key: file.place(key) for key in file.content}
    return Asked(**{"title": path.stem, **values}, bots=bots, places=places, wrong=file.wrong)


def plan_of(here: "Screen", asked: Asked, seed: int | None = None) -> "TournamentPlan":
    """The tournament, once all of it can be played; `seed` where none was asked for.

    Raises `UsageError` with all that is wrong.
    """
    import secrets

    from parlour_client.cli.entrants import entrant, tell_interfaces
    from parlour_client.matches import plan as plans
    from parlour_client.matches.referee import Referee, referee
    from parlour_client.render.progress import bar

    wrong, judges, entrants = [*asked.wrong], list[Referee](), list["Entrant"]()
    for game in asked.plays:
        try:
            judges.append(referee(game))
        except UsageError as error:
            wrong.append(f"{asked.places.get('game', '')}{error}")
    if asked.format not in FORMATS:
        why = say("error.not_one_of", value=repr(asked.format[:40]), choices=", ".join(FORMATS))
        wrong.append(f"{asked.places.get('format', '')}{why}")
    if len(asked.bots) < FEWEST:
        wrong.append(f"{asked.places.get('bots', '')}{say('error.few_bots')}")
    named: dict[str, list[tuple[str, str]]] = {}
    with bar(here, say("command.tournament.bots"), len(asked.bots)) as progress:
        for number, (bot, name, place) in enumerate(asked.bots, 1):
            # Where no game is known, the server's bots are looked at all the same.
            known = judges if judges or is_own(bot) else [referee(Asked().plays[0])]
            called = name
            try:
                entrants.append(entrant(known, bot, asked.memory, name, asked.interface))
                called = entrants[-1].name
            except UsageError as error:
                wrong.append(f"{place}{error}")
            if called is not None:
                named.setdefault(called.casefold(), []).append((called, place))
            progress(number)
    for found in named.values():
        if len(found) > 1:
            called, place = found[-1]
            wrong.append(f"{place}{say('error.one_name', count=len(found), name=called)}")
    if wrong:
        raise UsageError(*wrong)
    tell_interfaces(here, entrants)
    games = asked.games + asked.games % plans.PAIR
    if games != asked.games:
        here.note(say("command.arena.pairs", count=games))
    drawn = secrets.randbelow(2**31) if seed is None else seed
    return plans.TournamentPlan(
        asked.title,
        tuple(entrants),
        tuple(judge.name for judge in judges),
        next(one for one in FORMATS if one == asked.format),
        asked.rounds,
        games,
        drawn if asked.seed is None else asked.seed,
        plans.OpeningSource(asked.random_plies),
        asked.move_seconds if any(one.digest for one in entrants) else None,
        asked.memory,
        plans.versions(),
        plans.machine(),
    )


# ---------------------------------------------------------------- playing it


def _play(
    here: "Screen", plan: "TournamentPlan", kept: "MatchFile | None", jobs: int, dask: str | None
) -> None:
    """Let the bots play, and show how all stand; where that is stopped, as far as it went."""
    from parlour_client.cli.match_play import play
    from parlour_client.cli.tournament_report import STANDINGS, Counted, as_json, rows, sentences
    from parlour_client.matches.tournament import Played, play_tournament

    played = Played.begin(plan)

    def show() -> None:
        if here.as_json:
            here.emit(as_json(played))
        else:
            here.show_list(STANDINGS, rows(played))
            here.say("", *sentences(played))

    play(
        here,
        plan,
        kept,
        (jobs, dask),
        Counted(played),
        played.expected,
        lambda at_work, done, over: play_tournament(played, at_work, over),
        show,
    )
