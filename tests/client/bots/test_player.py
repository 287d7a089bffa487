"""A bot in a seat, against a person on a real server: moves, manners, faults."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from parlour_client import Room, connect
from parlour_client.bots import player as players
from parlour_client.bots.errors import BotError, Died, Illegal, Raised, TooSlow
from parlour_client.bots.player import BotPlayer, verdict
from parlour_client.bots.position import Position
from parlour_client.sdk import errors as faults
from parlour_protocol import commands
from parlour_protocol.answers import Refused
from parlour_protocol.errors import Code
from parlour_protocol.events import ChatPosted, Event, GameFinished, MovesTakenBack, Snapshot
from parlour_protocol.ids import Seat
from parlour_protocol.views.reports import ProgramCandidate, ProgramReport, Score
from parlour_protocol.views.rooms import Termination
from tests.client.bots.files import Thinks, Thought, first_legal
from tests.client.rooms import board, plain, snapshot, view
from tests.client.scripted import Scripted, Talk, entered, look_on
from tests.support.proxy import Proxy, between
from tests.support.server import serving


class Match:
    """A bot in the first seat and a person in the second, of tic-tac-toe unless a test says otherwise."""

    def __init__(self, player: BotPlayer, person: Room, reported: list[BotError], line: Proxy) -> None:
        self.player = player
        self.person = person
        self.reported = reported
        self.line = line

    async def plays_on(self, *moves: str) -> None:
        """The person plays these, and the bot answers each."""
        for move in moves:
            assert await self.person.wait_for_turn()
            await self.person.play(move)


@asynccontextmanager
async def match(thought: Thought, game: str = "tictactoe", **settings: Any) -> AsyncIterator[Match]:
    reported: list[BotError] = []
    async with (
        serving() as url,
        between(url) as line,
        connect(url, "Ada") as ada,
        connect(line.url, "deep") as deep,
    ):
        person = await ada.create(game, seat=1, starts="first", **settings)
        player = BotPlayer(await deep.join(person.code, program=True), Thinks(thought), reported.append)
        playing = asyncio.create_task(player.play())
        try:
            yield Match(player, person, reported, line)
            async with asyncio.timeout(30):
                await playing
        finally:
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)


async def test_it_plays_to_the_end_and_is_marked_as_a_bot() -> None:
    def thinks(position: Position) -> tuple[str, ProgramReport]:
        best = position.legal_moves[0]
        return best, ProgramReport([ProgramCandidate(best, Score(1))], [best], nodes=5)

    async with match(thinks) as table:
        await table.plays_on("a1", "b1")
        assert not await table.person.wait_for_turn()
    assert table.person.view.seats[0].program
    report = table.person.view.report
    assert report is not None
    assert (report.bot, report.nodes) == ("deep", 5)
    assert (verdict(table.player.room.view), table.reported) == ("won", [])


async def test_a_draw_is_declined_and_a_move_given_back() -> None:
    async with match(first_legal) as table:
        await table.plays_on("a1")
        await table.person.wait_for_turn()
        await table.person.offer_draw()
        await table.person.until(lambda shown: "draw" not in shown.view.offers)
        await table.person.ask_takeback()
        await table.person.until(lambda shown: len(shown.view.moves) == 1)
        await table.plays_on("c1")
        await table.person.wait_for_turn()
        await table.person.resign()
    # It was asked anew about what came after the other move.
    thinks = table.player.process
    assert isinstance(thinks, Thinks)
    assert thinks.asked == [[], ["a3", "a1"], ["a3", "c1"]]


async def test_a_move_taken_back_while_it_thinks_ends_the_thought() -> None:
    never = asyncio.Event()

    async def thinks(position: Position) -> str:
        if position.moves == ["a3", "a1"]:
            await never.wait()
        return first_legal(position)

    async with match(thinks) as table:
        await table.plays_on("a1")
        await table.person.ask_takeback()
        await table.plays_on("c1")
        assert await table.person.wait_for_turn()
        assert table.person.view.moves == ["a3", "c1", "b3"]
        await table.person.resign()
    assert table.reported == []


@pytest.mark.parametrize(
    "fault",
    [Raised("mybot.py", 3, "ValueError: no idea"), TooSlow("too slow"), Died("gone"), "z9", "\ud800" * 200],
)
async def test_after_any_fault_it_resigns_and_plays_the_next_game(fault: BotError | str) -> None:
    games = []

    def thinks(position: Position) -> str:
        games.append(position.moves)
        if len(games) > 1:
            return first_legal(position)
        if isinstance(fault, str):
            return fault
        raise fault

    async with match(thinks) as table:
        assert not await table.person.wait_for_turn()
        assert table.person.result is not None
        assert (table.person.result.reason, table.person.result.winner) == ("resignation", 1)
        assert len(table.reported) == 1
        assert table.reported == table.player.errors
        if isinstance(fault, str):
            assert isinstance(table.reported[0], Illegal)
            assert "which is not legal here. Legal: a3 b3" in str(table.reported[0])
            assert str(table.reported[0]).isprintable()
        await table.player.room.until(lambda shown: shown.view.phase == "finished")
        await asyncio.gather(table.person.rematch(), table.player.next_game(ask=False))
        await table.person.until(lambda shown: shown.view.phase == "playing")
        again = asyncio.create_task(table.player.play())
        await table.plays_on("a1")
        await table.person.wait_for_turn()
        await table.person.resign()
        await again
    assert len(table.reported) == 1
    assert verdict(table.player.room.view) == "won"


async def test_who_thinks_longer_than_the_clock_is_reported() -> None:
    async def thinks(position: Position) -> str:
        if len(position.moves) == 2:
            assert position.clock is not None
            assert 0 < position.clock <= 2
            await asyncio.Event().wait()
        return first_legal(position)

    # The person has no more, and may be on a busy machine.
    async with match(thinks, clock="2/move") as table:
        await table.plays_on("a1")
        assert not await table.person.wait_for_turn()
    (fault,) = table.reported
    assert isinstance(fault, TooSlow)
    assert "Its time was up" in str(fault)


async def test_a_lost_line_is_no_fault() -> None:
    async with match(first_legal) as table:
        await table.plays_on("a1")
        await table.person.wait_for_turn()
        table.line.cut()
        await table.plays_on("b1")
        assert not await table.person.wait_for_turn()
    assert (verdict(table.player.room.view), table.reported) == ("won", [])


@asynccontextmanager
async def scripted(thought: Thought, shown: Snapshot | None = None) -> AsyncIterator[tuple[Scripted, Talk]]:
    """The same where it is the bot's turn at once, and a test says all that the server says."""
    async with Scripted() as server, entered(server, name="deep") as (deep, talk):
        room = await look_on(deep, talk, shown=shown or snapshot(5, view(names=("deep", "Ada"))))
        playing = asyncio.create_task(BotPlayer(room, Thinks(thought), print).play())
        try:
            yield server, talk
            async with asyncio.timeout(30):
                await playing
        finally:
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)


def finished(version: int, termination: Termination, winner: Seat) -> Event:
    """The game's end, as a server says it."""
    result = {"termination": termination, "reason": termination, "winner": winner}
    changes = {"phase": "finished", "turn": None, "result": result}
    return Event("KMRTQA", version, 0, GameFinished(termination, winner, termination), changes)


async def test_a_move_is_for_the_board_that_was_thought_about() -> None:
    thinking, thought = asyncio.Event(), asyncio.Event()

    async def thinks(position: Position) -> str:
        thinking.set()
        await thought.wait()
        return first_legal(position)

    async with scripted(thinks) as (_, talk):
        await thinking.wait()
        await talk.say(Event("KMRTQA", 6, 0, ChatPosted("players", "Ada", "Take your time")))
        await asyncio.sleep(0.05)
        thought.set()
        played = await talk.receive(commands.PlayMove)
        assert (played.move, played.version) == ("a3", 5)
        # Overtaken by what does not show yet: it is not asked the same again before it does.
        stale = Refused(Code.STALE, "The board has changed.", played.id, "KMRTQA", 7)
        await talk.say(stale)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await talk.socket.recv()
        back = plain(view(position=board("...", "...", "..X")))
        await talk.say(Event("KMRTQA", 7, 0, MovesTakenBack(0, 0), {"position": back["position"]}))
        played = await talk.receive(commands.PlayMove)
        assert (played.move, played.version) == ("a3", 7)
        await talk.accept(played, 8)
        await talk.say(finished(8, "resignation", 0))


@pytest.mark.parametrize("code", [code for code in Code if code.about == "game"])
async def test_no_refusal_about_the_game_ends_its_program(code: Code) -> None:
    """Also one that is new: it is the bot's error, or the game went on without the move."""
    async with scripted(first_legal) as (_, talk):
        played = await talk.receive(commands.PlayMove)
        await talk.say(Refused(code, "No.", played.id, "KMRTQA", 5))
        if code in (Code.INVALID_MOVE, Code.ILLEGAL_MOVE, Code.OUT_OF_TIME):
            await talk.accept(await talk.receive(commands.PlayerAction), 6)
        await talk.say(finished(6, "resignation", 0))


async def test_who_talks_while_it_thinks_disturbs_no_move() -> None:
    thought = asyncio.Event()

    async def thinks(position: Position) -> str:
        await thought.wait()
        return first_legal(position)

    async with match(thinks) as table:
        await table.person.say("Take your time")
        await table.person.offer_draw()
        await table.person.until(lambda shown: "draw" not in shown.view.offers)
        thought.set()
        assert await table.person.wait_for_turn()
        assert table.person.view.moves == ["a3"]
        await table.person.resign()
    assert isinstance(table.player.process, Thinks)
    assert table.player.process.asked == [[]]


async def test_where_its_room_is_lost_it_says_so_and_stops() -> None:
    def gone(asked: commands.PlayMove | commands.Subscribe) -> Refused:
        return Refused(Code.UNKNOWN_ROOM, "There is no such room.", asked.id, "KMRTQA")

    with pytest.raises(faults.Refused, match="no such room"):
        async with scripted(first_legal) as (server, talk):
            # A server that kept nothing was started again.
            talk.drop()
            again = await server.talk()
            await again.greet()
            for asked in (await again.receive(commands.Subscribe), await again.receive(commands.PlayMove)):
                await again.say(gone(asked))


async def test_whoever_stays_away_for_too_long_has_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(players, "LOOK_SECONDS", 0.01)
    room = view(you=1, names=("Ada", "deep"))
    room.online, room.away_since = [False, True], [0, None]
    patience = round(1000 * room.settings.patience)
    room.claim_from, room.may.seats[1] = [None, patience], ["resign", "claim"]
    async with scripted(first_legal, snapshot(5, room, at=patience - 100)) as (_, talk):
        # Not before its time.
        begun = asyncio.get_running_loop().time()
        claim = await talk.receive(commands.Claim)
        assert asyncio.get_running_loop().time() - begun > 0.05
        assert claim.what == "win"
        await talk.accept(claim, 6)
        await talk.say(finished(6, "abandonment", 1))


async def test_it_passes_where_it_must_and_ends_with_the_room() -> None:
    async with match(first_legal, game="reversi:6") as table:
        await table.plays_on()
        while await table.person.wait_for_turn():
            await table.person.play(table.person.legal_moves[-1])
        assert table.reported == []
        await table.player.room.until(lambda shown: shown.view.phase == "finished")
        waiting = asyncio.create_task(table.player.next_game(ask=True))
        await table.person.until(lambda shown: shown.view.offers == {"rematch": 0})
        await table.person.leave()
        await waiting
        assert table.player.room.view.phase == "waiting"
