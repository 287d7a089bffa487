"""The protocol for other languages: a JSON Schema and an AsyncAPI 3 document, made from the types.

Nothing here is written by hand that the types say already, so the documents can't fall behind them.
"""

from dataclasses import is_dataclass
from typing import Any, get_args

from pydantic import BaseModel, TypeAdapter

from parlour_protocol import DEFAULT_PORT, PROTOCOL_VERSION, SUBPROTOCOL
from parlour_protocol.codec import MAX_MESSAGE_BYTES
from parlour_protocol.to_client import ToClient
from parlour_protocol.to_server import ToServer

_SCHEMAS = "#/components/schemas/"

ANSWERED_BY = {
    "hello": "welcome",
    "hint": "hint",
    "thoughts": "thoughts",
    "rooms": "rooms",
    "games": "games",
    "bots": "bots",
    "analyse": "analysis",
    "tree": "game_tree",
    "race": "raced",
    "record": "record",
    "board": "board",
    "history": "history",
}
"""The answer to each command, where it isn't `accepted`. Any may be answered by `refused` instead."""


UNASKED = ("event", "snapshot", "thinking", "progress", "presence", "replaced", "lobby", "goodbye")
"""What a server says without being asked."""


def json_schema() -> dict[str, Any]:
    """One JSON Schema (draft 2020-12) with `ToServer` and `ToClient` among its definitions."""
    definitions = _definitions("#/$defs/{model}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Parlour protocol {PROTOCOL_VERSION}",
        "description": "A client sends ToServer and hears ToClient, each as one WebSocket text frame.",
        "$defs": definitions,
        "oneOf": [{"$ref": "#/$defs/ToServer"}, {"$ref": "#/$defs/ToClient"}],
    }


def asyncapi() -> dict[str, Any]:
    """The same as an AsyncAPI 3 document: one channel, what goes either way, and what answers what."""
    asked, said = _messages(ToServer), _messages(ToClient)
    messages = {name: _message(kind, tag) for name, (kind, tag) in {**asked, **said}.items()}
    by_tag = {tag: name for name, (_, tag) in said.items()}
    operations: dict[str, Any] = {}
    for name, (_, tag) in asked.items():
        answers = [by_tag[ANSWERED_BY.get(tag, "accepted")], by_tag["refused"]]
        operations[f"ask{name}"] = {
            "action": "receive",
            "channel": {"$ref": "#/channels/table"},
            "messages": [{"$ref": f"#/channels/table/messages/{name}"}],
            "reply": {
                "channel": {"$ref": "#/channels/table"},
                "messages": [{"$ref": f"#/channels/table/messages/{answer}"} for answer in answers],
            },
        }
    unasked = [by_tag[tag] for tag in UNASKED]
    operations["show"] = {
        "action": "send",
        "channel": {"$ref": "#/channels/table"},
        "messages": [{"$ref": f"#/channels/table/messages/{name}"} for name in unasked],
    }
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Parlour",
            "version": str(PROTOCOL_VERSION),
            "license": {"name": "MIT"},
            "description": (
                f"JSON text frames of at most {MAX_MESSAGE_BYTES} bytes from client to server, WebSocket "
                f"subprotocol {SUBPROTOCOL}. See docs/protocol.md."
            ),
        },
        "defaultContentType": "application/json",
        "servers": {
            "local": {
                "host": f"127.0.0.1:{DEFAULT_PORT}",
                "protocol": "ws",
                "description": "Where `parlour serve` listens.",
            }
        },
        "channels": {
            "table": {
                "address": "/",
                "title": "One connection",
                "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in messages},
                "bindings": {"ws": {"method": "GET", "bindingVersion": "0.1.0"}},
            }
        },
        "operations": operations,
        "components": {"messages": messages, "schemas": _definitions(_SCHEMAS + "{model}")},
    }


def _messages(union: Any) -> dict[str, tuple[Any, str]]:
    """The members of a tagged union: class name -> (class, tag)."""
    members = get_args(get_args(union)[0])
    return {member.__name__: (member, _tag(member)) for member in members}


def _tag(member: Any) -> str:
    if isinstance(member, type) and issubclass(member, BaseModel):
        annotation = member.model_fields["type"].annotation
    else:
        assert is_dataclass(member)
        annotation = member.__annotations__["type"]
    return str(get_args(annotation)[0])


def _message(kind: Any, tag: str) -> dict[str, Any]:
    said = " ".join((kind.__doc__ or "").split("\n\n")[0].split())
    return {
        "name": tag,
        "title": kind.__name__,
        "summary": said,
        "payload": {"$ref": _SCHEMAS + kind.__name__},
    }


def _definitions(ref_template: str) -> dict[str, Any]:
    """Every type that stands on the wire, and the two unions."""
    adapters: list[tuple[str, Any, TypeAdapter[Any]]] = [
        ("to_server", "validation", TypeAdapter(ToServer)),
        ("to_client", "validation", TypeAdapter(ToClient)),
    ]
    roots, shared = TypeAdapter.json_schemas(adapters, ref_template=ref_template)
    definitions: dict[str, Any] = dict(shared.get("$defs", {}))
    definitions["ToServer"] = roots["to_server", "validation"]
    definitions["ToClient"] = roots["to_client", "validation"]
    # How an old client takes what it doesn't know is its own affair: a server sends only known kinds.
    del definitions["UnknownEvent"]
    happened = definitions["Event"]["properties"]["event"]
    happened["oneOf"] = [kind for kind in happened["oneOf"] if not kind["$ref"].endswith("/UnknownEvent")]
    for definition in definitions.values():
        _require_tag(definition)
    return dict(sorted(definitions.items()))


def _require_tag(definition: dict[str, Any]) -> None:
    """A tag has a default, for whoever builds the message; on the wire it must be there."""
    for tag in ("type", "kind"):
        if "const" in definition.get("properties", {}).get(tag, {}):
            definition["properties"][tag].pop("default", None)
            definition["required"] = [tag, *definition.get("required", [])]
