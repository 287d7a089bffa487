"""The web page's sources: which modules load which, and which sentences they say. Reads no file."""

import json
import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from parlour_protocol.words import ENGLISH, Catalogue, without_form

WEB = Path(__file__).parent / "web"
"""Where they stand."""

ASSETS = "{assets}"
"""In what is served: the path below which the files are that are fetched by themselves."""
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
BROUGHT = re.compile(r'\bbring\("([a-z_]+)"\)')
"""A module whose sentences come with it, where it is imported when it is needed: its name."""
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
"""Before what a module exports: its name. There are no other exports than these."""
_NAMED = re.compile(r"[\"'`]([a-z_]+\.(?:[a-z0-9_]+\.)*[a-z0-9_]*)(?=[\"'`$])(?:\$\{\w+\}(\.[a-z_]+)`)?")
"""An id, or the beginning of ids that are put together, `event.` in `event.${kind}`; and their end, where
all of it is said, `.label` in `action.${name}.label`."""


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

    They are pages, which come after `main.js`, and what any of these or that imports where it needs it.
    """
    main = set(imported(sources, MAIN))
    found = {one: main for one in (MAIN, *pages) if one in sources}
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


def blocks(sources: Mapping[str, str], names: Collection[str]) -> Iterator[str]:
    """These modules as one: no chain of requests leads to a page.

    Each is a block, which leaves what it exports in `$modules`, here `$`, and under a short name. What they
    import from other modules than these has to be loaded already.
    """
    short = {one: f"${at}" for at, one in enumerate(sorted(sources))}
    needed = {resolved(one, path) for one in names for path in _imports(sources[one])[0]}
    yield "var $ = $modules;\n"
    for one in sorted(needed - set(names)):
        yield _called(short[one], one)
    for one in names:
        exports = ", ".join(EXPORT.findall(sources[one]))
        yield _called(short[one], one)
        yield f"if (!{short[one]}) {{\n"
        yield _as_block(one, sources[one], short)
        yield f'{short[one]} = $["{one}"] = {{ {exports} }};\n}}\n'


def exports(sources: Mapping[str, str], name: str) -> str:
    """What a file of blocks exports, of one of its modules."""
    return f'export const {{ {", ".join(EXPORT.findall(sources[name]))} }} = $modules["{name}"];\n'


def _called(short: str, name: str) -> str:
    return f'var {short} = $["{name}"];\n'


def _as_block(name: str, source: str, short: Mapping[str, str]) -> str:
    """A module's text where it stands among others, in a file or in a document."""

    def given(found: re.Match[str]) -> str:
        what = found[1].removeprefix("import").strip().removesuffix("from").strip()
        names = what.removeprefix("* as ").replace(" as ", ": ")
        return f"const {names} = {short[resolved(name, found[2])]};"

    def later(found: re.Match[str]) -> str:
        return f'import("{ASSETS}/{resolved(name, found[1])}")'

    body = IMPORT_LATER.sub(later, IMPORT.sub(given, EXPORT.sub("", source)))
    # Only modules at the top put such a path together.
    body = body.replace("import(`./", f"import(`{ASSETS}/")
    return body.replace("import.meta.url", f'location.origin + "{ASSETS}/{name}"')


def resolved(name: str, path: str) -> str:
    """The path of a module that the module of this name imports."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), path))


def named_ids(scripts: Iterable[str]) -> set[str]:
    """What looks like sentences' ids in scripts, or, ending with `.` or `_`, like the beginning of ids.

    Where their end is known, too, it stands behind a `*`.
    """
    found = {of for script in scripts for of in _NAMED.findall(script)}
    return {f"{id_}*{end}" if end else id_ for id_, end in found}


def sentences(named: Collection[str], catalogue: Catalogue) -> dict[str, str]:
    """The sentences that scripts can say, in a language: by what `named_ids` finds in them.

    A server's own sentences come in English: in that language the page needs none of them.
    """
    groups = tuple(one for one in named if one.endswith((".", "_")))
    ended = [(*one.split("*"),) for one in named if "*" in one]
    begun = tuple(begins for begins, _ in ended)
    return {
        id_: sentence
        for id_, sentence in catalogue.whole().items()
        if (
            id_ in named
            or without_form(id_) in named
            or id_.startswith(groups)
            or (
                id_.startswith(begun) and any(id_.startswith(one) and id_.endswith(end) for one, end in ended)
            )
        )
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
