"""What a server must make of frames by RFC 6455: the cases of the Autobahn suite that apply, written anew.

The session echoes texts; it sees that a binary message came, and answers nothing. Each case is given whole,
and cut into single bytes.
"""

import struct
from dataclasses import dataclass, field

import pytest

from tests.net.frames import BINARY, CLOSE, PING, PONG, TEXT, closing, frame
from tests.net.wire import LARGEST, Wire

CONT = 0
PINGED = frame(b"p", PING)


@dataclass(frozen=True, slots=True)
class Case:
    """`sent` is answered with `said`, and closed with the code `closed` (None: a farewell without one)."""

    number: str
    sent: bytes
    said: list[tuple[int, bytes]] = field(default_factory=list)
    closed: int | None = 1000

    def __str__(self) -> str:
        return self.number


def text(said: str | bytes) -> tuple[int, bytes]:
    return 0x80 | TEXT, said.encode() if isinstance(said, str) else said


def pong(said: bytes) -> tuple[int, bytes]:
    return 0x80 | PONG, said


def fragments(*parts: bytes, opcode: int = TEXT, between: bytes = b"") -> bytes:
    last = len(parts) - 1
    return b"".join(
        frame(part, CONT if at else opcode, fin=at == last) + (between if at < last else b"")
        for at, part in enumerate(parts)
    )


def octets(message: bytes) -> bytes:
    """A text in fragments of one byte, and an empty one at the end."""
    return fragments(*(message[at : at + 1] for at in range(len(message))), b"")


def reserved(bits: int, payload: bytes = b"x", opcode: int = TEXT) -> bytes:
    """A frame with reserved bits set."""
    whole = frame(payload, opcode)
    return bytes([whole[0] | bits << 4]) + whole[1:]


def close(payload: bytes) -> bytes:
    return frame(payload, CLOSE)


def bad(number: str, sent: bytes, code: int = 1002, said: list[tuple[int, bytes]] | None = None) -> Case:
    """What breaks a rule: what comes after it is not received, and it is closed with this code."""
    return Case(number, sent + frame(b"after"), said or [], code)


SIZES = (0, 1, 124, 125, 126, 127, 128, 65535 // 8, LARGEST - 1, LARGEST)
HELLO = "Hello-µ@ßöäüàá-UTF-8!!".encode()
SURROGATES = [b"\xed\xa0\x80", b"\xed\xaf\xbf", b"\xed\xbe\x80", b"\xed\xbf\xbf", b"\xed\xa0\x80\xed\xb0\x80"]
OVERLONG = [
    b"\xc0\xaf",
    b"\xe0\x80\xaf",
    b"\xf0\x80\x80\xaf",
    b"\xf8\x80\x80\x80\xaf",
    b"\xc1\xbf",
    b"\xe0\x9f\xbf",
]
LONE = [b"\x80", b"\xbf", b"\x80\xbf\x80", b"\xc0 \xc1 ", b"\xe0 ", b"\xf0 ", b"\xf8 ", b"\xfe", b"\xff"]
CUT_SHORT = [b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"\xce\xba\xe1\xbd"]
BEYOND = [b"\xf4\x90\x80\x80", b"\xf7\xbf\xbf\xbf", b"\xfb\xbf\xbf\xbf\xbf"]
INVALID = SURROGATES + OVERLONG + LONE + CUT_SHORT + BEYOND
VALID = "\0\x7f\x80\u07ff\u0800\uffff\U00010000\U0010ffff\ud7ff\ue000\ufffd"
GOOD_CODES = (1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999)
BAD_CODES = (0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535)

FRAMING = [
    *(Case(f"1.1.text-{size}", frame(b"*" * size) + closing(), [text(b"*" * size)]) for size in SIZES),
    *(Case(f"1.2.binary-{size}", frame(b"\xfe" * size, BINARY) + closing()) for size in SIZES),
    Case("1.1.wide-2", frame(b"short", wide=2) + closing(), [text("short")]),
    Case("1.1.wide-8", frame(b"short", wide=8) + closing(), [text("short")]),
    bad("unmasked", frame(b"x", mask=None)),
    bad("unmasked-close", frame(b"\x03\xe8", CLOSE, mask=None)),
]
PINGS = [
    Case("2.1", frame(b"", PING) + closing(), [pong(b"")]),
    Case("2.2", frame(b"Hello", PING) + closing(), [pong(b"Hello")]),
    Case("2.3", frame(bytes(range(5, 0, -1)), PING) + closing(), [pong(bytes(range(5, 0, -1)))]),
    Case("2.4", frame(b"\xfe" * 125, PING) + closing(), [pong(b"\xfe" * 125)]),
    bad("2.5", frame(b"\xfe" * 126, PING)),
    Case("2.6", frame(b"\xfe" * 125, PING) + closing(), [pong(b"\xfe" * 125)]),
    Case("2.7", frame(b"", PONG) + closing()),
    Case("2.8", frame(b"unasked for", PONG) + closing()),
    Case("2.9", frame(b"unasked for", PONG) + frame(b"p", PING) + closing(), [pong(b"p")]),
    Case(
        "2.10",
        b"".join(frame(b"%d" % n, PING) for n in range(10)) + closing(),
        [pong(b"%d" % n) for n in range(10)],
    ),
]
RESERVED = [
    bad("3.1", reserved(1)),
    bad("3.2", frame(b"before") + reserved(2), said=[text("before")]),
    bad("3.3", frame(b"before") + reserved(3) + frame(b"p", PING), said=[text("before")]),
    bad("3.4", frame(b"before") + reserved(4, b""), said=[text("before")]),
    bad("3.5", reserved(5, b"\xff", BINARY)),
    bad("3.6", reserved(6, b"p", PING)),
    bad("3.7", reserved(7, b"\x03\xe8", CLOSE)),
]
OPCODES = [
    *(bad(f"4.1.{opcode}", frame(b"", opcode)) for opcode in (3, 4, 5, 6, 7)),
    *(
        bad(f"4.2.{opcode}", frame(b"before") + frame(b"x", opcode), said=[text("before")])
        for opcode in range(11, 16)
    ),
]
FRAGMENTS = [
    bad("5.1", frame(b"1", PING, fin=False) + frame(b"2", CONT)),
    bad("5.2", frame(b"1", PONG, fin=False) + frame(b"2", CONT)),
    Case("5.3", fragments(b"one", b"two") + closing(), [text("onetwo")]),
    Case("5.6", fragments(b"one", b"two", between=PINGED) + closing(), [pong(b"p"), text("onetwo")]),
    Case("5.8", fragments(b"", b"", b"") + closing(), [text("")]),
    bad("5.9", frame(b"x", CONT)),
    bad("5.10", frame(b"x", CONT, fin=False)),
    bad("5.12", frame(b"before") + frame(b"x", CONT, fin=False) + frame(b"y"), said=[text("before")]),
    bad("5.15", fragments(b"one", b"two") + frame(b"x", CONT, fin=False), said=[text("onetwo")]),
    bad("5.16", frame(b"x", CONT, fin=False) + frame(b"y", TEXT) + frame(b"z", CONT)),
    bad("5.18", frame(b"one", fin=False) + frame(b"two")),
    bad("5.18.binary", frame(b"one", fin=False) + frame(b"two", BINARY)),
    Case(
        "5.19",
        fragments(b"1", b"2", b"3", b"4", b"5", between=PINGED) + closing(),
        [pong(b"p")] * 4 + [text("12345")],
    ),
    Case("5.binary", fragments(b"\xff", b"\xfe", opcode=BINARY) + frame(b"x") + closing(), [text("x")]),
    bad("5.close-within", frame(b"one", fin=False) + closing()),
]  # fmt: skip
UTF8 = [
    Case("6.1.1", frame(b"") + closing(), [text("")]),
    Case("6.1.3", fragments(b"", b"middle", b"") + closing(), [text("middle")]),
    Case("6.2.1", frame(HELLO) + closing(), [text(HELLO)]),
    Case("6.2.3", octets(HELLO) + closing(), [text(HELLO)]),
    *(Case(f"6.valid-{one!a}", frame(one.encode()) + closing(), [text(one)]) for one in VALID),
    *(Case(f"6.octets-{one!a}", octets(one.encode()) + closing(), [text(one)]) for one in VALID),
    *(bad(f"6.bad-{one!a}", frame(one), 1007) for one in INVALID),
    *(bad(f"6.octets-{one!a}", octets(one), 1007) for one in INVALID),
    # Fail fast: the rest of the message never comes.
    bad("6.4.1", fragments(b"\xce\xba\xf4\x90\x80\x80", b"")[:-6], 1007),
    bad("6.4.3", frame(b"\xce\xba", fin=False) + frame(b"\xed\xa0\x80", CONT, fin=False), 1007),
]  # fmt: skip
CLOSING = [
    Case("7.1.1", frame(b"before") + closing(), [text("before")]),
    Case("7.1.2", closing() + closing()),
    Case("7.1.3", closing() + frame(b"p", PING)),
    Case("7.1.4", closing() + frame(b"after")),
    Case("7.1.6", frame(b"*" * LARGEST) + closing() + frame(b"p", PING), [text(b"*" * LARGEST)]),
    Case("7.3.1", close(b""), closed=None),
    bad("7.3.2", close(b"\x03")),
    Case("7.3.3", close(struct.pack("!H", 1000))),
    Case("7.3.4", close(struct.pack("!H", 1000) + b"so long")),
    Case("7.3.5", close(struct.pack("!H", 1000) + b"*" * 123)),
    bad("7.3.6", close(struct.pack("!H", 1000) + b"*" * 124)),
    bad("7.5.1", close(struct.pack("!H", 1000) + b"\xce\xba\xed\xa0\x80"), 1007),
    *(Case(f"7.7.{code}", close(struct.pack("!H", code)), closed=code) for code in GOOD_CODES),
    *(bad(f"7.9.{code}", close(struct.pack("!H", code))) for code in BAD_CODES),
    bad("7.fragmented-close", frame(b"\x03\xe8", CLOSE, fin=False)),
]
LIMITS = [
    bad("9.1.text", frame(b"*" * (LARGEST + 1)), 1009),
    bad("9.1.header-alone", b"\x81\xff" + struct.pack("!Q", 2**40), 1009),
    bad("9.2.binary", frame(b"*" * (LARGEST + 1), BINARY), 1009),
    Case(
        "9.3.fragments", fragments(b"*" * 4096, b"*" * 4096, b"*" * 8192) + closing(), [text(b"*" * LARGEST)]
    ),
    bad("9.4.fragments", fragments(b"*" * 8192, b"*" * 8193), 1009),
    Case("9.5.small-fragments", fragments(*[b"*"] * 1024) + closing(), [text(b"*" * 1024)]),
    bad("9.6.many-fragments", fragments(*[b"*"] * 1025), 1009),
    bad("9.6.empty-fragments", fragments(*[b""] * 1025), 1009),
    Case("9.7.many-messages", frame(b"x" * 16) * 1000 + closing(), [text("x" * 16)] * 1000),
]
CASES = [*FRAMING, *PINGS, *RESERVED, *OPCODES, *FRAGMENTS, *UTF8, *CLOSING, *LIMITS]


@pytest.mark.parametrize("case", CASES, ids=str)
async def test_a_case(case: Case) -> None:
    for pieces in ([case.sent], [bytes([octet]) for octet in case.sent]):
        wire = await Wire(echoes=True).shake_hands()
        await wire.give(pieces)
        *said, farewell = wire.frames()
        assert said == case.said
        assert farewell[0] == 0x80 | CLOSE
        assert wire.close_code() == case.closed
        assert wire.sink.ended
        if not case.sent.endswith(frame(b"after")):
            # Both have agreed: ours says what theirs said.
            assert frame(farewell[1], CLOSE) in case.sent
