"""The protocol for other languages: a JSON Schema and an AsyncAPI 3 document, made from the types.

Nothing here is written by hand that the types say already, so the documents can't fall behind them.
"""

from functools import cache
from typing import Any

from pydantic import TypeAdapter

from parlour_protocol import DEFAULT_PORT, PROTOCOL_VERSION, SUBPROTOCOL
from parlour_protocol.answers import Refused
from parlour_protocol.codec import MAX_MESSAGE_BYTES, TO_CLIENT, UNASKED, one_of
from parlour_protocol.commands import COMMANDS, SIGNALS, TO_SERVER
from parlour_protocol.events import EVENTS, fields_marked
from parlour_protocol.messages import answer_type, types_of
from parlour_protocol.views.rooms import RoomView

_SCHEMAS = "#/components/schemas/"


@cache
def json_schema() -> dict[str, Any]:
    """One JSON Schema (draft 2020-12) with `ToServer` and `ToClient` among its definitions."""
    definitions = _definitions("#/$defs/{model}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Parlour protocol {PROTOCOL_VERSION}",
        "description": "A client sends ToServer and receives ToClient, each as one WebSocket text frame.",
        "$defs": definitions,
        "oneOf": [{"$ref": "#/$defs/ToServer"}, {"$ref": "#/$defs/ToClient"}],
    }


def asyncapi() -> dict[str, Any]:
    """The same as an AsyncAPI 3 document: one channel, what goes either way, and what answers what."""
    messages = {kind.__name__: _message(kind) for kind in (*TO_SERVER, *TO_CLIENT)}
    operations: dict[str, Any] = {
        f"ask{command.__name__}": {
            "action": "receive",
            **_on_the_channel(command),
            "reply": _on_the_channel(answer_type(command), Refused),
        }
        for command in COMMANDS
    }
    for signal in SIGNALS:
        operations[f"take{signal.__name__}"] = {"action": "receive", **_on_the_channel(signal)}
    operations["show"] = {"action": "send", **_on_the_channel(*UNASKED)}
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


def _on_the_channel(*kinds: type[Any]) -> dict[str, Any]:
    """Messages of these kinds on the one channel."""
    messages = [{"$ref": f"#/channels/table/messages/{kind.__name__}"} for kind in kinds]
    return {"channel": {"$ref": "#/channels/table"}, "messages": messages}


def _message(kind: type[Any]) -> dict[str, Any]:
    summary = " ".join((kind.__doc__ or "").split("\n\n")[0].split())
    return {
        "name": "|".join(types_of(kind)),
        "title": kind.__name__,
        "summary": summary,
        "payload": {"$ref": _SCHEMAS + kind.__name__},
    }


def _definitions(ref_template: str) -> dict[str, Any]:
    """Every type that stands on the wire, and the two unions."""
    adapters: list[tuple[str, Any, TypeAdapter[Any]]] = [
        ("to_server", "validation", one_of(TO_SERVER)),
        ("to_client", "validation", one_of(TO_CLIENT)),
        ("view", "validation", TypeAdapter(RoomView)),
    ]
    roots, shared = TypeAdapter.json_schemas(adapters, ref_template=ref_template)
    definitions: dict[str, Any] = dict(shared.get("$defs", {}))
    definitions["ToServer"] = roots["to_server", "validation"]
    definitions["ToClient"] = roots["to_client", "validation"]
    # How an old client takes what it doesn't know is its own affair: a server sends only known kinds.
    del definitions["UnknownEvent"]
    definitions["Event"]["properties"]["event"] = definitions["Event"]["properties"]["event"]["anyOf"][0]
    del definitions["RoomView"]["properties"]["at"]
    definitions["Snapshot"]["properties"]["view"] = {"$ref": ref_template.format(model="RoomView")}
    for kind in EVENTS:
        for name in fields_marked(kind, "private"):
            del definitions[kind.__name__]["properties"][name]
    for definition in definitions.values():
        _require_tag(definition)
    return dict(sorted(definitions.items()))


def _require_tag(definition: dict[str, Any]) -> None:
    """A tag has a default, for code that builds the message; on the wire it must be there."""
    for tag in ("type", "kind"):
        if "const" in definition.get("properties", {}).get(tag, {}):
            definition["properties"][tag].pop("default", None)
            definition["required"] = [tag, *definition.get("required", [])]
