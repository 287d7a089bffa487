"""What a server's keeper reads of it."""

from dataclasses import replace

from parlour_client.render.admin import status_facts
from tests.client.tui.top.looks import STATUS


def test_a_server_by_itself_counts_its_players() -> None:
    facts = dict(status_facts(STATUS))
    assert facts["connections"] == "952, of 871 players"
    assert "node" not in facts


def test_a_node_says_which_it_is_and_what_it_can_not_see() -> None:
    facts = dict(status_facts(replace(STATUS, node="host-1-abc", nodes=3)))
    assert facts["node"] == "host-1-abc, one of 3: what follows is its own"
    assert facts["all nodes"] == "871 players connected"
    assert facts["connections"] == "952"
