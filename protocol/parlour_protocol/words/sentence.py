"""A sentence that travels: in English, with the id and the arguments that say it in any other language."""

from dataclasses import dataclass, field
from typing import Any

from parlour_protocol.words.catalogue import ENGLISH, Argument, Catalogue


@dataclass(slots=True)
class Phrase:
    """What a sentence within another one is made of."""

    id: str
    args: dict[str, str | int | float | list[str]] = field(default_factory=dict)


@dataclass(slots=True)
class Said:
    """What a sentence is made of: its id in the catalogue, and what stands in its places."""

    id: str
    args: dict[str, str | int | float | list[str] | Phrase] = field(default_factory=dict)


class Sentence(str):
    """The English text of a sentence, which knows what it is made of. In all else it is a `str`.

    `str()` of it, and of an error made with it, is still a `Sentence`; put into another text it is no more.
    An argument may be another one.
    """

    __slots__ = ("arguments", "id")

    id: str
    arguments: dict[str, Any]

    def __new__(cls, id_: str, /, **arguments: Argument) -> "Sentence":
        """Raises `KeyError` where there is no such sentence, or an argument is missing."""
        sentence = super().__new__(cls, ENGLISH.say(id_, **arguments))
        sentence.id, sentence.arguments = id_, arguments
        return sentence

    def __str__(self) -> str:
        return self

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:
        return (self.id,), self.arguments

    @property
    def said(self) -> Said:
        """For the wire."""
        return Said(
            self.id,
            {
                name: Phrase(value.id, value.arguments) if isinstance(value, Sentence) else value
                for name, value in self.arguments.items()
            },
        )


def made_of(text: object) -> Said | None:
    """What a text is made of; None: it is a text and no more."""
    return text.said if isinstance(text, Sentence) else None


def translated(said: Said | Phrase | None, english: str, catalogue: Catalogue) -> str:
    """A sentence in a language; as the English one where the language can't say it."""
    if said is None or said.id not in catalogue:
        return english
    arguments = {
        name: translated(value, value.id, catalogue) if isinstance(value, Phrase) else value
        for name, value in said.args.items()
    }
    try:
        return catalogue.say(said.id, **arguments)
    except KeyError:  # a place without its argument: a newer server's, or nonsense
        return english
