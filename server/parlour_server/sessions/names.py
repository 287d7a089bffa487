"""Who a connection is: names that deceive nobody, and tokens that only their player knows."""

import hashlib
import unicodedata

from parlour_protocol import LONGEST_NAME, UNSEEN
from parlour_protocol.errors import Code
from parlour_server.room.refusals import Refusal


def clean_name(text: str) -> str:
    """A name as others will see it: NFKC, single spaces. Raises `Refusal` for one that deceives."""
    name = " ".join(unicodedata.normalize("NFKC", text).split())
    if not 1 <= len(name) <= LONGEST_NAME:
        raise Refusal(Code.BAD_NAME, f"A name has 1 to {LONGEST_NAME} characters.")
    if any(unicodedata.category(character) in UNSEEN for character in name):
        raise Refusal(Code.BAD_NAME, "A name holds no invisible or control characters.")
    if not any(character.isalnum() for character in name):
        raise Refusal(Code.BAD_NAME, "A name needs a letter or a digit.")
    if "(bot)" in name.casefold() or name.casefold() == "free":
        raise Refusal(Code.BAD_NAME, "That name would pass for a bot, or for a free seat. Choose another.")
    if len(_scripts(name)) > 1:
        raise Refusal(Code.BAD_NAME, "A name keeps to one alphabet: letters that look alike deceive.")
    return name


def clean_chat(text: str) -> str:
    """What somebody says, as others will read it: one line, nothing unseen. Raises `Refusal` for nothing."""
    said = " ".join(
        "".join(
            character if unicodedata.category(character) not in UNSEEN else " " for character in text
        ).split()
    )
    if not said:
        raise Refusal(Code.BAD_MESSAGE, "Say something: that was nothing but spaces.")
    return said


def hash_token(token: str) -> str:
    """What is kept of a token. A plain hash will do: tokens are long and random."""
    return hashlib.sha256(token.encode()).hexdigest()


def _scripts(name: str) -> set[str]:
    """The scripts of a name's letters: Python names no scripts, but its characters' names begin so."""
    scripts = set()
    for character in name:
        if character.isalpha():
            script = unicodedata.name(character, "UNKNOWN").split()[0]
            # Japanese is written in three scripts side by side.
            scripts.add("CJK" if script in {"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"} else script)
    return scripts
