"""The command line: `python -m bench strength`."""

import argparse
import json
import sys

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from bench import BenchError
from bench.options import count, end_on_sigterm, some
from bench.strength.match import GAMES
from bench.strength.report import as_json, show
from bench.strength.run import KINDS, Plan, run
from parlour_server.search.bots import BotError, parse_bot
from parlour_server.search.compiled import CompileFailed

DEFAULT_GAMES, DEFAULT_PERFECT = 40, 500


def main(arguments: list[str]) -> int:
    """Play and report. 0: played, whatever the goals; 1: the run broke; 130: interrupted."""
    options = _parser().parse_args(arguments)
    end_on_sigterm()
    plan = _plan(options)
    try:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True)) as bars:
            tasks: dict[str, TaskID] = {}

            def progress(what: str, done: int, of: int) -> None:
                if what not in tasks:
                    tasks[what] = bars.add_task(what, total=of)
                bars.update(tasks[what], completed=done)

            found = run(plan, progress)
    except (BenchError, CompileFailed) as broken:
        print(f"The run broke: {broken}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Interrupted; every process has been ended.", file=sys.stderr)
        return 130
    if options.json:
        print(json.dumps(as_json(plan, found)))
    else:
        show(Console(), plan, found)
    return 0


def _plan(options: argparse.Namespace) -> Plan:
    games = options.games + options.games % 2
    hard = f"hard:nodes={options.hard_nodes}" if options.hard_nodes else options.hard
    mcts = f"mcts{'-python' if options.python_mcts else ''}:{options.simulations}"
    return Plan(
        kinds=options.pairs,
        games=options.only,
        pairs=games // 2,
        perfect_games=options.perfect_games or (DEFAULT_PERFECT if options.games == DEFAULT_GAMES else games),
        seed=options.seed,
        hard=hard,
        medium=options.medium,
        easy=options.easy,
        mcts=mcts,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench strength",
        description="Let the bots play matches, on all cores; docs/benchmarks.md tells how to read them.",
        epilog="example: python -m bench strength --pairs medium-easy --only reversi,gomoku --games 20",
    )
    add = parser.add_argument
    add("--games", type=count, default=DEFAULT_GAMES, metavar="N", help="of each match (default 40)")
    add(
        "--pairs", type=some(KINDS), default=KINDS, metavar="A,B", help=f"of {', '.join(KINDS)} (default all)"
    )
    add("--only", type=some(GAMES), default=GAMES, metavar="A,B", help=f"of {', '.join(GAMES)} (default all)")
    add("--perfect-games", type=count, metavar="N", help="of `perfect` (default 500, or as --games says)")
    add("--hard-nodes", type=count, metavar="N", help="give `hard` so many nodes in place of half a second")
    add("--hard", type=_bot, default="hard", metavar="BOT", help="another bot in the place of hard")
    add("--medium", type=_bot, default="medium", metavar="BOT", help="another in the place of medium")
    add("--easy", type=_bot, default="easy", metavar="BOT", help="another in the place of easy")
    add("--simulations", type=count, default=1000, metavar="N", help="of OpenSpiel's MCTS (default 1,000)")
    add("--python-mcts", action="store_true", help="OpenSpiel's MCTS in Python: as strong, and far slower")
    add("--seed", type=count, default=1, metavar="N", help="of openings and dice (default 1)")
    add("--json", action="store_true", help="print one JSON value instead of tables, every game in it")
    return parser


def _bot(text: str) -> str:
    try:
        return str(parse_bot(text))
    except BotError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
