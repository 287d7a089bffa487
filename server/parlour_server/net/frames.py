"""Frames of RFC 6455 as bytes: where one ends, what its payload is, and how one that goes out begins."""

from collections.abc import Callable

from websockets.frames import Opcode

FINAL_TEXT, FINAL_BINARY = 0x80 | Opcode.TEXT, 0x80 | Opcode.BINARY
"""How a whole message in one frame begins."""
FINAL, OPCODE, MASKED, SIZE = 0x80, 0x0F, 0x80, 0x7F
"""Bits of a frame's first two bytes."""
SHORT = 126
"""The size of a payload whose length no longer fits into the second byte."""
MASK = 4
HEAD = 2 + MASK
"""The bytes before the payload of a short frame from a client."""
_OPCODES = frozenset(Opcode)


def _unmask(payload: bytes, mask: bytes) -> bytes:
    size = len(payload)
    repeated = (mask * (size // MASK + 1))[:size]
    return (int.from_bytes(payload) ^ int.from_bytes(repeated)).to_bytes(size)


unmask: Callable[[bytes, bytes], bytes]
"""Gives what a client's payload says, from that and its mask."""
try:
    from websockets.speedups import apply_mask
except ImportError:  # installed without compiled code
    unmask = _unmask
else:
    unmask = apply_mask


def find_end(data: bytes, start: int, most: int) -> tuple[int, int]:
    """Where the payload of the frame at `start` begins, and where it ends.

    The end is 0 where too little of the header is there, and -1 where the header alone breaks a rule: such a
    frame is not to be waited for. `most` is the size of the largest payload.
    """
    if len(data) - start < 2:
        return 0, 0
    first, second = data[start], data[start + 1]
    if first & OPCODE not in _OPCODES or not second & MASKED:
        return 0, -1
    size, payload = second & SIZE, start + HEAD
    if size >= SHORT:
        wide = 2 if size == SHORT else 8
        if len(data) < start + 2 + wide:
            return 0, 0
        size, payload = int.from_bytes(data[start + 2 : start + 2 + wide]), payload + wide
    return payload, payload + size if size <= most else -1


def head(size: int) -> bytes:
    """What stands before a text message of this size that a server sends: its frame is not masked."""
    if size < SHORT:
        return bytes((FINAL_TEXT, size))
    return b"\x81\x7e" + size.to_bytes(2) if size < 1 << 16 else b"\x81\x7f" + size.to_bytes(8)
