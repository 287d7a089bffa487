"""What others wrote, made safe to show: no control, bidi or invisible sign reaches a terminal.

It is done once, where text comes in: `clean_json` for messages, `cleaned` for files, `clean` for a bot's
output and for what is typed. Past that nothing need be cleaned, and equal names stay equal.
"""

import json
import re
import unicodedata
from typing import Any

from parlour_protocol import UNSEEN

MOST_MARKS = 3
_BLANKS = {0x115F, 0x1160, 0x3164, 0xFFA0, 0x2800}
"""Signs that count as letters and yet show nothing: spaces."""
_CLEAN = re.compile(
    r"[ -\[\]-~\u00a1-\u00ac\u00ae-\u02ff\u0400-\u0481\u048a-\u052f"
    r"\u2010-\u2027\u2030-\u205e\u2190-\u2426\u2460-\u27ff]*"
)
"""Signs of which none needs cleaning: Latin, Cyrillic, punctuation, frames and discs; no backslash."""
_VARIANTS = [range(0xFE00, 0xFE10), range(0x180B, 0x1810), range(0xE0100, 0xE01F0), (0x034F, 0x17B4, 0x17B5)]
"""Marks that show nothing."""

_SHOWN: dict[int, str | None] = {
    **dict.fromkeys([*_BLANKS, ord("\n"), ord("\t")], " "),
    **dict.fromkeys(sign for signs in _VARIANTS for sign in signs),
}


def clean(text: str) -> str:
    """The text as one line of visible signs; line breaks and tabs become spaces."""
    # Almost everything is this: it may as well cost nothing.
    if text.isascii() and text.isprintable():
        return text
    shown = text.translate(_SHOWN)
    return _unstacked("".join(sign for sign in shown if unicodedata.category(sign) not in UNSEEN))


def _unstacked(text: str) -> str:
    """The text with no more marks on one sign than any language puts there: many reach into other lines."""
    kept, marks = [], 0
    for sign in text:
        marks = marks + 1 if unicodedata.category(sign) in ("Mn", "Me") else 0
        if marks <= MOST_MARKS:
            kept.append(sign)
    return "".join(kept)


def cleaned(data: Any) -> Any:
    """Plain data, as JSON has it, with every text in it clean."""
    match data:
        case str():
            return clean(data)
        case list():
            return [cleaned(one) for one in data]
        case dict():
            return {clean(name): cleaned(one) for name, one in data.items()}
        case _:
            return data


def clean_json(text: str | bytes) -> str | bytes:
    """A message with every text in it clean; as it is where it can't be read."""
    try:
        written = text if isinstance(text, str) else text.decode()
        # JSON writes control characters as escapes: where it has none, and these signs alone, it is clean.
        if _CLEAN.fullmatch(written):
            return text
        return json.dumps(cleaned(json.loads(written)), ensure_ascii=False)
    except (ValueError, RecursionError):
        return text
