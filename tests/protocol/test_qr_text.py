"""A QR code in half blocks: every module is there, with a light margin around them all."""

import pytest

from parlour_protocol.qr_text import MARGIN, half_blocks
from parlour_server.sessions.qr_code import qr_rows

ROWS = qr_rows("http://192.0.2.1:8765/KMRTQA")
DRAWN = {"\u2588": "##", "\u2580": "#.", "\u2584": ".#", " ": ".."}
OTHER = str.maketrans("#.", ".#")


def modules(lines: list[str]) -> list[str]:
    """The rows that the lines show, from top to bottom."""
    return ["".join(DRAWN[sign][half] for sign in line) for line in lines for half in (0, 1)]


@pytest.mark.parametrize("ink", ["#", "."])
def test_the_lines_show_every_module_within_a_margin(ink: str) -> None:
    shown = modules(half_blocks(ROWS, ink=ink))
    if ink == ".":
        shown = [row.translate(OTHER) for row in shown]
    size = len(ROWS) + 2 * MARGIN
    assert {len(row) for row in shown} == {size}
    assert [row[MARGIN:-MARGIN] for row in shown[MARGIN : MARGIN + len(ROWS)]] == list(ROWS)
    margin = [*shown[:MARGIN], *shown[MARGIN + len(ROWS) :], *(row[:MARGIN] + row[-MARGIN:] for row in shown)]
    assert set("".join(margin)) == {"."}
