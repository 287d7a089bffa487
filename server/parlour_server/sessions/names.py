"""Names that can't deceive other players, chat in one line, and what is kept of a player's token."""

import hashlib
import re
import unicodedata

from confusable_homoglyphs import categories

from parlour_protocol import LONGEST_NAME, RESERVED_NAMES, UNSEEN
from parlour_protocol.errors import Code
from parlour_protocol.words import Sentence
from parlour_server.refusals import Refusal
from parlour_server.room.look_alikes import look_alike, looks

# Unicode's Default_Ignorable_Code_Point as far as `UNSEEN` has it not: joiners, fillers, variation selectors.
_IGNORABLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_BLANK = "\u2800"
"""A pattern of Braille without a dot: a letter by its kind, a space to the eye."""
_MARKS = {"Mn", "Me"}
MOST_MARKS = 3
"""How many marks may stand over one letter: more run into the lines above."""
_JAPANESE = {"HAN", "HIRAGANA", "KATAKANA"}
"""Scripts that one word is written in side by side."""


def clean_name(text: str) -> str:
    """A name as others will see it: NFKC, single spaces, nothing ignorable.

    Raises `Refusal` for one that deceives.
    """
    seen = _IGNORABLE.sub("", unicodedata.normalize("NFKC", text).replace(_BLANK, " "))
    # What stood apart by something ignorable may now be one character.
    name = " ".join(unicodedata.normalize("NFKC", seen).split())
    if not 1 <= len(name) <= LONGEST_NAME:
        raise Refusal(Code.BAD_NAME, Sentence("refusal.name.length", most=LONGEST_NAME))
    if any(unicodedata.category(character) in UNSEEN for character in name):
        raise Refusal(Code.BAD_NAME, Sentence("refusal.name.unseen"))
    if not any(character.isalnum() for character in name):
        raise Refusal(Code.BAD_NAME, Sentence("refusal.name.no_letter"))
    if _stacks_marks(name):
        raise Refusal(Code.BAD_NAME, Sentence("refusal.name.marks", count=MOST_MARKS))
    if len(_scripts(name)) > 1:
        raise Refusal(Code.BAD_NAME, Sentence("refusal.name.alphabets"))
    words = re.findall(r"[\w]+", name)
    if any(look_alike(word, "bot") for word in words) or not looks(name).isdisjoint(_RESERVED):
        raise Refusal(Code.BAD_NAME, Sentence("refusal.name.reserved", name=name))
    return name


def clean_chat(text: str) -> str:
    """What a player says, as others will read it: one line, nothing unseen.

    Raises `Refusal` where nothing is left.
    """
    said = " ".join(
        "".join(
            character if unicodedata.category(character) not in UNSEEN else " " for character in text
        ).split()
    )
    if not said:
        raise Refusal(Code.BAD_MESSAGE, Sentence("refusal.nothing_said"))
    return said


def hash_token(token: str) -> str:
    """What is kept of a token. A plain hash will do: tokens are long and random."""
    return hashlib.sha256(token.encode()).hexdigest()


def _stacks_marks(name: str) -> bool:
    run = 0
    for character in unicodedata.normalize("NFD", name):
        run = run + 1 if unicodedata.category(character) in _MARKS else 0
        if run > MOST_MARKS:
            return True
    return False


def _scripts(name: str) -> set[str]:
    """The scripts of a name's letters; Japanese counts as one."""
    scripts = {categories.alias(character) for character in name if character.isalpha()} - {
        "COMMON",
        "INHERITED",
    }
    return scripts - _JAPANESE | {"JAPANESE"} if scripts & _JAPANESE else scripts


_RESERVED = frozenset().union(*map(looks, RESERVED_NAMES))
