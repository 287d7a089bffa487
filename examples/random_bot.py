"""The shortest bot there is: any legal move will do."""

import random


def choose(position):
    return random.choice(position.legal_moves)
