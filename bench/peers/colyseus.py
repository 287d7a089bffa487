"""A room on Colyseus, by its own protocol: HTTP to find it, then messages whose first byte is their kind."""

import asyncio
from typing import Any

from bench import BenchError
from bench.games import cells, first_game
from bench.link import Link, binary_frame
from bench.peers.http import post
from bench.rooms import Room, Tally
from bench.servers import Server

_JOIN, _ERROR, _DATA, _STATE, _PATCH = 10, 11, 13, 14, 15
_MOVES = tuple(binary_frame(bytes((_DATA, 0xA4)) + b"play" + bytes((cell,))) for cell in range(9))
_REMATCH = binary_frame(bytes((_DATA, 0xA7)) + b"rematch")


class ColyseusRoom(Room):
    """Two connections. A patch of the state tells of each move, and of each new game."""

    def __init__(self, tally: Tally) -> None:
        super().__init__(tally)
        self.fail = tally.fail
        self.games, self.first = cells("tictactoe"), first_game()
        self._players = (_Player(self, 0), _Player(self, 1))
        self._mover, self._cell = self._players[0], 0

    async def open(self, server: Server) -> None:
        """Make a room and join it twice."""
        made = await post(server, "/matchmake/create/tictactoe", {})
        await self._players[0].join(server, made)
        await self._players[1].join(server, await post(server, f"/matchmake/joinById/{made['roomId']}", {}))
        self._players[0].begin()

    async def close(self) -> None:
        """Say goodbye to both."""
        for player in self._players:
            await player.close()

    def may_play(self, player: "_Player", cell: int) -> None:
        """`player` is to move there, and knows."""
        self._mover, self._cell = player, cell
        self._may_move()

    def received(self) -> None:
        """The opponent has heard of a move."""
        self._received()

    def _move(self) -> None:
        self._mover.write(_MOVES[self._cell])


class _Player(Link):
    def __init__(self, room: ColyseusRoom, seat: int) -> None:
        super().__init__(room.fail)
        self._room, self._seat = room, seat
        self._number, self._ply = room.first, 0
        self._joined = asyncio.Event()

    async def join(self, server: Server, reserved: dict[str, Any]) -> None:
        """Take the place that was reserved, and wait for the state."""
        room = reserved.get("room", reserved)
        path = f"/{room['processId']}/{room['roomId']}?sessionId={reserved['sessionId']}"
        await self.open(server, path=path)
        await self._joined.wait()

    def on_message(self, message: bytes) -> None:
        kind = message[0]
        if kind == _PATCH:
            self._patched()
        elif kind == _JOIN:
            self.write(binary_frame(bytes((_JOIN,))))
        elif kind == _STATE:
            self._joined.set()
        elif kind == _ERROR:
            raise BenchError(f"Colyseus answered {message!r}.")

    @property
    def _game(self) -> list[int]:
        return self._room.games[self._number % len(self._room.games)]

    def begin(self) -> None:
        """Make the first move of a game."""
        self._room.may_play(self, self._game[0])

    def _patched(self) -> None:
        ply, game = self._ply, self._game
        if ply == len(game):
            self._ply = 0
            self._number += 1
            if self._seat == 0:
                self.begin()
            return
        self._ply = ply + 1
        if ply % 2 != self._seat:
            self._room.received()
            if self._ply < len(game):
                self._room.may_play(self, game[self._ply])
        if self._ply == len(game):
            self.write(_REMATCH)
