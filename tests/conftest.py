"""What all tests share: none of ours fails because its machine was busy, or keeps it busy for nothing."""

import gc
import os
import tempfile
from pathlib import Path

import pytest
import structlog
from hypothesis import settings

# All modules and tests stay until the end: to look for garbage among them takes as long as half of the rest.
gc.disable()

# The same examples in every run: what fails is what was changed. EXPLORE=1 draws others, and many more.
explore = "EXPLORE" in os.environ
settings.register_profile(
    "parlour", deadline=None, derandomize=not explore, max_examples=500 if explore else 25
)
settings.load_profile("parlour")
# For tests that are run a second time, with something changed.
settings.register_profile("few", settings.get_profile("parlour"), max_examples=3)

# What is read is compared with English, whatever this machine speaks.
os.environ["PARLOUR_LANG"] = "en"

# A full screen draws as often as it can while it changes, which is most of what its tests cost: nobody looks.
# Those behind a real terminal draw as they always do.
os.environ["TEXTUAL_FPS"] = "15"

# Faults that tests bring about are logged, and rich would paint every line of their tracebacks.
plain = structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)
structlog.configure(
    processors=[structlog.processors.add_log_level, plain],
    wrapper_class=structlog.make_filtering_bound_logger("info"),
)

# Servers leave their sockets and notes in a folder of this run's, which ends with it.
runtime = tempfile.TemporaryDirectory(prefix="parlour-tests-")
os.environ["XDG_RUNTIME_DIR"] = runtime.name

FAILED_FILE = "PARLOUR_FAILED_TESTS"
"""Names the file in which the tests that failed are to be listed, for those who run them again."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with those that take longest: workers share the others meanwhile."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


def pytest_collection_finish() -> None:
    """Leave what there is now out of each later search for garbage."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(20_000, 20, 20)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List what failed, where that is asked for."""
    if FAILED_FILE in os.environ:
        reports = [*terminalreporter.getreports("failed"), *terminalreporter.getreports("error")]
        names = dict.fromkeys(report.nodeid for report in reports)
        Path(os.environ[FAILED_FILE]).write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
