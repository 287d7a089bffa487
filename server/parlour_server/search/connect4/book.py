"""The opening book: the positions that take the solver too long, each with its score and a best move.

Of a position and its mirror image one is kept, the one with the smaller key. A key names a position without
fail (see `solver.py`): in each of seven bits a column, the stones of the side to move plus all
stones. The file is a row of 64-bit numbers, little end first, sorted: a key, six bits for the score
plus 32, three for the column. `scripts/connect4_book.py` computes and writes it.
"""

from functools import cache
from hashlib import sha256
from pathlib import Path

PATH = Path(__file__).with_name("book.bin")
CHECKSUM = "731c1cd41d701a6df13a082b5565a8d5df1ff6d921567c8c698d9ff2ecf4a4c0"
"""Of the file: a book that was damaged or taken from elsewhere is no book."""

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


def canonical(mine: int, mask: int) -> tuple[int, bool]:
    """The key of a position or of its mirror image, the smaller one; and was it the image's?"""
    key = mine + mask
    image = 0
    for column in range(7):
        image |= (key >> 7 * column & COLUMN) << 7 * (6 - column)
    return (image, True) if image < key else (key, False)
