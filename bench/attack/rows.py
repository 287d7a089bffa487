"""Each row of the table: an attack, the server's settings for it, and what honest people made of it."""

import asyncio
import math
import shutil
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from pydantic import TypeAdapter

from bench.attack.processes import Child, Server, serving
from parlour_client.load.histogram import Histogram
from parlour_client.load.plan import Outcome

ROUNDS = 3
"""How often quiet and attack take turns. The median round counts, not one hiccup of the machine."""
REST_SECONDS = 0.5
READY_SECONDS = 120.0
TWICE = 2.0
FLOOR = 0.010
"""Seconds: below this nobody waits, and the machine's own unrest is larger than twice the quiet time."""


@dataclass(frozen=True, slots=True)
class Row:
    """An attack as a row of the table."""

    name: str
    title: str
    settings: dict[str, int] = field(default_factory=dict)
    handles: int = 4096


ROWS = (
    Row("thoughts", "thoughts of a long game, 5 polite connections"),
    Row("records", "record and board of a long game, 5 polite"),
    Row("analyses", "20 x analyse reversi"),
    Row("slow_analyses", "40 x analyse mnk:9,9,5"),
    Row("hints", "50 x race connect4, one address"),
    Row("rooms", "rooms and lobby lines, one address"),
    Row("full_house", "the same, 100 rooms in all, 50 for an address", {"rooms": 100, "address_rooms": 50}),
    Row("connections", "connections, until handles run out", {}, 1024),
    Row("players", "new players, one address"),
    Row("many_players", "new players, many addresses"),
    Row("codes", "guessed codes, many addresses", {"rooms": 60}),
    Row("flood", "messages at 10 x the limit"),
    Row("deaf", "20 that never read"),
    Row("half_open", "500 half-open connections"),
    Row("spectators", "500 spectators in one room"),
    Row("malformed", "too long, too deep, no JSON"),
    Row("disconnects", "abrupt disconnects"),
    Row("pings", "largest pings, 40 addresses at a time"),
    Row("fragments", "fragments of one byte, 40 addresses"),
    Row("largest", "messages of the largest size, 40 addresses"),
    Row("deep", "messages nested without end, 40 addresses"),
    Row("slow_readers", "40 addresses ask for much and read nothing"),
    Row("visitors", "400 addresses shake hands and say nothing"),
    Row("newcomers_analyse", "57 new players at a time analyse"),
    Row("newcomers_draw_trees", "57 new players at a time draw trees"),
    Row("everything", "2 hard bots, 500 watch, 20 deaf, flood"),
)
SAME_ATTACK = {"full_house": "rooms"}


@dataclass(slots=True)
class Found:
    """What a row has shown. Times are in seconds."""

    row: Row
    quiet: Outcome
    attacked: Outcome
    arrivals: tuple[Histogram, Histogram]
    """How long newcomers took, quiet and under the attack."""
    losses: dict[str, int]
    """What honest people lost under the attack."""
    lost_quiet: dict[str, int]
    """What they lost without it: a fault of the server, or of this machine."""
    did: dict[str, int]
    tracebacks: int
    server_busy: float
    ratios: list[float]
    """The p99 under the attack, in parts of the quiet one, in each round."""

    @property
    def ratio(self) -> float:
        """That of the median round."""
        return median(self.ratios)

    @property
    def holds(self) -> bool:
        """No losses, and a p99 of at most twice the quiet one, or below what can be told apart."""
        attacked = self.attacked.latency.percentile(99)
        fast = attacked is not None and (self.ratio <= TWICE or attacked <= FLOOR)
        return fast and not self.losses and not self.tracebacks

    def as_json(self) -> dict[str, Any]:
        def figures(outcome: Outcome, arrivals: Histogram) -> dict[str, Any]:
            def ms(times: Histogram, percent: float) -> float | None:
                found = times.percentile(percent)
                return None if found is None else round(found * 1000, 2)

            return {
                "moves": outcome.moves,
                "p50_ms": ms(outcome.latency, 50),
                "p99_ms": ms(outcome.latency, 99),
                "bot_answer_p50_ms": ms(outcome.bot_answers, 50),
                "bot_answer_p99_ms": ms(outcome.bot_answers, 99),
                "newcomer_p50_ms": ms(arrivals, 50),
                "newcomer_p99_ms": ms(arrivals, 99),
            }

        return {
            "row": self.row.name,
            "title": self.row.title,
            "quiet": figures(self.quiet, self.arrivals[0]),
            "attacked": figures(self.attacked, self.arrivals[1]),
            "ratio": None if math.isinf(self.ratio) else round(self.ratio, 2),
            "ratios": [None if math.isinf(one) else round(one, 2) for one in self.ratios],
            "losses": self.losses,
            "lost_quiet": self.lost_quiet,
            "did": self.did,
            "tracebacks": self.tracebacks,
            "server_busy": round(self.server_busy, 2),
            "holds": self.holds,
        }


async def measure(row: Row, seconds: float, rounds: int = ROUNDS) -> Found:
    """Run a row: a fresh server with its file, honest people, and the attack on and off in turn."""
    folder = Path(tempfile.mkdtemp(prefix="parlour-attack-"))
    try:
        async with serving(
            str(folder / "rooms.db"), folder / "log", handles=row.handles, **row.settings
        ) as server:
            people = await Child.start("bench.attack.people", server.url)
            try:
                honest = (await people.receive(READY_SECONDS))["ready"]
                attack = SAME_ATTACK.get(row.name, row.name)
                attackers = await Child.start("bench.attack.attacks", attack, server.url, ",".join(honest))
                try:
                    return await _interleaved(row, seconds, rounds, server, people, attackers)
                finally:
                    await attackers.end()
            finally:
                await people.end()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def _interleaved(
    row: Row, seconds: float, rounds: int, server: Server, people: Child, attackers: Child
) -> Found:
    await attackers.receive(READY_SECONDS)
    did: Counter[str] = Counter()
    busy = 0.0

    async def turn_to(phase: str, duration: float) -> None:
        people.tell(phase)
        await people.receive(READY_SECONDS)
        await asyncio.sleep(duration)

    for number in range(rounds):
        await turn_to(f"quiet {number}", seconds)
        attackers.tell("on")
        used = server.cpu_seconds()
        await turn_to(f"attacked {number}", seconds)
        busy += (server.cpu_seconds() - used) / seconds / rounds
        people.tell("rest")
        await people.receive(READY_SECONDS)
        attackers.tell("off")
        off = await attackers.receive(READY_SECONDS)
        did = Counter(off["off"])
        if off["broken"]:
            did[f"the attack broke: {off['broken']}"] += 1
        await asyncio.sleep(REST_SECONDS)
    people.tell("end")
    said = await people.receive(READY_SECONDS)
    phases = TypeAdapter(dict[str, Outcome]).validate_python(said["phases"])
    arrivals = TypeAdapter(dict[str, Histogram]).validate_python(said["arrivals"])
    quiet, attacked = Outcome(), Outcome()
    came = Histogram(), Histogram()
    missed: tuple[list[str], list[str]] = [], []
    ratios = []
    for number in range(rounds):
        for turn, (name, outcome) in enumerate((("quiet", quiet), ("attacked", attacked))):
            phase = f"{name} {number}"
            outcome.merge(phases[phase])
            came[turn].merge(arrivals.get(phase, Histogram()))
            missed[turn].extend(said["missed"].get(phase, []))
        ratios.append(_ratio(phases[f"quiet {number}"], phases[f"attacked {number}"]))
    losses = _losses(attacked, missed[1])
    losses.update(said["gone"])
    losses.update(phases["rest"].faults)
    if server.process.returncode is not None:
        losses["the server has died"] += 1
    return Found(
        row,
        quiet,
        attacked,
        came,
        dict(losses),
        dict(_losses(quiet, missed[0])),
        dict(did),
        server.tracebacks(),
        busy,
        ratios,
    )


def _ratio(quiet: Outcome, attacked: Outcome) -> float:
    before, during = quiet.latency.percentile(99), attacked.latency.percentile(99)
    return during / before if during is not None and before else math.inf


def _losses(outcome: Outcome, missed: list[str]) -> Counter[str]:
    """What was lost, by what it was."""
    lost: Counter[str] = Counter()
    for code, count in outcome.refused.items():
        lost[f"refused: {code}"] += count
    for why, count in outcome.lost.items():
        lost[f"connection lost: {why}"] += count
    if outcome.lost_on_time:
        lost["lost on time"] += outcome.lost_on_time
    lost.update(outcome.faults)
    lost.update(missed)
    return lost
