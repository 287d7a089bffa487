"""How a run's tables look: lean enough for 80 columns, which is what a pipe gets."""

from collections.abc import Sequence

from rich import box
from rich.table import Table


def lean(title: str, *words: str, numbers: Sequence[str], after: Sequence[str] = ("",)) -> Table:
    """A table with columns of words, then of numbers, then of words again, such as the verdict."""
    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        show_edge=False,
        collapse_padding=True,
    )
    for heading in words:
        table.add_column(heading, no_wrap=True)
    for heading in numbers:
        table.add_column(heading, justify="right", no_wrap=True)
    for heading in after:
        table.add_column(heading, no_wrap=True)
    return table


def word(met: bool | None) -> str:
    """Whether a goal was met; nothing where there is none."""
    return "" if met is None else "[green]met[/]" if met else "[red]missed[/]"
