"""Two people at one device, over real sockets and through kill -9."""

import json
from pathlib import Path

import pytest

from parlour_client import Refused, UsageError, connect
from parlour_client.sdk.commands import command
from parlour_protocol import commands
from parlour_protocol.errors import Code
from tests.support.client import player
from tests.support.rooms import FIRST_WINS
from tests.support.server import ServerProcess, serving


async def test_a_game_at_one_device_goes_on_after_kill_9_and_is_reviewed(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "rooms.db")
    await server.start()
    try:
        async with connect(server.url, "Ada") as ada, connect(server.url, "Eve") as eve:
            room = await ada.create("tictactoe", opponent="here:Ben", clock="5+3")
            watched = await eve.watch(room.code)
            for ply, word in enumerate(FIRST_WINS):
                if ply in (1, 4):
                    await server.kill()
                    await server.start()
                await room.until(lambda state, ply=ply: state.view.to_move == ply % 2)  # type: ignore[misc]
                assert room.view.shared and room.view.you is None and room.seat == ply % 2
                assert room.your_turn and word in room.legal_moves
                await room.play(word)
            await watched.until(lambda state: state.view.phase == "finished")
            assert watched.view.result is not None and watched.view.result.winner == 0
            assert not watched.view.shared and watched.seat is None
            (past,) = await ada.history()
            assert (past.you, past.seated, past.tally.wins) == (None, True, 0)
            review = await ada.request(command(commands.AskReview, room=room.code, bot="alphabeta:depth=2"))
            assert review.seats is not None
            assert [seat.name for seat in review.seats] == ["Ada", "Ben"]
            await room.rematch()
            await room.until(lambda state: state.view.game_number == 2)
            assert room.view.to_move == 1
    finally:
        await server.kill()


async def test_both_are_here_or_away_and_nobody_else_sits_there() -> None:
    async with serving() as url, connect(url, "Eve") as eve:
        async with connect(url, "Ada") as ada:
            room = await ada.create("tictactoe", seats=["here:Ben", "me"])
            assert [seat.name for seat in room.view.seats] == ["Ben", "Ada"]
            watched = await eve.watch(room.code)
            assert watched.view.online == [True, True]
            with pytest.raises(Refused) as full:
                await eve.join(room.code)
            assert full.value.code is Code.ROOM_FULL
            with pytest.raises(Refused) as theirs:
                await watched.play("a1")
            assert theirs.value.code is Code.NOT_SEATED
        await watched.until(lambda state: state.view.online == [False, False])
        assert watched.view.claim_from == [None, None]


async def test_a_guests_name_is_checked_as_every_name_and_none_sits_alone() -> None:
    async with serving() as url, player(url, "Ada") as ada:
        wrong = await ada.ask("create", game="tictactoe", seats=["me", {"guest": "server"}])
        assert (wrong["code"], wrong["field"]) == ("bad_name", "seats.1.guest")
        wrong = await ada.ask("create", game="tictactoe", seats=[{"guest": "Ben"}, {"bot": "easy"}])
        assert (wrong["code"], wrong["field"]) == ("bad_message", "seats")
        once = {"id": "once", "type": "create", "game": "tictactoe", "seats": ["me", {"guest": "ada"}]}
        rooms = set()
        for _ in range(2):
            rooms.add((await ada.send_and_wait(json.dumps(once), "once"))["room"])
        assert len(rooms) == 1
        snapshot = await ada.until(lambda m: m["type"] == "snapshot")
        assert [seat["name"] for seat in snapshot["view"]["seats"]] == ["Ada", "ada 2"]
    async with serving() as url, connect(url, "Ada") as parlour:
        with pytest.raises(UsageError):
            await parlour.create("tictactoe", opponent=f"here:{'x' * 300}")
        with pytest.raises(Refused) as refused:
            await parlour.create("tictactoe", opponent="here:server")
        assert refused.value.code is Code.BAD_NAME
