"""What several commands share: options and arguments, checked as far as they can be without a server."""

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Annotated

import typer

from parlour_client.bots.entrant import own, with_interface
from parlour_client.bots.interfaces import NAMES
from parlour_client.bots.limits import LEAST_MEMORY
from parlour_client.sdk.errors import UsageError
from parlour_client.sdk.source import linked_position
from parlour_client.text.durations import LONGEST_ECHO, read_seconds
from parlour_protocol import LONGEST_GAME, LONGEST_MOVES, LONGEST_WORD
from parlour_protocol.words import say, spoken

if TYPE_CHECKING:
    from parlour_client.render.console import Screen


def legible(text: str | None) -> str | None:
    """What no server would take is refused here. An argument that isn't UTF-8 holds lone surrogates."""
    if text is not None and not (0 < len(text) <= LONGEST_WORD and text.isprintable()):
        raise typer.BadParameter(say("error.visible_characters", most=LONGEST_WORD))
    return text


def legible_game(text: str | None) -> str | None:
    """A game's name may have a position behind it, on lines of its own; or it is the link of one."""
    if text is not None and linked_position(text) is None:
        if "://" in text:
            raise typer.BadParameter(say("error.no_position_link", text=repr(text[:80])))
        lines = text.replace("\n", " ")
        if not (0 < len(text) <= LONGEST_GAME and lines.isprintable()):
            raise typer.BadParameter(say("error.visible_characters", most=LONGEST_GAME))
    return text


def position_of(game: str, moves: str) -> tuple[str, str]:
    """The game and the moves that are meant: those of a link, where one stands in the game's place."""
    link = linked_position(game)
    return (game, moves) if link is None else (link[0], f"{link[1]} {moves}".strip())


def entrant(text: str) -> str:
    """A bot of the server's, or one's own."""
    return text if is_own(text) else legible(text) or text


def is_own(text: str) -> bool:
    """Was a bot of one's own meant?"""
    try:
        return own(text) is not None
    except ValueError:
        raise typer.BadParameter(say("error.bot.no_command", text=repr(text[:80]))) from None


def _interface(text: str) -> str:
    if text not in NAMES:
        raise typer.BadParameter(say("invalid.one_of", known=", ".join(NAMES)))
    return text


def found(entrants: Iterable[str], interface: str | None = None) -> tuple[str, ...]:
    """The entrants as they are to be called; `interface` is for all whose own one isn't named.

    Raises `UsageError` where one of them is a file or a program that is not there, or of another kind.
    """
    called = tuple(with_interface(text, interface) for text in entrants)
    for text in called:
        meant = own(text)
        # No bot of a server's has a dot in its name, but a setting may.
        if meant is None and (Path(text).is_file() or "." in text.partition(":")[0]):
            raise UsageError(say("error.bot.not_python", file=repr(text[:80])))
        if meant is None:
            continue
        if meant.file is None and not meant.is_command:
            raise UsageError(say("error.bot.not_python", file=repr(str(meant.path)[:80])))
        if meant.file is not None and not meant.file.is_file():
            raise UsageError(say("error.no_file", file=repr(str(meant.path)[:80])))
        if meant.is_command and which(meant.path) is None:
            raise UsageError(say("error.bot.no_such_program", program=repr(str(meant.path)[:80])))
    return called


def legible_moves(text: str) -> str:
    """The same for a whole string of moves."""
    if len(text) > LONGEST_MOVES:
        raise typer.BadParameter(say("error.moves_too_long", most=str(LONGEST_MOVES)))
    if not text.replace("\n", " ").isprintable():
        raise typer.BadParameter(say("error.moves_unprintable"))
    return text


def whole(least: int, most: int) -> Callable[[str | int], int]:
    """Reads a whole number within these bounds, and says so where it is none."""

    def read(given: str | int) -> int:
        text = str(given).strip()
        if not re.fullmatch(r"-?[0-9]{1,20}", text, re.ASCII) or not least <= int(text) <= most:
            shown = repr(text[:LONGEST_ECHO])
            raise typer.BadParameter(say("error.whole_number_needed", least=least, most=most, text=shown))
        return int(text)

    return read


def seconds(
    least: float, most: float, needed: str = "input.seconds_needed"
) -> Callable[[str | float], float]:
    """The same for a number of seconds, or of another measure."""

    def read(given: str | float) -> float:
        try:
            return read_seconds(str(given).strip(), least, most, needed)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None

    return read


def memory_of(given: str | int) -> int:
    """Reads an amount of memory, `1G` or `500M`: in bytes."""
    if isinstance(given, int):
        return given
    text = given.strip()
    amount = re.fullmatch(r"([0-9]{1,6})([MG])B?", text, re.ASCII | re.IGNORECASE)
    count = 0 if amount is None else int(amount[1]) * 2 ** (30 if amount[2] in "gG" else 20)
    if count < LEAST_MEMORY:
        raise typer.BadParameter(say("error.memory_needed", text=repr(text[:LONGEST_ECHO])))
    return count


def time_control(text: str | None) -> str | None:
    """A clock, as the protocol reads it."""
    if text is None:
        return None
    from parlour_protocol.clocks import plain_time_control

    try:
        return plain_time_control(text)
    except ValueError as error:
        raise typer.BadParameter(spoken(error)) from None


Server = Annotated[str | None, typer.Option(metavar="URL", help=say("option.server"))]
Memory = Annotated[
    int, typer.Option(metavar="SIZE", parser=memory_of, help=say("option.memory"), show_default=False)
]
CalledAs = Annotated[
    str | None,
    typer.Option("--interface", metavar="NAME", parser=_interface, help=say("option.interface")),
]
MOVE_SECONDS = 60.0
"""What a file's move may take in a match."""
MatchMoveSeconds = Annotated[
    float | None,
    typer.Option(
        "--move-seconds",
        metavar="SECONDS",
        parser=seconds(0.01, 86_400),
        help=say("option.match_move_seconds"),
    ),
]
seed_of = whole(0, 2**63 - 1)
Seed = Annotated[int | None, typer.Option(metavar="N", parser=seed_of, help=say("option.seed"))]
Jobs = Annotated[int, typer.Option(metavar="1..64", parser=whole(1, 64), help=say("option.jobs"))]
Dask = Annotated[str | None, typer.Option("--dask", metavar="tcp://HOST:PORT", help=say("option.dask"))]
MatchOut = Annotated[str | None, typer.Option(metavar="FILE", help=say("option.match_out"))]
ReplayMatch = Annotated[
    Path | None, typer.Option("--replay", metavar="MANIFEST", help=say("option.replay_match"))
]
As = Annotated[str | None, typer.Option("--as", metavar="NAME", help=say("option.as"))]
Force = Annotated[bool, typer.Option("--force", help=say("option.force"))]
Json = Annotated[bool, typer.Option("--json", help=say("option.json"))]
Csv = Annotated[bool, typer.Option("--csv", help=say("option.csv"))]
Plain = Annotated[bool, typer.Option("--plain", help=say("option.plain"))]


def _hold_still(wanted: bool) -> bool:
    if wanted:
        os.environ["PARLOUR_ANIMATION"] = "0"
    return wanted


NoAnimation = Annotated[
    bool, typer.Option("--no-animation", callback=_hold_still, help=say("option.no_animation"))
]
Game = Annotated[str, typer.Argument(help=say("option.game"), callback=legible_game)]
Number = Annotated[
    int | None,
    typer.Option("--game", metavar="N", parser=whole(1, 1_000_000), help=say("option.number")),
]
Code = Annotated[str, typer.Argument(help=say("option.code"))]
MaybeGame = Annotated[
    str | None, typer.Argument(help=say("option.game_or_default"), callback=legible_game, show_default=False)
]
"""Of commands that may take the game from elsewhere."""
From = Annotated[str | None, typer.Option("--from", metavar="FILE|CODE[@MOVES]", help=say("option.from"))]
Moves = Annotated[str, typer.Argument(help=say("option.moves"), callback=legible_moves)]
Depth = Annotated[int | None, typer.Option(metavar="1..99", parser=whole(1, 99), help=say("option.depth"))]
Seconds = Annotated[
    float | None,
    typer.Option("--time", metavar="SECONDS", parser=seconds(0.01, 3600), help=say("option.time")),
]
Bot = Annotated[str, typer.Option(metavar="BOT", help=say("option.searcher"), callback=legible)]


def searcher(bot: str, depth: int | None, seconds: float | None) -> str:
    """The bot with a depth and a time among its settings. Raises `UsageError` where it has its own."""
    name, colon, rest = bot.partition(":")
    settings = [rest] if colon else []
    for key, value in (("depth", depth), ("time", seconds)):
        if value is None:
            continue
        if any(one.strip().startswith(f"{key}=") for one in rest.split(",")):
            raise UsageError(say("error.given_twice", key=key, bot=bot))
        settings.append(f"{key}={value:g}")
    return f"{name}:{','.join(settings)}" if settings else name


def screen(as_json: bool, as_csv: bool = False) -> "Screen":
    """Where a command shows things. Raises `UsageError` where it is to print both."""
    from parlour_client.render.console import Screen

    if as_json and as_csv:
        raise UsageError(say("error.either_or", first="--json", second="--csv"))
    return Screen(as_json=as_json, as_csv=as_csv)


def is_given(ctx: typer.Context, parameter: str) -> bool:
    """Was a parameter typed, or set in the environment, and not left at its default?"""
    return str(ctx.get_parameter_source(parameter)) != "ParameterSource.DEFAULT"


def room_of(text: str, server: str | None) -> tuple[str, str | None]:
    """A room's code, and the server: a link's own, else the one asked for. Raises `UsageError`."""
    from parlour_client.sdk.sanitize import clean
    from parlour_protocol.ids import parse_link, parse_tournament_link

    link = parse_link(text)
    if link is None and linked_position(text):
        raise UsageError(say("error.position_link"))
    if parse_tournament_link(text) is not None:
        raise UsageError(say("error.tournament_code", text=repr(clean(text)[:80])))
    if link is None:
        raise UsageError(say("error.no_room_code", text=repr(clean(text)[:80])))
    return link.code, link.server or server


def tournament_of(text: str, server: str | None) -> tuple[str, str | None]:
    """A tournament's code, and the server: a link's own, else the one asked for. Raises `UsageError`."""
    from parlour_client.sdk.sanitize import clean
    from parlour_protocol.ids import parse_tournament_link

    link = parse_tournament_link(text)
    if link is None:
        raise UsageError(say("error.no_tournament_code", text=repr(clean(text)[:80])))
    return link.code, link.server or server
