"""How long a bot takes to find its first move on the empty tic-tac-toe board."""

from dataclasses import dataclass
from time import perf_counter

from bench import BenchError
from parlour_server.games import find_game
from parlour_server.search.control import Control
from parlour_server.search.levels import parse_bot
from parlour_server.search.thinking import think

BOTS = ("minimax", "alphabeta")


@dataclass(frozen=True, slots=True)
class Search:
    """One search from the empty board to its end."""

    seconds: float
    nodes: int


def search(bot: str) -> Search:
    """Search the empty board in this process, on the generator's core, while no server is loaded."""
    game = find_game("tictactoe")
    spec = parse_bot(bot)
    start = perf_counter()
    report = think(game, game.initial(), spec, move_number=1, control=Control(clock=perf_counter))
    seconds = perf_counter() - start
    if report.best is None or not report.finished:
        raise BenchError(f"{bot} found no move on the empty board.")
    return Search(seconds, report.nodes)
