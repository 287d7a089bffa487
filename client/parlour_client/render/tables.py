"""Lists in a terminal: any list as a table that fits 80 columns, or as a line for each row."""

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from parlour_client.render.board import plain
from parlour_client.render.lists import cell, phrase
from parlour_client.text.names import localised
from parlour_client.text.scores import PAST
from parlour_protocol.views.lists import RIGHT, Column, Columns, RowT
from parlour_protocol.views.rooms import BotLine, BotSetting, GameLine
from parlour_protocol.words import ENGLISH, say

MANY = 1_000
"""A bot's setting that may be larger is shown without its bounds."""


def table(
    columns: Columns[RowT],
    rows: Sequence[RowT],
    *,
    first: int | None = None,
    width: int = 80,
    ascii_only: bool = False,
) -> Table:
    """A list as a table, without the columns in which no row has anything, and those that need more width.

    With `first` each row has its number, counted from there.
    """
    cells = [[cell(column, row, ascii_only=ascii_only) for column in columns] for row in rows]
    kept = [
        (at, column)
        for at, column in enumerate(columns)
        if width >= column.from_width
        and (not rows or any(line[at] and _tells(column, row) for row, line in zip(rows, cells, strict=True)))
    ]
    heads = any(column.heading for column in columns)
    shown = Table(box=None, pad_edge=False, header_style=PAST, padding=(0, 2, 0, 0), show_header=heads)
    if first is not None:
        shown.add_column(say("table_head.number"))
    for _, column in kept:
        right, head = column.kind in RIGHT, column.heading
        whole = right or column.kind == "bar"
        # Names of sides speak for themselves; the page's heading is for screen readers.
        heading = "" if column.kind == "side" else say(head) if head in ENGLISH else head
        shown.add_column(heading, justify="right" if right else "left", overflow="fold", no_wrap=whole)
    for number, line in enumerate(cells, start=first or 0):
        shown.add_row(*[str(number)] * (first is not None), *(line[at] for at, _ in kept))
    return shown


def facts(columns: Columns[RowT], row: RowT) -> Table:
    """A row by itself: a line for each column that has something, below one another."""
    shown = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    for column in columns:
        if value := cell(column, row):
            shown.add_row(Text(say(column.heading), PAST), value)
    return shown


def _tells(column: Column[RowT], row: RowT) -> bool:
    """Is it more than none of what is only sometimes there?"""
    return not (column.said and column.value(row) == 0)


def line(columns: Columns[RowT], row: RowT) -> str:
    """A row in a line: `KMRTQA: tictactoe, Ada – Ben, running, 4 moves`."""
    key, *rest = (phrase(column, row).plain for column in columns)
    return f"{key}: {', '.join(filter(None, rest))}"


# ---------------------------------------------------------------- games and bots


def _about_game(game: GameLine) -> Text:
    about = Text(localised(game.summary, game.summary_said))
    if game.variants:
        about.append("\n").append(localised(game.variants, game.variants_said), PAST)
    return about


def _about_bot(bot: BotLine) -> Text:
    about = Text(localised(bot.summary, bot.summary_said))
    for plays in bot.plays:
        about.append("\n").append_text(plain(", ".join(plays.games), "bold")).append(": ")
        about.append(localised(plays.does, plays.does_said))
    if bot.settings:
        about.append("\n").append_text(plain(bot_settings(bot), PAST))
    return about


GAMES: Columns[GameLine] = (
    Column("name", "key", head="table_head.game"),
    Column("title", "sentence"),
    Column("summary", head="table_head.what_it_is", of=_about_game, raw=lambda game: game.summary),
)
"""What can be played."""

BOTS: Columns[BotLine] = (
    Column("name", "key", head="table_head.bot"),
    Column("summary", head="table_head.what_bot_does", of=_about_bot, raw=lambda bot: bot.summary),
)
"""Who can be played against."""


def bot_settings(bot: BotLine) -> str:
    """What may follow a bot's name: `depth=1..99, time=SECONDS, seed=N`."""
    return ", ".join(f"{one.name}={_values(one)}" for one in bot.settings)


def _values(setting: BotSetting) -> str:
    if not setting.whole:
        return (setting.unit or "number").upper()
    return f"{setting.least:.0f}..{setting.greatest:.0f}" if setting.greatest < MANY else "N"
