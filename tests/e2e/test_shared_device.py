"""Two people at one device, over real sockets and through kill -9."""

from pathlib import Path

from parlour_client import connect
from parlour_client.sdk.commands import command
from parlour_protocol import commands
from tests.support.rooms import FIRST_WINS
from tests.support.server import ServerProcess


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
