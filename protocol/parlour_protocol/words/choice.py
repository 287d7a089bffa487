"""Which language this process speaks: as asked, as `PARLOUR_LANG` says, or as the machine is set up."""

import functools
import os
import re
from collections.abc import Iterable

from parlour_protocol.words.catalogue import ENGLISH, FIRST, FOLDER, Argument, Catalogue, load

VARIABLE = "PARLOUR_LANG"
_LOCALES = ("LC_ALL", "LC_MESSAGES", "LANG")
"""In POSIX's order: the first that is set counts."""

OPTION = "--lang"
"""By which a command line asks for a language."""

_spoken: list[Catalogue] = []


@functools.cache
def available() -> tuple[str, ...]:
    """Every language's tag, in their order."""
    return tuple(sorted(file.stem for file in FOLDER.glob("*.json")))


def find(tag: str) -> str | None:
    """The language that a tag or a locale asks for: `de` for `de_AT.UTF-8`. None: there is none."""
    first = re.split(r"[-_.@]", tag)[0].lower()
    return next((one for one in available() if one.partition("-")[0] == first), None)


def closest(wanted: Iterable[str]) -> str:
    """The first of these languages that there is; English where there is none of them."""
    return next(filter(None, map(find, wanted)), FIRST)


def chosen() -> str:
    """The language that the environment asks for."""
    locale = next(filter(None, (os.environ.get(name) for name in _LOCALES)), "")
    return closest((os.environ.get(VARIABLE, ""), locale))


def take_option(arguments: list[str]) -> str | None:
    """Speak as `--lang` asks, wherever that stands in a command line, and take it out.

    What is wrong with it; None: nothing. Processes that this one starts speak as it does.
    """
    wanted = None
    own = arguments[: arguments.index("--")] if "--" in arguments else arguments
    for at in range(len(own) - 1, 0, -1):
        if own[at] == OPTION and at + 1 < len(own):
            wanted = own[at + 1]
            del arguments[at : at + 2]
        elif own[at].startswith(f"{OPTION}="):
            wanted = own[at].removeprefix(f"{OPTION}=")
            del arguments[at]
    if wanted is None:
        return None
    tag = find(wanted)
    if tag is None:
        return say("command.no_language", asked=repr(wanted[:24]), known=available())
    os.environ[VARIABLE] = tag
    return None


def speak(tag: str) -> None:
    """Say everything in this language from now on; what was said stays as it was. `tag` is available."""
    _spoken[:] = [load(tag)]


def language() -> Catalogue:
    """What this process speaks."""
    if not _spoken:
        try:
            speak(chosen())
        except (OSError, ValueError, KeyError):
            _spoken[:] = [ENGLISH]
    return _spoken[0]


def say(id_: str, /, **arguments: Argument) -> str:
    """The sentence of this id, in the language of this process. Raises `KeyError` where no file has it."""
    return language().say(id_, **arguments)
