"""What is right or wrong, not fast or slow. Each probe starts servers of its own and says what it saw."""

import asyncio
import json
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from bench.attack.attacker import Attacker, some_address
from bench.attack.processes import ROOT, Server, end, serving, start_server
from parlour_client.load.plan import Outcome
from parlour_client.load.player import Message, Player
from parlour_client.load.room import Room
from parlour_client.sdk.requests import new_id
from parlour_protocol.commands import (
    AddBot,
    AskedSettings,
    AskThoughts,
    CreateRoom,
    PlayMove,
    Subscribe,
    TakeSeat,
)

SECONDS = 20.0
MOST_CHARGED = 0.6
"""Seconds: until a move is under way, and how exactly a kill can be timed from outside."""
LOOKALIKES = (
    "Ada\u034f", "Ada\ufe0f", "Ada\u2800", "Ada\u3164", "Ad\u0430", "\u0410\u0501\u0430", "ADA",
    "A\u0501a", "Ada ", "Aԁa", "𝖠𝖽𝖺",
)  # fmt: skip
RESERVED = ("Ada ( bot )", "Ada (bot)", "Ada [bot]", "Server", "Ѕегѵег", "free", "Admin")
FLIPS = 20
FLIPPED_BITS = 200


@dataclass(frozen=True, slots=True)
class Seen:
    """What a probe saw."""

    name: str
    title: str
    holds: bool
    seen: str

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@asynccontextmanager
async def _folder() -> AsyncIterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="parlour-attack-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def _player(url: str, name: str, **options: Any) -> Player:
    player = Player(url, name, Outcome(), headers={"X-Forwarded-For": some_address()}, **options)
    await player.open(SECONDS)
    return player


async def names() -> Seen:
    """Nobody in a room can look like another, like a bot, or like the server."""
    slipped = []
    async with _folder() as folder, serving(":memory:", folder / "log") as server:
        ada = await _player(server.url, "Ada")
        for name in LOOKALIKES + RESERVED:
            code = (await ada.ask(CreateRoom(id=new_id(), game="tictactoe")))["room"]
            await ada.ask(TakeSeat(id=new_id(), room=code, seat=0))
            attacker = Attacker(Counter())
            if await attacker.come(server.url, some_address(), name):
                sat = await attacker.ask({"type": "sit", "room": code})
                if sat is not None and sat["type"] == "accepted":
                    await ada.shown(SECONDS)
                    shown = [seat["name"] for seat in ada.view["seats"]]
                    # A number or a mark behind it is what tells them apart.
                    if shown[1] in (name, "Ada"):
                        slipped.append(ascii(shown[1]))
            attacker.leave()
            # A room's maker may make ten at once.
            ada.close()
            ada = await _player(server.url, "Ada")
        ada.close()
    tried = len(LOOKALIKES) + len(RESERVED)
    seen = f"{tried - len(slipped)} of {tried} turned away or marked" + (
        f"; not {', '.join(slipped)}" if slipped else ""
    )
    return Seen("names", "look-alike and reserved names", not slipped, seen)


async def secrets() -> Seen:
    """What a room hides of its bot's thoughts no second identity gets to see."""
    async with _folder() as folder, serving(":memory:", folder / "log") as server:
        leaks = [*await _leaks(server.url, "never"), *await _leaks(server.url, "after")]
    seen = ", ".join(leaks) or "a spectator got no thought, by events or by asking"
    return Seen("secrets", "bots' hidden thoughts, by a second identity", not leaks, seen)


async def _leaks(url: str, reports: Literal["never", "after"]) -> list[str]:
    """What a spectator gets of a bot's thoughts while a game runs in a room that hides them."""
    got: Counter[str] = Counter()
    owner = await _player(url, "Owner")
    settings = AskedSettings(reports=reports, starts="first")
    code = (await owner.ask(CreateRoom(id=new_id(), game="tictactoe", settings=settings)))["room"]
    await owner.ask(TakeSeat(id=new_id(), room=code, seat=0))

    def look(message: Message) -> None:
        text = json.dumps(message)
        got["reports in events"] += '"report": {' in text or '"candidates"' in text

    second = await _player(url, "Second", on_change=look)
    second.room = code
    await second.ask(Subscribe(id=new_id(), room=code))
    await owner.ask(AddBot(id=new_id(), room=code, bot="medium"))
    await owner.shown(SECONDS)
    for _ in range(2):
        await _play(owner)
    await _until(lambda: len(owner.view["moves"]) == 4)
    answer = await second.ask(AskThoughts(id=new_id(), room=code))
    got["thoughts"] += len(answer["thoughts"])
    owner.close()
    second.close()
    return [f"{reports}: {what} ({count})" for what, count in got.items() if count]


async def clocks() -> Seen:
    """kill -9 with a clock running: neither the downtime nor the way back is charged, and no move is lost."""
    async with _folder() as folder:
        data, log = str(folder / "rooms.db"), folder / "log"
        server = await start_server(data, log)
        port = int(server.url.rpartition(":")[2])
        settings = AskedSettings(clock="1+0", starts="first")
        players = [await _player(server.url, name) for name in ("First", "Second")]
        code = (await players[0].ask(CreateRoom(id=new_id(), game="connect4", settings=settings)))["room"]
        for seat, player in enumerate(players):
            player.room = code
            await player.ask(TakeSeat(id=new_id(), room=code, seat=1 if seat else 0))
        for _ in range(2):
            for player in players:
                await _play(player)
        await _until(lambda: all(player.view.get("clock") for player in players))
        before, moves = players[0].view["clock"]["left"][0], list(players[0].view["moves"])
        running = time.monotonic()
        await asyncio.sleep(0.5)
        await server.kill()
        up = time.monotonic() - running
        for player in players:
            player.close()
        again = await start_server(data, log, port=port)
        try:
            # It takes them a while to come back.
            await asyncio.sleep(1.5)
            back = []
            for player in players:
                one = Player(again.url, player.name, Outcome())
                one.token = player.token
                await one.open(SECONDS)
                one.room = code
                await one.ask(Subscribe(id=new_id(), room=code))
                await one.shown(SECONDS)
                back.append(one)
            lost = [move for move in moves if move not in back[0].view["moves"]]
            returned = time.monotonic()
            await _play(back[0])
            await _until(lambda: len(back[0].view["moves"]) > len(moves))
            thought = up + time.monotonic() - returned
            charged = (before - back[0].view["clock"]["left"][0]) / 1000
            for player in back:
                player.close()
        finally:
            await end(again.process)
    wrong = charged - thought
    holds = not lost and wrong <= MOST_CHARGED
    seen = f"thought for {thought:.2f} s, charged {charged:.2f}; {len(lost)} of {len(moves)} moves lost"
    return Seen("clocks", "kill -9 with a clock running", holds, seen)


async def kills() -> Seen:
    """kill -9 in the middle of play, three times: every acceptance stands in its room once."""
    async with _folder() as folder:
        data, log = str(folder / "rooms.db"), folder / "log"
        server = await start_server(data, log)
        port = int(server.url.rpartition(":")[2])
        outcome = Outcome()
        rooms = [
            Room(server.url, number, outcome, pause=0.05, headers={"X-Forwarded-For": some_address()})
            for number in range(10)
        ]
        await asyncio.gather(*(room.open(SECONDS) for room in rooms))
        for room in rooms:
            room.measured = True
            room.run()
        for _ in range(3):
            await asyncio.sleep(1.0)
            await server.kill()
            server = await start_server(data, log, port=port)
        await asyncio.sleep(2.0)
        for room in rooms:
            room.halt()
        rested = await asyncio.gather(*(room.rest() for room in rooms))
        await asyncio.gather(*(room.check() for room in rooms))
        for room in rooms:
            room.close()
        await end(server.process)
    holds = all(rested) and not outcome.faults and outcome.moves > 0
    seen = f"{outcome.moves} moves, {outcome.checked_games} games checked, {rested.count(False)} rooms stuck"
    seen += f"; {' '.join(outcome.faults[:3])}" if outcome.faults else ""
    return Seen("kills", "kill -9, three times in the middle of play", holds, seen)


async def codes() -> Seen:
    """A private room's code, a wrong one and a closed one are answered alike by who has no seat."""
    async with _folder() as folder, serving(":memory:", folder / "log") as server:
        attacker = Attacker(Counter())
        assert await attacker.come(server.url, some_address())
        got: Counter[str] = Counter()
        for number in range(60):
            answer = await attacker.ask(
                {"type": "subscribe", "room": f"AAAA{number:02}".replace("0", "B").replace("1", "C")}
            )
            if answer is None:
                got["cut"] += 1
                break
            got[answer.get("code", answer["type"])] += 1
            await asyncio.sleep(0.02)
        attacker.leave()
    limited = got["too_fast"] + got["cut"] > 0
    return Seen("guesses", "60 guessed codes in two seconds, one connection", limited, str(dict(got)))


async def bits() -> Seen:
    """Flipped bits in the data file: a server starts with what is whole, or says what to do."""
    async with _folder() as folder:
        whole = folder / "whole.db"
        server = await start_server(str(whole), folder / "log")
        outcome = Outcome()
        rooms = [Room(server.url, number, outcome) for number in range(8)]
        await asyncio.gather(*(room.open(SECONDS) for room in rooms))
        for room in rooms:
            room.run()
        await asyncio.sleep(1.5)
        for room in rooms:
            room.halt()
        await asyncio.gather(*(room.rest() for room in rooms))
        for room in rooms:
            room.close()
        await end(server.process)
        chance = random.Random(13)
        wrong: Counter[str] = Counter()
        for number in range(FLIPS):
            wrong[
                await _flipped(whole, folder / f"{number}.db", 1 if number % 2 else FLIPPED_BITS, chance)
            ] += 1
        moved = await _flip_a_move(whole, folder / "moved.db")
    bad = {what: count for what, count in wrong.items() if what.startswith("BAD")}
    holds = not bad and moved.startswith("seen")
    seen = "; ".join(f"{what} {count}" for what, count in wrong.items())
    return Seen("bits", f"flipped bits, {FLIPS} files", holds, f"{seen}; a flipped move: {moved}")


async def _flipped(whole: Path, path: Path, count: int, chance: random.Random) -> str:
    """Flip so many bits of a copy; gives what a server makes of it."""
    data = bytearray(whole.read_bytes())
    for _ in range(count):
        at = chance.randrange(len(data) * 8)
        data[at // 8] ^= 1 << at % 8
    path.write_bytes(data)
    log = path.with_suffix(".log")
    try:
        server: Server = await start_server(str(path), log)
    except RuntimeError as error:
        said = str(error)
        if "Traceback" in said:
            return "BAD: a traceback"
        if "parlour data" in said or "copy" in said:
            return "exit with advice"
        return f"BAD: exit without advice, {said.strip().splitlines()[-1]!r}".replace(str(path), "FILE")
    await end(server.process)
    return "BAD: a traceback" if server.tracebacks() else "started"


async def _flip_a_move(whole: Path, path: Path) -> str:
    """Change one accepted move into another, and ask whether anybody notices."""
    data = whole.read_bytes()
    found = data.find(b'"move":"')
    if found < 0:
        return "no move stands in plain text"
    at = found + len(b'"move":"')
    other = b"b" if data[at : at + 1] != b"b" else b"c"
    path.write_bytes(data[:at] + other + data[at + 1 :])
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", "parlour_client", "data", "check", str(path),
        cwd=ROOT, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    said = (await process.communicate())[0].decode(errors="replace")
    if process.returncode == 1 and "Traceback" not in said:
        return "seen by data check"
    return f"unnoticed (exit {process.returncode}: {said.strip().splitlines()[-1:]})"


async def _play(player: Player) -> None:
    await _until(
        lambda: bool(player.view) and (player.view.get("turn") or {}).get("seat") == player.view["you"]
    )
    view = player.view
    move = view["position"]["legal"][len(view["moves"]) % 3]
    await player.ask(PlayMove(id=new_id(), room=view["room"], version=view["version"], move=move))


async def _until(happens: Callable[[], bool]) -> None:
    async with asyncio.timeout(SECONDS):
        while not happens():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


PROBES: dict[str, Callable[[], Awaitable[Seen]]] = {
    "names": names,
    "secrets": secrets,
    "clocks": clocks,
    "kills": kills,
    "guesses": codes,
    "bits": bits,
}
