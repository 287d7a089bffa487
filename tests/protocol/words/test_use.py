"""The catalogue is whole: what is said is in it, in every language, and nothing else is."""

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import parlour_client
import parlour_protocol
import parlour_server
from parlour_protocol.words import ENGLISH, arguments, available, load, without_form
from parlour_protocol.words.catalogue import FOLDER, Catalogue
from parlour_protocol.words.plurals import CATEGORIES, RULES
from parlour_server.page_sources import WEB, named_ids

PACKAGES = [
    Path(package.__file__ or "").parent for package in (parlour_client, parlour_protocol, parlour_server)
]
SERVER = PACKAGES[2]
FRONT_ENDS = [
    PACKAGES[0],
    *(
        SERVER / f"{name}.py"
        for name in ("cli", "data_commands", "compile_command", "processes", "settings", "app")
    ),
    SERVER / "admin" / "operations.py",
    SERVER / "room",
    SERVER / "net" / "tls.py",
    SERVER / "store" / "database_url.py",
    *(SERVER / "store" / "postgres" / f"{name}.py" for name in ("connections", "errors", "migrations")),
    *(
        SERVER / "store" / "sqlite" / f"{name}.py"
        for name in ("backup", "check", "opening", "repair", "salvage")
    ),
]
"""What people read comes from there."""

BEGUN: frozenset[str] = frozenset()
"""Languages that have not every sentence yet: the rest is said in English."""

SAYING = ("say", "Sentence", "words.say", "ENGLISH.say", "catalogue.say")
OWN_FAULTS = ("AssertionError", "AttributeError", "RuntimeError", "TypeError")
"""Their sentences are for those who write code."""
SENTENCE = re.compile(r"[A-Za-z]{2,},? [a-z]{2,}")
"""What people read has words with blanks between."""
NO_SENTENCES: frozenset[str] = frozenset(
    (
        "Missing command.",
        "Show this message and exit.",  # typer's, put in our words where it is shown
        "Value error, ",  # pydantic's, taken out
        "no move",  # kinds of bots' errors, as JSON has them
        "illegal move",
        "too slow",
        "partly compiled",  # how moves ran, as JSON has it
        " to move:\n",  # a position's repr
        "estimated bound",
        " bold underline",
        "bold reverse",
        "reverse bold",
        "page down",
        "page up",
        "games, bots",  # typed in the lobby
        "help, quit",
        "put aside",  # a phase of a room, as JSON has it
        "malformed database schema",  # SQLite's words
        "its log is damaged",  # in the log
        "INFO timeout_turn ",  # engines' protocols
        "set depth ",
        "set game (;GM[Othello]PC[Parlour]",
        "position startpos",
        "go movetime ",
    )
)
"""Styles, keys and kinds, and what other libraries say."""
NOT_READ = re.compile(
    r"^\$|<\w+ |\b(SELECT|INSERT|UPDATE|CREATE|PRAGMA|FROM|LOCK|ALTER|SET) |^<\?xml"
    r"|fontname=|fontcolor=|style=dashed|monospace|-serif|\(\?P<|^ *parlour \S"
)
"""Styles' variables, pictures' languages, patterns, and command lines."""


@cache
def trees() -> dict[Path, ast.Module]:
    """Every module of ours."""
    files = [file for package in PACKAGES for file in sorted(package.rglob("*.py"))]
    return {file: ast.parse(file.read_text(encoding="utf-8")) for file in files}


def calls() -> Iterator[tuple[str, ast.Call]]:
    """Every call that says a sentence by its id, and where that is."""
    for file, tree in trees().items():
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Call)
                and node.args
                and isinstance(node.args[0], ast.Constant)
                and ast.unparse(node.func) in SAYING
            ):
                yield f"{file.name}:{node.lineno}", node


def forms(catalogue: Catalogue = ENGLISH) -> dict[str, dict[str, str]]:
    """Sentences by their ids without a form: each form's text."""
    found: dict[str, dict[str, str]] = {}
    for id_, sentence in catalogue.sentences.items():
        found.setdefault(without_form(id_), {})[id_] = sentence
    return found


def named() -> set[str]:
    """All texts in our code that may be ids, and beginnings of ids, which end with a dot or an underscore."""
    found = named_ids(file.read_text(encoding="utf-8") for file in WEB.rglob("*.js"))
    for page in WEB.glob("*.html"):
        found |= set(re.findall(r"\{say:([\w.]+)\}", page.read_text(encoding="utf-8")))
    for tree in trees().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found |= {node.value, *re.findall(r"\{say:([\w.]+)\}", node.value)}
    return found


def test_what_is_said_is_in_the_catalogue_with_its_arguments() -> None:
    known = forms()
    for where, call in calls():
        id_ = call.args[0].value  # type: ignore[attr-defined]
        assert id_ in ENGLISH, f"{where} says {id_!r}, which is not in the catalogue"
        given = {keyword.arg for keyword in call.keywords}
        if None in given:  # some come from elsewhere
            continue
        wanted = set().union(
            *(arguments(text) for text in known.get(id_, {id_: ENGLISH.sentences.get(id_, "")}).values())
        )
        if len(known.get(id_, {})) > 1 or id_ not in ENGLISH.sentences:
            wanted |= {"count"}
        assert wanted <= given, f"{where}: {id_} lacks {wanted - given}"
        assert given <= wanted | {"count"}, f"{where}: {id_} has no place for {given - wanted}"


def test_nothing_is_left_over() -> None:
    texts = {text.partition("*")[0] for text in named()}
    beginnings = tuple(text for text in texts if re.fullmatch(r"[a-z]\w*\.([\w]+[._])*", text))
    left = {id_ for id_ in forms() if not id_.startswith(beginnings) and id_ not in texts}
    built_in = {f"language.{name}" for name in ("name", "groups", "decimal", "group_from")}
    assert left <= built_in | {"list.and", "list.or"}


@pytest.mark.parametrize("tag", available())
def test_each_language_has_every_sentence_with_the_same_arguments(tag: str) -> None:
    translated, categories = forms(load(tag)), {RULES[tag.partition("-")[0]](count) for count in range(200)}
    for id_, english in forms().items():
        if tag in BEGUN and id_ not in translated:
            continue
        assert id_ in translated, f"{tag} lacks {id_}"
        own = translated[id_]
        counted = english.keys() - {id_}
        if counted:
            needed = {f"{id_}_{category}" for category in categories}
            needed |= counted & {f"{id_}_zero"}
            assert own.keys() - {id_} == needed, f"{tag}: {id_}"
        wanted = set().union(*map(arguments, english.values()))
        for form, text in own.items():
            # A form for one, or for none, may do without the number.
            assert arguments(text) | {"count"} >= wanted, f"{tag}: {form} lacks {wanted - arguments(text)}"
            assert arguments(text) <= wanted | {"count"}, f"{tag}: {form}"
    assert translated.keys() <= forms().keys(), f"{tag} has what English has not"


def test_no_sentence_stands_in_a_front_end() -> None:
    found = [
        f"{file}:{node.lineno}: {text!r}"
        for file, tree in trees().items()
        if any(file.is_relative_to(one) for one in FRONT_ENDS)
        for node, text in written(tree)
        if SENTENCE.search(text) and text not in NO_SENTENCES and not NOT_READ.search(text)
    ]
    assert not found, "\n".join(found)


def written(tree: ast.Module) -> Iterator[tuple[ast.expr, str]]:
    """Texts of a module that are neither docstrings nor types, nor for those who read code or logs alone."""
    silent: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            silent |= {id(node.value)}
        elif isinstance(node, ast.Assert | ast.AnnAssign):
            part = node.msg if isinstance(node, ast.Assert) else node.annotation
            silent |= set(map(id, ast.walk(part))) if part is not None else set()
        elif isinstance(node, ast.Call) and ast.unparse(node.func).startswith("log."):
            silent |= set(map(id, ast.walk(node)))
        elif isinstance(node, ast.Raise) and node.exc is not None and _is_own_fault(node.exc):
            silent |= set(map(id, ast.walk(node.exc)))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent:
            yield node, node.value


def _is_own_fault(raised: ast.expr) -> bool:
    called = raised.func if isinstance(raised, ast.Call) else raised
    return isinstance(called, ast.Name) and called.id in OWN_FAULTS


def test_every_form_is_one_of_unicode_s() -> None:
    for tag in available():
        for id_ in load(tag).sentences:
            assert without_form(id_) == id_ or id_.rpartition("_")[2] in CATEGORIES


@pytest.mark.parametrize("tag", available())
def test_no_group_stands_twice_in_a_file(tag: str) -> None:
    def group(pairs: list[tuple[str, object]]) -> dict[str, object]:
        names = [name for name, _ in pairs]
        assert len(names) == len(set(names)), f"{tag} has one of these twice: {names}"
        return dict(pairs)

    json.loads((FOLDER / f"{tag}.json").read_text(encoding="utf-8"), object_pairs_hook=group)
