"""Compiled twins of the games' rules, and the inner search that is compiled with them.

A kernel is one file of small functions over an array of numbers. It is written in the part of Python
that numba compiles, and is compiled together with the engine (`negamax.py`), so that the engine
calls it at no cost. The rules remain the reference: tests hold each kernel equal to them, function by
function. Without numba a game is searched by its rules alone, with the same engine and the same result.

A game names the module of its kernel (`Game.kernel`). What that file defines:

    STATE: int              how many 64-bit numbers a state has
    DTYPE                   np.int64 or np.uint64: what they are
    MOST_MOVES: int         no position has more moves
    MOVE_NUMBERS: int       more than the greatest number of a move; at most 65,535
    MOST_PLIES: int         no game is longer; at most 500

    load(game, position, s)   write a position of the rules into s. Plain Python, the one function that is
                              never compiled

    play(s, move)           play a legal move in place
    undo(s, move)           take the last move back, which was this one
    ended(s) -> int         0 while the game goes on; else 1: the side that moved last has won, 2: drawn,
                            3: the side that moved last has lost
    moves(s, out, at) -> int  write the moves of the rules' `search_order`, in its order, to out[at],
                            out[at + 1], ...; their number, with SELECTIVE added where the rules'
                            `selective` is true, and ORDERED where `ordered` is. Never none while the game
                            goes on. What stands behind the last one may be overwritten
    evaluate(s) -> int      the rules' `evaluate`, exactly: whole hundredths, for the side to move
    urgent(s) -> int        1 where the rules' `urgent` is true, else 0
    plies_left(s) -> int    the rules' `plies_left`
    margin(s) -> int        the rules' `margin`, for finished positions; 0 where it doesn't count
    key(s) -> int           a hash of position and side to move as an int64, never 0: its upper bits as good
                            as random (finish with a multiplication by a large odd number)

    rank << 16 | move       what `moves` may write instead, in any order, of all moves that it has to choose
                            from. No two have the same rank, a number below 2^45; those of the rules'
                            `search_order` have the highest, the first the highest of all. The result is then
                            the number of moves in `search_order`, with the flags as above, and
                            with RANKED for each that was written

`s` is a one-dimensional array of DTYPE, `out` one of int64; moves are the rules' own numbers, and so is
the side to move the rules' own. What `undo` needs to restore (flipped discs, say) a kernel keeps in `s`
itself, in a stack as deep as MOST_PLIES. All functions but `load` are compiled and may
call each other and helpers of the same file; the file may import numpy as np, numbers and tables from its
game's rules, and SELECTIVE, ORDERED and RANKED from here, and nothing else. Its module constants (also small
arrays) are frozen into the machine code. numba has its traps: uint64 and a plain whole number give a float,
so write `np.uint64(1)`, or keep to int64 and mask after shifting right. No index may be negative: none is
checked, and none counts from the end.
"""

SELECTIVE = 1 << 20
"""Added to the number of moves where some that might matter were left out."""

ORDERED = 1 << 21
"""Added to the number of moves where their order is to be kept."""

RANKED = 1 << 32
"""Added for each move that was written with its rank."""
