"""What all tests of the client share."""

from collections.abc import Iterator

import pytest

from parlour_client.sdk.local_server import Child


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of a server like one that a player starts: one for all tests that ask for no more of it."""
    child = Child()
    try:
        yield child.address()
    finally:
        child.stop()
