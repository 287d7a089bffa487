"""How `--help` reads: first what a command is for, last an example; and commands that others bring."""

import inspect
import sys
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

COMMANDS = "parlour.commands"
"""The entry-point group: each names a `typer.Typer` whose commands become ours."""


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

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        _format_help(self, ctx, formatter)


class ParlourGroup(TyperGroup):
    """The command line. What others bring is loaded only where it may be meant: that takes its time."""

    _complete = False

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        _format_help(self, ctx, formatter)

    def list_commands(self, ctx: Any) -> list[str]:
        """Every command, ours first."""
        self._load()
        return super().list_commands(ctx)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command by its name; None if there is none."""
        if cmd_name not in self.commands:
            self._load()
        return super().get_command(ctx, cmd_name)

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
                print(f"The command {point.name!r} can't be loaded: {error!r}.", file=sys.stderr)  # noqa: T201
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


def _format_help(command: TyperCommand | TyperGroup, ctx: Any, formatter: Any) -> None:
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        formatter.write_text(paragraph)
        formatter.write_paragraph()
    command.format_usage(ctx, formatter)
    command.format_options(ctx, formatter)
    if command.epilog:
        formatter.write_paragraph()
        # Never wrapped: an example is there to be copied.
        formatter.write(inspect.cleandoc(command.epilog) + "\n")
