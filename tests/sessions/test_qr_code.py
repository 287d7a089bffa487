"""A link as a QR code: rows of modules that a reader finds."""

import pytest

from parlour_protocol import LONGEST_QR_LINK
from parlour_server.sessions.qr_code import qr_rows
from tests.hosting.harness import HostingHarness

LINK = "http://192.0.2.1:8765/KMRTQA#carry=HX4TQ9ZKMB"
FINDER = ["#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######"]
"""What stands in three corners, and a light line beside it."""


@pytest.mark.parametrize("length", [len(LINK), 80, LONGEST_QR_LINK])
def test_the_rows_are_a_square_with_a_finder_in_three_corners(length: int) -> None:
    rows = qr_rows(LINK.ljust(length, "x"))
    size = len(rows)
    assert {len(row) for row in rows} == {size}
    assert set("".join(rows)) == {"#", "."}
    for top, left in ((0, 0), (0, size - 7), (size - 7, 0)):
        assert [row[left : left + 7] for row in rows[top : top + 7]] == FINDER


async def test_a_link_is_drawn_and_nothing_else(harness: HostingHarness) -> None:
    ada = await harness.person()
    answer = ada.ask("qr", text=LINK)
    assert answer == {"type": "qr_code", "id": answer["id"], "rows": list(qr_rows(LINK))}
    assert ada.ask("qr", text="https://" + "x" * (LONGEST_QR_LINK - 8))["type"] == "qr_code"
    for text in (
        "", "KMRTQA", "http://", "javascript:alert(1)//http://", "http://a b", "http://a\n", "http://\u00e4",
        "https://" + "x" * (LONGEST_QR_LINK - 7),
    ):  # fmt: skip
        assert ada.ask("qr", text=text)["code"] == "bad_message"
