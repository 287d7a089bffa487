"""What pydantic finds wrong with a value, as a sentence of ours."""

import re
from collections.abc import Mapping
from typing import Any

from parlour_protocol.words.sentence import Sentence

LONGEST = 160
"""Characters of what pydantic says in its own words: it may repeat what a stranger wrote."""

_PLAIN: Mapping[str, str] = {
    "string_pattern_mismatch": "form",
    "string_type": "text",
    "path_type": "text",
    "string_unicode": "unreadable_text",
    **dict.fromkeys(("int_type", "int_parsing", "int_parsing_size", "int_from_float"), "whole_number"),
    **dict.fromkeys(("float_type", "float_parsing", "finite_number"), "number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "boolean"),
    **dict.fromkeys(("list_type", "tuple_type"), "list"),
    **dict.fromkeys(("dict_type", "model_type", "dataclass_type", "dataclass_exact_type"), "object"),
    "ip_any_network": "network",
    "missing": "missing",
    "extra_forbidden": "unknown",
    "unexpected_keyword_argument": "unknown",
}
_NUMBERS: Mapping[str, tuple[str, str, str]] = {
    "greater_than": ("more_than", "bound", "gt"),
    "greater_than_equal": ("at_least", "bound", "ge"),
    "less_than": ("less_than", "bound", "lt"),
    "less_than_equal": ("at_most", "bound", "le"),
    "string_too_short": ("too_short", "count", "min_length"),
    "string_too_long": ("too_long", "count", "max_length"),
    "too_short": ("too_few", "count", "min_length"),
    "too_long": ("too_many", "count", "max_length"),
}
"""By the kind of an error: the sentence, its argument, and what pydantic calls that."""
_CHOICES: Mapping[str, str] = {
    "literal_error": "expected",
    "enum": "expected",
    "union_tag_invalid": "expected_tags",
    "union_tag_not_found": "expected_tags",
}


def what_is_wrong(found: Mapping[str, Any]) -> Sentence:
    """One of the errors that a `ValidationError` lists; a check's own sentence where it has raised one."""
    kind, context = found["type"], found.get("ctx", {})
    own = str(context.get("error", ""))
    if isinstance(own, Sentence):
        return own
    if kind == "string_too_short" and context["min_length"] == 1:
        return Sentence("invalid.empty")
    if kind in _PLAIN:
        return Sentence(f"invalid.{_PLAIN[kind]}")
    if kind in _NUMBERS:
        id_, argument, name = _NUMBERS[kind]
        return Sentence(f"invalid.{id_}", **{argument: context[name]})
    if kind in _CHOICES and _CHOICES[kind] in context:
        # Texts stand in quotes there, and numbers without.
        known = [text or number for text, number in re.findall(r"'([^']*)'|(\d+)", context[_CHOICES[kind]])]
        return Sentence("invalid.one_of", known=", ".join(known))
    return Sentence("invalid.other", why=(own or found["msg"])[:LONGEST])
