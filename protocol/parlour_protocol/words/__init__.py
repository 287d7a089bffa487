"""Every sentence that a person may read, by its id, in each language.

A language is one file beside this one, in i18next's JSON format (version 4), which translators' tools and
browsers read as they are: `{{name}}` stands for an argument, and an id with `_one`, `_few`, `_many` or
`_other` behind it is the form for such a `count`. Python says sentences by :func:`say`, the page by a
function of the same name.
"""

from parlour_protocol.words.catalogue import ENGLISH, Catalogue, arguments, load, without_form
from parlour_protocol.words.choice import available, chosen, closest, find, language, say, speak
from parlour_protocol.words.invalid import what_is_wrong
from parlour_protocol.words.sentence import Said, Sentence, Translatable, made_of, spoken, translated
from parlour_protocol.words.system import system_fault

__all__ = [
    "ENGLISH",
    "Catalogue",
    "Said",
    "Sentence",
    "Translatable",
    "arguments",
    "available",
    "chosen",
    "closest",
    "find",
    "language",
    "load",
    "made_of",
    "say",
    "speak",
    "spoken",
    "system_fault",
    "translated",
    "what_is_wrong",
    "without_form",
]
