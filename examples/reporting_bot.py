"""A bot that shows how it thinks: those who look on see its candidates, as they see the server's bots think.

It plays a few games at random from each move on, and takes the move that won most often (Monte Carlo).
"""

import random
import time

from parlour_client import Candidate, Report, Score

GAMES_A_MOVE = 12


def choose(position):
    begun, nodes = time.perf_counter(), 0
    candidates = []
    for move in position.legal_moves:
        points = 0
        for _ in range(GAMES_A_MOVE):
            end = position.play(move)
            while not end.over:
                end = end.play(random.choice(end.legal_moves))
                nodes += 1
            winner = end.outcome.winner
            points += 0 if winner is None else 1 if winner == position.mark else -1
        # From -50, where each game was lost, to 50, where each was won.
        candidates.append(Candidate(move, Score(50 * points / GAMES_A_MOVE)))
    candidates.sort(key=lambda candidate: candidate.score, reverse=True)
    best = candidates[0].move
    return best, Report(candidates[:64], [best], nodes=nodes, seconds=time.perf_counter() - begun)
