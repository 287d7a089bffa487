"""What others wrote, made safe to show: no control, bidi or invisible sign reaches a terminal."""

import unicodedata

from parlour_protocol import UNSEEN

MOST_MARKS = 3
_BLANKS = {0x115F, 0x1160, 0x3164, 0xFFA0, 0x2800, 0x034F, 0x17B4, 0x17B5}
_VARIANTS = [range(0xFE00, 0xFE10), range(0x180B, 0x1810), range(0xE0100, 0xE01F0)]
"""Signs that count as letters or marks and yet show nothing."""

_INVISIBLE = dict.fromkeys([*_BLANKS, *(sign for signs in _VARIANTS for sign in signs)])


def clean(text: str) -> str:
    """The text as one line of visible signs; line breaks and tabs become spaces."""
    # Almost everything is this: it may as well cost nothing.
    if text.isascii() and text.isprintable():
        return text
    shown = text.translate(_INVISIBLE).replace("\n", " ").replace("\t", " ")
    return _unstacked("".join(sign for sign in shown if unicodedata.category(sign) not in UNSEEN))


def _unstacked(text: str) -> str:
    """The text with no more marks on one sign than any language puts there: many reach into other lines."""
    kept, marks = [], 0
    for sign in text:
        marks = marks + 1 if unicodedata.category(sign) in ("Mn", "Me") else 0
        if marks <= MOST_MARKS:
            kept.append(sign)
    return "".join(kept)
