"""A match on boardgame.io, by its own protocol: Socket.IO's packets, of which only three kinds are met."""

import asyncio
import itertools

from bench import BenchError
from bench.games import cells, first_game
from bench.link import Link, text_frame
from bench.rooms import Room, Tally
from bench.servers import Server

_NUMBERS = itertools.count(1)


class BoardgameRoom(Room):
    """Two connections. The whole state comes with each move, and so do the two requests for a new game."""

    def __init__(self, tally: Tally) -> None:
        super().__init__(tally)
        self.fail = tally.fail
        self.match = f"bench-{next(_NUMBERS)}"
        self.games, self.first = cells("tictactoe"), first_game()
        self._players = (_Player(self, 0), _Player(self, 1))
        self._mover, self._cell, self._state = self._players[0], 0, b"0"

    async def open(self, server: Server) -> None:
        """Join a match twice: the first makes it."""
        for player in self._players:
            await player.join(server)
        self.may_play(self._players[0], self.games[self.first][0], b"0")

    async def close(self) -> None:
        """Say goodbye to both."""
        for player in self._players:
            await player.close()

    def may_play(self, player: "_Player", cell: int, state: bytes) -> None:
        """`player` is to move there, and knows the state of that number."""
        self._mover, self._cell, self._state = player, cell, state
        self._may_move()

    def received(self) -> None:
        """The opponent has heard of a move."""
        self._received()

    def _move(self) -> None:
        self._mover.act(b"play", b"%d" % self._cell, self._state)


class _Player(Link):
    def __init__(self, room: BoardgameRoom, seat: int) -> None:
        super().__init__(room.fail)
        self._room, self._seat = room, seat
        self._number, self._updates = room.first, 0
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
        ply, state, games = self._updates, _state_number(message), self._room.games
        game = games[self._number % len(games)]
        self._updates = ply + 1
        if ply < len(game) and ply % 2 != self._seat:
            self._room.received()
            if ply + 1 < len(game):
                self._room.may_play(self, game[ply + 1], state)
        # The state has a number, which each request for a rematch changes: one after the other.
        if ply + 1 == len(game) + self._seat:
            self.act(b"rematch", b"", state)
        elif ply + 1 == len(game) + 2:
            self._updates = 0
            self._number += 1
            if self._seat == 0:
                self._room.may_play(self, games[self._number % len(games)][0], state)


def _state_number(message: bytes) -> bytes:
    start = message.index(b'"_stateID":') + 11
    end = start
    while message[end : end + 1].isdigit():
        end += 1
    return message[start:end]
