"""What is compiled around rules that are functions over numbers: see `parlour_server.games.array_game`.

Such rules are one module, which rooms run as it stands and numba compiles: there is no twin to be held equal.
It is written in the part of Python that numba knows, over a sequence `s` of whole numbers of at most 64 bits:

    POSITION: int           how many numbers a position is. s[0] is the side to move, s[1] how it ended: 0
                            while the game goes on, 1 and 2 where side 0 or side 1 has won, 3 for a draw; the
                            rest is the game's own, also what tells its variants apart, such as a size
    MOST_MOVES: int         no position has more moves
    MOVE_NUMBERS: int       more than the greatest number of a move; at most 65,534

    moves(s, out, at) -> int  write all legal moves to out[at], out[at + 1], ..., the likely best first; how
                            many. Called for unfinished positions alone; never none
    play(s, move)           play a legal move, say whose move it is now, and how it ended, if it did
    evaluate(s) -> int      whole hundredths, from -4800 to 4800, for the side to move

    urgent(s) -> int        1 where `evaluate` is blind, as in `Game.urgent`; without it, 0
    margin(s) -> int        by how much it was won, as in `Game.margin`
    plies_left(s) -> int    how long it can still last, as in `Game.plies_left`; without it, `max_plies`
    MOST_PLIES: int         how deep a search may look, at most 500; without it, 250
    KEYED: int              how many of the first numbers a search knows a position by; without it all of
                            them. What stands behind, such as a counter for draws, hardly matters to it
    SCRATCH: int            how many numbers behind the position its functions may write as they like, since
                            no lists can be made here; without it none. What stands there is left over

In a game that ends the side to move is the one whose move it would be. A side may move twice running: s[0]
says so. The file may import `numpy as np`, and from other files with `from ... import` whole numbers, tuples
and arrays of them. Tables are tuples of whole numbers: numpy's own numbers don't belong into positions. numba
has its traps: no number may grow beyond 64 bits; no index may be negative; no function may call itself; a
variable has one type.

The engine wants more than that: moves that can be taken back, sides that take turns, hashes. That is here:
where a side moves twice running the other one passes in between, as in `search.turns`; and what a move
changes is kept on a stack behind the position.
"""

# This file is compiled behind the rules' module, whose names seem to be missing here. Its own begin so that
# they are none of the rules'.
ENGINE_PASSES = POSITION + SCRATCH  # 1 where the side that is not to move has yet to pass
ENGINE_TOP = ENGINE_PASSES + 1  # where the stack ends
ENGINE_SAVED = POSITION + 1
ENGINE_STATE = ENGINE_TOP + 1 + ENGINE_SAVED * (MOST_PLIES + 2)
ENGINE_PASS = MOVE_NUMBERS
ENGINE_NUMBERS = MOVE_NUMBERS + 1


def engine_play(s, move):
    top = s[ENGINE_TOP]
    for i in range(POSITION):
        s[top + i] = s[i]
    s[top + POSITION] = s[ENGINE_PASSES]
    s[ENGINE_TOP] = top + ENGINE_SAVED
    if move == ENGINE_PASS:
        s[ENGINE_PASSES] = 0
    else:
        side = s[0]
        play(s, move)
        s[ENGINE_PASSES] = 1 if s[0] == side else 0


def engine_undo(s, move):
    top = s[ENGINE_TOP] - ENGINE_SAVED
    s[ENGINE_TOP] = top
    for i in range(POSITION):
        s[i] = s[top + i]
    s[ENGINE_PASSES] = s[top + POSITION]


def engine_ended(s):
    over = s[1]
    if over == 0:
        return 0
    if over == 3:
        return 2
    return 3 if over - 1 == s[0] ^ s[ENGINE_PASSES] else 1


def engine_moves(s, out, at):
    if s[ENGINE_PASSES] != 0:
        out[at] = ENGINE_PASS
        return 1
    return moves(s, out, at)


def engine_evaluate(s):
    return -evaluate(s) if s[ENGINE_PASSES] != 0 else evaluate(s)


def engine_urgent(s):
    return urgent(s)


def engine_plies_left(s):
    return plies_left(s)


def engine_margin(s):
    return margin(s)


def engine_key(s):
    k = s[ENGINE_PASSES] + 1
    for i in range(KEYED):
        k = (k ^ s[i]) * -7046029254386353131
        k ^= (k >> 29) & 0x7FFFFFFFF
    k *= -4658895280553007687
    return k if k != 0 else 1
