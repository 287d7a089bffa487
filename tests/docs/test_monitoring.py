"""docs/monitoring.md and the dashboard name the metrics that there are, and no others."""

import asyncio
import json
import re

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.docs.markdown import ROOT, blocks, named, page, tables
from tests.monitoring.test_metrics import get
from tests.support.server import serving

PAGE = page("docs/monitoring.md")
DASHBOARD = json.loads((ROOT / "docs" / "grafana-dashboard.json").read_text(encoding="utf-8"))
QUERIES = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
FROM_PROMETHEUS = {"up"}
PARTS = ("_bucket", "_sum", "_count")


@pytest.fixture(scope="module")
def families() -> dict[str, str]:
    """What /metrics has: each metric's type by the name that is queried, without a histogram's parts."""

    async def scraped() -> str:
        async with serving() as url:
            return (await get(url, "/metrics"))[1]

    body = asyncio.run(scraped())
    return {
        f"{family.name}_total" if family.type == "counter" else family.name: family.type
        for family in text_string_to_metric_families(body)
    }


def queried(text: str) -> set[str]:
    """The metrics that a query in PromQL asks for."""
    return set(re.findall(r"\b(?:parlour|process|up)(?:_[a-z_]+)?\b(?=[{\[ )]|$)", text))


def are_metrics(names: set[str], families: dict[str, str]) -> bool:
    for name in names - FROM_PROMETHEUS:
        whole = name
        for part in PARTS:
            if families.get(name.removesuffix(part)) == "histogram":
                whole = name.removesuffix(part)
        assert whole in families, name
        assert (families[whole] == "histogram") == (whole != name), name
    return True


def test_every_metric_is_in_the_table_and_no_other(families: dict[str, str]) -> None:
    reported = named(tables(PAGE)["Metric"])
    assert len(reported) == len(set(reported))
    assert set(reported) == {name for name in families if name.startswith("parlour_")}


def test_histograms_are_called_so(families: dict[str, str]) -> None:
    for row in tables(PAGE)["Metric"]:
        for name in named([row]):
            assert row[1].startswith("histogram: ") == (families[name] == "histogram"), name


def test_the_dashboard_asks_for_metrics_that_there_are(families: dict[str, str]) -> None:
    assert all(queried(query) for query in QUERIES)
    assert are_metrics(set().union(*map(queried, QUERIES)), families)


def test_the_dashboard_shows_every_metric(families: dict[str, str]) -> None:
    shown = " ".join(QUERIES)
    assert [name for name in families if name.startswith("parlour_") and name not in shown] == []


def test_its_panels_neither_overlap_nor_leave_the_page() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        at = panel["gridPos"]
        cells = {(at["x"] + x, at["y"] + y) for x in range(at["w"]) for y in range(at["h"])}
        assert not cells & taken, panel["title"]
        assert max(x for x, _ in cells) < 24, panel["title"]
        taken |= cells
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])


def test_alerts_ask_for_metrics_that_there_are(families: dict[str, str]) -> None:
    (alerts,) = [block for block in blocks(PAGE, "yaml") if "alert:" in block]
    queries = re.findall(r"expr: (.+)", alerts)
    assert len(queries) == alerts.count("- alert:")
    for query in queries:
        assert queried(query), query
        assert are_metrics(queried(query), families)


def test_the_process_metrics_that_are_named_are_there(families: dict[str, str]) -> None:
    assert are_metrics(set(re.findall(r"`(process_\w+)`", PAGE)), families)
