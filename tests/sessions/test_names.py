"""Names that deceive nobody, and tokens of which only a hash is kept."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour_protocol.errors import Code
from parlour_server.refusals import Refusal
from parlour_server.search.levels import KINDS
from parlour_server.sessions.names import clean_name, hash_token


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Ada", "Ada"),
        ("  Ada   Lovelace ", "Ada Lovelace"),
        ("Ａｄａ", "Ada"),
        ("Zoë", "Zoë"),
        ("Zoë", "Zoë"),
        ("R2-D2", "R2-D2"),
        ("O'Neill", "O'Neill"),
        ("Ольга", "Ольга"),
        ("さくら桜サクラ", "さくら桜サクラ"),
        ("x" * 24, "x" * 24),
        ("Ada\u034f", "Ada"),
        ("A\ufe0fda", "Ada"),
        ("Ada\u2800\u3164", "Ada"),
        ("e\u034f\u0301va", "éva"),
        ("Việt", "Việt"),
        ("Robotnik", "Robotnik"),
        ("Abbott", "Abbott"),
    ],
)
def test_a_name_is_kept_as_others_shall_see_it(text: str, name: str) -> None:
    assert clean_name(text) == name


@pytest.mark.parametrize(
    "text",
    [
        *("", "   ", "x" * 25, "...", "🂡"),
        *(
            "a\x1b[31mb",
            "a\x07",
            "a\0b",
            "a\x9b31m",
            "a\u200bb",
            "a\u202eb",
            "a\u2066b",
            "a\ufeffb",
            "a\ue000",
            "a\U000e0041",
        ),
        *("Аda", "pаypal", "Aδa"),
        *("easy (bot)", "Ada (BOT)", "Ada （bot）", "Ada ( bot )", "Ada [bot]", "Ada ❨b0t❩", "bot"),
        *("free", "FREE", "fr-ee", "Server", "Admin", "Ѕегѵег", "yοu", "Y0u"),
        *KINDS,
        *("Perfect", "rand0m", "mini max"),
        *("a" + "\u0301" * 4, "\u3164", "\u2800\u2800"),
    ],
)
def test_a_name_that_deceives_is_refused(text: str) -> None:
    with pytest.raises(Refusal) as caught:
        clean_name(text)
    assert caught.value.code == Code.BAD_NAME
    assert caught.value.message.endswith(".")


@given(text=st.text(max_size=30))
def test_whatever_is_taken_shows_and_stays_as_it_is(text: str) -> None:
    try:
        name = clean_name(text)
    except Refusal:
        return
    assert clean_name(name) == name
    assert 1 <= len(name) <= 24
    assert not any(unicodedata.category(sign).startswith(("C", "Zl", "Zp")) for sign in name)


def test_of_a_token_nothing_can_be_read() -> None:
    assert "token" not in hash_token("token")
    assert hash_token("token") == hash_token("token") != hash_token("token ")
    assert len(hash_token("")) == 64
