"""Codes that are said aloud, links in every form, addresses as people type them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour_protocol.ids import (
    CODE_ALPHABET,
    CODE_LENGTH,
    Link,
    carry_link,
    other,
    parse_code,
    parse_link,
    room_link,
    server_address,
)

codes = st.text(CODE_ALPHABET, min_size=CODE_LENGTH, max_size=CODE_LENGTH)


def test_the_alphabet_holds_no_signs_that_are_mistaken_for_each_other() -> None:
    assert len(CODE_ALPHABET) == len(set(CODE_ALPHABET)) == 31
    assert not set("ILO01") & set(CODE_ALPHABET)
    assert CODE_ALPHABET.upper() == CODE_ALPHABET


@given(code=codes, gaps=st.lists(st.sampled_from(["", " ", "-", "\t", " - "]), min_size=7, max_size=7))
def test_a_code_is_read_however_it_is_spaced_and_written(code: str, gaps: list[str]) -> None:
    said = gaps[0] + "".join(sign + gap for sign, gap in zip(code, gaps[1:], strict=True))
    assert parse_code(said) == parse_code(said.lower()) == code


@pytest.mark.parametrize(
    "text",
    [
        "",
        "KMRTQ",
        "KMRTQAA",
        "KMRTQ1",
        "KMRTQO",
        "KMR_TQA",
        "KMR.TQA",
        "KMRTQÄ",
        "KMRTQА",
        "room",
        "\0KMRTQA",
    ],
)
def test_what_is_no_code_is_not_taken_for_one(text: str) -> None:
    assert parse_code(text) is None
    assert parse_link(text) is None


@pytest.mark.parametrize(
    ("text", "server"),
    [
        ("KMRTQA", None),
        ("  kmr-tqa\n", None),
        ("http://127.0.0.1:8765/KMRTQA", "ws://127.0.0.1:8765"),
        ("https://games.example/KMRTQA", "wss://games.example"),
        ("ws://games.example:80/kmrtqa/", "ws://games.example:80"),
        ("wss://games.example/KMR-TQA", "wss://games.example"),
        ("games.example:8765/KMRTQA", "ws://games.example:8765"),
        ("games.example/KMRTQA", "ws://games.example"),
        ("[::1]:8765/KMRTQA", "ws://[::1]:8765"),
    ],
)
def test_a_link_names_its_server_and_room(text: str, server: str | None) -> None:
    assert parse_link(text) == Link(server, "KMRTQA")


@pytest.mark.parametrize("server", ["ws://127.0.0.1:8765", "wss://games.example"])
def test_a_link_may_carry_a_player_over(server: str) -> None:
    assert parse_link(carry_link(server, "KMRTQA", "HX4TQ9ZKMB")) == Link(server, "KMRTQA", "HX4TQ9ZKMB")
    assert parse_link(f"{room_link(server, 'KMRTQA')}#something=else") == Link(server, "KMRTQA")
    assert parse_link("KMRTQA#carry=HX4TQ9ZKMB") is None


@pytest.mark.parametrize(
    "text", ["http://games.example/", "http:///KMRTQA", "/KMRTQA", "ftp://games.example/KMRTQA", "a b/KMRTQA"]
)
def test_what_is_no_link_is_not_taken_for_one(text: str) -> None:
    assert parse_link(text) is None


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("localhost:8765", "ws://localhost:8765"),
        ("localhost", "ws://localhost"),
        (" 192.0.2.7:1 ", "ws://192.0.2.7:1"),
        ("http://games.example", "ws://games.example"),
        ("https://games.example:8443/", "wss://games.example:8443"),
        ("WSS://Games.Example", "wss://games.example"),
        ("ws://[::1]:8765", "ws://[::1]:8765"),
        ("my-server.local:65535", "ws://my-server.local:65535"),
    ],
)
def test_an_address_is_read_as_people_type_it(text: str, address: str) -> None:
    assert server_address(text) == address


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "ws://", ":8765", "http://:8765", "ftp://games.example", "file:///etc/passwd"),
        *(
            "games.example:port",
            "games.example:65536",
            "games.example:-1",
            "games.example:0",
            "games example",
            "ws://[::1",
        ),
        *("javascript:alert(1)", "a\x1b[31mb", "<script>", "a,b"),
    ],
)
def test_what_names_no_server_is_not_taken_for_one(text: str) -> None:
    assert server_address(text) is None


@given(text=st.text())
def test_whatever_is_typed_an_address_or_none_comes_back(text: str) -> None:
    address = server_address(text)
    assert address is None or server_address(address) == address
    link = parse_link(text)
    assert link is None or parse_code(link.code) == link.code


@given(code=codes)
@pytest.mark.parametrize("server", ["ws://127.0.0.1:8765", "wss://games.example", "ws://ws.example:80"])
def test_a_link_that_was_given_is_read_back(server: str, code: str) -> None:
    link = room_link(server, code)
    assert link.startswith("http")
    assert parse_link(link) == Link(server, code)


def test_the_other_seat_is_across_the_table() -> None:
    assert (other(0), other(1)) == (1, 0)
