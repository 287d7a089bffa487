"""What other nodes have said, and when nobody's time ran."""

from parlour_server.hosting.remote_presence import RemotePresence


def test_time_stands_still_while_no_node_serves() -> None:
    elsewhere = RemotePresence()
    elsewhere.down, elsewhere.serves_until = (10_000, 20_000), (100.0, 30_000)
    assert elsewhere.stood_still(25_000, 99.0) is None
    assert elsewhere.stood_still(5_000, 99.0) == 10_000
    # Out of touch nothing is known from its last renewal on; of what was before, the same as ever.
    assert elsewhere.stood_still(25_000, 100.0) == 30_000
    assert elsewhere.stood_still(5_000, 100.0) == 10_000
    assert RemotePresence().stood_still(5_000, 1e9) is None
