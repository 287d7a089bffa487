"""A server's numbers for Prometheus, gathered when they are asked for. docs/monitoring.md lists them."""

import platform
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import get_args

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.exposition import generate_latest
from prometheus_client.registry import Collector

from parlour_protocol.commands import TO_SERVER
from parlour_protocol.errors import Code
from parlour_protocol.events import EVENTS, MovePlayed
from parlour_protocol.messages import types_of
from parlour_protocol.views.rooms import Phase
from parlour_server import __version__
from parlour_server.analysis.scheduler import SearchScheduler
from parlour_server.counters import Counters, Histogram
from parlour_server.hosting.rooms.directory import Directory
from parlour_server.kinds import ROOM
from parlour_server.monitoring import logs
from parlour_server.net.server import SocketServer

PHASES: tuple[Phase, ...] = get_args(Phase)
_COMMANDS = [name for kind in TO_SERVER for name in types_of(kind)]
_EVENTS = {kind: str(kind.__dataclass_fields__["kind"].default) for kind in EVENTS}


@dataclass(frozen=True, slots=True)
class ServerMetrics(Collector):
    """Everything that one server tells of itself. Made once; each `page` is of that moment."""

    counters: Counters
    server: SocketServer
    directory: Directory
    scheduler: SearchScheduler
    data_bytes: int | None
    """In use in the data file; None: the disk did not say so in time."""
    data_limit: int
    """Bytes; 0: none."""

    def page(self) -> bytes:
        """All metrics in Prometheus' text format."""
        registry = CollectorRegistry()
        registry.register(self)
        ProcessCollector(registry=registry)
        return generate_latest(registry)

    def describe(self) -> list[Metric]:
        """See `Collector`. None: there is nothing else in this registry."""
        return []

    def collect(self) -> Iterator[Metric]:
        """See `Collector`."""
        yield from self._connections()
        yield from self._rooms()
        yield from self._searches()
        yield from self._store()
        yield _histogram("loop_lag_seconds", "How late the event loop is", self.counters.loop_lag)
        yield _by("log_lines", "Lines logged, also those left out as repeats", "level", logs.lines)
        build = GaugeMetricFamily("parlour_build_info", "Versions", labels=["version", "python", "node"])
        build.add_metric([__version__, platform.python_version(), self.directory.context.node.name], 1)
        yield build

    def _connections(self) -> Iterator[Metric]:
        counters, server = self.counters, self.server
        yield _gauge("connections", "Open connections", server.open_connections)
        yield _gauge("sessions", "Connections over which a client may speak", server.open_sessions)
        yield _gauge("players", "Players who are connected", self.directory.players)
        yield _counter("connections_accepted", "Connections accepted", counters.connections)
        refused, cut = counters.connections_refused, counters.connections_cut
        yield _by("connections_refused", "Connections refused at the handshake", "reason", refused)
        yield _by("connections_cut", "Connections that the server ended", "reason", cut)
        yield _counter("files_served", "Files of the web page that were asked for", counters.files)
        yield _counter("sessions_welcomed", "Sessions that began with a welcome", counters.sessions)
        yield _counter("players_created", "New players", counters.players_new)
        yield _counter("received_bytes", "Bytes from connections", counters.bytes_in)
        yield _counter("sent_bytes", "Bytes of messages to connections", counters.bytes_out)
        commands = {name: counters.commands.get(name, 0) for name in _COMMANDS}
        yield _by("commands", "Messages that could be read", "type", commands)
        refusals = {code.value: counters.refusals.get(code, 0) for code in Code}
        yield _by("refusals", "Messages that were refused", "code", refusals)
        budgets = counters.budgets_refused
        yield _by("budget_refusals", "What was refused by a rate limit or budget", "budget", budgets)

    def _rooms(self) -> Iterator[Metric]:
        counters, directory = self.counters, self.directory
        phases = directory.phases
        yield _rooms_by_phase({phase: phases[phase] for phase in PHASES})
        most = directory.context.limits.rooms
        yield _gauge("rooms_limit", "How many rooms may be in memory", most)
        yield _gauge("rooms_quarantined", "Rooms put aside since they kept crashing", directory.quarantined)
        yield _counter("room_crashes", "Rooms that started again from their log", counters.crashes[ROOM.noun])
        events = {name: counters.events.get(kind, 0) for kind, name in _EVENTS.items()}
        yield _by("events", "Events that became durable", "kind", events)
        yield _counter("moves", "Moves played", counters.events.get(MovePlayed, 0))

    def _searches(self) -> Iterator[Metric]:
        counters, scheduler = self.counters, self.scheduler
        yield _gauge("search_queue", "Searches that wait", scheduler.waiting)
        yield _gauge("searches_running", "Searches under way", scheduler.running)
        yield _gauge("search_workers", "Searches that may run at once", scheduler.workers)
        ended = CounterMetricFamily(
            "parlour_searches", "Searches that have ended", labels=["kind", "outcome"]
        )
        for labels, count in list(counters.searches.items()):
            ended.add_metric(labels, count)
        yield ended
        yield _counter("searches_refused", "Searches refused by a full queue", counters.searches_refused)
        yield _histogram("search_wait_seconds", "From a request to its worker", counters.search_waits)
        yield _histogram("search_seconds", "With a worker", counters.search_times)

    def _store(self) -> Iterator[Metric]:
        counters = self.counters
        yield _histogram("commit_seconds", "How long commits took", counters.commit_times)
        yield _histogram("commit_records", "Records in a commit", counters.commit_sizes)
        yield _counter("commits_failed", "Commits that failed", counters.commits_failed)
        if self.data_bytes is not None:
            yield _gauge("data_bytes", "Bytes in use in the data file and its WAL", self.data_bytes)
        yield _gauge("data_limit_bytes", "How many there may be; 0: no limit", self.data_limit)


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(f"parlour_{name}", text, value=value)


def _counter(name: str, text: str, value: float) -> Metric:
    return CounterMetricFamily(f"parlour_{name}", text, value=value)


def _by(name: str, text: str, label: str, values: Mapping[str, int]) -> Metric:
    metric = CounterMetricFamily(f"parlour_{name}", text, labels=[label])
    for key, value in list(values.items()):
        metric.add_metric([key], value)
    return metric


def _rooms_by_phase(phases: Mapping[str, int]) -> Metric:
    metric = GaugeMetricFamily("parlour_rooms", "Rooms in memory", labels=["phase"])
    for phase, count in phases.items():
        metric.add_metric([phase], count)
    return metric


def _histogram(name: str, text: str, seen: Histogram) -> Metric:
    buckets, so_far = [], 0
    for bound, count in zip((*seen.bounds, float("inf")), seen.counts, strict=True):
        so_far += count
        buckets.append(("+Inf" if bound == float("inf") else f"{float(bound):g}", so_far))
    return HistogramMetricFamily(f"parlour_{name}", text, buckets=buckets, sum_value=seen.total)
