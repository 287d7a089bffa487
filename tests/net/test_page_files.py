"""The files of the page itself: what each page loads, and that it is little."""

import json
import re

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request

from parlour_protocol.words import ENGLISH
from parlour_server.net.site import PAGES, own_site
from parlour_server.page_sources import EXPORT, IMPORT, WEB, bundles, named_ids, resolved, sentences

MOST_BYTES = 150_000
MODULES = {**{path: f"pages{path}.js" for path in PAGES}, "/": "pages/lobby.js", "/KMRTQA": "pages/table.js"}
"""What each path brings beside what all bring."""


def body(path: str) -> str:
    file = own_site().find(path)
    assert file is not None, path
    answer = file.answer(Request(path, Headers()))
    assert answer.body is not None
    return answer.body.decode()


def asset(name: str) -> str:
    return body(f"{own_site().assets}/{name}")


@pytest.mark.parametrize("path", sorted(MODULES))
def test_each_page_weighs_little(path: str) -> None:
    assert len(body(path).encode()) + len(asset("icon.svg").encode()) < MOST_BYTES


@pytest.mark.parametrize("path", sorted(MODULES))
def test_each_page_brings_all_that_it_needs(path: str) -> None:
    page = body(path)
    assert not re.search(r'<script[^>]*\bsrc=|rel="(?:stylesheet|modulepreload)"', page)
    (script,) = re.findall(r'<script type="module">(.*?)</script>', page, re.DOTALL)
    assert not re.search(r'\b(?:from|import)\s*"', script)
    for name in ("main.js", MODULES[path]):
        assert f'$["{name}"]=' in script
    # What is fetched later is there.
    later = set(re.findall(r'\bimport\("([^"]+)"\)', script))
    assert later <= {*own_site().paths}
    said = json.loads(re.findall(r'id="words"[^>]*>(.*?)</script>', page)[0])
    assert [set(one) & {"connection"} for one in said] == [{"connection"}, set()]


def test_what_modules_import_is_exported_as_bundles_know_it() -> None:
    sources = {
        file.relative_to(WEB).as_posix(): file.read_text(encoding="utf-8") for file in WEB.rglob("*.js")
    }
    exported = {name: set(EXPORT.findall(source)) for name, source in sources.items()}
    for name, source in sources.items():
        for what, path in IMPORT.findall(source):
            names = re.findall(r"(\w+)(?: as \w+)?\s*[,}]", what)
            assert set(names) <= exported[resolved(name, path)], f"{name}: {path}"


def test_what_is_imported_later_brings_what_may_not_be_there_yet() -> None:
    sources = {
        "main.js": 'import { a } from "./a.js";\n',
        "a.js": "export const a = 1;\n",
        "b.js": "export const b = 2;\n",
        "c.js": 'import { b } from "./b.js";\nexport const c = () => import("./later.js");\n',
        "later.js": 'import { a } from "./a.js";\nimport { b } from "./b.js";\nimport { c } from "./c.js";\n',
        "pages/one.js": 'import { c } from "../c.js";\n',
        "pages/other.js": 'const later = () => import("../later.js");\n',
    }
    main = {"main.js", "a.js"}
    one = {page: found for page, found in bundles(sources, ["pages/one.js"]).items() if page == "later.js"}
    assert one == {"later.js": {*main, "b.js", "c.js", "pages/one.js"}}
    # On another page nothing of that is loaded by then.
    assert bundles(sources, ["pages/one.js", "pages/other.js"])["later.js"] == main


def test_a_servers_own_sentences_are_there_in_other_languages_alone() -> None:
    """It says them in English itself."""
    for group in ("refusal", "ultimate", "because", "patience"):
        assert f'"{group}":' not in asset("words/en.js")
        assert f'"{group}":' in asset("words/de.js")
    # But for what it counts, which it sends by a name that is not English.
    assert '"in_hand":"Men in hand"' in asset("words/en.js")


def test_sentences_whose_ids_are_put_together_are_there() -> None:
    script = 'say(`score.to_win_${bound}`); say(`claim.${what}`); say("search.positions")'
    assert set(sentences(named_ids([script]), ENGLISH)) == {
        *("score.to_win_at_least", "score.to_win_at_most"),
        *(id_ for id_ in ENGLISH.sentences if id_.startswith("claim.")),
        *("search.positions_one", "search.positions_other"),
    }
