"""The lecture as one document: whole, alone, and with one place for what it is about."""

import base64
import json
import re

from parlour_protocol import LECTURE
from parlour_server.page_sources import WEB
from parlour_server.sessions.lecture import START, document

MODULE = re.compile(r'"[^"]*\.js"')


def modules() -> dict[str, str]:
    """The sources in the document's import map."""
    found = re.search(r'<script type="importmap">(.*?)</script>', document())
    assert found is not None
    imports: dict[str, str] = json.loads(found[1])["imports"]
    head = "data:text/javascript;base64,"
    assert all(url.startswith(head) for url in imports.values())
    return {name: base64.b64decode(url.removeprefix(head)).decode() for name, url in imports.items()}


def test_every_module_that_is_imported_is_in_it() -> None:
    found = modules()
    assert f"parlour/{START}" in found
    wanted = {
        name
        for source in found.values()
        for names in re.findall(r'^import .*"(.+)";$|import\("(parlour/[^"]+)"\)\.then', source, re.M)
        for name in names
        if name
    }
    assert wanted == set(found) - {f"parlour/{START}"}
    # Neither a socket nor the rest of the page comes with it.
    assert "parlour/core/client.js" not in found
    assert all("WebSocket(" not in source for source in found.values())


def test_nothing_is_changed_but_where_modules_come_from() -> None:
    for name, source in modules().items():
        written = (WEB / name.removeprefix("parlour/")).read_text(encoding="utf-8")
        assert len(source.splitlines()) == len(written.splitlines())
        changed = [
            (old, new)
            for old, new in zip(written.splitlines(), source.splitlines(), strict=True)
            if old != new
        ]
        assert all(MODULE.sub("", old) == MODULE.sub("", new) for old, new in changed)


def test_it_asks_for_nothing_and_has_one_place_for_the_trees() -> None:
    page = document()
    assert page.count(LECTURE) == 1
    assert not re.search(r'(?:src|href)="(?!data:)', page)
    assert "default-src 'none'" in page
    # What ends a script ends it where it should.
    assert page.count("</script>") == 4
    assert page.count("</style>") == 1


def test_it_brings_the_sentences_that_it_says_and_no_others() -> None:
    page = document("de")
    assert '<html lang="de">' in page
    found = re.search(r'<script type="application/json" id="words" lang="de">(.*?)</script>', page)
    assert found is not None
    (said,) = json.loads(found[1])
    assert said["language"]["decimal"] == ","
    assert said["page"]["learn"]["leaf"]
    assert "settings" not in said["page"]
