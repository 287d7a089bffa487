"""Small programs that speak engines' protocols, by their published texts; each plays what comes first."""

GTP = """
import sys
for line in sys.stdin:
    words = line.split()
    if words[0] == "boardsize":
        size, played = int(words[1]), set()
        if size < 5:
            print("? unacceptable size\\n", flush=True)
            continue
    if words[0] == "clear_board":
        played = set()
    if words[0] == "play":
        assert words[1] == "bw"[len(played) % 2], line
        played.add(words[2])
    answer = "="
    if words[0] == "genmove":
        points = [f"{letter}{row}" for row in range(1, size + 1) for letter in "ABCDEFGHJKLMNOPQRST"[:size]]
        answer = "= " + next(point for point in points if point not in played).lower()
    print(answer + "\\n", flush=True)
"""
GOMOCUP = """
import sys
lines = iter(sys.stdin.readline, "")
for line in lines:
    command, _, rest = line.strip().partition(" ")
    if command == "START":
        size = int(rest)
        print("OK" if size <= 20 else "ERROR too large", flush=True)
    elif command == "BOARD":
        taken = {}
        while (stone := next(lines).strip()) != "DONE":
            x, y, whose = map(int, stone.split(","))
            taken[x, y] = whose
        # In the order of moves, ours (1) and theirs in turn; it is ours now.
        assert not taken or list(taken.values())[-1] == 2, taken
        print("MESSAGE thinking")
        x, y = next((x, y) for y in range(size) for x in range(size) if (x, y) not in taken)
        print(f"{x},{y}", flush=True)
    else:
        assert command == "INFO", line
"""
UGI = """
import sys
from parlour_client import Position
for line in sys.stdin:
    words = line.split()
    if words[0] == "DIALECT":
        print("id name first\\nDIALECTok", flush=True)
    elif words[0] == "isready":
        print("readyok", flush=True)
    elif words[0] == "position":
        moves = words[3:]
    elif words[0] == "go":
        assert 0 < int(words[2]) <= 10_000, line
        print("info depth 1 nodes 1")
        print("bestmove", Position.begin("GAME", " ".join(moves)).legal_moves[0], flush=True)
"""
NBOARD = """
import re
import sys
from parlour_client import Position
for line in sys.stdin:
    if line.startswith("set game"):
        size, board, to_move = re.search(r"BO\\[(\\d+) ([-*O]+) ([*O])\\]", line).groups()
        assert len(board) == int(size) ** 2, board
    elif line.startswith("ping"):
        print("pong", line.split()[1], flush=True)
    elif line.strip() == "go":
        # The first cell that has a disc of the other side beside it, and turns it.
        size = int(size)
        cells = {(at % size, at // size): sign for at, sign in enumerate(board)}
        def turns(x, y, dx, dy, n=0):
            sign = cells.get((x + dx, y + dy), "-")
            if sign == "-" or (sign == to_move and n == 0):
                return False
            return sign == to_move or turns(x + dx, y + dy, dx, dy, n + 1)
        ways = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]
        x, y = next(c for c, s in cells.items() if s == "-" and any(turns(*c, *way) for way in ways))
        print("status thinking")
        print(f"=== {'abcdefgh'[x]}{y + 1}/-1.00/0.1", flush=True)
"""
TORONTO = """
NEW = True


def select_move(board, color):
    size = len(board)
    lines = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]

    def turns(i, j, dx, dy, n=0):
        i, j = i + dx, j + dy
        if not (0 <= i < size and 0 <= j < size) or board[j][i] == 0:
            return False
        return n > 0 if board[j][i] == color else turns(i, j, dx, dy, n + 1)

    for j in range(size):
        for i in range(size):
            if board[j][i] == 0 and any(turns(i, j, *line) for line in lines):
                return i, j


def run_ai():
    print("First")
    if NEW:
        color, limit, minimax, caching, ordering = map(int, input().split(","))
    else:
        color = int(input())
    while True:
        status, dark, light = input().split()
        if status == "FINAL":
            print()
        else:
            board = eval(input())
            assert (int(dark), int(light)) == tuple(sum(row.count(n) for row in board) for n in (1, 2))
            print("%d %d" % select_move(board, color))


if __name__ == "__main__":
    run_ai()
"""
CS50 = """
from functools import cache
X, O, EMPTY = "X", "O", None


def player(board):
    return X if sum(row.count(X) for row in board) == sum(row.count(O) for row in board) else O


def actions(board):
    return {(i, j) for i in range(3) for j in range(3) if board[i][j] is EMPTY}


def result(board, action):
    after = [list(row) for row in board]
    after[action[0]][action[1]] = player(board)
    return after


def winner(board):
    lines = [*board, *zip(*board), [board[i][i] for i in range(3)], [board[i][2 - i] for i in range(3)]]
    return next((line[0] for line in lines if line[0] and len(set(line)) == 1), None)


def terminal(board):
    return winner(board) is not None or not actions(board)


def utility(board):
    return {X: 1, O: -1, None: 0}[winner(board)]


def value(board):
    return known(tuple(map(tuple, board)))


@cache
def known(board):
    if terminal(board):
        return utility(board)
    return (max if player(board) == X else min)(value(result(board, action)) for action in actions(board))


def minimax(board):
    if terminal(board):
        return None
    best = max if player(board) == X else min
    return best(sorted(actions(board)), key=lambda action: value(result(board, action)))
"""
KAGGLE = """
def agent(observation, configuration):
    assert observation["board"] == observation.board
    assert len(observation.board) == configuration.columns * configuration.rows
    return [column for column in range(configuration.columns) if observation.board[column] == 0][-1]
"""
AIPLAYER = """
import numpy as np


class AIPlayer:
    def __init__(self, player_number):
        self.player_number, self.asked = player_number, 0

    def get_alpha_beta_move(self, board):
        self.asked += 1
        # An object lives as long as a game: so many discs of ours are there.
        assert np.count_nonzero(board == self.player_number) == self.asked - 1, board
        return np.flatnonzero(board[0] == 0)[0]


class RandomPlayer:
    pass
"""
