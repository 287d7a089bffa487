"""A Parlour room with two players who play one game after the other, by the protocol.

What happens for each move is done on the bytes: reading JSON would make the generator the
bottleneck. All else goes the ordinary way.
"""

import asyncio
import itertools
import json
from typing import Any

from bench import BenchError
from bench.games import first_game, texts
from bench.link import Link, text_frame
from bench.rooms import Room, Tally
from bench.servers import Server
from parlour_protocol import PROTOCOL_VERSION, SUBPROTOCOL


class ParlourRoom(Room):
    """Two connections, a player each. Seat 0 begins every game, and both always want another.

    Only moves count as moves: what the rematches cost is spread over them.
    """

    def __init__(self, tally: Tally, game: str = "tictactoe") -> None:
        super().__init__(tally)
        self.fail = tally.fail
        self._game = game
        self.games = texts(game)
        self.first = first_game()
        self._code = b""
        self._players = (_Player(self, 0), _Player(self, 1))
        self._mover, self._next, self._version = self._players[0], b"", b""
        self.started = asyncio.Event()

    async def open(self, server: Server) -> None:
        """Bring two new players to a new room's seats, and wait for their first game."""
        first, second = self._players
        await self.connect(server)
        created = await first.ask("create", game=self._game, settings={"starts": "first"})
        code = created["room"]
        self._code = code.encode()
        await first.ask("sit", room=code, seat=0)
        await second.ask("sit", room=code, seat=1)
        await self.started.wait()

    async def connect(self, server: Server) -> int:
        """See `Room.connect`: two players who have no room yet."""
        for player in self._players:
            await player.enter(server)
        return len(self._players)

    async def close(self) -> None:
        """Say goodbye to both. The room stays on the server, which goes on with an empty house."""
        for player in self._players:
            await player.close()

    def may_play(self, player: "_Player", move: bytes, version: bytes) -> None:
        """`player` knows the position at `version`, and that this is the next move of the game."""
        self._mover, self._next, self._version = player, move, version
        self._may_move()

    def received(self) -> None:
        """The opponent heard of a move."""
        self._received()

    def accepted(self) -> None:
        """A player's command was."""

    def _move(self) -> None:
        self._mover.play(self._code, self._version, self._next)

    def again(self, player: "_Player") -> None:
        """A game is over: ask for the next one."""
        player.ask_rematch(self._code)


class _Player(Link):
    def __init__(self, room: ParlourRoom, seat: int) -> None:
        super().__init__(room.fail)
        self._room = room
        self.seat = seat
        self._number = room.first
        self._game = room.games[self._number]
        self._ply = 0
        """How many moves of this game this player has heard of."""
        self._ids = itertools.count(1)
        self._asked: dict[str, asyncio.Future[dict[str, Any]]] = {}

    async def enter(self, server: Server) -> None:
        """Connect, and say hello as a new player."""
        await self.open(server, SUBPROTOCOL)
        await self.ask("hello", protocols=[PROTOCOL_VERSION], name=f"Bench {self.seat + 1}")

    async def ask(self, kind: str, **fields: object) -> dict[str, Any]:
        """Send a command and wait for its answer. A refusal goes to `fail`."""
        command = str(next(self._ids))
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._asked[command] = answer
        self.write(text_frame(json.dumps({"id": command, "type": kind, **fields}).encode()))
        return await answer

    def play(self, code: bytes, version: bytes, move: bytes) -> None:
        command = b'{"id":"%d","type":"play","room":"%s","version":%s,"move":"%s"}'
        self.write(text_frame(command % (next(self._ids), code, version, move)))

    def ask_rematch(self, code: bytes) -> None:
        self.write(text_frame(b'{"id":"%d","type":"rematch","room":"%s"}' % (next(self._ids), code)))

    def on_message(self, text: bytes) -> None:
        if b'"kind":"move_played"' in text:
            ply = self._ply
            self._ply = ply + 1
            if ply % 2 != self.seat:
                self._room.received()
                if ply + 1 < len(self._game):
                    self._room.may_play(self, self._game[ply + 1], _version(text))
        elif b'"type":"accepted"' in text and not self._asked:
            self._room.accepted()
        elif b'"kind":"game_finished"' in text:
            self._ply, self._number = 0, self._number + 1
            self._game = self._room.games[self._number % len(self._room.games)]
            self._room.again(self)
        elif b'"kind":"game_started"' in text:
            if self.seat == 0:
                self._room.started.set()
                self._room.may_play(self, self._game[0], _version(text))
        else:
            self._on_rare(text)

    def _on_rare(self, text: bytes) -> None:
        message = json.loads(text)
        if message["type"] in ("refused", "goodbye"):
            raise BenchError(f"The server answered {text.decode()}")
        answer = self._asked.pop(message.get("id"), None)
        if answer is not None and not answer.done():
            answer.set_result(message)


def _version(text: bytes) -> bytes:
    """The version that an event made, as it stands in its text."""
    start = text.index(b'"version":') + 10
    return text[start : text.index(b",", start)]
