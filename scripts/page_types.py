"""Writes what others read of the protocol, out of its types: `make types`.

For the web page the types that its modules are checked by, and what they go by of the messages; for
docs/protocol.md the tables of notices and offers, for docs/commands.md the words of offers, and for
docs/bots.md the settings of each bot.

What a server says has every field but those that are None, so there a default does not make a field
optional; in what a client sends it does. Neither writes null for a field.
"""

import dataclasses
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import Any, get_args

from parlour_protocol import TYPING_SECONDS
from parlour_protocol.actions import OFFERS, Action, Offer, QuickWord
from parlour_protocol.answers import Lesson
from parlour_protocol.codec import TO_CLIENT
from parlour_protocol.commands import COMMANDS, SEARCHING, SEATING, SIGNALS, SUBSCRIBING
from parlour_protocol.errors import RETRIED
from parlour_protocol.events import ENDS_THOUGHT, EVENTS, NEW_POSITION, fields_marked, kind_of
from parlour_protocol.messages import Notice, RoomMessage, answer_type, messages_of, types_of
from parlour_protocol.notices import NOTICES
from parlour_protocol.schema import json_schema
from parlour_protocol.views.lists import PAGE, Column, Columns, Kind
from parlour_protocol.views.reports import Bound, Entrant, GradeName, Result, ScoreKind
from parlour_protocol.views.rooms import Channel, Phase, Termination
from parlour_protocol.words import ENGLISH, arguments, without_form
from parlour_server.games.numbers import LARGEST, TEXTBOOK
from parlour_server.page_sources import WEB, named_ids, sentences
from parlour_server.search.levels import KINDS

FILE = WEB / "protocol.d.ts"
SENTENCES = WEB / "sentences.d.ts"
LISTS = WEB / "lists.js"
MESSAGES = WEB / "core/messages.js"
NUMBERS = WEB / "game/numbers.js"
ENTRANTS = WEB / "game/entrants.js"
LESSONS = WEB / "game/lessons.js"
PROTOCOL = Path(__file__).parents[1] / "docs/protocol.md"
AT_TABLE = PROTOCOL.with_name("commands.md")
BOTS = PROTOCOL.with_name("bots.md")

_HEAD = "// The types of the wire. Written by `make types` out of the protocol's JSON Schema.\n"
_TAIL = """
/** A command's own fields: what is sent beside `type` and `id`. */
export type Fields<Type extends keyof Commands> = Omit<Commands[Type]["command"], "type" | "id">;
"""
# The schema writes these out wherever they are used.
_NAMED = {
    get_args(choice): name
    for name, choice in {
        "Action": Action,
        "Bound": Bound,
        "Channel": Channel,
        "Entrant": Entrant,
        "GradeName": GradeName,
        "Lesson": Lesson,
        "Offer": Offer,
        "Phase": Phase,
        "Result": Result,
        "ScoreKind": ScoreKind,
        "Termination": Termination,
    }.items()
}
_UNSAID = {"said": "", "line": 1, "above": 0, "head": "", "tone": ""}
_NULL = {"type": "null"}
_HOLDS = {
    "string": "text",
    "integer": "whole",
    "number": "number",
    "boolean": "flag",
    "array": "list",
    "object": "map",
}
_LONGEST = 110


def page_types() -> str:
    """The content of the file."""
    definitions = said(json_schema()["$defs"])
    declared = "".join(_declared(name, one) for name, one in definitions.items())
    choices = "".join(
        f"\nexport type {name} ={_union(_quoted(choice))};\n" for choice, name in _NAMED.items()
    )
    unions = "".join(
        f"\n/** {says} */\nexport type {name} ={_union([kind.__name__ for kind in kinds])};\n"
        for name, says, kinds in (
            ("RoomMessage", "What comes of a room that is subscribed to.", messages_of(RoomMessage)),
            ("Notice", "What belongs to no room.", messages_of(Notice)),
            ("Command", "What is answered.", COMMANDS),
            ("Signal", "What wants no answer.", SIGNALS),
        )
    )
    return _HEAD + choices + declared + unions + _commands() + _TAIL


def said(definitions: dict[str, Any]) -> dict[str, Any]:
    """The same definitions, but what a server says requires every field that is always there."""
    from_server = _reached({"$ref": "#/$defs/ToClient"}, definitions)
    of_channel = {kind.__name__: fields_marked(kind, "channel") for kind in EVENTS}
    return {
        name: {**one, "required": list(_always(one, of_channel.get(name, frozenset())))}
        if name in from_server and "properties" in one
        else one
        for name, one in definitions.items()
    }


def _always(definition: dict[str, Any], of_channel: Collection[str]) -> Iterator[str]:
    for name, field in definition["properties"].items():
        is_map = field.get("type") == "object" and "propertyNames" not in field
        is_empty_map = is_map and name not in definition["required"]
        if _NULL not in field.get("anyOf", ()) and name not in of_channel and not is_empty_map:
            yield name


def _reached(schema: Any, definitions: dict[str, Any]) -> set[str]:
    """The definitions that a schema speaks of, and those that they speak of."""
    found, ahead = set[str](), [schema]
    while ahead:
        names = set(_references(ahead.pop())) - found
        found |= names
        ahead += [definitions[name] for name in names]
    return found


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if "$ref" in schema:
            yield _name(schema)
        schema = list(schema.values())
    if isinstance(schema, list):
        for part in schema:
            yield from _references(part)


def _name(reference: dict[str, str]) -> str:
    return reference["$ref"].rpartition("/")[2]


def _declared(name: str, schema: dict[str, Any]) -> str:
    """One exported type, below the first sentence of its description."""
    if "properties" not in schema:
        return f"\n{_comment(schema)}export type {name} ={_union(_members(schema))};\n"
    lines = []
    for field, about in schema["properties"].items():
        members = [one for one in _members(about) if one != "null"]
        mark = "" if field in schema.get("required", ()) else "?"
        lines.append(f"{_comment(about, '  ')}  {field}{mark}:{_union(members, '  ')};\n")
    return f"\n{_comment(schema)}export interface {name} {{\n{''.join(lines)}}}\n"


def _comment(schema: dict[str, Any], indent: str = "") -> str:
    """The first sentence of a description."""
    if "description" not in schema:
        return ""
    paragraph = " ".join(schema["description"].split("\n\n")[0].split())
    sentence, stop, _ = paragraph.partition(". ")
    return f"{indent}/** {sentence}{stop.strip()} */\n"


def _quoted(values: Iterable[Any]) -> list[str]:
    return [json.dumps(value) for value in values]


def _union(members: list[str], indent: str = "") -> str:
    line = f" {' | '.join(members)}"
    return line if len(line) <= _LONGEST else "".join(f"\n{indent}  | {member}" for member in members)


def _type(schema: dict[str, Any]) -> str:
    return " | ".join(_members(schema))


def _members(schema: dict[str, Any]) -> list[str]:
    """The types that a value may have, each once."""
    if "$ref" in schema:
        return [_name(schema)]
    if "const" in schema or "enum" in schema:
        values = schema.get("enum", [schema.get("const")])
        return [_NAMED[tuple(values)]] if tuple(values) in _NAMED else _quoted(values)
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return list(dict.fromkeys(member for part in schema[several] for member in _members(part)))
    match schema.get("type"):
        case "array":
            item, least, most = _type(schema["items"]), schema.get("minItems"), schema.get("maxItems")
            # Both[...]: one for each seat, or for each side.
            return [f"[{item}, {item}]"] if least == most == 2 else [f"{_grouped(item)}[]"]
        case "object":
            inner = schema.get("additionalProperties", True)
            if "propertyNames" in schema:
                return [f"{{[key in {_type(schema['propertyNames'])}]?: {_type(inner)}}}"]
            return [f"{{[key: string]: {'unknown' if inner is True else _type(inner)}}}"]
        case "integer" | "number":
            return ["number"]
        case "string" | "boolean" | "null" as plain:
            return [plain]
    return ["unknown"]


def _grouped(item: str) -> str:
    return f"({item})" if " | " in item else item


def _commands() -> str:
    """What may be asked, by its `type`, and what answers it."""
    lines = (
        f"  {type_}: {{command: {command.__name__}, answer: {answer_type(command).__name__}}};\n"
        for command in COMMANDS
        for type_ in types_of(command)
    )
    return (
        f"\n/** Each command by its `type`, and its answer where it is not refused. */\n"
        f"export interface Commands {{\n{''.join(lines)}}}\n"
    )


def offer_table() -> str:
    """The offers, for docs/protocol.md: when they are open, how long they stand, and what they are."""
    rows = ["| Offer | Phase | Lapses when | |", "|---|---|---|---|"]
    for offer, terms in OFFERS.items():
        moves = "the other player moves" if terms.outlives_own_move else "a move is played"
        lapses = (
            moves if terms.phase == "playing" else "a game begins" if terms.phase else "the seat is taken"
        )
        phase = f"`{terms.phase}`" if terms.phase else "from the first game on"
        rows.append(f"| `{offer}` | {phase} | {lapses} | {ENGLISH.say(f'action.{offer}.help')} |")
    return "".join(f"{row}\n" for row in rows)


def notice_table() -> str:
    """The notices, for docs/protocol.md: each with its fields and what its docstring says."""
    rows = ["| Notice | Fields | |", "|---|---|---|"]
    for kind in NOTICES:
        cells = (
            f"`{types_of(kind)[0]}`",
            ", ".join(_field_names(kind)),
            " ".join((kind.__doc__ or "").split()),
        )
        rows.append(f"| {' | '.join(cells)} |")
    return "".join(f"{row}\n" for row in rows)


def _field_names(kind: type[Any]) -> Iterator[str]:
    for one in dataclasses.fields(kind):
        if one.name != "type":
            needed = one.default is dataclasses.MISSING and one.default_factory is dataclasses.MISSING
            yield f"`{one.name}`" if needed else f"[`{one.name}`]"


def page_messages() -> str:
    """What the page's modules go by of the protocol's messages, as a module."""
    answers = {type_: types_of(answer_type(one))[0] for one in COMMANDS for type_ in types_of(one)}
    definitions = json_schema()["$defs"]
    needed = {
        types_of(kind)[0]: " ".join(
            f"{name}:{_holds(definitions[kind.__name__]['properties'][name], definitions)}"
            for name in definitions[kind.__name__]["required"]
            if name != "type"
        )
        for kind in TO_CLIENT
    }

    def usual(command: str) -> str:
        return command if command in needed else "accepted"

    sets = (
        ("RETRIED", "Refusals after which waiting helps.", (code.value for code in RETRIED)),
        ("SUBSCRIBING", "Commands that subscribe to their room once they are accepted.", _types(SUBSCRIBING)),
        ("SEATING", "Those of them that take a free seat.", _types(SEATING)),
        ("SEARCHING", "Commands whose search `cancel` stops.", _types(SEARCHING)),
        ("NEW_POSITION", "Events with which a position comes to be.", map(kind_of, NEW_POSITION)),
        ("ENDS_THOUGHT", "Events after which a bot no longer thinks.", map(kind_of, ENDS_THOUGHT)),
    )
    return (
        "// What the page goes by of the protocol's messages. Written by `make types` out of the protocol.\n"
        "\n/** What answers each command, where it is neither a message of the same name nor `accepted`.\n"
        " *  @type {Record<string, string>} */\n"
        f"export const ANSWERS = {_object({one: by for one, by in answers.items() if by != usual(one)})};\n"
        "\n/** What a server says: the fields that each type always has, and what they hold.\n"
        f" *  @type {{Record<string, string>}} */\nexport const NEEDED = {_object(needed)};\n"
        + "".join(f"\n/** {says} */\nexport const {name} = {_set(values)};\n" for name, says, values in sets)
        + "\n/** What is said by its name, so that each reads it in their own language. */\n"
        + f"export const QUICK_WORDS = /** @type {{const}} */ ({json.dumps(get_args(QuickWord))});\n"
        + "\n/** For how long a `typing` notice holds. */\n"
        + f"export const TYPING_SECONDS = {TYPING_SECONDS:g};\n"
    )


def tree_of_numbers() -> str:
    """What the page's editor of such trees goes by, as a module."""
    return (
        "// What a tree of numbers may be. Written by `make types` out of `games/numbers.py`.\n"
        f"\n/** The one that every textbook has. */\nexport const TEXTBOOK = {json.dumps(TEXTBOOK)};\n"
        f"\n/** No leaf is further from 0. */\nexport const LARGEST = {LARGEST};\n"
    )


def choices(name: str, said: str, literal: Any) -> str:
    """The values of a `Literal` of the protocol, as a module."""
    lines = "".join(f"  {one},\n" for one in _quoted(get_args(literal)))
    return (
        f"// {said} Written by `make types` out of the protocol.\n"
        f"export const {name} = /** @type {{const}} */ ([\n{lines}]);\n"
    )


def _types(commands: Iterable[type[Any]]) -> Iterator[str]:
    return (type_ for one in commands for type_ in types_of(one))


def _holds(schema: Any, definitions: dict[str, Any]) -> str:
    """What a field holds, in a word."""
    while "$ref" in schema:
        schema = definitions[_name(schema)]
    return _HOLDS[schema.get("type", "object")]


def _object(fields: dict[str, str]) -> str:
    return f"{{\n{''.join(f'  {name}: {json.dumps(value)},{chr(10)}' for name, value in fields.items())}}}"


def _set(values: Iterable[str]) -> str:
    quoted = _quoted(sorted(values))
    line = f"new Set([{', '.join(quoted)}])"
    return line if len(line) < _LONGEST - 25 else f"new Set([\n  {f',{chr(10)}  '.join(quoted)},\n])"


def sentence_types() -> str:
    """The ids of all sentences that the page says, each with its arguments."""
    scripts = [file.read_text(encoding="utf-8") for file in sorted(WEB.rglob("*.js"))]
    found: dict[str, set[str]] = {}
    for id_, sentence in sentences(named_ids(scripts), ENGLISH).items():
        base = without_form(id_)
        found.setdefault(base, set()).update(arguments(sentence), {"count"} if base != id_ else ())
    lines = (f'  "{id_}": {_given(names)};\n' for id_, names in sorted(found.items()))
    return (
        "// The page's sentences. Written by `make types` out of the catalogue of words.\n"
        "\n/** What may stand in a sentence. */\nexport type Argument = string | number | string[];\n\n"
        f"export interface Words {{\n{''.join(lines)}}}\n"
    )


def _given(names: set[str]) -> str:
    if not names:
        return "undefined"
    each = (f"{name}: {'number' if name == 'count' else 'Argument'}" for name in sorted(names))
    return f"{{{'; '.join(each)}}}"


def lists() -> str:
    """The lists that the page shows, as data."""
    kinds = "".join(f"\n *   | {kind}" for kind in _quoted(get_args(Kind)))
    return (
        "/** The columns of lists. Written by `make types` out of the protocol's. */\n\n"
        f"/**\n * @typedef {{{kinds}\n * }} Kind\n */\n"
        "/**\n * @typedef {{name: string, kind: Kind, said?: string, line?: number, above?: number,\n"
        " *   head?: string, tone?: string}} Column\n */\n"
    ) + "".join(_list(name, columns) for name, columns in PAGE.items())


def _list(name: str, columns: Columns[Any]) -> str:
    rows = "".join(f"  {{ {_column(column)} }},\n" for column in columns)
    return f"\n/** @type {{Column[]}} */\nexport const {name} = [\n{rows}];\n"


def _column(column: Column[Any]) -> str:
    """Its fields but for those that are as usual."""
    fields = {field: getattr(column, field) for field in ("name", "kind", *_UNSAID)}
    return ", ".join(
        f"{field}: {json.dumps(value)}" for field, value in fields.items() if value != _UNSAID.get(field)
    )


def _as_it_is(text: str) -> Callable[[re.Match[str]], str]:
    """What `re.sub` puts there, without reading anything into it."""
    return lambda _: text


def written() -> dict[Path, str]:
    """Every file that is written, or written in part, with its content."""
    protocol, commands, bots = (file.read_text(encoding="utf-8") for file in (PROTOCOL, AT_TABLE, BOTS))
    for table in (notice_table(), offer_table()):
        head = table.partition("\n")[0]
        protocol = re.sub(rf"^{re.escape(head)}\n(\|.*\n)*", _as_it_is(table), protocol, flags=re.M)
    for name, kind in KINDS.items():
        settings = ", ".join(f"`{one}`" for one in kind.settings)
        bots = re.sub(rf"^\| `{name}` \|[^|]*\|", f"| `{name}` | {settings} |", bots, flags=re.M)
    offers = f"\n| {', '.join(f'`{offer}`' for offer in OFFERS)} |"
    return {
        LISTS: lists(),
        PROTOCOL: protocol,
        AT_TABLE: re.sub(r"\n\| `draw`, [^|]*\|", offers, commands),
        BOTS: bots,
        SENTENCES: sentence_types(),
        MESSAGES: page_messages(),
        NUMBERS: tree_of_numbers(),
        ENTRANTS: choices("ENTRANTS", "The searches that race.", Entrant),
        LESSONS: choices(
            "LESSONS", "What there are exercises on, in the order in which it is taught.", Lesson
        ),
        FILE: page_types(),
    }


if __name__ == "__main__":
    # The page's sentences are found in the files that use them, this one among them.
    LISTS.write_text(lists(), encoding="utf-8")
    for file, content in written().items():
        file.write_text(content, encoding="utf-8")
