"""Minimax with alpha-beta pruning, for any game that the server knows; its rules must be installed here.

A score is what a position is worth to us: a win 100 less the moves that it takes, a loss as much below
nought. Beyond the horizon it guesses nought, so that it plays the opening by chance and the end game well.
"""

import random

DEPTH = {"tictactoe": 9, "connect4": 4, "reversi": 3}
"""How many moves it looks ahead; 2 in all other games."""


def choose(position):
    depth = DEPTH.get(position.game, 2)
    moves = position.legal_moves
    random.shuffle(moves)
    best, best_score = moves[0], -1000
    for move in moves:
        score = worth(position.play(move), depth - 1, best_score, 1000, 1)
        if score > best_score:
            best, best_score = move, score
    return best


def worth(position, depth, alpha, beta, ply):
    """What a position is worth to us, as far as that matters: between alpha and beta."""
    if position.over:
        winner = position.outcome.winner
        if winner is None:
            return 0
        return 100 - ply if winner == position.mark else ply - 100
    if depth == 0:
        return 0
    ours = position.to_move == position.mark
    for move in position.legal_moves:
        score = worth(position.play(move), depth - 1, alpha, beta, ply + 1)
        if ours:
            alpha = max(alpha, score)
        else:
            beta = min(beta, score)
        if alpha >= beta:
            break
    return alpha if ours else beta
