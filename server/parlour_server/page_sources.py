"""The web page's sources: which modules load which, and which sentences they say. Pure but for the folder."""

import json
import posixpath
import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from parlour_protocol.words import ENGLISH, Catalogue, without_form

WEB = Path(__file__).parent / "web"
"""Where they stand."""

OF_SERVER = ("refusal.", "invalid.", "game.", "bot.", "setting.", "grade.because.")
"""What the ids begin with of sentences that a server says and the page never does by itself."""
IMPORT = re.compile(r'(?:^|(?<=;))(import[^"();]*)"(\.[^"\n]+)";', re.MULTILINE)
"""An import of another module of the page: what stands before its path, and the path."""
IMPORT_LATER = re.compile(r'\bimport\("(\.[^"\n]+)"\)')
"""An import where it is needed: the path."""
_NAMED = re.compile(r"[\"'`]([a-z_]+\.(?:[a-z0-9_]+\.)*[a-z0-9_]*)(?=[\"'`$])")
"""An id, or the beginning of ids that are put together: `event.` in `event.${kind}`."""


def imported(sources: Mapping[str, str], name: str, *, later: bool = False) -> dict[str, str]:
    """A module, and all that it imports, by their paths; nothing where there is no such module.

    With `later` also what is imported where it is needed.
    """
    found: dict[str, str] = {}
    ahead = [name]
    while ahead:
        name = ahead.pop()
        if name in sources and name not in found:
            found[name] = sources[name]
            ahead += [resolved(name, other) for _, other in IMPORT.findall(found[name])]
            if later:
                ahead += [resolved(name, other) for other in IMPORT_LATER.findall(found[name])]
    return found


def resolved(name: str, path: str) -> str:
    """The path of a module that the module of this name imports."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), path))


def named_ids(scripts: Iterable[str]) -> set[str]:
    """What looks like sentences' ids in scripts, or, ending with `.` or `_`, like the beginning of ids."""
    return {id_ for script in scripts for id_ in _NAMED.findall(script)}


def sentences(named: Collection[str], catalogue: Catalogue) -> dict[str, str]:
    """The sentences that scripts can say, in a language: by what `named_ids` finds in them.

    A server's own sentences come in English: in that language the page needs none of them.
    """
    groups = tuple(one for one in named if one.endswith((".", "_")))
    return {
        id_: sentence
        for id_, sentence in catalogue.whole().items()
        if (id_.startswith(groups) or without_form(id_) in named or id_ in named)
        and not (catalogue is ENGLISH and id_.startswith(OF_SERVER))
    }


def as_json(sentences: Mapping[str, str]) -> str:
    """Sentences for the page: in their groups, since that takes a third less."""
    top: dict[str, Any] = {}
    for id_, sentence in sentences.items():
        group = top
        *groups, name = id_.split(".")
        for one in groups:
            group = group.setdefault(one, {})
        group[name] = sentence
    return json.dumps(top, ensure_ascii=False, separators=(",", ":"))
