"""Reading our own pages: fenced blocks, tables, links."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(text: str, kind: str) -> list[str]:
    """The fenced blocks of one kind."""
    return [body for found, body in _FENCE.findall(text) if found == kind]


def section(text: str, heading: str) -> str:
    """What stands below a heading, up to the next one of its rank or higher."""
    rank = heading.split()[0]
    found = re.search(
        rf"^{re.escape(heading)}\n(.*?)(?=^#{{1,{len(rank)}}} |\Z)", text, re.DOTALL | re.MULTILINE
    )
    assert found, f"there is no heading {heading!r}"
    return found[1]


def tables(text: str) -> dict[str, list[list[str]]]:
    """Every table by the first cell of its head: its rows as cells."""
    found: dict[str, list[list[str]]] = {}
    rows: list[list[str]] | None = None
    for line in text.splitlines():
        if not line.startswith("|"):
            rows = None
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if rows is None:
            rows = found.setdefault(cells[0], [])
        elif not set(line) <= set("|-: "):
            rows.append(cells)
    return found


def named(rows: list[list[str]]) -> list[str]:
    """The names in code type that stand in the first cells of a table."""
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row[0])]


def links(text: str) -> list[str]:
    return _LINK.findall(_FENCE.sub("", text))


def anchors(text: str) -> set[str]:
    """The headings of a page as links name them."""
    headings = re.findall(r"^#+ (.+)$", _FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
