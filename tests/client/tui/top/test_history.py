"""What changes from one look at a server to the next."""

from dataclasses import replace

import pytest

from parlour_client.tui.top.gauges import draw
from parlour_client.tui.top.history import KEPT, History
from tests.client.tui.top.looks import look


def history(*numbers: int) -> History:
    found = History()
    for number in numbers:
        found.add(look(number))
    return found


def test_totals_become_rates() -> None:
    assert history(0, 1, 2).rates(lambda status: status.moves) == [250, 500]


def test_rooms_have_rates_of_their_own_and_new_ones_none() -> None:
    first, second = look(0), look(1)
    seen = History()
    seen.add(replace(first, rooms=first.rooms[:2]))
    seen.add(second)
    assert seen.room_rates() == {"KMRTQA": 0, "W8KVYY": 0.5, "C9WMTE": 0}


def test_a_server_that_was_started_anew_begins_anew() -> None:
    seen = history(0, 5)
    again = look(1)
    seen.add(replace(again, status=replace(again.status, uptime=1.0)))
    assert seen.rates(lambda status: status.moves) == []


def test_only_so_much_is_kept() -> None:
    seen = history(*range(KEPT + 50))
    assert len(seen.values(lambda status: status.moves)) == KEPT


@pytest.mark.parametrize("width", [1, 20, 58, 78, 99, 100, 118, 200])
def test_no_line_is_wider_than_the_screen(width: int) -> None:
    lines = draw(history(*range(30)), width).split("\n")
    if width >= 58:
        assert all(line.cell_length <= width for line in lines)


def test_a_drain_is_shown() -> None:
    now = look(1)
    seen = history(0)
    seen.add(replace(now, status=replace(now.status, draining=90.0)))
    assert "Being drained: it stops in 90 s at the latest." in draw(seen, 78).plain


def test_at_another_node_it_begins_anew() -> None:
    seen = history(0)
    other = look(1)
    seen.add(replace(other, status=replace(other.status, node="host-2-abc", nodes=2)))
    assert seen.rates(lambda status: status.moves) == []
