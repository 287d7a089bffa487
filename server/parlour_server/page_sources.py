"""The web page's sources: which modules load which, and which sentences they say. Pure but for the folder."""

import json
import posixpath
import re
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from parlour_protocol.words import ENGLISH, Catalogue, without_form

WEB = Path(__file__).parent / "web"
"""Where they stand."""

MAIN = "main.js"
"""The module that every page runs first."""
OF_SERVER = ("refusal.", "invalid.", "game.", "bot.", "setting.", "grade.because.")
"""What the ids begin with of sentences that a server says and the page never does by itself."""
LABELS = ("game.count.", "game.unplaced.", "setting.value.")
"""Of these a server sends the last part, which is not always English, or is a program's word."""
IMPORT = re.compile(r'(?:^|(?<=;))(import[^"();]*)"(\.[^"\n]+)";', re.MULTILINE)
"""An import of another module of the page: what stands before its path, and the path."""
IMPORT_LATER = re.compile(r'\bimport\("(\.[^"\n]+)"\)')
"""An import where it is needed: the path."""
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
"""Before what a module exports: its name. There are no other exports than these."""
_NAMED = re.compile(r"[\"'`]([a-z_]+\.(?:[a-z0-9_]+\.)*[a-z0-9_]*)(?=[\"'`$])")
"""An id, or the beginning of ids that are put together: `event.` in `event.${kind}`."""


def imported(sources: Mapping[str, str], name: str, *, later: bool = False) -> dict[str, str]:
    """A module, and before it all that it imports, by their paths; nothing where there is no such module.

    With `later` also what is imported where it is needed.
    """
    found: dict[str, str] = {}
    begun: set[str] = set()

    def add(name: str) -> None:
        if name not in sources or name in begun:
            return
        begun.add(name)
        at_once, where_needed = _imports(sources[name])
        for other in at_once + later * where_needed:
            add(resolved(name, other))
        found[name] = sources[name]

    add(name)
    return found


@cache
def _imports(source: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The paths of what a module imports: at once, and where it is needed."""
    return tuple(path for _, path in IMPORT.findall(source)), tuple(IMPORT_LATER.findall(source))


def bundles(sources: Mapping[str, str], pages: Iterable[str]) -> dict[str, set[str]]:
    """The modules that are fetched by their paths, and what each needn't bring: it is loaded by then anyway.

    They are pages, which come after `main.js`, and what any of these imports where it needs it.
    """
    main = set(imported(sources, MAIN))
    found = {one: set() if one == MAIN else main for one in (MAIN, *pages) if one in sources}
    waiting = list(found)
    for bundle in waiting:
        within = imported(sources, bundle)
        there = found[bundle] | within.keys()
        for name, source in within.items():
            for later in (resolved(name, path) for path in _imports(source)[1]):
                before = found.get(later)
                found[later] = there if before is None else before & there
                if found[later] != before:
                    waiting.append(later)
    return found


def bundled(sources: Mapping[str, str], name: str, loaded: Collection[str]) -> list[str]:
    """The parts of a module that holds all that it imports, so that no chain of requests leads to a page.

    Each of its modules is a block, which leaves what it exports in `$modules`, and here under a short name.
    What is `loaded` by then is not among them.
    """
    short = {one: f"${at}" for at, one in enumerate(sorted(sources))}
    within = {one: source for one, source in imported(sources, name).items() if one not in loaded}
    needed = {resolved(one, path) for one, source in within.items() for path in _imports(source)[0]}
    head = "globalThis.$modules = {};\n" if name == MAIN else f'import "{_relative(MAIN, name)}";\n'
    there = [_called(short, one) for one in sorted(needed - within.keys())]
    blocks = [_block(one, source, name, short) for one, source in within.items()]
    exports = f"export const {{ {', '.join(EXPORT.findall(sources[name]))} }} = {short[name]};\n"
    return [head, *there, *blocks, exports]


def _called(short: Mapping[str, str], name: str) -> str:
    return f'var {short[name]} = $modules["{name}"];\n'


def _block(name: str, source: str, bundle: str, short: Mapping[str, str]) -> str:
    """A module as a block of a bundle."""

    def given(found: re.Match[str]) -> str:
        what = found[1].removeprefix("import").strip().removesuffix("from").strip()
        names = what.removeprefix("* as ").replace(" as ", ": ")
        return f"const {names} = {short[resolved(name, found[2])]};"

    def later(found: re.Match[str]) -> str:
        return f'import("{_relative(resolved(name, found[1]), bundle)}")'

    body = IMPORT_LATER.sub(later, IMPORT.sub(given, EXPORT.sub("", source)))
    exports = ", ".join(EXPORT.findall(source))
    one = short[name]
    return _called(short, name) + f'if (!{one}) {{\n{body}{one} = $modules["{name}"] = {{ {exports} }};\n}}\n'


def _relative(name: str, other: str) -> str:
    """The path of a module from another one."""
    path = posixpath.relpath(name, posixpath.dirname(other) or ".")
    return path if path.startswith(".") else f"./{path}"


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
        if (id_ in named or without_form(id_) in named or id_.startswith(groups))
        and not (catalogue is ENGLISH and id_.startswith(OF_SERVER) and not id_.startswith(LABELS))
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
