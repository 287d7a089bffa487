"""The teacher's report: the class as a table, and a page for each student, in one file that needs no network.

It can be printed, a student a page, and read without colour: what a bar shows stands beside it in figures.
"""

from collections.abc import Sequence
from html import escape

from parlour_client.bots.position import Position
from parlour_client.grading.exports import sentences, title
from parlour_client.grading.grader import Graded
from parlour_client.grading.trial import Blunder, Result
from parlour_client.text.scores import outlook
from parlour_protocol.views.tournaments import TournamentView
from parlour_protocol.words import language, say

MOST_BLUNDERS = 3
STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.45 system-ui, sans-serif; color: #1b1e23; max-width: 70rem; margin: auto; padding: 1rem; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid #c9ccd1; padding: .3rem .6rem; text-align: left; vertical-align: top; }
td.n, th.n { text-align: right; white-space: nowrap; }
.wide { overflow-x: auto; }
section { break-before: page; }
table.board td { border: 1px solid #6d737c; width: 1.9em; height: 1.9em; padding: 0; text-align: center; }
table.board td.last { outline: 3px solid #1b1e23; outline-offset: -3px; }
figure { display: inline-block; margin: 0 2rem 1rem 0; max-width: 22rem; vertical-align: top; }
figure, tr { break-inside: avoid; }
code { overflow-wrap: anywhere; }
@media print { body { margin: 0; max-width: none; } a { color: inherit; } }
"""


def document(game: str, all_graded: Sequence[Graded], tournament: TournamentView | None = None) -> str:
    """The report on a class."""
    heading = say("grading.report", game=game)
    parts = [f"<h1>{escape(heading)}</h1>", _class(all_graded)]
    if tournament is not None:
        parts.append(_cross_table(tournament))
    parts += [_student(game, number, graded) for number, graded in enumerate(all_graded)]
    return (
        f'<!doctype html>\n<html lang="{escape(language().tag)}">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(heading)}</title>\n<style>{STYLE}</style>\n" + "\n".join(parts) + "\n</html>\n"
    )


def _class(all_graded: Sequence[Graded]) -> str:
    tests = all_graded[0].results if all_graded else []
    head = [
        f"<th scope=col>{escape(say('grading.column.file'))}",
        f"<th scope=col class=n>{escape(say('grading.column.points'))}",
        "<th scope=col>",
        *(f"<th scope=col class=n>{escape(one.test.name)}" for one in tests),
    ]
    rows = []
    for number, graded in enumerate(all_graded):
        marks = "".join(f"<td class=n>{_points(one)}" for one in graded.results)
        rows.append(
            f'<tr><th scope=row><a href="#s{number}">{escape(graded.file)}</a>'
            f"<td class=n>{graded.points:g}/{graded.most:g}<td>{_bar(graded)}{marks}"
        )
    legend = "".join(f"<li><b>{escape(one.test.name)}</b>: {escape(title(one))}" for one in tests)
    return f"<div class=wide><table><tr>{''.join(head)}{''.join(rows)}</table></div><ul>{legend}</ul>"


def _points(result: Result) -> str:
    return "–" if result.share is None else f"{result.points:g}/{result.test.points:g}"


def _bar(graded: Graded) -> str:
    share = graded.points / graded.most if graded.most else 0
    return (
        '<svg width="104" height="14" aria-hidden="true"><rect x="1" y="1" width="102" height="12" '
        f'fill="none" stroke="#1b1e23"/><rect x="2" y="2" width="{100 * share:.0f}" height="10" '
        'fill="#4b5563"/></svg>'
    )


def _cross_table(view: TournamentView) -> str:
    rows = "".join(
        f"<tr><td class=n>{one.rank}<th scope=row>{escape(one.name)}<td class=n>{one.points:g}"
        + "".join(f"<td>{escape(result or '-')}" for result in one.results)
        for one in view.entrants
    )
    head = "".join(f"<th scope=col>{number}" for number in range(1, len(view.entrants[0].results) + 1))
    words = (say("grading.column.file"), say("grading.column.points"))
    return (
        f"<h2>{escape(say('grading.tournament'))}</h2><div class=wide><table><tr><th scope=col>#"
        f"<th scope=col>{escape(words[0])}<th scope=col>{escape(words[1])}{head}{rows}</table></div>"
    )


def _student(game: str, number: int, graded: Graded) -> str:
    rows = "".join(
        f"<tr><th scope=row>{escape(title(one))}<td class=n>{_points(one)}<td class=n>"
        f"{escape(say('span.seconds', number=language().number(one.seconds, 1)))}"
        f"<td>{'<br>'.join(map(escape, sentences(one)))}"
        for one in graded.results
    )
    total = say("grading.total", points=f"{graded.points:g}", of=f"{graded.most:g}")
    taken = [seconds for result in graded.results for seconds in result.taken]
    if taken:
        mean, most = (language().number(one, 2) for one in (sum(taken) / len(taken), max(taken)))
        total = f"{total}. {say('grading.took', mean=mean, most=most)}"
    blunders = sorted(
        (one for result in graded.results for one in result.blunders),
        key=lambda one: one.leads_to.points - one.best_leads_to.points,
    )
    unique = list({(one.moves, one.played): one for one in blunders}.values())[:MOST_BLUNDERS]
    boards = "".join(_board(game, one) for one in unique)
    shown = f"<h3>{escape(say('grading.blunders'))}</h3>{boards}" if boards else ""
    return (
        f"<section id=s{number}><h2>{escape(graded.file)}</h2><p>{escape(total)}"
        f"<div class=wide><table>{rows}</table></div>{shown}</section>"
    )


def _board(game: str, blunder: Blunder) -> str:
    position = Position.begin(game, " ".join(blunder.moves))
    view = position.view
    path = next((path for move, path in view.ways() if move == blunder.played), ())
    width, rows = len(view.columns), []
    for at, row in enumerate(view.cells):
        shown = ["" if cell == view.empty else escape(cell) for cell in row]
        marks = [" class=last" if at * width + column in path else "" for column in range(width)]
        cells = "".join(f"<td{mark}>{cell}" for mark, cell in zip(marks, shown, strict=True))
        rows.append(f"<tr><th scope=row>{escape(view.rows[at])}{cells}")
    columns = "".join(f"<th scope=col>{escape(label)}" for label in view.columns)
    said = say(
        "grading.blunder",
        mark=position.mark,
        played=blunder.played,
        leads=outlook(blunder.leads_to),
        best=blunder.best,
        better=outlook(blunder.best_leads_to),
    )
    command = f'parlour analyse {game} "{" ".join(blunder.moves)}"'
    return (
        f"<figure><table class=board>{''.join(rows)}<tr><th>{columns}</table>"
        f"<figcaption>{escape(said)}<br><code>{escape(command)}</code></figcaption></figure>"
    )
