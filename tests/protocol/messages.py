"""Messages of every kind, drawn from the types themselves: a new field or message joins by itself."""

import dataclasses
from collections.abc import Callable
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from annotated_types import BaseMetadata, Ge, Gt, Le, Lt, MaxLen, MinLen
from hypothesis import strategies as st
from pydantic import BaseModel, StringConstraints, TypeAdapter
from pydantic.fields import FieldInfo

from parlour_protocol import codec, commands
from parlour_protocol.clocks import ClockText
from parlour_protocol.commands import AskedSeat, QrLink
from parlour_protocol.events import EVENTS, Event, RoomEvent, Snapshot
from parlour_protocol.ids import CODE_ALPHABET, CODE_LENGTH, CommandId
from parlour_protocol.views.boards import BoardView, Count, Groups, Layout
from parlour_protocol.views.reports import ReportedMove
from parlour_protocol.views.rooms import RoomView
from parlour_protocol.words import Said

LARGEST = 2**53
"""What every language's JSON numbers can hold."""
PLAIN = st.none() | st.booleans() | st.integers(-LARGEST, LARGEST) | st.text(max_size=8)
_view_type = TypeAdapter(RoomView)


TO_SERVER: list[Any] = list(commands.TO_SERVER)
TO_CLIENT: list[Any] = list(codec.TO_CLIENT)


def hints(kind: Any) -> dict[str, Any]:
    """The fields of a message or a view, with their full types."""
    return get_type_hints(kind, include_extras=True)


def shown_types() -> list[Any]:
    """Every dataclass that a server's messages are made of."""
    found: list[Any] = []
    waiting = [*TO_CLIENT, RoomView]
    while waiting:
        kind = waiting.pop()
        if isinstance(kind, type) and dataclasses.is_dataclass(kind) and kind not in found:
            found.append(kind)
            waiting += [part for hint in hints(kind).values() for part in _parts(hint)]
    return found


def _parts(annotation: Any) -> list[Any]:
    return [annotation, *(part for inner in get_args(annotation) for part in _parts(inner))]


def values(annotation: Any) -> st.SearchStrategy[Any]:
    """Every value that a field of this type may have."""
    return _values(annotation, {})


def _values(annotation: Any, bounds: dict[str, Any]) -> st.SearchStrategy[Any]:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation == AskedSeat:
        return st.sampled_from([None, 0, 1])
    if annotation == CommandId:
        return st.text(st.characters(codec="utf-8", min_codepoint=1), min_size=1, max_size=12)
    if annotation == ReportedMove:
        return st.sampled_from(["b2", "pass", "ß"])
    if annotation == QrLink:
        return st.sampled_from(["http://192.0.2.1:8765/KMRTQA#carry=ABCDEFGHJK", "https://a/"])
    if annotation == ClockText:
        return st.sampled_from(["5+3", "0.5+0", "30/move"])
    if annotation == RoomEvent:
        kinds: list[Any] = [*EVENTS]
        return st.one_of([messages(kind) for kind in kinds])
    if origin is Annotated:
        return _values(arguments[0], {**bounds, **_bounds(arguments[1:])})
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin in (Union, UnionType):
        return st.one_of([_values(argument, bounds) for argument in arguments])
    if annotation is Any:
        return PLAIN
    if origin is dict:
        return st.dictionaries(values(arguments[0]), values(arguments[1]), max_size=2)
    if origin is tuple:
        return st.lists(values(arguments[0]), max_size=3).map(tuple)
    if origin is list:
        return st.lists(values(arguments[0]), min_size=bounds.get("least", 0), max_size=bounds.get("most", 3))
    if annotation is NoneType:
        return st.none()
    if dataclasses.is_dataclass(annotation) or issubclass(annotation, BaseModel):
        return messages(annotation)
    if issubclass(annotation, Enum):
        return st.sampled_from(annotation)
    return _SCALARS[annotation](bounds)


_SCALARS: dict[type, Callable[[dict[str, Any]], st.SearchStrategy[Any]]] = {
    bool: lambda bounds: st.booleans(),
    int: lambda bounds: st.integers(bounds.get("ge", -LARGEST), bounds.get("le", LARGEST)),
    float: lambda bounds: st.floats(
        bounds.get("ge", -1e9), bounds.get("le", 1e9), allow_nan=False, allow_infinity=False
    ),
    str: lambda bounds: st.text(min_size=bounds.get("least", 0), max_size=min(bounds.get("most", 12), 12)),
}


def _bounds(metadata: tuple[Any, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for item in metadata:
        match item:
            case FieldInfo():
                found |= _bounds(tuple(item.metadata))
            case StringConstraints():
                found |= {"least": item.min_length or 0, "most": item.max_length or 12}
            case Ge():
                found["ge"] = item.ge
            case Le():
                found["le"] = item.le
            case MinLen():
                found["least"] = item.min_length
            case MaxLen():
                found["most"] = min(item.max_length, 3)
            case Gt() | Lt() | BaseMetadata():
                raise AssertionError(f"teach this file about {item}")
            case _:
                # What bounds no value: a tag, a discriminator, strictness.
                pass
    return found


@st.composite
def boards(draw: st.DrawFn) -> BoardView:
    """Boards whose parts belong together, which no field says by itself."""
    height, width = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    cells, text, signs = (
        st.integers(0, height * width - 1),
        st.text(max_size=12),
        st.text(max_size=4, min_size=1),
    )
    pieces = draw(st.lists(signs, min_size=3, max_size=6, unique=True))
    plain = st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"])
    row = st.text(plain, min_size=width, max_size=width) | st.lists(
        st.text(min_size=1, max_size=4), min_size=width, max_size=width
    )
    legal = draw(st.lists(text, max_size=3))
    return BoardView(
        rows=draw(st.lists(text, min_size=height, max_size=height)),
        columns=draw(st.lists(text, min_size=width, max_size=width)),
        cells=draw(st.lists(row, min_size=height, max_size=height)),
        marks=[pieces[: len(pieces) // 2], pieces[len(pieces) // 2 : -1]],
        to_move=draw(st.sampled_from([None, 0, 1])),
        legal=legal,
        paths=[draw(cells | st.just(-1) | st.lists(cells, min_size=2, max_size=4)) for _ in legal],
        last=draw(st.lists(cells, max_size=3)),
        line=draw(st.lists(cells, max_size=3)),
        empty=pieces[-1],
        note=draw(st.none() | text),
        kinds=draw(st.none() | st.lists(text, max_size=2)),
        layout=draw(st.none() | st.sampled_from(get_args(Layout))),
        joins=draw(st.none() | st.lists(st.lists(cells, min_size=2, max_size=3), max_size=2)),
        goals=draw(st.none() | st.just(["ns", "we"])),
        groups=draw(st.none() | st.just(Groups(width, 1, ["."] * height, [0]))),
        counts=draw(st.lists(st.builds(Count, text, st.lists(st.integers(0, 99), min_size=2, max_size=2)))),
    )


@cache
def messages(kind: Any) -> st.SearchStrategy[Any]:
    """Instances of a message, a view or a settings model, each optional field there or not."""
    if kind is BoardView:
        return boards()
    if kind is Said:
        text = st.text(max_size=8)
        plain = text | st.integers(-9, 9) | st.lists(text, max_size=2)
        within = st.builds(Said, text, st.dictionaries(text, plain, max_size=2))
        return st.builds(Said, text, st.dictionaries(text, plain | within, max_size=2))
    fields: dict[str, Any] = dict(hints(kind))
    if issubclass(kind, BaseModel):
        # A model keeps a field's constraints beside its type.
        fields = {
            name: Annotated[info.annotation, *info.metadata] if info.metadata else info.annotation
            for name, info in kind.model_fields.items()
        }
        if "seat" in fields:
            fields["seat"] = AskedSeat
    drawn = {name: values(hint) for name, hint in fields.items()}
    if kind is Event:
        # Written as it stands: a server's own code, never a stranger's text.
        drawn["room"] = st.text(CODE_ALPHABET, min_size=CODE_LENGTH, max_size=CODE_LENGTH)
    if kind is Snapshot:
        drawn["view"] = messages(RoomView).map(
            lambda view: _view_type.dump_python(view, mode="json", exclude_none=True, exclude={"at"})
        )
    return st.builds(kind, **drawn)
