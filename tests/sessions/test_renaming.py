"""A player who is called otherwise: at once, everywhere they sit, and for good."""

from pathlib import Path

from parlour_client import connect
from parlour_client.sdk.identity import StoredIdentity
from tests.hosting.harness import HostingHarness, seated, table
from tests.support.server import serving


def names(harness: HostingHarness, room: str) -> list[str]:
    return [seat.name for seat in harness.room(room).state.seats if seat is not None]


async def test_a_new_name_stands_in_every_seat_before_everybody(harness: HostingHarness) -> None:
    ada, ben, room = await seated(harness)
    other = await table(harness, ada, ben)
    asleep = await table(harness, ada, ben)
    harness.put_all_to_sleep()
    eve = await harness.person("Eve")
    eve.ask("rooms", subscribe=True)
    await ben.ask_store("subscribe", room=room)
    assert (await ada.ask_store("rename", name="  Adele "))["name"] == "Adele"
    assert ada.session.name == "Adele"
    for code in (room, other, asleep):
        assert sorted(names(harness, code)) == ["Adele", "Ben"]
    assert [one["name"] for one in harness.view(room, ben)["seats"]] == names(harness, room)
    assert ben.of("event")[-1]["event"]["kind"] == "seat_renamed"
    harness.clock.advance(1)
    assert "Adele" in str(eve.of("lobby")[-1]["rooms"])
    # What was asked twice changes nothing more.
    version = harness.room(room).state.version
    await ada.ask_store("rename", name="Adele")
    assert harness.room(room).state.version == version


async def test_a_name_that_is_refused_changes_nothing_and_one_like_the_others_gets_a_number(
    harness: HostingHarness,
) -> None:
    ada, _ben, room = await seated(harness)
    for name in ("my bot", "", "\N{FOX FACE}", "x" * 25):
        refused = await ada.ask_store("rename", name=name)
        assert (refused["type"], refused["code"]) == ("refused", "bad_name")
    assert (ada.session.name, sorted(names(harness, room))) == ("Ada", ["Ada", "Ben"])
    assert (await ada.ask_store("rename", name="Ben"))["name"] == "Ben"
    assert sorted(names(harness, room)) == ["Ben", "Ben 2"]


async def test_who_plays_beside_one_at_a_device_keeps_their_name(harness: HostingHarness) -> None:
    ada = await harness.person("Ada")
    made = await ada.ask_store("create", game="tictactoe", seats=["me", {"guest": "Mum"}])
    await ada.ask_store("rename", name="Adele")
    assert names(harness, made["room"]) == ["Adele", "Mum"]


async def test_it_lasts_through_a_restart_and_on_the_next_connection(tmp_path: Path) -> None:
    def ada() -> StoredIdentity:
        return StoredIdentity(tmp_path / "state", "here", "Ada", print)

    data = str(tmp_path / "rooms.db")
    async with serving(data=data) as url, connect(url, identity=ada()) as parlour:
        room = await parlour.create("tictactoe", opponent="random", starts="first")
        await parlour.rename("Adele")
        assert parlour.name == "Adele"
        await room.play("b2")
        await room.resign()
    async with serving(data=data) as url, connect(url, identity=ada()) as parlour:
        assert parlour.name == "Adele"
        room = await parlour.enter(room.code)
        assert room.view.seats[0].name == "Adele"
        assert (await parlour.record(room.code)).seats[0].name == "Adele"
