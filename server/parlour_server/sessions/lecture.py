"""The page's lecture on game trees as one HTML document, which needs no server.

The modules that it uses become data in an import map, under names that lead from any of them to any other:
so they need neither a bundler nor a place to be loaded from. All looks stand in the document, under the name
by which a module would load its own.
"""

import base64
import json
import re
from functools import cache

from parlour_protocol import LECTURE, words
from parlour_server.page_sources import (
    IMPORT,
    IMPORT_LATER,
    WEB,
    as_json,
    imported,
    named_ids,
    resolved,
    sentences,
)

START = "file.js"
STYLES = ("style.css", "pages/learn.css", "board/layouts.css")

_DOCUMENT = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<title>Parlour</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark light">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<link rel="icon" href="data:,">
<style id="layouts">
{style}
</style>
<script type="importmap">{modules}</script>
</head>
<body>
<main id="page"></main>
<div id="live" class="unseen" aria-live="polite"></div>
<script type="application/json" id="words" lang="{language}">[{words}]</script>
<script type="application/json" id="lecture">{placeholder}</script>
<script type="module">import "{start}";</script>
</body>
</html>
"""
_POLICY = "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline'; img-src data:"


@cache
def document(language: str = words.ENGLISH.tag) -> str:
    """The document in one of the languages that there are; its one `LECTURE` is in place of the trees."""
    sources = {
        file.relative_to(WEB).as_posix(): file.read_text(encoding="utf-8") for file in WEB.rglob("*.js")
    }
    scripts = imported(sources, START, later=True)
    said = as_json(sentences(named_ids(scripts.values()), words.load(language)))
    return _DOCUMENT.format(
        policy=_POLICY,
        language=language,
        words=said.replace("<", "\\u003c"),
        style="".join((WEB / name).read_text(encoding="utf-8") for name in STYLES),
        modules=json.dumps(
            {"imports": {_name(path): _module(path, script) for path, script in scripts.items()}}
        ),
        placeholder=LECTURE,
        start=_name(START),
    )


def _module(path: str, script: str) -> str:
    """A module as data, in which the others have their names."""

    def renamed(found: re.Match[str]) -> str:
        return f'{found[1]}"{_name(resolved(path, found[2]))}";'

    def later(found: re.Match[str]) -> str:
        return f'import("{_name(resolved(path, found[1]))}")'

    given = IMPORT_LATER.sub(later, IMPORT.sub(renamed, script))
    return f"data:text/javascript;base64,{base64.b64encode(given.encode()).decode()}"


def _name(path: str) -> str:
    return f"parlour/{path}"
