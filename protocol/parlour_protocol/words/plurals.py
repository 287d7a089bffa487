"""Which form of a sentence a count takes, in Unicode's categories. Pure.

The rules are those of the CLDR for whole numbers (https://cldr.unicode.org/index/cldr-spec/plural-rules),
one function for each family of languages; the page has them from its browser.
"""

from collections.abc import Callable, Mapping

CATEGORIES = ("zero", "one", "two", "few", "many", "other")


def _same(_: int) -> str:
    return "other"


def _germanic(count: int) -> str:
    return "one" if count == 1 else "other"


def _french(count: int) -> str:
    return "one" if count in (0, 1) else "other"


def _czech(count: int) -> str:
    return "one" if count == 1 else "few" if 2 <= count <= 4 else "other"


def _is_few(count: int) -> bool:
    return 2 <= count % 10 <= 4 and not 12 <= count % 100 <= 14


def _polish(count: int) -> str:
    return "one" if count == 1 else "few" if _is_few(count) else "many"


def _serbian(count: int) -> str:
    return "one" if _ends_in_one(count) else "few" if _is_few(count) else "other"


def _russian(count: int) -> str:
    return "one" if _ends_in_one(count) else "few" if _is_few(count) else "many"


def _ends_in_one(count: int) -> bool:
    return count % 10 == 1 and count % 100 != 11


RULES: Mapping[str, Callable[[int], str]] = {
    **dict.fromkeys(("id", "ja", "ko", "th", "vi", "zh"), _same),
    **dict.fromkeys(("bg", "da", "de", "el", "en", "et", "fi", "hu", "nb", "nl", "sv", "tr"), _germanic),
    **dict.fromkeys(("fr", "pt"), _french),
    **dict.fromkeys(("cs", "sk"), _czech),
    **dict.fromkeys(("bs", "hr", "sr"), _serbian),
    **dict.fromkeys(("be", "ru", "uk"), _russian),
    "pl": _polish,
}
"""By a language's first subtag."""
