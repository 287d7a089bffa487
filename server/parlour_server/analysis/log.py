"""The log of what runs searches. Its library is imported with the first line: most queries write none."""

import sys
from typing import Any

for_a_person = False
"""Is it read only by the person who asked? Then it is plain lines without tracebacks."""


def info(event: str, **facts: Any) -> None:
    """Log what is well again. The person who asked does not need to read that."""
    if not for_a_person:
        _logger().info(event, **facts)


def warning(event: str, **facts: Any) -> None:
    """Log what a host should know."""
    if for_a_person:
        _write(event, facts)
    else:
        _logger().warning(event, **facts)


def error(event: str, *, exc_info: BaseException | None = None, **facts: Any) -> None:
    """Log what went wrong, with the exception where there is one."""
    if for_a_person:
        _write(event, facts if exc_info is None else {**facts, "error": repr(exc_info)})
    else:
        _logger().error(event, exc_info=exc_info, **facts)


def _logger() -> Any:
    import structlog

    return structlog.get_logger()


def _write(event: str, facts: dict[str, Any]) -> None:
    said = ", ".join(f"{name} {value}" for name, value in facts.items())
    line = f"{event}: {said}" if said else event
    print(f"{line[:1].upper()}{line[1:].removesuffix('.')}.", file=sys.stderr)  # noqa: T201
