"""The opening book: the positions that take the solver too long, each with its score and a best move.

Of a position and its mirror image one is kept, the one with the smaller key. A key names a position without
fail (see `solver.py`): in each of seven bits a column, the stones of the side to move plus all
stones. The file is a row of 64-bit numbers, little end first, sorted: a key, six bits for the score
plus 32, three for the column. `scripts/connect4_book.py` computes it.
"""

from functools import cache
from hashlib import sha256
from pathlib import Path

PATH = Path(__file__).with_name("book.bin")
CHECKSUM = "731c1cd41d701a6df13a082b5565a8d5df1ff6d921567c8c698d9ff2ecf4a4c0"
"""Of the file: a book that was damaged or taken from elsewhere is no book."""

BOTTOM = 0x40810204081
BOARD = BOTTOM * 0b111111
COLUMN = 0b1111111


class DamagedBook(Exception):
    """The file is not the one that belongs to this version."""


def probe(mine: int, mask: int) -> tuple[int, int] | None:
    """The score for the side to move, and a best column, where the book has the position."""
    key, mirrored = canonical(mine, mask)
    entry = entries().get(key)
    if entry is None:
        return None
    score, column = entry
    return score, 6 - column if mirrored else column


@cache
def entries() -> dict[int, tuple[int, int]]:
    """The whole book, by keys, read when it is first asked for. Raises `DamagedBook`."""
    content = PATH.read_bytes()
    if sha256(content).hexdigest() != CHECKSUM:
        raise DamagedBook(f"{PATH} is not the opening book of this version.")
    found = {}
    for at in range(0, len(content), 8):
        number = int.from_bytes(content[at : at + 8], "little")
        found[number >> 9] = (number >> 3 & 63) - 32, number & 7
    return found


def write(path: Path, found: dict[int, tuple[int, int]]) -> str:
    """Write a book. Returns its checksum."""
    content = b"".join(
        (key << 9 | score + 32 << 3 | column).to_bytes(8, "little")
        for key, (score, column) in sorted(found.items())
    )
    path.write_bytes(content)
    return sha256(content).hexdigest()


# ---------------------------------------------------------------- keys and positions


def canonical(mine: int, mask: int) -> tuple[int, bool]:
    """The key of a position or of its mirror image, the smaller one; and was it the image's?"""
    key = mine + mask
    image = 0
    for column in range(7):
        image |= (key >> 7 * column & COLUMN) << 7 * (6 - column)
    return (image, True) if image < key else (key, False)


def position_of(key: int) -> tuple[int, int]:
    """The stones of the side to move, and all stones."""
    mine = mask = 0
    for column in range(7):
        # h stones are 2 ** h - 1 as a bitboard, and those of one side are no more.
        content = (key >> 7 * column & COLUMN) + 1
        full = 1 << content.bit_length() - 1
        mask |= full - 1 << 7 * column
        mine |= content - full << 7 * column
    return mine, mask


def open_columns(mask: int) -> list[int]:
    """The columns with room."""
    return [column for column in range(7) if not mask >> 7 * column + 5 & 1]


def drop(mask: int, column: int) -> int:
    """All stones after one more in a column with room."""
    return mask | mask + (1 << 7 * column)


def winning_cells(stones: int, mask: int) -> int:
    """The cells in reach that would complete four of these stones."""
    cells = mask + BOTTOM & BOARD
    found = 0
    while cells:
        cell = cells & -cells
        cells ^= cell
        with_it = stones | cell
        for step in (1, 6, 7, 8):
            pairs = with_it & with_it >> step
            if pairs & pairs >> 2 * step:
                found |= cell
    return found


def wins_at_once(stones: int, mask: int) -> bool:
    """Can this side complete four, if it is to move?"""
    return winning_cells(stones, mask) != 0
