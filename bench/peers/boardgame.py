"""A match on boardgame.io, by its own protocol: Socket.IO's packets, of which only three kinds are met."""

import asyncio
import itertools

from bench import BenchError
from bench.link import Link, text_frame
from bench.peers.colyseus import DRAW
from bench.rooms import Room, Tally
from bench.servers import Server

_NUMBERS = itertools.count(1)


class BoardgameRoom(Room):
    """Two connections. The whole state comes with each move, and so do the two requests for a new game."""

    def __init__(self, tally: Tally) -> None:
        super().__init__(tally)
        self.fail = tally.fail
        self.match = f"bench-{next(_NUMBERS)}"
        self._players = (_Player(self, 0), _Player(self, 1))
        self._ply, self._state = 0, b"0"

    async def open(self, server: Server) -> None:
        """Join a match twice: the first makes it."""
        for player in self._players:
            await player.join(server)
        self.may_play(0, b"0")

    async def close(self) -> None:
        """Say goodbye to both."""
        for player in self._players:
            await player.close()

    def may_play(self, ply: int, state: bytes) -> None:
        """Move `ply` is next, and its player knows the state of that number."""
        self._ply, self._state = ply, state
        self._may_move()

    def heard(self) -> None:
        """The opponent has heard of a move."""
        self._heard()

    def _move(self) -> None:
        self._players[self._ply % 2].act(b"play", b"%d" % DRAW[self._ply], self._state)


class _Player(Link):
    def __init__(self, room: BoardgameRoom, seat: int) -> None:
        super().__init__(room.fail)
        self._room, self._seat = room, seat
        self._updates = 0
        self._joined = asyncio.Event()

    async def join(self, server: Server) -> None:
        """Connect to the game, and wait for the state of the match."""
        await self.open(server, path="/socket.io/?EIO=4&transport=websocket")
        await self._joined.wait()

    def act(self, move: bytes, argument: bytes, state: bytes) -> None:
        """Make a move in the state of that number."""
        payload = b'{"type":"%b","args":[%b],"playerID":"%d"}' % (move, argument, self._seat)
        update = b'42/tictactoe,["update",{"type":"MAKE_MOVE","payload":%b},%b,"%b","%d"]'
        self.write(text_frame(update % (payload, state, self._room.match.encode(), self._seat)))

    def on_message(self, message: bytes) -> None:
        if message.startswith(b'42/tictactoe,["update"'):
            self._updated(message)
        elif message == b"2":
            self.write(text_frame(b"3"))
        elif message.startswith(b"0{"):
            self.write(text_frame(b"40/tictactoe,"))
        elif message.startswith(b"40/tictactoe,"):
            sync = f'42/tictactoe,["sync","{self._room.match}","{self._seat}",null,2]'
            self.write(text_frame(sync.encode()))
        elif message.startswith(b'42/tictactoe,["sync"'):
            self._joined.set()
        elif message.startswith(b"44"):
            raise BenchError(f"boardgame.io answered {message!r}.")

    def _updated(self, message: bytes) -> None:
        ply, state = self._updates, _state_number(message)
        self._updates = ply + 1
        if ply < len(DRAW) and ply % 2 != self._seat:
            self._room.heard()
            if ply + 1 < len(DRAW):
                self._room.may_play(ply + 1, state)
        # The state has a number, which each request for a rematch changes: one after the other.
        if ply + 1 == len(DRAW) + self._seat:
            self.act(b"rematch", b"", state)
        elif ply + 1 == len(DRAW) + 2:
            self._updates = 0
            if self._seat == 0:
                self._room.may_play(0, state)


def _state_number(message: bytes) -> bytes:
    start = message.index(b'"_stateID":') + 11
    end = start
    while message[end : end + 1].isdigit():
        end += 1
    return message[start:end]
