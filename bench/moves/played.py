"""Random games through two sessions of a server without sockets: a process, run by a checkout's Python.

What is timed is a move's whole way, from a session's `receive` to both outboxes, its log in memory. The games
are the same in every checkout, and all different, so that no cache of whole games helps. Prints one JSON
value: each game's row.
"""

import asyncio
import gc
import json
import random
import sys
import time
from collections import deque
from typing import Any

from parlour_server import games as registry
from parlour_server.games import find_game
from parlour_server.games.game import Game
from parlour_server.store.memory import MemoryStore
from tests.hosting import harness as hosting
from tests.support.mancala import MANCALA

WARM_UP = 60
"""Moves that are played first, and not counted."""
COUNTED = 3
"""Games whose calls are counted."""


class Outbox:
    """Takes what a session sends, at the least cost."""

    def __init__(self) -> None:
        self.sent: deque[bytes] = deque(maxlen=8)
        self.send = self.sent.append

    @property
    def said(self) -> list[Any]:
        """The last messages."""
        return [json.loads(message) for message in self.sent]

    def close(self, code: int, reason: str) -> None:
        """Break off: nothing here closes a connection."""
        raise AssertionError(f"the session was closed: {reason}")

    def pause(self) -> None:
        """Nothing waits here."""

    def resume(self) -> None:
        """Nothing waited."""

    def lag(self) -> int:
        """No lag is known."""
        return 0


class Table:
    """Two players in a room, who play game after game."""

    def __init__(self, game: Game[Any], room: str, players: list[Any]) -> None:
        self.game, self.room, self.players = game, room, players
        self._asked = 0

    def commands(self, moves: list[tuple[int, str]]) -> list[tuple[Any, str]]:
        """What is received for the moves of one game that begins now, and by whose session."""
        version = self._state().version
        found = []
        for number, (side, move) in enumerate(moves):
            self._asked += 1
            fields = {"id": f"m{self._asked}", "type": "play", "room": self.room, "version": version + number}
            found.append((self.players[side].session.receive, json.dumps({**fields, "move": move})))
        return found

    def check(self, moves: list[tuple[int, str]]) -> None:
        """The game went as it was meant to."""
        state = self._state()
        assert [played.move for played in state.moves] == [move for _, move in moves], self.players[
            0
        ].wire.said
        assert state.phase == "finished"

    def again(self) -> None:
        """Begin the next game."""
        for player in self.players:
            player.say("rematch", room=self.room)

    def _state(self) -> Any:
        return self.players[0].session._rooms[self.room].state


def random_moves(game: Game[Any], dice: random.Random) -> list[tuple[int, str]]:
    """A game at random: who moves, and the moves as people write them."""
    position = game.initial()
    found: list[tuple[int, str]] = []
    while game.outcome(position) is None:
        move = dice.choice(list(game.legal_moves(position)))
        found.append((game.to_move(position), game.format(position, move)))
        position = game.play(position, move)
    return found


async def measure(names: list[str], moves: int) -> dict[str, dict[str, float]]:
    """At least so many moves of each game: microseconds of CPU and calls for each."""
    vars(hosting)["Wire"] = Outbox
    games, broken = registry._registry()
    vars(registry)["_registry"] = lambda: ({**games, MANCALA.name: MANCALA}, broken)
    harness = hosting.HostingHarness(store=MemoryStore())
    harness.context.now = lambda: time.time_ns() // 1_000_000
    harness.context.monotonic = time.monotonic
    found = {}
    for name in names:
        ada, ben = await harness.person("Ada"), await harness.person("Ben")
        room = ada.ask("create", game=name, settings={"starts": "first"})["room"]
        for player in (ada, ben):
            player.say("sit", room=room)
        found[name] = _row(Table(find_game(name), room, [ada, ben]), moves, random.Random(f"moves of {name}"))
    harness.directory.stop()
    await harness.scheduler.close()
    return found


def _row(table: Table, moves: int, dice: random.Random) -> dict[str, float]:
    _play(table, WARM_UP, dice)
    calls = _counted(table, dice)
    gc.collect()
    gc.freeze()
    gc.disable()
    spent, played = _play(table, moves, dice)
    gc.enable()
    return {"us": spent / played / 1000, **calls}


def _play(table: Table, least: int, dice: random.Random) -> tuple[int, int]:
    """Play on until so many moves are played: nanoseconds of CPU, and how many they were."""
    spent = played = 0
    while played < least:
        moves = random_moves(table.game, dice)
        commands = table.commands(moves)
        start = time.thread_time_ns()
        for receive, text in commands:
            receive(text)
        spent += time.thread_time_ns() - start
        played += len(moves)
        table.check(moves)
        table.again()
    return spent, played


def _counted(table: Table, dice: random.Random) -> dict[str, float]:
    """How many functions in Python, and how many in C, each move calls."""
    counts = {"call": 0, "c_call": 0}
    played = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        if event in counts:
            counts[event] += 1

    for _ in range(COUNTED):
        moves = random_moves(table.game, dice)
        commands = table.commands(moves)
        sys.setprofile(count)
        for receive, text in commands:
            receive(text)
        sys.setprofile(None)
        # One call each is `setprofile` itself.
        counts["c_call"] -= 1
        played += len(moves)
        table.check(moves)
        table.again()
    return {"calls": counts["call"] / played, "c_calls": counts["c_call"] / played}


if __name__ == "__main__":
    order = json.loads(sys.argv[1])
    print(json.dumps(asyncio.run(measure(order["games"], order["moves"]))))
