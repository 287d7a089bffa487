"""The command `parlour grade`: a folder of students' files in, marks and a report out."""

from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from parlour_client.bots.limits import MEMORY
from parlour_client.cli.help_text import command
from parlour_client.cli.options import CalledAs, Force, Json, Memory, Seed, legible_game, screen
from parlour_client.sdk.errors import ParlourError, UsageError
from parlour_protocol.words import say

if TYPE_CHECKING:
    from collections.abc import Callable

    from parlour_client.grading.grader import Class, Graded
    from parlour_client.grading.proofs import Proofs
    from parlour_client.grading.rubric import Rubric
    from parlour_client.render.console import Screen
    from parlour_protocol.views.tournaments import TournamentView

app = typer.Typer()


def _out(option: str, said: str) -> Any:
    return typer.Option(option, metavar="FILE", help=say(f"option.{said}"))


@command(
    app, "command.grade.help", "parlour grade homework/ --game connect4 --report class.html --csv marks.csv"
)
def grade(
    folder: Annotated[str, typer.Argument(metavar="FOLDER|FILE.py", help=say("option.grade_folder"))],
    game: Annotated[
        str | None,
        typer.Option("--game", metavar="GAME", help=say("option.grade_game"), callback=legible_game),
    ] = None,
    rubric: Annotated[
        Path | None, typer.Option("--rubric", metavar="FILE.toml", help=say("option.rubric"))
    ] = None,
    only: Annotated[list[str] | None, typer.Option("--only", metavar="TEST", help=say("option.only"))] = None,
    report: Annotated[str | None, _out("--report", "report")] = None,
    marks: Annotated[str | None, _out("--csv", "marks_csv")] = None,
    server: Annotated[
        str | None, typer.Option("--server", metavar="URL", help=say("option.grade_server"))
    ] = None,
    gradescope: Annotated[str | None, _out("--gradescope", "gradescope")] = None,
    classroom50: Annotated[str | None, _out("--classroom50", "classroom50")] = None,
    beside: Annotated[
        list[Path] | None, typer.Option("--with", metavar="FILE", help=say("option.grade_with"))
    ] = None,
    tournament: Annotated[bool, typer.Option("--tournament", help=say("option.grade_tournament"))] = False,
    interface: CalledAs = None,
    seed: Seed = None,
    memory: Memory = MEMORY,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Mark students' bots."""
    from dataclasses import replace

    from parlour_client.cli.output_file import target, write
    from parlour_client.grading import exports
    from parlour_client.grading import rubric as rubrics
    from parlour_client.grading.grader import Class
    from parlour_client.grading.proofs import Proofs
    from parlour_client.sdk.local_server import named_server
    from parlour_protocol.ids import page_address

    here = screen(as_json)
    asked = rubrics.Rubric() if rubric is None else rubrics.read(rubric)
    if only:
        asked = asked.only(only)
    asked = replace(asked, game=game or asked.game or "tictactoe", seed=asked.seed if seed is None else seed)
    address = named_server(server)
    page = None if address is None else page_address(address)
    path = Path(folder)
    if not path.exists() or (path.is_file() and path.suffix != ".py"):
        raise UsageError(say("error.nothing_to_grade", name=repr(folder[:80])))
    for one in beside or ():
        if not one.is_file():
            raise UsageError(say("error.no_file", file=repr(str(one)[:80])))
    files = Class(path, beside or ())
    if not files.sources:
        raise UsageError(say("error.no_files_to_grade", folder=repr(folder[:80])))
    targets = {
        name: target(out, force=force)
        for name, out in (
            ("report", report),
            ("csv", marks),
            ("gradescope", gradescope),
            ("classroom50", classroom50),
        )
    }
    for name in ("gradescope", "classroom50"):
        if targets[name] is not None and len(files.sources) != 1:
            raise UsageError(say("error.one_submission", option=f"--{name}"))
    proofs = Proofs(asked.game or "", asked.seed)
    graded = _grade(here, files, asked, proofs, interface, memory)
    written = {
        "csv": lambda: exports.spreadsheet(graded),
        "gradescope": lambda: exports.gradescope(graded[0]),
        "classroom50": lambda: exports.classroom50(graded[0]),
    }

    def keep(name: str, content: "Callable[[], str]") -> None:
        if (out := targets[name]) is not None:
            write(out, content())
            here.note(say("command.grade.written", file=str(out)))

    for name, content in written.items():
        keep(name, content)
    # Whatever the tournament does costs no marks.
    standings = _tournament(here, files, graded, proofs, interface, memory) if tournament else None
    keep("report", lambda: _report(proofs, graded, standings, page))
    if any(one.points < one.most for one in graded):
        raise ParlourError(
            say("command.grade.not_all", count=sum(one.points < one.most for one in graded), of=len(graded))
        )


def _grade(
    here: "Screen", files: "Class", rubric: "Rubric", proofs: "Proofs", interface: str | None, memory: int
) -> "list[Graded]":
    """Mark all files, and show a line for each as soon as it is marked."""
    import asyncio

    from parlour_client.grading import exports
    from parlour_client.grading.grader import grade as mark
    from parlour_client.grading.grader import has_bubblewrap
    from parlour_client.render.progress import bar

    here.note(say(f"command.grade.{'shut_in' if has_bubblewrap() else 'not_shut_in'}"))
    wanted = max((test.positions for test in rubric.tests if test.name in ("best", "value")), default=0)
    if wanted:
        with bar(here, say("command.grade.proving"), wanted) as progress:
            proofs.proven(wanted, progress)
    graded = []
    for number, path in enumerate(files.sources, 1):
        title = say("command.grade.file", number=number, of=len(files.sources), file=files.label(path))
        # Its bar is gone before its marks are shown.
        with bar(here, title, len(rubric.tests)) as progress:
            one = asyncio.run(
                mark(files, path, rubric, proofs, interface, memory, _counting(progress, title))
            )
        graded.append(one)
        if here.as_json:
            here.emit(exports.as_json(one))
        else:
            _show(here, one)
        for name in files.restore():
            here.refuse(say("command.grade.restored", file=files.label(path), changed=name))
    return graded


def _counting(progress: "Callable[..., None]", title: str) -> "Callable[[str], None]":
    """Moves a bar on at the beginning of each test, which it names."""
    done = count()
    return lambda test: progress(next(done), title=f"{title}: {test}")


def _show(here: "Screen", graded: "Graded") -> None:
    """A line for a file, and what is to be said of it below."""
    from parlour_client.grading.exports import sentences

    marks = ", ".join(
        f"{one.test.name} {one.points:g}/{one.test.points:g}"
        for one in graded.results
        if one.share is not None
    )
    total = f"{graded.points:g}/{graded.most:g}"
    here.say(say("command.grade.line", file=graded.file, total=total, marks=marks))
    for one in graded.results:
        for said in sentences(one) if one.share is not None else ():
            here.say(f"  {one.test.name}: {said}")


def _tournament(
    here: "Screen",
    files: "Class",
    graded: "list[Graded]",
    proofs: "Proofs",
    interface: str | None,
    memory: int,
) -> "TournamentView | None":
    """Let all that could be loaded play each other; None where these are fewer than two."""
    from parlour_client.bots.entrant import with_interface
    from parlour_client.cli.match_play import play
    from parlour_client.cli.tournament_report import STANDINGS, Counted, rows
    from parlour_client.grading.grader import MOVE_SECONDS, copies
    from parlour_client.matches import plan as plans
    from parlour_client.matches.tournament import Played, play_tournament

    loaded = {one.file: one for one in graded if one.interface}
    if len(loaded) < 2:
        here.note(say("error.few_bots"))
        return None
    with copies(files, loaded) as made:
        entrants = tuple(
            plans.own_entrant(
                with_interface(str(copy), interface), label.removesuffix(".py"), loaded[label].interface
            )
            for label, copy in made.items()
        )
        plan = plans.TournamentPlan(
            say("grading.tournament"),
            entrants,
            (proofs.game,),
            "round_robin",
            None,
            plans.PAIR,
            proofs.seed,
            plans.OpeningSource(),
            MOVE_SECONDS,
            memory,
        )
        played = Played.begin(plan)
        play(
            here,
            plan,
            None,
            (1, None),
            Counted(played),
            played.expected,
            lambda at_work, done, over: play_tournament(played, at_work, over),
            lambda: None if here.as_json else here.show_list(STANDINGS, rows(played)),
        )
    return played.pairings.view()


def _report(
    proofs: "Proofs", graded: "list[Graded]", standings: "TournamentView | None", page: str | None
) -> str:
    from parlour_client.grading.report import document

    return document(proofs.game, graded, standings, page)
