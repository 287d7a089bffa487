"""No stranger's control, bidi or invisible sign gets through."""

import itertools
import json
import unicodedata
from collections.abc import Iterator
from functools import partial
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour_client.sdk import sanitize
from parlour_client.sdk.identity import as_name
from parlour_client.sdk.protocol import Protocol
from parlour_client.sdk.sanitize import clean
from parlour_protocol import codec
from parlour_protocol.answers import Closing
from tests.protocol.messages import TO_CLIENT, messages
from tests.protocol.test_codec import few

CORPUS = {
    "clipboard (OSC 52)": "Ada\x1b]52;c;cm0gLXJmIC8=\x07",
    "link (OSC 8)": "\x1b]8;;http://evil.example\x1b\\Ada\x1b]8;;\x1b\\",
    "DCS": "\x1bP+q544e\x1b\\Ada",
    "colour": "\x1b[31mAda\x1b[0m",
    "8-bit CSI": "Ada\x9b2J",
    "8-bit OSC": "\x9d0;title\x9cAda",
    "unterminated OSC": "Ada\x1b]0;never ends",
    "lone ESC": "Ada\x1b",
    "backspaces": "Ben\b\b\bAda",
    "bell and DEL": "A\x07da\x7f",
    "carriage return": "Ben\rAda",
    "right-to-left override": "Ada\u202egnp.exe",
    "isolates": "\u2066Ada\u2069",
    "zero width": "A\u200bd\u200da\ufeff",
    "soft hyphen": "A\u00adda",
    "Hangul filler": "Ada\u3164",
    "tags": "Ada\U000e0041\U000e0042",
    "variation selectors": "Ada\ufe0f\U000e0100",
    "line separator": "Ada\u2028Ben",
}


@pytest.mark.parametrize("text", CORPUS.values(), ids=list(CORPUS))
def test_what_terminals_obey_is_gone(text: str) -> None:
    shown = clean(text)
    assert "Ada"[0] in shown
    assert shown.isprintable()


@given(st.text())
def test_all_that_is_left_can_be_seen(text: str) -> None:
    for sign in clean(text):
        assert unicodedata.category(sign) not in ("Cc", "Cf", "Cs", "Zl", "Zp")
    assert clean(clean(text)) == clean(text)


@pytest.mark.parametrize("text", ["Ada", "Zoë", "Борис", "王小明", "O'Hara [2]", "🙂"])
def test_honest_names_stay(text: str) -> None:
    assert clean(text) == as_name(text) == text


def test_marks_do_not_pile_up() -> None:
    assert clean("e" + "\u0301" * 20 + "x") == "e\u0301\u0301\u0301x"
    # As Vietnamese and pointed Hebrew have them.
    for honest in ("e\u0302\u0301", "\u05e9\u05c1\u05b8\u0591"):
        assert clean(honest) == honest


def test_lines_become_one() -> None:
    assert clean("one\ntwo\tthree") == "one two three"


@given(st.text())
def test_a_name_is_what_a_server_takes(text: str) -> None:
    name = as_name(text)
    assert len(name) <= 24
    assert name == name.strip()


def test_a_long_name_is_cut() -> None:
    assert as_name("x" * 40) == "x" * 24
    assert as_name(" \u200b ") == ""


def texts(data: Any) -> Iterator[str]:
    """All texts in a message as plain data, names of fields too."""
    match data:
        case str():
            yield data
        case list():
            yield from itertools.chain.from_iterable(map(texts, data))
        case dict():
            yield from itertools.chain(data, *map(texts, data.values()))


def read(text: str) -> codec.ToClient | None:
    """What the client's protocol reads from a text; None where that is nothing it takes."""
    found: list[codec.ToClient | None] = []

    def decode(text: str | bytes) -> codec.ToClient | None:
        found.append(codec_decode(text))
        return found[-1]

    codec_decode = codec.decode_to_client
    with patch.object(codec, "decode_to_client", decode):
        Protocol(lambda: "id").receive(text)
    return found[0] if found else None


@pytest.mark.parametrize("kind", TO_CLIENT, ids=lambda kind: kind.__name__)
@few
@given(data=st.data())
def test_no_message_brings_it_in(kind: Any, data: st.DataObject) -> None:
    message = json.loads(codec.encode_to_client(data.draw(messages(kind))))
    raw = partial(json.dumps, ensure_ascii=False)
    text = data.draw(st.sampled_from(list(texts(message))))
    # Where it is taken, it is harmless; the value of a literal, say, is not.
    if (shown := read(raw(message).replace(raw(text), raw(f"{text}\x1b[2J\u202e\x7f")))) is not None:
        plain = json.loads(codec.encode_to_client(shown))
        assert all(clean(one) == one for one in texts(plain))


def test_a_message_that_is_not_read_for_it_has_nothing_to_clean() -> None:
    """Boards have discs and names have accents: to read each such message twice would cost the most of it."""
    for sign in map(chr, range(0x110000)):
        if sanitize._CLEAN.fullmatch(sign):
            assert clean(sign) == sign
    for text in (
        '{"cells":["·●○"],"name":"Zażółć, Đorđe, Борис"}',
        '{"name":"Ada\u202e"}',
        '{"name":"Ada\\n"}',
    ):
        assert (sanitize.clean_json(text) is text) is ("Ada" not in text)


def test_equal_names_stay_equal() -> None:
    closing = {"id": "c", "closing": False, "others": ["Ada\u200b", "A\u202eda"], "type": "closing"}
    shown = read(json.dumps(closing))
    assert isinstance(shown, Closing) and shown.others == ["Ada", "Ada"]
