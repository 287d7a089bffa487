"""Kalah solved: what the first side wins by with best play, from a table of all endings and a search above.

    python -m bench.solve.kalah 6,4,empty --endings 18

The rules are written anew here, so that this is a witness for those that are played by.
"""

import argparse
from time import perf_counter
from typing import Any

import numpy as np
from numba import njit

from parlour_server.games.kalah import KALAH

ROW = 16
"""Numbers of a position: the mover's houses, the other's, and behind them how many seeds they hold in all."""
MOST_PLIES = 400
UNKNOWN = -128
CHILDREN = 6
SLOTS = 1 << 24
WHOLE, LEAST, MOST = 1, 2, 3


def binomials(most: int) -> Any:
    """All there are of up to `most` things."""
    table = np.zeros((most + 1, most + 1), np.int64)
    for n in range(most + 1):
        table[n, 0] = 1
        for k in range(1, n + 1):
            table[n, k] = table[n - 1, k - 1] + table[n - 1, k]
    return table


@njit(cache=True)
def sow(b, at, to, houses, empty, house):  # type: ignore[no-untyped-def]
    """Write to `to` the position after the mover sowed a house, seen by who is then to move.

    Gives what the mover's store got, less what the other's did, and 100 more where the mover goes on, 1000
    where the game is over.
    """
    for i in range(2 * houses):
        b[to + i] = b[at + i]
    seeds = b[to + house]
    b[to + house] = 0
    gain, place = 0, house
    last_in_store = False
    while seeds > 0:
        place += 1
        if place == houses and not last_in_store:
            # Between the two rows lies the store.
            gain += 1
            seeds -= 1
            last_in_store = True
            place -= 1
            continue
        last_in_store = False
        if place == 2 * houses:
            place = 0
        b[to + place] += 1
        seeds -= 1
    again = last_in_store
    if not again and place < houses and b[to + place] == 1:
        opposite = 2 * houses - 1 - place
        if b[to + opposite] > 0 or empty != 0:
            gain += 1 + b[to + opposite]
            b[to + place] = 0
            b[to + opposite] = 0
    mine = theirs = 0
    for i in range(houses):
        mine += b[to + i]
        theirs += b[to + houses + i]
    b[to + 12] = mine + theirs
    if mine == 0 or theirs == 0:
        return gain + mine - theirs, 2
    if again:
        return gain, 1
    for i in range(houses):
        b[to + i], b[to + houses + i] = b[to + houses + i], b[to + i]
    return gain, 0


@njit(cache=True)
def rank(b, at, houses, choose):  # type: ignore[no-untyped-def]
    """The number of a position among those with as many seeds."""
    total, found = 0, 0
    for i in range(2 * houses - 1):
        total += b[at + i]
        found += choose[total + i, i + 1]
    return found


@njit(cache=True)
def unrank(b, at, houses, seeds, number, choose):  # type: ignore[no-untyped-def]
    """Write the position of that number."""
    top = seeds + 2 * houses - 2
    after = seeds
    for i in range(2 * houses - 2, -1, -1):
        while choose[top, i + 1] > number:
            top -= 1
        number -= choose[top, i + 1]
        b[at + i + 1] = after - (top - i)
        after = top - i
        top -= 1
    b[at] = after
    b[at + 12] = seeds


@njit("int64(int64[::1], int64, int64, int64, int8[::1], int64[::1], int64[:,::1])", cache=True)
def ending(b, at, houses, empty, values, starts, choose):  # type: ignore[no-untyped-def]
    """What the side to move wins by from here on, by the table, which is filled where it is empty."""
    seeds = b[at + 12]
    place = starts[seeds] + rank(b, at, houses, choose)
    if values[place] != UNKNOWN:
        return int(values[place])
    best, to = -1000, at + ROW
    for house in range(houses):
        if b[at + house] != 0:
            gain, then = sow(b, at, to, houses, empty, house)
            if then == 1:
                gain += ending(b, to, houses, empty, values, starts, choose)
            elif then == 0:
                gain -= ending(b, to, houses, empty, values, starts, choose)
            best = max(best, gain)
    values[place] = best
    return best


@njit(cache=True)
def fill(b, houses, empty, most, values, starts, choose):  # type: ignore[no-untyped-def]
    """Fill the table of endings."""
    for seeds in range(1, most + 1):
        for number in range(starts[seeds + 1] - starts[seeds]):
            if values[starts[seeds] + number] == UNKNOWN:
                unrank(b, 0, houses, seeds, number, choose)
                mine = theirs = 0
                for i in range(houses):
                    mine += b[i]
                    theirs += b[houses + i]
                if mine == 0 or theirs == 0:
                    values[starts[seeds] + number] = mine - theirs
                else:
                    ending(b, 0, houses, empty, values, starts, choose)


@njit(
    "int64(int64[::1], int64, int64, int64, int64, int64, int64, int8[::1], int64[::1], int64[:,::1],"
    " int64[::1], int64[::1])",
    cache=True,
)
def value(b, at, alpha, beta, houses, empty, most, values, starts, choose, table, nodes):  # type: ignore[no-untyped-def]
    """What the side to move wins by from here on: exact within the window, else a bound."""
    seeds = b[at + 12]
    if seeds <= most:
        return int(values[starts[seeds] + rank(b, at, houses, choose)])
    if seeds <= alpha:
        return seeds
    if -seeds >= beta:
        return -seeds
    k = 1
    for i in range(2 * houses):
        k = (k ^ b[at + i]) * -7046029254386353131
        k ^= (k >> 29) & 0x7FFFFFFFF
    slot = ((k >> 20) & (SLOTS - 1)) * 2
    known_move = -1
    if table[slot] == k:
        known = table[slot + 1]
        known_move = (known & 15) - 1
        low, high = ((known >> 8) & 255) - 128, ((known >> 16) & 255) - 128
        if low >= beta or low == high:
            return low
        if high <= alpha:
            return high
    else:
        low, high = -seeds, seeds
    nodes[0] += 1
    # What moves again comes first, the house next to the store before others; then what takes most.
    base = at + ROW * (CHILDREN + 1)
    for house in range(houses):
        score = -1
        if b[at + house] != 0:
            gain, then = sow(b, at, at + ROW * (house + 1), houses, empty, house)
            score = 10 * gain + house + 100 + (200 if then == 1 else 0)
            if house == known_move:
                score += 10_000
            b[at + ROW * (house + 1) + 13] = gain
            b[at + ROW * (house + 1) + 14] = then
        b[at + ROW * (house + 1) + 15] = score
    best, best_move, lower = -1000, -1, alpha
    while True:
        house, top = -1, -1
        for i in range(houses):
            if b[at + ROW * (i + 1) + 15] > top:
                top, house = b[at + ROW * (i + 1) + 15], i
        if house < 0:
            break
        child = at + ROW * (house + 1)
        b[child + 15] = -1
        found, then = b[child + 13], b[child + 14]
        if then != 2:
            for i in range(13):
                b[base + i] = b[child + i]
            gain = found
            # The score is for the side to move here, whichever side moves next.
            sign, low_then, high_then = 1, lower - gain, beta - gain
            if then == 0:
                sign, low_then, high_then = -1, gain - beta, gain - lower
            found += sign * value(
                b, base, low_then, high_then, houses, empty, most, values, starts, choose, table, nodes
            )
        if found > best:
            best, best_move = found, house
            lower = max(lower, found)
            if lower >= beta:
                break
    if best >= beta:
        low = max(low, best)
    elif best <= alpha:
        high = min(high, best)
    else:
        low = high = best
    table[slot] = k
    table[slot + 1] = (high + 128) << 16 | (low + 128) << 8 | (best_move + 1)
    return best


def solve(houses: int, seeds: int, *, empty: bool, endings: int) -> tuple[int, int, float]:
    """By how much the first side wins, how many positions were searched for it, and the seconds."""
    begun = perf_counter()
    endings = min(endings, 2 * houses * seeds)
    choose = binomials(endings + 2 * houses + 1)
    counts = [int(choose[n + 2 * houses - 1, 2 * houses - 1]) for n in range(endings + 1)]
    starts = np.cumsum([0, *counts]).astype(np.int64)
    values = np.full(int(starts[-1]), UNKNOWN, np.int8)
    board = np.zeros(ROW * (CHILDREN + 1) * MOST_PLIES, np.int64)
    fill(board, houses, int(empty), endings, values, starts, choose)
    table, nodes = np.zeros(2 * SLOTS, np.int64), np.zeros(1, np.int64)
    low, high, guess = -2 * houses * seeds, 2 * houses * seeds, 0
    while low < high:
        board[: 2 * houses], board[12] = seeds, 2 * houses * seeds
        beta = guess + 1 if guess == low else guess
        guess = value(
            board, 0, beta - 1, beta, houses, int(empty), endings, values, starts, choose, table, nodes
        )
        if guess < beta:
            high = guess
        else:
            low = guess
        print(f"  from {low} to {high}: {nodes[0]:,} positions, {perf_counter() - begun:.0f} s", flush=True)
    return low, int(nodes[0]), perf_counter() - begun


def main() -> None:
    """Solve and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("variants", nargs="+", help="as behind the game's name, for instance 6,4,empty")
    parser.add_argument("--endings", type=int, default=14, help="seeds in the table of endings, at most")
    given = parser.parse_args()
    for variant in given.variants:
        game = KALAH.variant(variant)
        won, nodes, seconds = solve(game.houses, game.seeds, empty=game.empty_too, endings=given.endings)
        print(f"{game.name}: {won:+d} ({nodes:,} positions, {seconds:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
