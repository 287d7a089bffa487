"""The commands that a page shows, held against those that there are."""

import re
import shlex
from functools import cache
from typing import Any

import typer

from parlour_client.cli.app import app

_SHOWN = re.compile(r"^(?: {4,}|ExecStart=|)(?:\$ )?(?:[\w./]*/)?parlour (.+)$", re.MULTILINE)
_INLINE = re.compile(r"`parlour ([^`]+)`")
_MAKE = re.compile(r"(?:^ {4,}|`)make( [a-z]+)?", re.MULTILINE)


def shown(text: str) -> list[list[str]]:
    """The command lines that stand in code, as words: without comments, and up to a pipe."""
    found = []
    for line in _SHOWN.findall(text):
        words = shlex.split(re.split(r" {2,}| [|>&#] ", line)[0])
        found.append(words)
    return found


def mentioned(text: str) -> list[list[str]]:
    """The commands that stand in a sentence, which may leave their arguments out."""
    return [shlex.split(line) for line in _INLINE.findall(text)]


def make_targets(text: str) -> set[str]:
    """The targets of `make` that a page names."""
    return {target.strip() for target in _MAKE.findall(text) if target}


def check(words: list[str]) -> None:
    """Raise where `parlour` would not take these words."""
    name, *arguments = words
    if name == "--help":
        return
    command, arguments = _command(name, arguments)
    if "--help" not in arguments:
        command.make_context(name, list(arguments))


def check_options(words: list[str]) -> None:
    """Raise where there is no such command, or where it lacks an option."""
    name, *arguments = words
    if name.startswith("-"):
        return
    command, arguments = _command(name, arguments)
    known = {flag for option in command.params for flag in (*option.opts, *option.secondary_opts)}
    for word in arguments:
        assert not word.startswith("-") or word in known | {"--help"}, words


@cache
def _group() -> Any:
    return typer.main.get_command(app)


def _command(name: str, arguments: list[str]) -> tuple[Any, list[str]]:
    """A command, also one behind another, and what follows it."""
    group = _group()
    context = group.make_context("parlour", ["--help"], resilient_parsing=True)
    command = group.get_command(context, name)
    assert command is not None, f"there is no command {name!r}"
    if arguments and arguments[0] in getattr(command, "commands", {}):
        return command.commands[arguments[0]], arguments[1:]
    return command, arguments
