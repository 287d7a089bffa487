"""What a room's link shows, asked of another node than the players are connected to."""

import asyncio

from parlour_server.sessions.previews import Preview, Previews
from tests.hosting.nodes import Nodes


async def test_any_node_shows_how_a_room_stands_now(nodes: Nodes) -> None:
    ada, ben = await (await nodes.open()).person("Ada"), await (await nodes.open()).person("Ben")
    room = await nodes.table(ada, ben)
    third = await nodes.open()
    previews = Previews(third.directory)

    async def shown() -> Preview:
        asked = asyncio.create_task(previews.of(room, ""))
        await nodes.advance(0.5)
        return asked.result()

    first = await shown()
    assert first.title == "Ada against Ben: Tic-tac-toe"
    assert first.text.startswith("0 moves so far")
    # One that nobody here follows gets no hints of what is played.
    nodes.clusters[2].deaf = True
    await nodes.play(ada, room, "b2")
    second = await shown()
    assert second.text.startswith("1 move so far")
    assert second.version > first.version
    painted = asyncio.create_task(previews.card(room, ""))
    await nodes.advance(0.5)
    third.scheduler.answer()
    assert (await painted).startswith(b"\x89PNG")
