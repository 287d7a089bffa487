"""What a server's keeper reads of it."""

from dataclasses import replace

from parlour_client.render import admin
from parlour_client.render.lists import cell
from parlour_protocol.local.admin import ServerStatus
from parlour_protocol.words import say
from tests.client.tui.top.looks import STATUS


def said(status: ServerStatus) -> dict[str, str]:
    """What people read, by its heading."""
    facts = {column.heading: cell(column, status).plain for column in admin.STATUS}
    return {say(heading): value for heading, value in facts.items() if value}


def test_a_server_by_itself_counts_its_players() -> None:
    facts = said(STATUS)
    assert facts["connections"] == "952, of 871 players"
    assert "node" not in facts


def test_a_node_says_which_it_is_and_what_it_can_not_see() -> None:
    facts = said(replace(STATUS, node="host-1-abc", nodes=3))
    assert facts["node"] == "host-1-abc, one of 3: what follows is its own"
    assert facts["all nodes"] == "871 players connected"
    assert facts["connections"] == "952"
