"""How a sentence is found, which form of it a count takes, and how numbers and lists are written."""

import pytest

from parlour_protocol.words import ENGLISH, Catalogue, available, load

BASE = {
    "language.groups": ",",
    "language.decimal": ".",
    "language.group_from": "4",
    "list.and": "{{first}} and {{last}}",
}
ENGLISH_SENTENCES = Catalogue(
    "en",
    {
        **BASE,
        "moves_one": "{{count}} move",
        "moves_other": "{{count}} moves",
        "games_zero": "no games",
        "games_other": "{{count}} games",
        "greeting": "{{ name }} greets {{others}}.",
        "plain": "As it is.",
    },
)
POLISH = Catalogue(
    "pl",
    {**BASE, "moves_one": "{{count}} ruch", "moves_few": "{{count}} ruchy", "moves_many": "{{count}} ruchów"},
    ENGLISH_SENTENCES,
)


@pytest.mark.parametrize(
    ("count", "english", "polish"),
    [
        (0, "0 moves", "0 ruchów"),
        (1, "1 move", "1 ruch"),
        (3, "3 moves", "3 ruchy"),
        (12, "12 moves", "12 ruchów"),
        (22, "22 moves", "22 ruchy"),
        (1234, "1,234 moves", "1,234 ruchy"),
    ],
)
def test_a_count_takes_its_form(count: int, english: str, polish: str) -> None:
    assert ENGLISH_SENTENCES.say("moves", count=count) == english
    assert POLISH.say("moves", count=count) == polish


def test_none_may_have_a_form_of_its_own() -> None:
    assert ENGLISH_SENTENCES.say("games", count=0) == "no games"
    assert ENGLISH_SENTENCES.say("games", count=2) == "2 games"


def test_what_a_language_lacks_is_said_in_english() -> None:
    assert POLISH.say("plain") == "As it is."
    assert "plain" in POLISH
    assert "moves" in POLISH
    assert "nothing" not in POLISH


def test_texts_stand_as_they_are_and_lists_are_joined() -> None:
    assert (
        ENGLISH_SENTENCES.say("greeting", name="{{others}}", others=["Bo", "Cy", "Di"])
        == "{{others}} greets Bo, Cy and Di."
    )
    assert ENGLISH_SENTENCES.listed([]) == ""
    assert ENGLISH_SENTENCES.listed(["Bo"]) == "Bo"


def test_a_sentence_needs_its_arguments() -> None:
    with pytest.raises(KeyError):
        ENGLISH_SENTENCES.say("greeting", name="Bo")
    with pytest.raises(KeyError):
        POLISH.say("nothing")


@pytest.mark.parametrize(
    ("tag", "number", "decimals", "written"),
    [
        ("en", 1234567, None, "1,234,567"),
        ("en", -1234.5, 2, "-1,234.50"),
        ("en", 999, None, "999"),
        ("en", 3.0, None, "3"),
        ("de", 1234.5, None, "1.234,5"),
        ("pl", 1234, None, "1234"),
        ("pl", 12345, None, "12\u00a0345"),
        ("sr-Latn", 0.25, 1, "0,2"),
    ],
)
def test_numbers_are_the_language_s(tag: str, number: float, decimals: int | None, written: str) -> None:
    assert load(tag).number(number, decimals) == written


def test_there_are_four_languages() -> None:
    assert available() == ("de", "en", "pl", "sr-Latn")
    assert ENGLISH.say("language.name") == "English"
