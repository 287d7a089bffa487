"""Every command at its worst: the longest games and logs, the fullest lists, the largest answers."""

import asyncio
import itertools
import json
import random
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from parlour_protocol import LONGEST_CHAT, LONGEST_QR_LINK
from parlour_protocol.actions import OFFERS
from parlour_protocol.events import (
    ChatPosted,
    GameFinished,
    GameStarted,
    GameSummary,
    KnownEvent,
    MovePlayed,
    PlayerSummary,
    RoomCreated,
    SeatTaken,
)
from parlour_protocol.ids import CODE_ALPHABET, Seat
from parlour_protocol.settings import RoomSettings
from parlour_protocol.tournaments import MOST_ENTRANTS
from parlour_protocol.views.reports import Candidate, Report, Score, UnfinishedRound
from parlour_server.analysis.scheduler import SearchScheduler
from parlour_server.games import find_game
from parlour_server.hosting.context import Context
from parlour_server.hosting.rooms.directory import Directory
from parlour_server.hosting.tournaments.registry import Tournaments
from parlour_server.log import LogRecord
from parlour_server.room.chat import CHAT_KEPT
from parlour_server.sessions.names import hash_token
from parlour_server.sessions.session import Session
from parlour_server.settings import ServerLimits
from parlour_server.store.port import Player, Store, StoreError

GAME = "mnk:19,19,19"
"""The largest board: 361 cells, and on it nobody wins before the board is full."""
BEGUN = 300
"""So many moves stand on it where somebody still plays."""
GAMES = 1_500
"""Of a series, each of nine moves: 16,500 events."""
PAST_ROOMS, PAST_GAMES = 50, 40
SPECTATORS = 200
RATED = 2_000
"""People who have a rating; of whom a hundred are listed."""
ANSWERED_SECONDS = 60.0

BOTS, PLAYED, SERIES = "BBBBBB", "PPPPPP", "SSSSSS"
"""The rooms: of two bots whose reports name every free cell; of Ada and Ben in the middle of a game, with
a full chat and every place for spectators taken; and of the two with a long series behind them."""
ADA, BEN = Player("p-ada", "Ada"), Player("p-ben", "Ben")


@dataclass(frozen=True, slots=True)
class Case:
    """A command, and who sends it."""

    type: str
    fields: dict[str, Any] = field(default_factory=dict)
    by: str = "Ada"


def cases() -> Iterator[Case]:
    """One after the other, in an order in which each finds what it needs."""
    game, begun = {"game": GAME}, " ".join(_moves()[:BEGUN])
    position = {**game, "moves": " ".join(_moves()[:-1])}
    room = {"room": PLAYED}
    first = {"bot": "alphabeta:depth=1", **game}
    yield Case("carry", {"token": ADA.name})
    yield Case("rename", {"name": "Adele"})
    # A link that nobody has asked for before has to be drawn.
    number = next(_rounds)
    yield Case("qr", {"text": f"http://{number}/".ljust(LONGEST_QR_LINK, "~")})
    yield Case("games")
    yield Case("rules", {"game": "mnk:19,19,19"})
    yield Case("bots")
    # Rules that nobody has asked for before have to be made.
    fresh = number % 7
    yield Case("check_bot", {"bot": "perfect", "game": f"mnk:18,19,{5 + fresh}"})
    yield Case("board", {"game": f"mnk:19,18,{5 + fresh}"})
    yield Case("board", {"game": f"mnk:19,19,{12 + fresh}", "moves": " ".join(_moves())})
    yield Case("board", position)
    yield Case("export", {**position, "format": "svg"})
    yield Case("export", {"room": SERIES, "number": 1, "format": "pgn"})
    yield Case("rooms", {"subscribe": True})
    yield Case("history")
    yield Case("room_games", {"room": SERIES})
    yield Case("record", {"room": SERIES, "number": 1})
    yield Case("record", {"room": BOTS})
    yield Case("thoughts", {"room": BOTS})
    yield Case("subscribe", {"room": BOTS})
    yield Case("unsubscribe", {"room": BOTS})
    yield Case("subscribe", {"room": PLAYED}, "Cyd")
    yield Case("analyse", first)
    yield Case("hint", room)
    yield Case("tree", {**game, "depth": 1, "limit": 1000})
    yield Case("tree", {**game, "moves": begun, "depth": 3, "limit": 1000})
    yield Case("tree", {"game": "connect4", "depth": 4, "limit": 1000})
    yield Case("tree", {"game": "reversi", "depth": 5, "levels": 4, "limit": 1000})
    yield Case(
        "tree", {**game, "moves": begun, "depth": 2, "levels": 2, "limit": 1000, "path": _moves()[BEGUN:][:1]}
    )
    yield Case("puzzle")
    yield Case("puzzle", {"game": "tictactoe", "moves": "b2 b1"})
    yield Case("playouts", {"game": "connect4", "playouts": 300})
    yield Case("lecture")
    # What was drawn before is kept.
    yield Case("exercise", {"lesson": "depth", "number": 7, "answer": ["0"]})
    yield Case("race", {**position, "entrant": "minimax", "depth": 1})
    yield Case("review", {**position, "bot": "alphabeta:depth=1"})
    yield Case("cancel", {"search": "none"})
    yield Case("play", {**room, "version": 0, "move": _moves()[BEGUN]})
    yield Case("say", {**room, "text": "\N{GRINNING FACE}" * LONGEST_CHAT})
    for offer in (one for one, terms in OFFERS.items() if terms.phase == "playing"):
        yield Case(offer, room)
        yield Case("decline", {**room, "offer": offer}, "Ben")
    yield Case("takeback", room)
    yield Case("takeback", room, "Ben")
    yield Case("claim", room)
    yield Case("resign", room)
    yield Case("head_to_head", room)
    yield Case("room_ratings", room)
    yield Case("ratings", {"game": "connect4"})
    yield Case("rating", {"game": "connect4", "player": "Ada"})
    yield Case("remove", {"room": SERIES})
    yield Case("rematch", room)
    yield Case("decline", {**room, "offer": "rematch"}, "Ben")
    yield Case("seat", {"room": BOTS}, "Ben")
    yield Case("take_over", {"room": BOTS})
    yield Case("abort", room)
    yield Case("leave", room)
    bot = {"bot": "random"}
    yield Case("create", {**game, "moves": begun, "seats": [bot, bot]})
    yield Case("create", {**game, "moves": begun})
    yield Case("sit", {"room": "made"})
    yield Case("add_bot", {"room": "made", "bot": "random"})
    yield Case("close", {"room": PLAYED})
    yield Case("quick", {**game, **bot})
    yield from _tournament()
    yield Case("close_server")
    yield Case("hello", {"protocols": [1], "name": "Dan"}, "nobody")


def _tournament() -> Iterator[Case]:
    """One in which as many bots take part as may, up to its end."""
    settings = {"game": "tictactoe", "format": "round_robin"}
    yield Case("create_tournament", {"title": "\N{GRINNING FACE}" * 60, "settings": settings})
    cup = {"tournament": "made"}
    for _ in range(MOST_ENTRANTS - 1):
        yield Case("enter_bot", {**cup, "bot": "minimax:depth=4"})
    yield Case("join_tournament", cup)
    yield Case("tournaments")
    yield Case("tournament", {**cup, "subscribe": True})
    yield Case("start_tournament", cup)
    yield Case("forfeit_game", {**cup, "round": 1, "board": 1})
    yield Case("replay_game", {**cup, "round": 1, "board": 1})
    yield Case("tournament", cup)
    yield Case("withdraw", cup)
    yield Case("end_tournament", cup)


_rounds = itertools.count()


# ---------------------------------------------------------------- what is asked about


@cache
def _moves() -> list[str]:
    """A whole game on the largest board: every cell once, in an order in which nobody wins."""
    game = find_game(GAME)
    position, found = game.initial(), []
    dice = random.Random(1)
    while game.outcome(position) is None:
        move = dice.choice(list(game.legal_moves(position)))
        found.append(game.format(position, move))
        position = game.play(position, move)
    return found


def _report(moves: list[str]) -> Report:
    """As large as one gets: every free cell, twice."""
    score = Score(-12.25, bound="at_most", chance=43.2)
    candidates = [Candidate(move, score, moves[0]) for move in moves]
    return Report(
        "perfect:depth=12",
        candidates,
        moves[0],
        moves[:64],
        nodes=123_456_789,
        depth=12,
        seconds=1.25,
        finished=True,
        compiled=True,
        unfinished=UnfinishedRound(13, candidates),
    )


def _log(*events: tuple[str, KnownEvent], begun: int = 1_000_000) -> list[LogRecord]:
    """By default of long ago: a room that sleeps."""
    return [LogRecord(event, begun + at, by) for at, (by, event) in enumerate(events)]


def _listed() -> list[LogRecord]:
    settings = RoomSettings(clock="99+59", games=1_000)
    return _log(
        (ADA.id, RoomCreated("connect4", settings, owner=ADA.id)),
        (ADA.id, SeatTaken(0, "Bot", "perfect:depth=12,time=60", seed=1)),
        begun=time.time_ns() // 1_000_000,
    )


def _seated(settings: RoomSettings, game: str, *players: Player) -> list[tuple[str, KnownEvent]]:
    seats: tuple[Seat, Seat] = (0, 1)
    return [
        (ADA.id, RoomCreated(game, settings, owner=ADA.id)),
        *(
            (one.id, SeatTaken(seat, one.name, player=one.id))
            for seat, one in zip(seats, players, strict=True)
        ),
    ]


def _bots() -> list[LogRecord]:
    moves = _moves()
    played = [("", MovePlayed(_seat(ply), move, _report(moves[ply:]))) for ply, move in enumerate(moves)]
    return _log(
        (ADA.id, RoomCreated(GAME, RoomSettings(), owner=ADA.id)),
        *((ADA.id, SeatTaken(seat, "Bot", "perfect", seed=1)) for seat in (_seat(0), _seat(1))),
        ("", GameStarted(0)),
        *played,
        ("", GameFinished("board_full", None, "the board is full")),
    )


def _played() -> list[LogRecord]:
    text = "\N{GRINNING FACE}" * LONGEST_CHAT
    # A program's last move brought a report; and the settings are the longest.
    last = MovePlayed(_seat(BEGUN - 1), _moves()[BEGUN - 1], _report(_moves()[BEGUN - 1 :]))
    moves = [MovePlayed(_seat(ply), move) for ply, move in enumerate(_moves()[: BEGUN - 1])]
    return _log(
        *_seated(RoomSettings(hints="always", clock="99+59"), GAME, ADA, BEN),
        *((ADA.id, ChatPosted("players", "Ada", text)) for _ in range(CHAT_KEPT)),
        *((BEN.id, ChatPosted("spectators", "Cyd", text)) for _ in range(CHAT_KEPT)),
        ("", GameStarted(0)),
        *(((ADA, BEN)[move.seat].id, move) for move in moves),
        (BEN.id, last),
    )


def _series(games: int) -> list[LogRecord]:
    drawn = "b2 a1 c1 a3 a2 c2 b3 b1 c3".split()
    events = _seated(RoomSettings(), "tictactoe", ADA, BEN)
    for _ in range(games):
        events.append(("", GameStarted(0)))
        events += [
            ((ADA, BEN)[_seat(ply)].id, MovePlayed(_seat(ply), move)) for ply, move in enumerate(drawn)
        ]
        events.append(("", GameFinished("board_full", None, "the board is full")))
    return _log(*events)


def _rated(number: int, first: Player, second: Player) -> list[LogRecord]:
    players = [PlayerSummary(one.id, one.name) for one in (first, second)]
    winner: Seat = 1 if number % 3 else 0
    summary = GameSummary("connect4", 1, 0, 9, players, rated=True)
    over = GameFinished("line", winner, "four in a row", summary=summary)
    return _log((ADA.id, RoomCreated("connect4", RoomSettings(), owner=ADA.id)), ("", over), begun=number)


def _seat(ply: int) -> Seat:
    return 1 if ply % 2 else 0


def _code(number: int) -> str:
    letters = len(CODE_ALPHABET)
    return "R" + "".join(CODE_ALPHABET[number // letters**place % letters] for place in range(5))


# ---------------------------------------------------------------- the server


class Peer:
    """A connection's other end: keeps what it is sent, unread."""

    def __init__(self) -> None:
        self.messages: list[bytes] = []
        self._waits_for = b""
        self._answered = asyncio.Event()

    def send(self, message: bytes) -> None:
        """See `sessions.outbox.Outbox`."""
        self.messages.append(message)
        # Read it would take time from what is measured.
        if self._waits_for in message[:_BEGINNING] and not message.endswith(b'"type":"progress"}'):
            self._answered.set()

    async def ask(self, session: Session, command: dict[str, Any]) -> None:
        """Send a command, and wait until it is answered."""
        self._waits_for = b'"id":"%b"' % command["id"].encode()
        self._answered.clear()
        session.receive(json.dumps(command))
        async with asyncio.timeout(ANSWERED_SECONDS):
            await self._answered.wait()

    def close(self, code: int, reason: str) -> None:
        """See `sessions.outbox.Outbox`."""
        raise AssertionError(f"closed: {reason}")

    def pause(self) -> None:
        """See `sessions.outbox.Outbox`."""

    def resume(self) -> None:
        """See `sessions.outbox.Outbox`."""

    def lag(self) -> int:
        """See `sessions.outbox.Outbox`."""
        return 0


_BEGINNING = 600
"""In so many bytes of an answer stands its id."""


class World:
    """A server with all that makes commands slow, and those who send them."""

    def __init__(self, directory: Directory, spectators: int) -> None:
        self._directory = directory
        self._tournaments = Tournaments(directory.context, directory)
        self._spectators = spectators
        self._peers: dict[str, tuple[Peer, Session]] = {}
        self._numbers = itertools.count(1)
        self._made = ""

    async def enter(self) -> None:
        """Have everybody come who is to be there."""
        for name, rooms in (("Ada", [PLAYED, SERIES]), ("Ben", [PLAYED]), ("Cyd", [])):
            await self._welcome(name)
            for room in rooms:
                await self.send(Case("subscribe", {"room": room}, name))
        for number in range(self._spectators - 1):
            name = f"Eve {number}"
            await self._welcome(name)
            await self.send(Case("subscribe", {"room": PLAYED}, name))

    async def rest(self) -> None:
        """Let what their coming has caused pass."""
        await asyncio.sleep(1.0)

    async def _welcome(self, name: str) -> None:
        self._connect(name)
        token = {"token": name} if name in (ADA.name, BEN.name) else {}
        await self.send(Case("hello", {"protocols": [1], "name": name, **token}, name))

    def _connect(self, name: str) -> None:
        peer = Peer()
        self._peers[name] = peer, Session(self._directory.context, self._directory, self._tournaments, peer)

    async def send(self, case: Case) -> list[bytes]:
        """Send a command; gives all that its sender got until it was answered, and a moment longer."""
        if case.by not in self._peers:
            self._connect(case.by)
        peer, session = self._peers[case.by]
        before = len(peer.messages)
        command = {"id": f"c{next(self._numbers)}", **case.fields, "type": case.type}
        if command.get("room") == "made":
            command["room"] = self._made
        if command.get("tournament") == "made":
            command["tournament"] = self._made
        if "version" in command:
            command["version"] = self._directory.find(PLAYED).state.version
        await peer.ask(session, command)
        await asyncio.sleep(_MOMENT)
        found = peer.messages[before:]
        if case.type in ("create", "create_tournament"):
            self._made = str(json.loads(found[0])["room"])
        return found


_MOMENT = 0.01


@asynccontextmanager
async def world(
    store: Store,
    scheduler: SearchScheduler,
    *,
    rooms: int = 2_000,
    games: int = GAMES,
    past_games: int = PAST_GAMES,
    spectators: int = SPECTATORS,
    rated: int = RATED,
) -> AsyncIterator[World]:
    """The server, with its rooms taken up; without limits, which would only refuse."""
    now = time.time_ns() // 1_000_000
    await store.add_player(hash_token(ADA.name), ADA, now)
    await store.add_player(hash_token(BEN.name), BEN, now)
    for number in range(rooms - 3):
        _store(store, _code(number), _listed())
    for number in range(PAST_ROOMS):
        _store(store, _code(rooms + number), _series(past_games))
    people = [ADA, *(Player(f"p{number:016x}", f"P{number:023}") for number in range(1, rated))]
    for number in range(40 * (rated > 1) + 2 * rated):
        # One player has met as many others as a list holds, and each of those has met one.
        first = ADA if number < 40 else people[number % rated]
        second = people[(number + 1 if number < 40 else number * 7 + 1) % rated]
        if first is not second:
            _store(store, _code(rooms + PAST_ROOMS + number), _rated(number, first, second))
    for code, log in ((BOTS, _bots()), (PLAYED, _played()), (SERIES, _series(games))):
        _store(store, code, log)
    limits = ServerLimits(
        messages_per_second=0,
        rooms_per_minute=0,
        rooms=rooms + PAST_ROOMS + 10,
        player_milliseconds=0,
        address_milliseconds=0,
        rated=True,
    )
    directory = Directory(Context(store, scheduler, limits))
    await directory.load()
    await directory.ratings.runner.catch_up()
    try:
        found = World(directory, spectators)
        await found.enter()
        yield found
    finally:
        directory.stop()
        await scheduler.close()
        await store.close()


def _store(store: Store, code: str, log: list[LogRecord]) -> None:
    def done(error: StoreError | None) -> None:
        assert error is None, error

    store.append(code, 0, log, done)
