"""QR codes of links, as rows of characters for a page or a terminal to draw."""

from functools import lru_cache

import segno

CORRECTION = "m"
"""Up to 15% of the modules may be hidden, as by a stain or a reflection."""
MASK = 3
"""One mask for all. To try which of the eight looks best takes five times as long (9 ms, not 2, for the
longest link), and readers take any."""


@lru_cache(maxsize=256)
def qr_rows(text: str) -> tuple[str, ...]:
    """The modules of a text's QR code, without a margin: `#` is dark, `.` is light."""
    code = segno.make_qr(text, error=CORRECTION, mask=MASK)
    return tuple("".join("#" if dark else "." for dark in row) for row in code.matrix)
