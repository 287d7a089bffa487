"""The files of the page itself: what each page loads, and that it is little."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request

from parlour_protocol.words import ENGLISH
from parlour_server.net.site import PAGES, own_site
from parlour_server.page_sources import named_ids, sentences

MOST_BYTES = 150_000
FIRST = ("theme.js", "boot.js", "main.js")
BESIDE = ("style.css", "icon.svg")
MODULES = {**{path: f"pages{path}.js" for path in PAGES}, "/": "pages/lobby.js", "/KMRTQA": "pages/table.js"}
"""What each path loads beside what all load."""


def body(path: str) -> str:
    file = own_site().find(path)
    assert file is not None, path
    answer = file.answer(Request(path, Headers()))
    assert answer.body is not None
    return answer.body.decode()


def asset(name: str) -> str:
    return body(f"{own_site().assets}/{name}")


def imports(name: str) -> Iterator[str]:
    """What a module imports at its head, by paths from the folder."""
    for found in re.findall(r'(?:^|;)(?:import|export)\b[^;"]*"(\.[^"]+)"', asset(name), re.MULTILINE):
        parts: list[str] = []
        for part in (PurePosixPath(name).parent / found).parts:
            if part == "..":
                parts.pop()
            else:
                parts.append(part)
        yield "/".join(parts)


def loaded(*names: str) -> set[str]:
    """These modules, and all that they import."""
    seen: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += imports(name)
    return seen


def words(path: str) -> list[str]:
    """The modules of what a page says."""
    return ["words/en.js", f"words/en/{PurePosixPath(MODULES[path]).name}"]


@pytest.mark.parametrize("path", sorted(MODULES))
def test_each_page_weighs_little(path: str) -> None:
    files = [*loaded(*FIRST, MODULES[path]), *BESIDE, *words(path)]
    style = PurePosixPath(MODULES[path]).with_suffix(".css").as_posix()
    if f"{own_site().assets}/{style}" in own_site().paths:
        files.append(style)
    weights = {name: len(asset(name).encode()) for name in files} | {path: len(body(path).encode())}
    heaviest = sorted(weights, key=lambda name: -weights[name])[:5]
    assert sum(weights.values()) < MOST_BYTES, {name: weights[name] for name in heaviest}


@pytest.mark.parametrize("path", sorted(MODULES))
def test_each_index_has_what_its_page_needs_fetched_at_once(path: str) -> None:
    asked = re.findall(rf'rel="modulepreload" href="{own_site().assets}/([^"]+)"', body(path))
    assert set(asked) == {*loaded("main.js", MODULES[path]), *words(path)}


def test_a_servers_own_sentences_are_there_in_other_languages_alone() -> None:
    """It says them in English itself."""
    for group in ("refusal", "ultimate", "because", "patience"):
        assert f'"{group}":' not in asset("words/en.js")
        assert f'"{group}":' in asset("words/de.js")


def test_sentences_whose_ids_are_put_together_are_there() -> None:
    script = 'say(`score.chance_${bound}`); say(`claim.${what}`); say("search.positions")'
    assert set(sentences(named_ids([script]), ENGLISH)) == {
        *("score.chance_at_least", "score.chance_at_most"),
        *(id_ for id_ in ENGLISH.sentences if id_.startswith("claim.")),
        *("search.positions_one", "search.positions_other"),
    }
