"""Sentences that keep what they are made of, through errors, processes and the wire."""

import pickle

from parlour_protocol.words import Catalogue, Said, Sentence, load, made_of, translated

ENGLISH_AND = Sentence("list.and", first="Bo", last="Cy")


def test_it_is_its_english_text() -> None:
    assert ENGLISH_AND == "Bo and Cy"
    assert f"{ENGLISH_AND}!" == "Bo and Cy!"
    assert hash(ENGLISH_AND) == hash("Bo and Cy")


def test_errors_and_other_processes_keep_what_it_is_made_of() -> None:
    for kept in (str(ENGLISH_AND), str(ValueError(ENGLISH_AND)), pickle.loads(pickle.dumps(ENGLISH_AND))):
        assert made_of(kept) == Said("list.and", {"first": "Bo", "last": "Cy"})
    assert made_of("Bo and Cy") is None


def test_one_within_another_is_translated_too() -> None:
    nested = Sentence("list.and", first=ENGLISH_AND, last="Di")
    assert nested == "Bo and Cy and Di"
    assert translated(made_of(nested), nested, load("de")) == "Bo und Cy und Di"


def test_what_cannot_be_said_stays_english() -> None:
    german = load("de")
    assert translated(None, "As it is.", german) == "As it is."
    assert translated(Said("no.such_id"), "As it is.", german) == "As it is."
    assert translated(Said("list.and", {"first": "Bo"}), "As it is.", german) == "As it is."
    assert isinstance(german, Catalogue)
