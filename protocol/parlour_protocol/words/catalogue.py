"""The sentences of one language: read from its file, and said with arguments.

A sentence that a language lacks is said in English, so that a translation may be begun.
"""

import functools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from parlour_protocol.words.plurals import CATEGORIES, RULES

FOLDER = Path(__file__).parent
"""Where each language has its file: `en.json`, `pl.json`."""
FIRST = "en"
"""The language that every sentence is written in first."""

Argument = str | int | float | Sequence[str]
"""What may stand in a sentence: a text as it is; a number, written as the language writes numbers; names or
moves, listed with the language's word for `and` before the last."""

_PLACE = re.compile(r"\{\{ *(\w+) *\}\}")


class Catalogue:
    """The sentences of a language by their ids."""

    def __init__(self, tag: str, sentences: Mapping[str, str], fallback: "Catalogue | None" = None) -> None:
        """`tag` is the language's BCP 47 tag; `sentences` has every form under an id of its own."""
        self.tag = tag
        self.sentences = sentences
        self._fallback = fallback
        self._plural = RULES[tag.partition("-")[0]]

    def __contains__(self, id_: object) -> bool:
        """Can this be said, with or without a count?"""
        forms = (id_, *(f"{id_}_{category}" for category in CATEGORIES))
        return any(form in self.sentences for form in forms) or (
            self._fallback is not None and id_ in self._fallback
        )

    def say(self, id_: str, /, **arguments: Argument) -> str:
        """The sentence of this id. Raises `KeyError` where none has it, or it lacks an argument."""
        sentence = self._form(id_, arguments.get("count"))
        if sentence is None:
            if self._fallback is None:
                raise KeyError(id_)
            return self._fallback.say(id_, **arguments)
        if not arguments and "{{" not in sentence:
            return sentence
        return _PLACE.sub(lambda place: self._written(arguments[place[1]]), sentence)

    def whole(self) -> dict[str, str]:
        """Every form of every sentence by its id; in English what the language lacks."""
        return {**(self._fallback.whole() if self._fallback else {}), **self.sentences}

    def number(self, number: float, decimals: int | None = None) -> str:
        """A number as the language writes it, with so many decimals; None: as many as it has."""
        if decimals is None and isinstance(number, float) and number.is_integer():
            decimals = 0
        text = f"{number:,}" if decimals is None else f"{number:,.{decimals}f}"
        whole, _, part = text.partition(".")
        if len(whole.replace(",", "").lstrip("-")) < int(self.sentences["language.group_from"]):
            whole = whole.replace(",", "")
        whole = whole.replace(",", self.sentences["language.groups"])
        return f"{whole}{self.sentences['language.decimal']}{part}" if part else whole

    def listed(self, texts: Sequence[str], *, last: str = "list.and") -> str:
        """Some texts in a sentence: `Bo, Cy and Di`. `last` is the id of how the last two are joined."""
        if len(texts) < 2:
            return "".join(texts)
        return self.say(last, first=", ".join(texts[:-1]), last=texts[-1])

    def _form(self, id_: str, count: Argument | None) -> str | None:
        if isinstance(count, int):
            if count == 0 and (none := self.sentences.get(f"{id_}_zero")) is not None:
                return none
            form = self.sentences.get(f"{id_}_{self._plural(abs(count))}")
            if form is not None:
                return form
        return self.sentences.get(id_)

    def _written(self, argument: Argument) -> str:
        if isinstance(argument, str):
            return argument
        return self.number(argument) if isinstance(argument, int | float) else self.listed(argument)


@functools.cache
def load(tag: str) -> Catalogue:
    """The catalogue in a language's file. Raises `OSError` and `ValueError`."""
    content = json.loads(FOLDER.joinpath(f"{tag}.json").read_text(encoding="utf-8"))
    return Catalogue(tag, dict(_flat(content)), None if tag == FIRST else load(FIRST))


def arguments(sentence: str) -> set[str]:
    """The names of the arguments that a sentence has a place for."""
    return set(_PLACE.findall(sentence))


@functools.cache
def without_form(id_: str) -> str:
    """A sentence's id without the category of a count: `moves` of `moves_few`."""
    base, _, form = id_.rpartition("_")
    return base if form in CATEGORIES else id_


def _flat(content: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """Every sentence with its whole id: the names of the groups around it, with dots between."""
    for name, value in content.items():
        if isinstance(value, str):
            yield above + name, value
        else:
            yield from _flat(value, f"{above}{name}.")


ENGLISH = load(FIRST)
"""What is said to those whose language is not known."""
