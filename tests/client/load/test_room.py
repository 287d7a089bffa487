"""Rooms under load against a real server, and what they notice of one that lies."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import pytest
from pydantic_core import to_json

from parlour_client.load.plan import Outcome
from parlour_client.load.player import CommandRefused, Player
from parlour_client.load.room import Room
from parlour_client.sdk.requests import new_id
from parlour_protocol.answers import Accepted, Refused
from parlour_protocol.commands import ListRooms, PlayMove, Subscribe
from parlour_protocol.errors import Code
from tests.client.scripted import Scripted, Talk, event, snapshot
from tests.support.server import serving
from tests.support.waiting import within

SECONDS = 20.0


async def played(
    url: str, outcome: Outcome, *, games: int, bot: str | None = None, game: str = "tictactoe"
) -> Room:
    """A room that has been opened, and that has played so many games."""
    room = Room(url, 1, outcome, bot=bot, game=game)
    await room.open(SECONDS)
    room.measured = True
    room.run()
    await within(SECONDS, lambda: outcome.checked_games >= games)
    return room


def lost_and_played_on(outcome: Outcome, connections: int, games: int) -> bool:
    return outcome.lost.total() == connections and outcome.checked_games > games + 1


async def ended(room: Room) -> None:
    room.halt()
    assert await room.rest()
    await room.check()
    room.close()


@asynccontextmanager
async def opened(
    server: Scripted, outcome: Outcome, *, folds: bool = True
) -> AsyncIterator[tuple[Player, Talk]]:
    """A player on a server by a script, with the server's end of it."""
    player = Player(server.address, "Ada", outcome, folds=folds)
    opening = asyncio.create_task(player.open(SECONDS))
    talk = await server.talk()
    await talk.greet("secret")
    await opening
    try:
        yield player, talk
    finally:
        player.close()


@pytest.mark.parametrize("game", ["tictactoe", "connect4"])
async def test_two_players_play_game_after_game(game: str) -> None:
    outcome = Outcome()
    async with serving() as url:
        room = await played(url, outcome, games=3, game=game)
        await ended(room)
    assert outcome.faults == []
    assert not outcome.refused and not outcome.lost and not outcome.missing
    assert outcome.latency.count == outcome.moves > 0


async def test_a_bots_answers_are_timed() -> None:
    outcome = Outcome()
    async with serving() as url:
        room = await played(url, outcome, games=2, bot="random")
        await ended(room)
    assert outcome.faults == []
    assert outcome.bot_answers.count > 0


async def test_a_broken_connection_is_counted_and_mended() -> None:
    outcome = Outcome()
    async with serving() as url:
        room = await played(url, outcome, games=1)
        for number, player in enumerate(room.players):
            player.transport.abort()
            await within(SECONDS, partial(lost_and_played_on, outcome, number + 1, outcome.checked_games))
        await ended(room)
    assert outcome.faults == []
    assert outcome.lost == {"cut": 2}


async def test_a_move_that_a_snapshot_showed_before_its_answer_came_is_seen() -> None:
    def shown(version: int, seat: int) -> bytes:
        view = {"version": version, "phase": "playing", "game_number": 1, "turn": {"seat": seat}, "moves": []}
        view["position"] = {"legal": ["b2"]}
        return to_json({"type": "snapshot", "room": "KMRTQA", "version": version, "view": view})

    outcome = Outcome()
    room = Room("ws://nowhere", 1, outcome)
    room.code = "KMRTQA"
    room.measured = True
    mover, watcher = room.players
    mover._on_text(shown(3, 0))
    watcher._on_text(shown(3, 0))
    room.schedule(asyncio.get_running_loop().time())
    # Both have lost their connections; the one who waits is back first.
    watcher._on_text(shown(4, 1))
    (command,) = mover._pending
    mover._on_text(to_json(Accepted(command, "KMRTQA", 4)))
    assert outcome.moves == 1


async def test_scheduled_moves_count_from_when_they_were_due() -> None:
    outcome = Outcome()
    async with serving() as url:
        room = Room(url, 1, outcome)
        await room.open(SECONDS)
        room.measured = True
        now = asyncio.get_running_loop().time()
        room.schedule(now - 5.0)
        await within(SECONDS, lambda: outcome.moves == 1)
        await ended(room)
    assert outcome.latency.greatest >= 5.0
    assert outcome.late.greatest >= 5.0


async def test_what_is_due_at_the_end_counts_with_its_wait() -> None:
    outcome = Outcome()
    async with serving() as url:
        room = Room(url, 1, outcome)
        await room.open(SECONDS)
        room.measured = True
        room.players[0].drop()
        room.schedule(asyncio.get_running_loop().time() - 5.0)
        room.cut()
        await ended(room)
    assert outcome.latency.count == 1
    assert outcome.latency.greatest >= 5.0


async def test_an_acceptance_that_is_not_in_the_game_is_a_fault() -> None:
    outcome = Outcome()
    async with serving() as url:
        room = await played(url, outcome, games=1)
        room._accepted.append((0, "z9"))
        await within(SECONDS, lambda: bool(outcome.faults))
        room.close()
    assert "z9" in outcome.faults[0]


async def test_another_board_than_the_servers_is_a_fault() -> None:
    outcome = Outcome()
    async with serving() as url:
        room = Room(url, 1, outcome)
        await room.open(SECONDS)
        room.players[1].view["moves"] = ["b2"]
        await room.check()
        room.close()
    assert outcome.faults == [f"{room.code}: Load 1 b has another moves."]


@pytest.mark.parametrize("version", [5, 7])
async def test_a_version_that_is_left_out_or_repeated_is_a_fault(version: int) -> None:
    outcome = Outcome()
    async with Scripted() as server, opened(server, outcome, folds=False) as (_, talk):
        await talk.say(snapshot(5), event(version))
        await within(SECONDS, lambda: bool(outcome.faults))
    assert outcome.faults == [f"KMRTQA: Ada saw version {version} after 5."]


async def test_a_refusal_that_says_when_is_followed_by_the_same_command() -> None:
    outcome = Outcome()
    async with Scripted() as server, opened(server, outcome) as (player, talk):
        asking = asyncio.create_task(player.ask(Subscribe(id="s", room="KMRTQA"), SECONDS))
        first = await talk.receive(Subscribe)
        await talk.say(Refused(Code.BUSY, "Later.", id=first.id, retry_after=0.01))
        again = await talk.receive(Subscribe)
        await talk.say(Accepted(again.id, "KMRTQA", 1))
        await asking
    assert first == again
    assert outcome.refused == {"busy": 1}


async def test_a_command_without_an_answer_is_sent_again_on_the_next_connection() -> None:
    outcome = Outcome()
    async with Scripted() as server, opened(server, outcome) as (player, talk):
        move = PlayMove(id=new_id(), room="KMRTQA", version=1, move="b2")
        asking = asyncio.create_task(player.ask(move, SECONDS))
        assert await talk.receive(PlayMove) == move
        talk.drop()
        later = await server.talk()
        hello = await later.greet()
        assert await later.receive(PlayMove) == move
        await later.accept(move)
        await asking
    assert hello.token == "secret"
    assert outcome.lost == {"cut": 1}


async def test_a_refusal_for_good_is_raised() -> None:
    outcome = Outcome()
    async with serving() as url:
        player = Player(url, "\x1b", outcome)
        with pytest.raises(CommandRefused):
            await player.open(SECONDS)
    assert outcome.refused == {"bad_name": 1}


async def test_no_more_is_sent_than_the_server_takes() -> None:
    outcome = Outcome()
    async with serving(messages_per_second=50.0, burst=2) as url:
        player = Player(url, "Ada", outcome)
        await player.open(SECONDS)
        await asyncio.gather(*(player.ask(ListRooms(id=new_id()), SECONDS) for _ in range(20)))
        player.close()
    # A machine that stands still for a moment sends some at once. Without a limit 18 would be refused.
    assert outcome.refused.total() < 9
