"""The teacher's report: the class as a table, and a page for each student, in one file that needs no network.

It can be printed, a student a page, and read without colour: what a bar shows stands beside it in figures.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape
from statistics import mean
from urllib.parse import quote

from parlour_client.bots.position import Position
from parlour_client.grading.exports import sentences, title
from parlour_client.grading.grader import Graded
from parlour_client.grading.plots import over_plies
from parlour_client.grading.trial import Blunder, Result
from parlour_client.text.scores import outlook
from parlour_protocol.pictures.board import plain
from parlour_protocol.pictures.shapes import svg
from parlour_protocol.views.tournaments import TournamentView
from parlour_protocol.words import language, say

MOST_BLUNDERS = 3
BOARD = 240.0
"""How large a board is, in pixels."""
UNKNOWN = "–"
STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.45 system-ui, sans-serif; color: #1b1e23; max-width: 82rem; margin: auto; padding: 1rem; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid #c9ccd1; padding: .3rem .6rem; text-align: left; vertical-align: top; }
td.n, th.n { text-align: right; white-space: nowrap; }
.wide { overflow-x: auto; }
section { break-before: page; }
figure { display: inline-block; margin: 0 2rem 1rem 0; max-width: 24rem; vertical-align: top; }
figure, tr { break-inside: avoid; }
svg { max-width: 100%; }
code { overflow-wrap: anywhere; }
@media print { body { margin: 0; padding: 0; max-width: none; font-size: 10pt; }
  .class { font-size: 7pt; } .class :is(th, td) { padding: .2rem; overflow-wrap: anywhere; }
  a { color: inherit; } }
"""


def document(
    game: str,
    all_graded: Sequence[Graded],
    tournament: TournamentView | None = None,
    server: str | None = None,
) -> str:
    """The report on a class. Its boards lead to their analysis on a `server`, by its address."""
    heading = say("grading.report", game=game)
    parts = [f"<h1>{escape(heading)}</h1>", _class(all_graded), _tests(all_graded)]
    if tournament is not None:
        parts.append(_cross_table(tournament))
    parts += [_student(game, number, graded, server) for number, graded in enumerate(all_graded)]
    return (
        f'<!doctype html>\n<html lang="{escape(language().tag)}">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(heading)}</title>\n<style>{STYLE}</style>\n" + "\n".join(parts) + "\n</html>\n"
    )


def _class(all_graded: Sequence[Graded]) -> str:
    tests = all_graded[0].results if all_graded else []
    costs = [say(f"grading.column.{one}") for one in ("right", "visited", "seconds")]
    head = [
        f"<th scope=col>{escape(say('grading.column.file'))}",
        f"<th scope=col class=n>{escape(say('grading.column.points'))}",
        "<th scope=col>",
        *(f"<th scope=col class=n>{escape(one)}" for one in (*costs, *(one.test.name for one in tests))),
    ]
    rows = []
    for number, graded in enumerate(all_graded):
        share = graded.points / graded.most if graded.most else 0
        cells = [*_costs(graded), *map(_points, graded.results)]
        rows.append(
            f'<tr><th scope=row><a href="#s{number}">{escape(graded.file)}</a>'
            f"<td class=n>{graded.points:g}/{graded.most:g}<td>{_bar(share)}"
            + "".join(f"<td class=n>{cell}" for cell in cells)
        )
    return f"<div class=wide><table class=class><tr>{''.join(head)}{''.join(rows)}</table></div>"


def _tests(all_graded: Sequence[Graded]) -> str:
    """What each test asks for, and which share of its points the class earned."""
    rows = []
    for results in zip(*(graded.results for graded in all_graded), strict=True):
        shares = [one.share for one in results if one.share is not None]
        share = mean(shares) if shares else None
        bar = "" if share is None else _bar(share)
        asks = f"<th scope=row>{escape(results[0].test.name)}<td>{escape(title(results[0]))}"
        rows.append(f"<tr>{asks}<td class=n>{_percent(share)}<td>{bar}")
    heading = say("grading.tests")
    return f"<h2>{escape(heading)}</h2><div class=wide><table>{''.join(rows)}</table></div>"


def _points(result: Result) -> str:
    return UNKNOWN if result.share is None else f"{result.points:g}/{result.test.points:g}"


def _percent(share: float | None) -> str:
    return UNKNOWN if share is None else say("score.chance", percent=round(100 * share))


def _costs(graded: Graded) -> tuple[str, str, str]:
    """The share of right moves, and what a move cost: positions and seconds."""
    number = language().number
    visited = UNKNOWN if graded.visited is None else number(round(graded.visited))
    return (
        _percent(graded.right),
        visited,
        UNKNOWN if graded.seconds is None else say("span.seconds", number=number(graded.seconds, 2)),
    )


def _bar(share: float) -> str:
    frame = '<rect x="1" y="1" width="102" height="12" fill="none" stroke="#1b1e23"/>'
    filled = f'<rect x="2" y="2" width="{100 * share:.0f}" height="10" fill="#4b5563"/>'
    return f'<svg width="104" height="14" viewBox="0 0 104 14" aria-hidden="true">{frame}{filled}</svg>'


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


def _student(game: str, number: int, graded: Graded, server: str | None) -> str:
    rows = "".join(
        f"<tr><th scope=row>{escape(title(one))}<td class=n>{_points(one)}<td class=n>"
        f"{escape(say('span.seconds', number=language().number(one.seconds, 1)))}"
        f"<td>{'<br>'.join(map(escape, sentences(one)))}"
        for one in graded.results
    )
    total = say("grading.total", points=f"{graded.points:g}", of=f"{graded.most:g}")
    if graded.asked:
        most = max(one.seconds for one in graded.asked)
        figures = {"mean": language().number(graded.seconds or 0, 2), "most": language().number(most, 2)}
        total = f"{total}. {say('grading.took', **figures)}"
    blunders = sorted(
        (one for result in graded.results for one in result.blunders),
        key=lambda one: one.leads_to.points - one.best_leads_to.points,
    )
    unique = list({(one.moves, one.played): one for one in blunders}.values())[:MOST_BLUNDERS]
    boards = "".join(_board(game, one, server) for one in unique)
    shown = f"<h3>{escape(say('grading.blunders'))}</h3>{boards}" if boards else ""
    return (
        f"<section id=s{number}><h2>{escape(graded.file)}</h2><p>{escape(total)}"
        f"<div class=wide><table>{rows}</table></div>{''.join(_plots(graded))}{shown}</section>"
    )


def _plots(graded: Graded) -> Iterator[str]:
    seconds = [(one.ply, one.seconds) for one in graded.asked]
    visited = [(one.ply, float(one.visited)) for one in graded.asked if one.visited is not None]
    for said, values in (("seconds", seconds), ("visited", visited)):
        if len(values) > 1:
            heading = say(f"grading.plot.{said}")
            figure = over_plies(values, heading, say("grading.plot.ply"))
            yield f"<figure>{figure}<figcaption>{escape(heading)}</figcaption></figure>"


def _board(game: str, blunder: Blunder, server: str | None) -> str:
    """The position, with a mark on where the move that was played led."""
    position = Position.begin(game, " ".join(blunder.moves))
    view = position.view
    path = next((path for move, path in view.ways() if move == blunder.played), ())
    said = say(
        "grading.blunder",
        mark=position.mark,
        played=blunder.played,
        leads=outlook(blunder.leads_to),
        best=blunder.best,
        better=outlook(blunder.best_leads_to),
    )
    picture = svg(plain(replace(view, last=[*path[-1:]]), BOARD), said)
    command = f'parlour analyse {game} "{" ".join(blunder.moves)}"'
    way = f"<code>{escape(command)}</code>"
    if server is not None:
        link = f"{server}/analysis#{quote(game)}={quote(','.join(blunder.moves), safe=',')}"
        way = f'<a href="{escape(link)}">{escape(say("grading.analyse"))}</a><br>{way}'
    return f"<figure>{picture}<figcaption>{escape(said)}<br>{way}</figcaption></figure>"
