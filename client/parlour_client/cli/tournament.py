"""The command `parlour tournament`."""

import typer

from parlour_client.cli import tournament_files
from parlour_client.cli.help_text import ParlourSubgroup
from parlour_protocol.words import say

app = typer.Typer(
    cls=ParlourSubgroup,
    name="tournament",
    rich_markup_mode=None,
    invoke_without_command=True,
    epilog=say("help.example", example="parlour tournament run easy medium hard --game connect4"),
)
app.registered_commands += tournament_files.app.registered_commands


@app.callback(help=say("command.tournament.help"))
def tournament(ctx: typer.Context) -> None:
    """Tournaments; without a command, its help."""
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())
