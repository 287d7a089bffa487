"""A player on another device: a code is good once, for a while, and for its own player alone."""

import asyncio
import json
from hashlib import sha256
from typing import Any
from unittest.mock import AsyncMock

import pytest
from structlog.testing import capture_logs

from parlour_protocol.ids import CODE_ALPHABET
from parlour_server.hosting.carry_codes import CARRY_LENGTH
from parlour_server.settings import ServerLimits
from parlour_server.store.port import NotSaved, StoreFull
from tests.hosting.harness import HostingHarness, Message, Person, open_harness, seated, settle
from tests.hosting.nodes import Nodes

WRONG = "A" * CARRY_LENGTH


async def carry(person: Person) -> str:
    """A code for this person."""
    carried = await person.ask_store("carry", token=person.token)
    assert (carried["type"], carried["seconds"]) == ("carried", 120.0)
    return str(carried["code"])


def notes(harness: HostingHarness) -> list[str]:
    """What the server keeps of the codes."""
    return [note.text for note in harness.context.node._notes.values()]


async def hello(person: Person, **fields: Any) -> Message:
    """Say hello on a device; the last answer."""
    asked = person.say("hello", **{"protocols": [1], "name": "", **fields})
    await settle()
    return person.answers(asked)[-1]


async def test_another_device_becomes_the_player_with_seat_name_and_a_token_of_its_own(
    harness: HostingHarness,
) -> None:
    ada, _ben, room = await seated(harness)
    code = await carry(ada)
    assert len(code) == CARRY_LENGTH
    assert set(code) <= set(CODE_ALPHABET)
    phone = Person(harness)
    welcome = await hello(phone, carry=f"{code[:5]}-{code[5:]}".lower())
    assert (welcome["player"], welcome["name"]) == (ada.session.player, "Ada")
    assert welcome["token"] != ada.token
    assert ada.wire.said[-1]["type"] == "carried"
    phone.ask("subscribe", room=room)
    assert phone.ask("play", room=room, version=4, move="b2")["type"] == "accepted"
    assert ada.view(room)["moves"] == phone.view(room)["moves"] == ["b2"]
    # By its token it can come back, and carry the player on; so can the first device by its own.
    phone.token = welcome["token"]
    assert (await hello(Person(harness), carry=await carry(phone)))["player"] == ada.session.player
    for token in (ada.token, phone.token):
        back = await harness.person("Ada", token)
        assert back.session.player == ada.session.player
        assert (await back.ask_store("carry", token=token))["type"] == "carried"


async def test_a_device_that_names_the_player_anew_is_received(harness: HostingHarness) -> None:
    ada = await harness.person("Ada")
    phone = Person(harness)
    assert (await hello(phone, carry=await carry(ada), name="Ada L."))["name"] == "Ada L."
    phone.token = phone.of("welcome")[0]["token"]
    assert (await hello(Person(harness), carry=await carry(phone)))["name"] == "Ada L."


async def test_a_code_is_good_once(harness: HostingHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    add = harness.store.add_token

    async def add_slowly(token_hash: str, player: str) -> bool:
        await asyncio.sleep(0)
        return await add(token_hash, player)

    monkeypatch.setattr(harness.store, "add_token", add_slowly)
    ada = await harness.person("Ada")
    code = await carry(ada)
    devices = [Person(harness) for _ in range(3)]
    asked = [device.say("hello", protocols=[1], name="", carry=code) for device in devices]
    await settle()
    answers = [device.answers(one)[0] for device, one in zip(devices, asked, strict=True)]
    assert [answer.get("code", answer["type"]) for answer in answers] == ["welcome"] + ["unknown_carry"] * 2
    assert "token" not in answers[1]
    # Nor is anything kept for those who came too late.
    assert [one.name for one in harness.store._players.values()] == ["Ada"] * 2


async def test_a_code_is_good_for_a_while_and_is_then_forgotten(harness: HostingHarness) -> None:
    ada, ben = await harness.person("Ada"), await harness.person("Ben")
    # So that it is not just then that old codes are forgotten.
    harness.clock.advance(0.5)
    code, other = await carry(ada), await carry(ben)
    harness.clock.advance(119.9)
    assert (await hello(Person(harness), carry=other))["player"] == ben.session.player
    harness.clock.advance(0.1)
    assert (await hello(Person(harness), carry=code))["code"] == "unknown_carry"
    await carry(ada)
    harness.clock.advance(121.0)
    await carry(ben)
    assert not any(ada.session.player in note for note in notes(harness))


async def test_a_player_has_one_open_code(harness: HostingHarness) -> None:
    ada, ben = await harness.person("Ada"), await harness.person("Ben")
    old, bens, new = await carry(ada), await carry(ben), await carry(ada)
    assert len([note for note in notes(harness) if note.startswith("[")]) == 2
    assert (await hello(Person(harness), carry=old))["code"] == "unknown_carry"
    assert (await hello(Person(harness), carry=new))["player"] == ada.session.player
    assert (await hello(Person(harness), carry=bens))["player"] == ben.session.player


async def test_only_ones_own_token_opens_a_code(harness: HostingHarness) -> None:
    ada, ben = await harness.person("Ada"), await harness.person("Ben")
    for token in (ben.token, "nonsense", ""):
        assert ada.ask("carry", token=token)["code"] == "wrong_token"
    assert notes(harness) == []
    # Also of a player who has come back with it.
    again = await harness.person("Ada", ada.token)
    assert (await again.ask_store("carry", token=ada.token))["type"] == "carried"


async def test_a_hello_that_is_refused_for_something_else_leaves_the_code(harness: HostingHarness) -> None:
    ada = await harness.person("Ada")
    code, phone = await carry(ada), Person(harness)
    assert (await hello(phone, carry=code, name="Server"))["code"] == "bad_name"
    assert (await hello(phone, carry=code, token=ada.token))["code"] == "bad_message"
    assert (await hello(phone, carry=code, protocols=[99]))["code"] == "unsupported_protocol"
    assert (await hello(phone))["code"] == "bad_name"
    assert (await hello(phone, carry=code))["type"] == "welcome"


async def test_a_code_stays_good_until_it_has_led_to_a_token(
    harness: HostingHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = await harness.person("Ada")
    code = await carry(ada)
    with monkeypatch.context() as failing:
        failing.setattr(harness.store, "add_token", AsyncMock(side_effect=NotSaved("The disk is full.")))
        assert (await hello(Person(harness), carry=code))["code"] == "not_saved"
    harness.context.bans.add("Ada", None)
    assert (await hello(Person(harness), carry=code))["code"] == "banned"
    harness.context.bans.lift("Ada")
    assert (await hello(Person(harness), carry=code))["type"] == "welcome"
    assert (await hello(Person(harness), carry=code))["code"] == "unknown_carry"


async def test_one_who_was_forgotten_or_banned_is_not_carried(harness: HostingHarness) -> None:
    ada, ben = await harness.person("Ada"), await harness.person("Ben")
    code, bens = await carry(ada), await carry(ben)
    await harness.store.forget_player(ada.session.player)
    assert (await hello(Person(harness), carry=code))["code"] == "unknown_carry"
    harness.context.bans.add("Ben", None)
    phone = Person(harness)
    refused = await hello(phone, carry=bens)
    assert (refused["code"], "token" in refused) == ("banned", False)


async def test_after_many_wrong_codes_a_right_one_is_answered_like_a_wrong_one() -> None:
    async with open_harness(ServerLimits(messages_per_second=0, wrong_codes_per_minute=5.0)) as harness:
        ada, eve = await harness.person("Ada"), Person(harness)
        code = await carry(ada)
        assert {(await hello(eve, carry=WRONG))["code"] for _ in range(10)} == {"unknown_carry"}
        assert [(await hello(eve, carry=one))["code"] for one in (WRONG, code)] == ["too_fast"] * 2
        # The guesses of one are no other's.
        assert (await hello(Person(harness), carry=code))["type"] == "welcome"


async def test_neither_code_nor_token_is_logged(harness: HostingHarness) -> None:
    with capture_logs() as logs:
        ada = await harness.person("Ada")
        code = await carry(ada)
        ada.ask("carry", token="another")
        welcome, refused = [await hello(Person(harness), carry=code) for _ in range(2)]
    assert refused["type"] == "refused"
    assert ada.token is not None
    assert not [secret for secret in (code, ada.token, welcome["token"]) if secret in repr(logs)]


@pytest.mark.parametrize("alone", [True, False])
async def test_nothing_that_is_kept_of_a_code_is_a_secret(
    harness: HostingHarness, nodes: Nodes, alone: bool
) -> None:
    """A stolen copy of all notes gives nobody's token away, neither by itself nor with the code."""
    harness = harness if alone else await nodes.open()
    ada = await harness.person("Ada")
    code = await carry(ada)
    kept = [*nodes.ground.notes, *(note.text for note in nodes.ground.notes.values())]
    kept += [*harness.context.node._notes, *notes(harness)]
    key = f"carry {sha256(code.encode()).hexdigest()}"
    player = ada.session.player
    assert sorted(kept) == sorted([key, json.dumps([player, "Ada"]), f"carry of {player}", key])
    assert (await hello(Person(harness), carry=code))["player"] == player


async def test_a_carried_player_is_no_visitor_to_be_forgotten(harness: HostingHarness) -> None:
    ada = await harness.person("Ada")
    phone = Person(harness)
    token = (await hello(phone, carry=await carry(ada)))["token"]
    for gone in (ada, phone):
        gone.hang_up()
    harness.clock.advance(2 * 86_400.0)
    await settle()
    for known in (ada.token, token):
        assert (await hello(Person(harness), name="Ada", token=known))["type"] == "welcome"


@pytest.mark.parametrize(("error", "code"), [(StoreFull, "server_full"), (NotSaved, "not_saved")])
async def test_a_token_that_is_not_saved_is_not_given(
    harness: HostingHarness, monkeypatch: pytest.MonkeyPatch, error: type[Exception], code: str
) -> None:
    async def fails(token_hash: str, player: str) -> bool:
        raise error("The disk is full.")

    ada, phone = await harness.person("Ada"), Person(harness)
    carried = await carry(ada)
    monkeypatch.setattr(harness.store, "add_token", fails)
    refused = await hello(phone, carry=carried)
    assert (refused["code"], "token" in refused) == (code, False)
