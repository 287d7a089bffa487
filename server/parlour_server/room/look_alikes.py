"""Which names look alike: by the skeletons of Unicode's Technical Standard 39, whatever the case.

https://www.unicode.org/reports/tr39/#Confusable_Detection
"""

import unicodedata
from functools import cache, lru_cache

from confusable_homoglyphs.confusables import confusables_data

_DIRECTION_MARK = "\u200e"
"""Stands around right-to-left characters in the library's data."""


@lru_cache(maxsize=1024)
def looks(name: str) -> frozenset[str]:
    """How a name looks: two names look alike where these have something in common.

    Only letters, digits and their marks count. There is more than one look, since `I` is like `l`, and `i` by
    its case.
    """
    return frozenset({_skeleton(name).casefold(), _skeleton(name.casefold()).casefold()})


def look_alike(one: str, another: str) -> bool:
    """Could one of these names be taken for the other?"""
    return not looks(one).isdisjoint(looks(another))


def _skeleton(text: str) -> str:
    prototypes = _prototypes()
    decomposed = unicodedata.normalize("NFD", text)
    skeleton = "".join(prototypes.get(character, character) for character in decomposed)
    return "".join(character for character in unicodedata.normalize("NFD", skeleton) if _counts(character))


def _counts(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character) in {"Mn", "Mc", "Me"}


@cache
def _prototypes() -> dict[str, str]:
    """What each character that looks like another is compared as."""
    found = {}
    for character, alike in confusables_data.items():
        # A prototype is listed with all that look like it, and each of those with the prototype alone.
        if len(character) == len(alike) == 1:
            prototype = alike[0]["c"].strip(_DIRECTION_MARK)
            several = len(confusables_data.get(alike[0]["c"], ())) > 1
            if several or len(prototype) > 1 or prototype < character:
                found[character] = prototype
    return found
