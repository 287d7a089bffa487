"""Which language a process speaks."""

from collections.abc import Iterator

import pytest

from parlour_protocol.words import chosen, closest, find, language, say, speak


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    before = language().tag
    yield
    speak(before)


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("de_AT.UTF-8", "de"),
        ("pl", "pl"),
        ("sr_RS@latin", "sr-Latn"),
        ("sr-Latn", "sr-Latn"),
        ("EN-gb", "en"),
        ("xx", None),
        ("", None),
        ("C", None),
        ("../en", None),
    ],
)
def test_a_locale_finds_its_language(asked: str, found: str | None) -> None:
    assert find(asked) == found


def test_the_first_that_there_is_is_taken() -> None:
    assert closest(["xx", "sr-RS", "de"]) == "sr-Latn"
    assert closest([]) == "en"


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "de"),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "de_DE.UTF-8", "LC_MESSAGES": "pl_PL"}, "pl"),
        ({"LANG": "de_DE.UTF-8", "PARLOUR_LANG": "sr"}, "sr-Latn"),
        ({"LANG": "de_DE.UTF-8", "PARLOUR_LANG": "xx"}, "de"),
    ],
)
def test_the_environment_chooses(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], expected: str
) -> None:
    for name in ("PARLOUR_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert chosen() == expected


def test_everything_is_said_in_the_language_that_is_spoken() -> None:
    speak("pl")
    assert say("list.and", first="Bo", last="Cy") == "Bo i Cy"
    assert language().tag == "pl"
