"""What a room says beside its events: to whom, how often, and that nothing of it is kept."""

from collections.abc import AsyncIterator

import pytest

from parlour_protocol import TYPING_SECONDS, notices
from parlour_server.settings import ServerLimits
from tests.hosting.harness import HostingHarness, Person, open_harness, settle, table


@pytest.fixture
async def harness() -> AsyncIterator[HostingHarness]:
    async with open_harness() as opened:
        yield opened


async def test_typing_is_shown_to_those_alone_who_read_it(harness: HostingHarness) -> None:
    ada, ben, eve, joe, dan = [await harness.person(name) for name in ("Ada", "Ben", "Eve", "Joe", "Dan")]
    room = await table(harness, ada, ben)
    twin = await harness.person("Ada", ada.token)
    for person in (eve, joe, twin):
        person.ask("subscribe", room=room)
    notice = {"type": "typing", "room": room}
    ada.signal("typing", room=room)
    eve.signal("typing", room=room)
    dan.signal("typing", room=room)
    shown = {person: person.of("typing") for person in (ada, twin, ben, eve, joe, dan)}
    assert shown == {
        ada: [],
        twin: [],
        ben: [{**notice, "channel": "players", "name": "Ada"}],
        eve: [],
        joe: [{**notice, "channel": "spectators", "name": "Eve"}],
        dan: [],
    }


async def test_a_spectator_does_not_type_under_a_players_name(harness: HostingHarness) -> None:
    ada, ben, again, eve = [await harness.person(name) for name in ("Ada", "Ben", "Ada", "Eve")]
    room = await table(harness, ada, ben)
    for person in (again, eve):
        person.ask("subscribe", room=room)
    again.signal("typing", room=room)
    assert [one["name"] for one in eve.of("typing")] == ["Ada 2"]


async def test_typing_is_dropped_where_it_comes_often() -> None:
    async with open_harness(ServerLimits(messages_per_second=20.0)) as harness:
        ada, ben = await harness.person("Ada"), await harness.person("Ben")
        room = await table(harness, ada, ben)
        for _ in range(5):
            ada.signal("typing", room=room)
        assert len(ben.of("typing")) == 2
        harness.clock.advance(TYPING_SECONDS / 2)
        ada.signal("typing", room=room)
        assert len(ben.of("typing")) == 3
        # None of it is refused.
        assert (ada.of("refused"), ada.session.refused) == ([], None)


async def test_typing_is_dropped_where_nobody_may_chat(harness: HostingHarness) -> None:
    ada, ben = await harness.person("Ada"), await harness.person("Ben")
    for room in (await table(harness, ada, ben, chat=False), "KMRTQA", "no code"):
        ada.signal("typing", room=room)
    assert ben.of("typing") == []
    assert ada.of("refused") == []


async def test_of_typing_nothing_is_kept(harness: HostingHarness) -> None:
    ada, ben, eve = [await harness.person(name) for name in ("Ada", "Ben", "Eve")]
    room = await table(harness, ada, ben)
    before = await harness.store.read(room)
    ada.signal("typing", room=room)
    await settle()
    assert await harness.store.read(room) == before
    assert harness.directory.find(room).state.version == len(before)
    eve.ask("subscribe", room=room)
    ben.ask("subscribe", room=room)
    assert (len(ben.of("typing")), eve.of("typing")) == (1, [])


async def test_typing_before_the_hello_is_dropped(harness: HostingHarness) -> None:
    ada = Person(harness)
    ada.signal("typing", room="KMRTQA")
    assert ada.wire.said == []


async def test_one_player_can_be_left_out_of_a_notice_to_everyone(harness: HostingHarness) -> None:
    ada, ben = await harness.person("Ada"), await harness.person("Ben")
    room = await table(harness, ada, ben)
    audience = harness.directory.find(room).audience
    (player,) = (one.player for one in audience.subscribers if one.player == ada.session.player)
    audience.send_notice(notices.Typing(room, "players", "Ada"), but=player)
    assert (ada.of("typing"), len(ben.of("typing"))) == ([], 1)
