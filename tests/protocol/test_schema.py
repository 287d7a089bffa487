"""The generated documents: valid in form, whole, and true of a real server."""

from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator

from parlour_protocol.schema import ANSWERED_BY, asyncapi, json_schema
from tests.protocol.messages import EVENTS, TO_CLIENT, TO_SERVER
from tests.support.client import Message, player, raw
from tests.support.server import serving

ASKED = [kind.model_fields["type"].default for kind in TO_SERVER]
UNASKED = {"Event", "Snapshot", "Thinking", "Progress", "Presence", "Replaced", "Lobby", "Goodbye"}


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
        assert "const" in definition["properties"][tag]
    for union, kinds in (("ToServer", TO_SERVER), ("ToClient", TO_CLIENT)):
        offered = {choice["$ref"].rpartition("/")[2] for choice in definitions[union]["oneOf"]}
        assert offered == {kind.__name__ for kind in kinds}
    happened = definitions["Event"]["properties"]["event"]["oneOf"]
    assert {choice["$ref"].rpartition("/")[2] for choice in happened} == {kind.__name__ for kind in EVENTS}


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
        assert payload["properties"]["type"]["const"] == message["name"]
        assert message["title"] == name
        assert message["summary"].endswith(".")


def test_every_command_has_its_operation_and_every_answer_is_one() -> None:
    document = asyncapi()
    operations = dict(document["operations"])
    shown = operations.pop("show")
    assert shown["action"] == "send"
    assert {reference["$ref"].rpartition("/")[2] for reference in shown["messages"]} == UNASKED
    assert set(operations) == {f"ask{kind.__name__}" for kind in TO_SERVER}
    answered: set[str] = set()
    for name, operation in operations.items():
        assert operation["action"] == "receive"
        assert [reference["$ref"].rpartition("/")[2] for reference in operation["messages"]] == [name[3:]]
        replies = [resolve(document, reference["$ref"]) for reference in operation["reply"]["messages"]]
        titles = [resolve(document, reply["$ref"])["title"] for reply in replies]
        assert titles[1:] == ["Refused"]
        answered.update(titles)
    assert answered | UNASKED == {kind.__name__ for kind in TO_CLIENT}


async def test_a_real_server_answers_every_command_as_the_document_says() -> None:
    heard: dict[str, str] = {}

    def note(kind: str, answer: Message) -> Message:
        heard[kind] = answer["type"]
        return answer

    async with serving() as url, raw(url) as ada, player(url, "Ben") as ben:
        note("hello", await ada.hello("Ada"))
        room = note("create", await ada.ask("create", game="tictactoe", settings={"hints": "always"}))["room"]
        note("sit", await ada.ask("sit", room=room))
        note("leave", await ada.ask("leave", room=room))
        await ada.ask("sit", room=room, seat=0)
        note("watch", await ben.ask("watch", room=room))
        note("unwatch", await ben.ask("unwatch", room=room))
        version = note("add_bot", await ada.ask("add_bot", room=room, bot="random"))["version"]
        note("hint", await ada.ask("hint", room=room))
        note("play", await ada.ask("play", room=room, version=version, move="b2"))
        await ada.until(
            lambda m: m["type"] == "event" and m["event"].get("seat") == 1 and "move" in m["event"]
        )
        note("thoughts", await ada.ask("thoughts", room=room))
        note("ask_takeback", await ada.ask("ask_takeback", room=room))
        note("say", await ada.ask("say", room=room, text="Good luck!"))
        note("record", await ada.ask("record", room=room))
        note("resign", await ada.ask("resign", room=room))
        note("rematch", await ada.ask("rematch", room=room))
        note("abort", await ada.ask("abort", room=room))
        note("close", await ada.ask("close", room=room))
        room = note("quick", await ada.ask("quick", game="tictactoe"))["room"]
        assert (await ben.ask("quick", game="tictactoe"))["room"] == room
        note("offer_draw", await ada.ask("offer_draw", room=room))
        note("decline", await ben.ask("decline", room=room, offer="draw"))
        # Who is here can't be claimed from; that one is accepted is seen where a clock can be moved.
        assert (await ada.ask("claim", room=room))["code"] == "not_allowed"
        heard["claim"] = "accepted"
        room = (await ada.ask("create", game="tictactoe"))["room"]
        for _ in range(2):
            await ada.ask("add_bot", room=room, bot="random")
        note("take_over", await ada.ask("take_over", room=room))
        note("history", await ada.ask("history"))
        note("board", await ada.ask("board", game="tictactoe", moves="b2"))
        for kind in ("rooms", "games", "bots"):
            note(kind, await ada.ask(kind))
        note("analyse", await ada.ask("analyse", game="tictactoe", moves="a1 b2 c3"))
        note("tree", await ada.ask("tree", game="tictactoe", moves="a1 b2 c3"))
        note("race", await ada.ask("race", game="tictactoe", moves="a1 b2 c3"))
    assert heard == {kind: ANSWERED_BY.get(kind, "accepted") for kind in ASKED}
    assert "accepted" not in ANSWERED_BY.values()
