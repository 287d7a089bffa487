"""How `--help` reads: first what a command is for, last an example; and commands that others bring."""

import inspect
import re
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

from parlour_protocol.nearest import nearest
from parlour_protocol.words import language, say, spoken, what_is_wrong

COMMANDS = "parlour.commands"
"""The entry-point group: each names a `typer.Typer` whose commands become ours."""
OF_TWO_WORDS = ("ratings", "rebuild")
"""What a server brings beside a command of ours."""
SECTIONS = {"Arguments": "help.arguments", "Options": "help.options", "Commands": "help.commands"}
"""What typer writes above its lists, and which sentence that is here."""

TYPERS = {
    r"(?P<value>.+) is not one of (?P<choices>.+)\.": "error.not_one_of",
    r"Option (?P<name>.+) requires an argument\.": "error.needs_value",
    r"Option (?P<name>.+) does not take a value\.": "error.takes_no_value",
}
"""The same for what it finds wrong."""

CommandT = TypeVar("CommandT", bound=Callable[..., Any])


def command(app: typer.Typer, help_id: str, example: str) -> Callable[[CommandT], CommandT]:
    """Makes a function a command of `app`: what it is for says the sentence of this id, how an example."""
    return app.command(cls=ParlourCommand, help=say(help_id), epilog=say("help.example", example=example))


class ParlourCommand(TyperCommand):
    """A command whose help begins with its purpose and ends with its example."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments. An option that lacks its value raises without saying of which command it is."""
        try:
            return super().parse_args(ctx, args)
        except typer.TyperException as error:
            if getattr(error, "ctx", None) is None:
                error.ctx = ctx  # type: ignore[attr-defined]
            raise

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        _format_help(self, ctx, formatter)


class ParlourSubgroup(TyperGroup):
    """A command with commands of its own."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The command that is named. Raises a `UsageError` with those that have a name like that."""
        name = args[0]
        if self.get_command(ctx, name) is None and not ctx.resilient_parsing and not name.startswith("-"):
            others = [repr(one) for one in nearest(name, self.list_commands(ctx))]
            if others:
                ctx.fail(say("error.no_such_command_but", name=repr(name), others=_either(others)))
            ctx.fail(say("error.no_such_command", name=repr(name)))
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        _format_help(self, ctx, formatter)


class ParlourGroup(ParlourSubgroup):
    """The command line. What others bring is loaded only where it may be meant: that takes its time."""

    _complete = False

    def list_commands(self, ctx: Any) -> list[str]:
        """Every command, ours first."""
        self._load()
        return super().list_commands(ctx)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command by its name; None if there is none."""
        if cmd_name not in self.commands:
            self._load()
        return super().get_command(ctx, cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The command that is named; one may have a name of two words."""
        name = " ".join(args[:2])
        if tuple(args[:2]) == OF_TWO_WORDS and (found := self.get_command(ctx, name)):
            return name, found, args[2:]
        return super().resolve_command(ctx, args)

    def _load(self) -> None:
        if self._complete:
            return
        self._complete = True
        # What this takes to be imported is not for every command.
        from importlib.metadata import entry_points

        for point in entry_points(group=COMMANDS):
            try:
                brought: typer.Typer = point.load()
                _style(brought)
                commands = typer.main.get_group(brought).commands
            except Exception as error:
                # A broken one must not take the rest down.
                said = say("help.broken", name=repr(point.name), error=repr(error))
                print(said, file=sys.stderr)  # noqa: T201
                continue
            for name, command in commands.items():
                self.commands.setdefault(name, command)


def _style(brought: typer.Typer) -> None:
    """Let the help of what others bring read like ours."""
    for info in brought.registered_commands:
        if info.cls is None or info.cls is TyperCommand:
            info.cls = ParlourCommand
    for group in brought.registered_groups:
        group.cls = ParlourSubgroup
        if group.typer_instance is not None:
            _style(group.typer_instance)


def fault(error: typer.TyperException) -> str:
    """What is wrong with a command line. What typer says and we don't know stays in its English."""
    match type(error).__name__:
        case "MissingParameter" | "BadParameter":
            assert isinstance(error, typer.BadParameter)
            name = error.param.get_error_hint() if error.param is not None else str(error.param_hint)
            if type(error) is not typer.BadParameter:
                kind = "argument" if error.param and error.param.param_type_name == "argument" else "option"
                return say(f"error.missing_{kind}", name=name)
            # Its checks are pydantic's, whose sentences begin so where the check is ours.
            errors: Callable[[], list[Any]] | None = getattr(error.__cause__, "errors", None)
            if errors is not None and (found := errors()[0])["type"] != "value_error":
                return say("error.bad_value", name=name, why=spoken(what_is_wrong(found)))
            why = _ours(error.message.removeprefix("Value error, "))
            return say("error.bad_value", name=name, why=why)
        case "NoSuchOption":
            name, others = getattr(error, "option_name", ""), getattr(error, "possibilities", None)
            if others := nearest(name, others or ()):
                return say("error.no_such_option_but", name=name, others=_either(others))
            return say("error.no_such_option", name=name)
    context = getattr(error, "ctx", None)
    return _of_command(error.message, context) if context is not None else _ours(error.format_message())


def _of_command(said: str, context: Any) -> str:
    """What is wrong with how many arguments a command has, and how it is written."""
    command, path = context.command, context.command_path
    if said == "Missing command.":
        return say("error.missing_command", command=path, commands=_either(command.list_commands(context)))
    found = re.fullmatch(r"Got unexpected extra arguments?(?:\(s\))? \((?P<rest>.+)\)", said, re.DOTALL)
    if found is None:
        return _ours(said)
    if context.params.get("moves"):
        return say("error.moves_in_quotes", moves=f"{context.params['moves']} {found['rest']}")
    usage = _usage(command, context)
    return say("error.extra_arguments", rest=found["rest"], usage=f"{path} {usage}")


def _ours(said: str) -> str:
    """A sentence of typer's in our words, where we have some."""
    for pattern, id_ in TYPERS.items():
        if found := re.fullmatch(pattern, said, re.DOTALL):
            return say(id_, **found.groupdict())
    return said if said.endswith((".", "?", "!")) else f"{said}."


def _either(names: list[str]) -> str:
    return language().listed(names, last="list.or")


def _usage(command: TyperCommand | TyperGroup, ctx: Any) -> str:
    """What may follow a command's name."""
    options = f"[{say('help.options').upper()}]"
    return " ".join(command.collect_usage_pieces(ctx)).replace("[OPTIONS]", options)


def _format_help(command: TyperCommand | TyperGroup, ctx: Any, formatter: Any) -> None:
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        formatter.write_text(paragraph)
        formatter.write_paragraph()
    formatter.write_usage(ctx.command_path, _usage(command, ctx), say("help.usage"))
    section, records = formatter.section, formatter.write_dl
    formatter.section = lambda name: section(say(SECTIONS[name]))
    formatter.write_dl = lambda rows: records(
        # What Python makes of an argument is nobody's business.
        [
            (_named(left) if left[0] == "-" else re.sub(r" <[a-z]+>$", "", left), _translated(right))
            for left, right in rows
        ]
    )
    command.format_options(ctx, formatter)
    if command.epilog:
        formatter.write_paragraph()
        # Never wrapped: an example is there to be copied.
        formatter.write(inspect.cleandoc(command.epilog) + "\n")


def _named(option: str) -> str:
    """An option with what stands for its value: `--pace SECONDS`."""
    name, blank, value = option.rpartition(" ")
    id_ = f"help.value.{value}"
    return f"{name}{blank}{say(id_)}" if id_ in language() else option


def _translated(help_: str) -> str:
    """An option's help, with what typer says in it of its own."""
    help_ = re.sub(r"\[default: (.+)\]$", lambda found: say("help.default", value=found[1]), help_)
    help_ = help_.replace("[required]", say("help.required"))
    return say("help.help") if help_ == "Show this message and exit." else help_
