"""What several commands share: options and arguments, checked as far as they can be without a server."""

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from parlour_client.bots.entrant import is_file
from parlour_client.bots.limits import LEAST_MEMORY
from parlour_client.sdk.errors import UsageError
from parlour_client.text.durations import LONGEST_ECHO, read_seconds
from parlour_protocol import LONGEST_MOVES, LONGEST_WORD

if TYPE_CHECKING:
    from parlour_client.render.console import Screen


def legible(text: str | None) -> str | None:
    """What no server would take is refused here. An argument that isn't UTF-8 holds lone surrogates."""
    if text is not None and not (0 < len(text) <= LONGEST_WORD and text.isprintable()):
        raise typer.BadParameter(f"1 to {LONGEST_WORD} visible characters are needed.")
    return text


def entrant(text: str) -> str:
    """A bot of the server's, or a file with one's own."""
    return text if is_file(text) else legible(text) or text


def found(entrants: Iterable[str]) -> None:
    """Raise `UsageError` where one of them is a file that is not there."""
    for text in entrants:
        if is_file(text) and not Path(text).is_file():
            raise UsageError(f"There is no file {text[:80]!r}.")


def legible_moves(text: str) -> str:
    """The same for a whole string of moves."""
    if len(text) > LONGEST_MOVES:
        raise typer.BadParameter(f"No game has so many moves: {LONGEST_MOVES} characters at most.")
    if not text.replace("\n", " ").isprintable():
        raise typer.BadParameter(
            "A character in it can't be seen: write moves such as b2 with spaces between."
        )
    return text


def whole(least: int, most: int) -> Callable[[str | int], int]:
    """Reads a whole number within these bounds, and says so where it is none."""

    def read(given: str | int) -> int:
        text = str(given).strip()
        if not re.fullmatch(r"-?[0-9]{1,20}", text, re.ASCII) or not least <= int(text) <= most:
            raise typer.BadParameter(
                f"A whole number from {least:,} to {most:,} is needed, not {text[:LONGEST_ECHO]!r}."
            )
        return int(text)

    return read


def seconds(least: float, most: float, what: str = "") -> Callable[[str | float], float]:
    """The same for a number of seconds, or of another measure."""

    def read(given: str | float) -> float:
        try:
            return read_seconds(str(given).strip(), least, most, what)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None

    return read


def memory(given: str | int) -> int:
    """Reads an amount of memory, `1G` or `500M`: in bytes."""
    if isinstance(given, int):
        return given
    text = given.strip()
    amount = re.fullmatch(r"([0-9]{1,6})([MG])B?", text, re.ASCII | re.IGNORECASE)
    count = 0 if amount is None else int(amount[1]) * 2 ** (30 if amount[2] in "gG" else 20)
    if count < LEAST_MEMORY:
        raise typer.BadParameter(
            f"An amount of 64M or more is needed, such as 500M or 2G, not {text[:LONGEST_ECHO]!r}."
        )
    return count


def time_control(text: str | None) -> str | None:
    """A clock, as the protocol reads it."""
    if text is None:
        return None
    from parlour_protocol.clocks import parse_time_control

    try:
        parse_time_control(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    return text.strip()


Server = Annotated[
    str | None,
    typer.Option(
        metavar="URL", help="The server, ws://host:port. Default: the environment's PARLOUR_SERVER."
    ),
]
Memory = Annotated[
    int,
    typer.Option(
        metavar="SIZE",
        parser=memory,
        help="The memory that a bot's file may use, with all that it starts (on Linux). Default: 1G.",
        show_default=False,
    ),
]
As = Annotated[
    str | None, typer.Option("--as", metavar="NAME", help="Be this player; another one than you usually are.")
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite the file where there is one.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
Plain = Annotated[
    bool,
    typer.Option("--plain", help="Line by line, without the full screen; PARLOUR_PLAIN=1 says so always."),
]


def _hold_still(wanted: bool) -> bool:
    if wanted:
        os.environ["PARLOUR_ANIMATION"] = "0"
    return wanted


NoAnimation = Annotated[
    bool,
    typer.Option(
        "--no-animation",
        callback=_hold_still,
        help="No piece falls or turns on the full screen; PARLOUR_ANIMATION=0 says so always.",
    ),
]
Game = Annotated[str, typer.Argument(help="The game's name; `parlour games` lists them.", callback=legible)]
Number = Annotated[
    int | None,
    typer.Option(
        "--game",
        metavar="N",
        parser=whole(1, 1_000_000),
        help="Which game of the room, or of the file; without it, the room's last that was not aborted.",
    ),
]
Code = Annotated[str, typer.Argument(help="The room's code, or a link to it.")]
MaybeGame = Annotated[
    str | None,
    typer.Argument(
        help="The game's name; `parlour games` lists them. Where only other options are given: tictactoe.",
        callback=legible,
        show_default=False,
    ),
]
"""Of commands that may take the game from elsewhere."""
From = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="FILE|CODE[@MOVES]",
        help="Play on from a position of a game: its last one, or the one after so many moves.",
    ),
]


Moves = Annotated[
    str, typer.Argument(help="The moves that lead to the position: 4444 2, or a1,b2.", callback=legible_moves)
]
Depth = Annotated[
    int | None, typer.Option(metavar="1..99", parser=whole(1, 99), help="Look so many plies ahead.")
]
Seconds = Annotated[
    float | None,
    typer.Option(
        "--time", metavar="SECONDS", parser=seconds(0.01, 3600), help="Think so long about a position."
    ),
]
Bot = Annotated[
    str, typer.Option(metavar="BOT", help="Who searches; `parlour bots` lists them.", callback=legible)
]


def searcher(bot: str, depth: int | None, seconds: float | None) -> str:
    """The bot with a depth and a time among its settings. Raises `UsageError` where it has its own."""
    name, colon, rest = bot.partition(":")
    settings = [rest] if colon else []
    for key, value in (("depth", depth), ("time", seconds)):
        if value is None:
            continue
        if any(one.strip().startswith(f"{key}=") for one in rest.split(",")):
            raise UsageError(f"{key} is given twice: in --bot {bot} and as --{key}. Leave one of them out.")
        settings.append(f"{key}={value:g}")
    return f"{name}:{','.join(settings)}" if settings else name


def screen(as_json: bool) -> "Screen":
    """Where a command shows things."""
    from parlour_client.render.console import Screen

    return Screen(as_json=as_json)


def is_given(ctx: typer.Context, parameter: str) -> bool:
    """Was a parameter typed, or set in the environment, and not left at its default?"""
    return str(ctx.get_parameter_source(parameter)) != "ParameterSource.DEFAULT"


def room_of(text: str, server: str | None) -> tuple[str, str | None]:
    """A room's code, and the server: a link's own, else the one asked for. Raises `UsageError`."""
    from parlour_client.text.sanitize import clean
    from parlour_protocol.ids import parse_link

    link = parse_link(text)
    if link is None:
        raise UsageError(f"{clean(text)[:80]!r} is not a room's code, such as KMRTQA, nor a link to a room.")
    return link.code, link.server or server
