"""A sentence that travels: in English, with the id and the arguments that say it in any other language."""

from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any

from parlour_protocol.words.catalogue import ENGLISH, Argument, Catalogue
from parlour_protocol.words.choice import language


@dataclass(slots=True)
class Said:
    """What a sentence is made of: its id in the catalogue, and what stands in its places."""

    id: str
    args: "dict[str, str | int | float | list[str] | Said]" = field(default_factory=dict)
    """May hold what a sentence within this one is made of."""


class Sentence(str):
    """The English text of a sentence, which knows what it is made of. In all else it is a `str`.

    `str()` of it, and of an error made with it, is still a `Sentence`; put into another text it is no more.
    An argument may be another one.
    """

    __slots__ = ("_said", "arguments", "id")

    id: str
    arguments: dict[str, Any]
    _said: Said | None

    def __new__(cls, id_: str, /, **arguments: Argument) -> "Sentence":
        """Raises `KeyError` where there is no such sentence, or an argument is missing."""
        sentence = super().__new__(cls, ENGLISH.say(id_, **arguments))
        sentence.id, sentence.arguments, sentence._said = id_, arguments, None
        return sentence

    def __str__(self) -> str:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.id, self.arguments)

    @property
    def said(self) -> Said:
        """For the wire. Not to be changed: it is made once."""
        if self._said is None:
            arguments = {
                name: value.said if isinstance(value, Sentence) else value
                for name, value in self.arguments.items()
            }
            self._said = Said(self.id, arguments)
        return self._said


def _again(id_: str, arguments: dict[str, Any]) -> Sentence:
    return Sentence(id_, **arguments)


class Translatable:
    """A message with sentences for people: fields beside them tell what those are made of.

    They are filled in when it is made: `said` for a `message`, and `reason_said` for a `reason`; None for
    a text that is no `Sentence`, such as a stranger's game gives.
    """

    __slots__ = ()

    def __post_init__(self) -> None:
        kind: Any = type(self)
        for text, said in _texts(kind):
            sentence = getattr(self, text)
            if isinstance(sentence, Sentence):
                object.__setattr__(self, said, sentence.said)


@cache
def _texts(kind: Any) -> tuple[tuple[str, str], ...]:
    """The fields that hold sentences, each with the one that tells what it is made of."""
    names = [one.name for one in fields(kind)]
    beside = [(name.removesuffix("_said"), name) for name in names if name.endswith("_said")]
    return (*beside, ("message", "said")) if "said" in names else tuple(beside)


def made_of(text: object) -> Said | None:
    """What a text is made of; None: it is a text and no more."""
    return text.said if isinstance(text, Sentence) else None


def translated(said: Said | None, english: str, catalogue: Catalogue) -> str:
    """A sentence in a language; as the English one where the language can't say it."""
    if said is None or said.id not in catalogue:
        return english
    arguments = {
        name: translated(value, value.id, catalogue) if isinstance(value, Said) else value
        for name, value in said.args.items()
    }
    try:
        return catalogue.say(said.id, **arguments)
    except KeyError:  # a place without its argument: a newer server's, or nonsense
        return english


def spoken(text: object) -> str:
    """A text, or an error's, in the language of this process where it is a `Sentence`; else as it is."""
    said = str(text)
    return translated(made_of(said), said, language())
