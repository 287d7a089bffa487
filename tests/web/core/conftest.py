"""One Node for all of a process's tests of the page's modules."""

from collections.abc import Iterator

import pytest

from tests.web.core.page import Page, page


@pytest.fixture(scope="session", name="page")
def _page() -> Iterator[Page]:
    """Plays scenarios with the modules of the web page."""
    with page() as player:
        yield player
