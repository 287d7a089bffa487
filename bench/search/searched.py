"""Searches the positions that standard input names, by the code its path leads to: each half of `compare`."""

import json
import sys
from random import Random
from time import thread_time

import parlour_server
from parlour_server.games import find_game
from parlour_server.search.algorithms.engine import engine
from parlour_server.search.control import Control
from parlour_server.search.kernels.compiled import prepare
from parlour_server.search.kernels.inner_search import TableMemory


def main() -> None:
    """Answer each line, `{"game": ..., "moves": ..., "depth": ...}`, with what its search found and took."""
    print(json.dumps({"code": parlour_server.__file__}), flush=True)
    control = Control(compiled=True, memory=TableMemory())
    for line in sys.stdin:
        asked = json.loads(line)
        game = find_game(asked["game"])
        prepare(game)
        position, *_ = game.replay(asked["moves"])
        start = thread_time()
        report = engine(game, position, rng=Random(1), control=control, depth=asked["depth"])
        seconds = thread_time() - start
        score = report.candidates[0].score
        result = f"{report.best}: {score.kind} {score.result} {score.points}"
        print(json.dumps({"nodes": report.nodes, "seconds": seconds, "result": result}), flush=True)


if __name__ == "__main__":
    main()
