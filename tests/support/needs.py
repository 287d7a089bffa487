"""Programs that some tests need: where one is missing, they are skipped; in CI, where all are, they fail."""

import os
import shutil
from typing import Any

import pytest


def node() -> str:
    """Where Node is."""
    return program("node", how="on Debian, apt-get install nodejs")


def program(*names: str, how: str) -> str:
    """Where the first of these programs is that there is; `how` one gets it."""
    return next(filter(None, map(shutil.which, names)), None) or missing(f"there is no {names[0]} here", how)


def missing(what: str, how: str) -> Any:
    """Skip the test that needs it, or let it fail in CI."""
    if "CI" in os.environ:
        pytest.fail(f"{what}: {how}", pytrace=False)
    pytest.skip(f"{what}: {how}")
