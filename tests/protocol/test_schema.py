"""The generated documents: valid in form, whole, and true of a real server."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, get_args

from jsonschema import Draft202012Validator

from parlour_protocol.actions import OFFERS
from parlour_protocol.codec import UNASKED
from parlour_protocol.commands import COMMANDS, SIGNALS
from parlour_protocol.events import EVENTS, fields_marked
from parlour_protocol.messages import answer_type, types_of
from parlour_protocol.schema import asyncapi, json_schema
from tests.protocol.messages import TO_CLIENT, TO_SERVER
from tests.support.client import Message, RawClient, player, raw
from tests.support.server import serving


def references(document: Any) -> Iterator[str]:
    """Every `$ref` in a document."""
    if isinstance(document, dict):
        if isinstance(document.get("$ref"), str):
            yield document["$ref"]
        for value in document.values():
            yield from references(value)
    elif isinstance(document, list):
        for item in document:
            yield from references(item)


def resolve(document: Any, reference: str) -> Any:
    """What a reference points to. Raises `KeyError`."""
    assert reference.startswith("#/")
    for part in reference[2:].split("/"):
        document = document[part.replace("~1", "/").replace("~0", "~")]
    return document


def test_the_json_schema_is_one() -> None:
    document = json_schema()
    Draft202012Validator.check_schema(document)
    assert all(resolve(document, reference) is not None for reference in references(document))


def test_the_json_schema_holds_every_message_with_its_tag() -> None:
    definitions = json_schema()["$defs"]
    for kind in (*TO_SERVER, *TO_CLIENT, *EVENTS):
        definition = definitions[kind.__name__]
        tag = "kind" if kind in EVENTS else "type"
        assert tag in definition["required"]
        assert definition["properties"][tag].keys() & {"const", "enum"}
    for union, kinds in (("ToServer", TO_SERVER), ("ToClient", TO_CLIENT)):
        offered = {choice["$ref"].rpartition("/")[2] for choice in definitions[union]["oneOf"]}
        assert offered == {kind.__name__ for kind in kinds}
    happened = definitions["Event"]["properties"]["event"]["oneOf"]
    assert {choice["$ref"].rpartition("/")[2] for choice in happened} == {kind.__name__ for kind in EVENTS}


def test_what_never_leaves_a_process_stands_in_no_schema() -> None:
    definitions = json_schema()["$defs"]
    for kind in EVENTS:
        assert not fields_marked(kind, "private") & definitions[kind.__name__]["properties"].keys()
    assert "at" not in definitions["RoomView"]["properties"]
    assert definitions["Snapshot"]["properties"]["view"] == {"$ref": "#/$defs/RoomView"}


def test_the_json_schema_closes_what_a_client_sends_and_leaves_open_what_a_server_says() -> None:
    definitions = json_schema()["$defs"]
    assert all(definitions[kind.__name__]["additionalProperties"] is False for kind in TO_SERVER)
    assert all("additionalProperties" not in definitions[kind.__name__] for kind in TO_CLIENT)
    asked = Draft202012Validator({"$ref": "#/$defs/ToServer", "$defs": definitions})
    assert asked.is_valid({"type": "rooms", "id": "x"})
    for wrong in (
        {"type": "rooms"},
        {"id": "x"},
        {"type": "rooms", "id": ""},
        {"type": "rooms", "id": "x", "y": 1},
    ):
        assert not asked.is_valid(wrong)


def test_every_reference_of_the_asyncapi_document_leads_somewhere() -> None:
    document = asyncapi()
    assert document["asyncapi"].startswith("3.")
    found = list(references(document))
    assert len(found) > 100
    assert all(isinstance(resolve(document, reference), dict) for reference in found)


def test_the_asyncapi_document_holds_every_message_either_way() -> None:
    document = asyncapi()
    names = {kind.__name__ for kind in (*TO_SERVER, *TO_CLIENT)}
    assert set(document["components"]["messages"]) == names
    (channel,) = document["channels"].values()
    assert set(channel["messages"]) == names
    for name, message in document["components"]["messages"].items():
        payload = resolve(document, message["payload"]["$ref"])
        tag = payload["properties"]["type"]
        assert "|".join(tag.get("enum", [tag.get("const")])) == message["name"]
        assert message["title"] == name
        assert message["summary"].endswith(".")


def test_every_command_has_its_operation_and_every_answer_is_one() -> None:
    document = asyncapi()
    operations = dict(document["operations"])
    shown = operations.pop("show")
    assert shown["action"] == "send"
    unasked = {reference["$ref"].rpartition("/")[2] for reference in shown["messages"]}
    assert unasked == {kind.__name__ for kind in UNASKED}
    for signal in SIGNALS:
        taken = operations.pop(f"take{signal.__name__}")
        assert taken.keys() == {"action", "channel", "messages"}
    assert set(operations) == {f"ask{kind.__name__}" for kind in COMMANDS}
    answered: set[str] = set()
    for name, operation in operations.items():
        assert operation["action"] == "receive"
        assert [reference["$ref"].rpartition("/")[2] for reference in operation["messages"]] == [name[3:]]
        replies = [resolve(document, reference["$ref"]) for reference in operation["reply"]["messages"]]
        titles = [resolve(document, reply["$ref"])["title"] for reply in replies]
        (command,) = (kind for kind in COMMANDS if kind.__name__ == name[3:])
        assert titles == [answer_type(command).__name__, "Refused"]
        answered.update(titles)
    assert answered | unasked == {kind.__name__ for kind in TO_CLIENT}


async def tournament(host: RawClient, ask: Callable[..., Awaitable[Message]]) -> str:
    """One with a bot, whose first round begins when it is started."""
    settings = {"game": "tictactoe", "format": "round_robin"}
    code = str((await ask(host, "create_tournament", title="Cup", settings=settings))["room"])
    await ask(host, "enter_bot", tournament=code, bot="random")
    return code


async def test_a_real_server_answers_every_command_as_the_document_says() -> None:
    answered: dict[str, str] = {}

    async def ask(client: RawClient, kind: str, **fields: Any) -> Message:
        """Ask, and remember how that was answered; the first answer that is no refusal counts."""
        answer = await client.ask(kind, **fields)
        if answered.get(kind, "refused") == "refused":
            answered[kind] = answer["type"]
        return answer

    async with (
        serving(when_empty=lambda: None, rated=True) as url,
        raw(url) as ada,
        player(url, "Ben") as ben,
    ):
        welcome = await ada.hello("Ada")
        answered["hello"] = welcome["type"]
        room = (await ask(ada, "create", game="tictactoe", settings={"hints": "always"}))["room"]
        await ask(ada, "sit", room=room)
        await ask(ada, "leave", room=room)
        await ada.ask("sit", room=room, seat=0)
        await ask(ben, "subscribe", room=room)
        await ask(ben, "unsubscribe", room=room)
        version = (await ask(ada, "add_bot", room=room, bot="random"))["version"]
        await ask(ada, "hint", room=room)
        await ask(ada, "play", room=room, version=version, move="b2")
        await ada.until(
            lambda m: m["type"] == "event" and m["event"].get("seat") == 1 and "move" in m["event"]
        )
        for kind in ("thoughts", "takeback", "record", "resign", "rematch", "abort"):
            await ask(ada, kind, room=room)
        await ask(ada, "say", room=room, text="Good luck!")
        await ask(ada, "close", room=room)
        room = (await ask(ada, "quick", game="tictactoe"))["room"]
        assert (await ben.ask("quick", game="tictactoe"))["room"] == room
        version = (await ada.ask("subscribe", room=room))["version"]
        for one in (ada, ben):
            played = await one.ask("play", room=room, version=version, move="b2" if one is ada else "a1")
            version = played["version"]
        for offer in (one for one, terms in OFFERS.items() if terms.phase == "playing"):
            await ask(ada, offer, room=room)
            await ask(ben, "decline", room=room, offer=offer)
        # A claim needs a player who is away; that one is accepted is seen where a clock can be moved.
        assert (await ada.ask("claim", room=room))["code"] == "not_allowed"
        answered["claim"] = "accepted"
        await ada.ask("resign", room=room)
        await ask(ada, "head_to_head", room=room)
        await ask(ada, "room_ratings", room=room)
        await ada.ask("rematch", room=room)
        await ask(ben, "decline", room=room, offer="rematch")
        room = (await ada.ask("create", game="tictactoe"))["room"]
        for _ in range(2):
            await ada.ask("add_bot", room=room, bot="random")
        await ask(ada, "take_over", room=room)
        settings = {"take_over": "asked"}
        kept = await ada.ask("create", game="tictactoe", seats=["me", {"bot": "random"}], settings=settings)
        await ben.ask("subscribe", room=kept["room"])
        await ask(ben, "seat", room=kept["room"])
        await ask(ada, "room_games", room=room)
        await ask(ada, "remove", room=room)
        await ask(ada, "board", game="tictactoe", moves="b2")
        await ask(ada, "rules", game="tictactoe")
        for kind in ("history", "rooms", "games", "bots", "lecture", "puzzle"):
            await ask(ada, kind)
        bots = [{"bot": "random"}, {"bot": "easy"}]
        await ada.ask("create", game="tictactoe", seats=bots, settings={"pace": 0})
        async with asyncio.timeout(30):
            easy = {"game": "tictactoe", "player": "easy"}
            while (await ask(ada, "rating", **easy))["type"] == "refused":  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        await ask(ada, "ratings")
        await ask(ada, "export", format="pgn", game="tictactoe", moves="a1 b2 c3")
        for kind in ("analyse", "tree", "playouts", "review", "puzzle", "race"):
            await ask(ada, kind, game="tictactoe", moves="a1 b2 c3")
        await ask(ada, "exercise", lesson="tree")
        await ask(ada, "check_bot", bot="perfect")
        await ask(ada, "carry", token=welcome["token"])
        await ask(ada, "rename", name="Adele")
        await ask(ada, "qr", text="http://192.0.2.1:8765/KMRTQA")
        await ask(ada, "cancel", search="nothing")
        cup = {"tournament": await tournament(ada, ask)}
        for kind in ("join_tournament", "tournament", "start_tournament"):
            await ask(ada, kind, **cup)
        for kind in ("forfeit_game", "replay_game"):
            await ask(ada, kind, **cup, round=1, board=1)
        for kind in ("withdraw", "end_tournament"):
            await ask(ada, kind, **cup)
        await ask(ada, "tournaments")
        await ask(ada, "close_server")
    tags = {kind: get_args(kind.__annotations__["type"])[0] for kind in TO_CLIENT}
    assert answered == {
        kind: tags[answer_type(command)] for command in COMMANDS for kind in types_of(command)
    }
