"""What the command lines share around a run: its bars, how it breaks or is interrupted, what it prints."""

import asyncio
import json
import sys
from collections.abc import Callable
from typing import Any, TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn

from bench import BenchError
from parlour_server.search.kernels.numba_modules import CompileFailed

Found = TypeVar("Found")


def carry_out(
    run: Callable[[Progress], Found],
    *,
    time: ProgressColumn,
    alone: bool,
    as_json: Callable[[Found], Any] | None,
    show: Callable[[Console, Found], None],
) -> int:
    """Run and report. 0: done, whatever the goals; 1: the run broke; 130: interrupted.

    Where it has to be `alone` its bars are drawn only when it moves them: a thread that draws would take time
    from what is measured. With `as_json` one JSON value is printed instead of tables.
    """
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), time)
    try:
        with Progress(*columns, console=Console(stderr=True), auto_refresh=not alone) as bars:
            found = run(bars)
    except (BenchError, CompileFailed) as broken:
        notes = getattr(broken, "__notes__", [])
        print("\n".join([f"The run broke: {broken}", *notes]), file=sys.stderr)
        return 1
    except (KeyboardInterrupt, asyncio.CancelledError):
        print("Interrupted; every process has been ended.", file=sys.stderr)
        return 130
    if as_json is None:
        show(Console(), found)
    else:
        print(json.dumps(as_json(found)))
    return 0
