"""The registry of a player's actions: names, keys and words are unambiguous, and its help fits a screen."""

import string
from collections import Counter
from typing import get_args

from parlour_client.text.actions import ACTIONS, BY_NAME, typed_help
from parlour_client.text.input_words import ForScreen, ScreenWord, read
from parlour_protocol import commands
from parlour_protocol.actions import OFFERS, Offer
from parlour_protocol.words import ENGLISH
from tests.client.rooms import offering


def test_names_keys_and_words_stand_for_one_action() -> None:
    for values in (
        [action.name for action in ACTIONS],
        [key for action in ACTIONS for key in action.key.split(",") if key],
        [action.word for action in ACTIONS if action.word],
    ):
        assert [value for value, times in Counter(values).items() if times > 1] == []


def test_letters_are_capitals_for_small_ones_are_for_moves() -> None:
    letters = [action.key for action in ACTIONS if len(action.key) == 1]
    assert letters == [key for key in letters if key in string.ascii_uppercase]


def test_each_word_is_understood_and_is_no_move() -> None:
    shown = offering(draw=1)
    for action in ACTIONS:
        if action.word and action.word != "say":
            meant = read(action.word, shown)
            assert not isinstance(meant, commands.PlayMove), action.word
            if action.request is not None:
                asked = action.request(shown.view).command
                assert meant == asked.model_copy(update={"id": getattr(meant, "id", "")})
    words = {action.word for action in ACTIONS}
    assert set(get_args(ScreenWord)) <= words
    assert isinstance(read("quit", shown), ForScreen)


def test_the_help_has_every_word_and_fits_a_screen() -> None:
    rows = typed_help("b2", {action.word for action in ACTIONS})
    assert all(len(row) <= 79 for row in rows)
    for action in ACTIONS:
        assert not action.word or any(row.startswith(f"  {action.word} ") for row in rows)


def test_a_spectator_has_no_seat_to_keep() -> None:
    assert typed_help("", {"quit"}) == ["  quit         leave; your seat is kept"]
    assert typed_help("", {"quit"}, watching=True) == ["  quit         stop watching"]


def test_every_offer_is_an_action_of_its_name_with_its_terms() -> None:
    assert set(OFFERS) == set(get_args(Offer))
    for offer in OFFERS:
        assert BY_NAME[offer].word == offer
        for sentence in ("made_you", "made_them", "declined", "withdrawn"):
            assert f"offer.{offer}.{sentence}" in ENGLISH
        for sentence in ("label", "help", "sent"):
            assert f"action.{offer}.{sentence}" in ENGLISH
