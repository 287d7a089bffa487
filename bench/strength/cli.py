"""The command line: `python -m bench strength`."""

import argparse
from functools import partial

from rich.progress import Progress, TaskID, TimeRemainingColumn

from bench.frame import carry_out
from bench.options import count, end_on_sigterm, some
from bench.strength.match import GAMES
from bench.strength.report import as_json, show
from bench.strength.run import KINDS, Outcomes, Plan, run
from parlour_server.search.levels import InvalidBot, parse_bot

DEFAULT_GAMES, DEFAULT_PERFECT = 40, 500


def main(arguments: list[str]) -> int:
    """Play and report. 0: played, whatever the goals; 1: the run broke; 130: interrupted."""
    options = _parser().parse_args(arguments)
    end_on_sigterm()
    plan = _plan(options)

    def play(bars: Progress) -> Outcomes:
        tasks: dict[str, TaskID] = {}

        def progress(what: str, done: int, of: int) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(what, total=of)
            bars.update(tasks[what], completed=done)

        return run(plan, progress)

    return carry_out(
        play,
        time=TimeRemainingColumn(),
        alone=False,
        as_json=partial(as_json, plan) if options.json else None,
        show=lambda console, found: show(console, plan, found),
    )


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
    except InvalidBot as error:
        raise argparse.ArgumentTypeError(str(error)) from None
