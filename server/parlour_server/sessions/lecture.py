"""The page's lecture on game trees as one HTML document, which needs no server.

The modules that it uses become data in an import map, under names that lead from any of them to any other:
so they need neither a bundler nor a place to be loaded from.
"""

import base64
import json
import posixpath
import re
from functools import cache
from pathlib import Path

WEB = Path(__file__).parents[1] / "web"
START = "file.js"
STYLES = ("style.css", "pages/learn.css")
PLACEHOLDER = "{lecture}"
"""Where the client is to put what the lecture is about."""

_IMPORT = re.compile(r'^(import [^"\n]*)"(\.[^"\n]+)";$', re.MULTILINE)

_DOCUMENT = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Parlour</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark light">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<link rel="icon" href="data:,">
<style>
{style}
</style>
<script type="importmap">{modules}</script>
</head>
<body>
<main id="page"></main>
<div id="live" class="unseen" aria-live="polite"></div>
<script type="application/json" id="lecture">{placeholder}</script>
<script type="module">import "{start}";</script>
</body>
</html>
"""
_POLICY = "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline'; img-src data:"


@cache
def document() -> str:
    """The document; its one `PLACEHOLDER` is in place of the trees."""
    modules: dict[str, str] = {}
    _add(START, modules)
    return _DOCUMENT.format(
        policy=_POLICY,
        style="".join((WEB / name).read_text(encoding="utf-8") for name in STYLES),
        modules=json.dumps({"imports": modules}),
        placeholder=PLACEHOLDER,
        start=_name(START),
    )


def _add(path: str, modules: dict[str, str]) -> None:
    """Take in a module, and all that it imports."""
    found: list[str] = []

    def renamed(match: re.Match[str]) -> str:
        found.append(posixpath.normpath(posixpath.join(posixpath.dirname(path), match[2])))
        return f'{match[1]}"{_name(found[-1])}";'

    source = _IMPORT.sub(renamed, (WEB / path).read_text(encoding="utf-8"))
    modules[_name(path)] = f"data:text/javascript;base64,{base64.b64encode(source.encode()).decode()}"
    for one in found:
        if _name(one) not in modules:
            _add(one, modules)


def _name(path: str) -> str:
    return f"parlour/{path}"
