"""What several commands share: options and arguments, checked as far as they can be without a server."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from parlour_client.faults import UsageFault
from parlour_protocol import LONGEST_MOVES, LONGEST_WORD

if TYPE_CHECKING:
    from parlour_client.screen import Screen


def legible(text: str | None) -> str | None:
    """What no server would take is refused here. An argument that isn't UTF-8 holds lone surrogates."""
    if text is not None and not (0 < len(text) <= LONGEST_WORD and text.isprintable()):
        raise typer.BadParameter(f"1 to {LONGEST_WORD} visible characters are needed.")
    return text


def legible_moves(text: str) -> str:
    """The same for a whole string of moves."""
    if len(text) > LONGEST_MOVES or not text.replace("\n", " ").isprintable():
        raise typer.BadParameter(f"{LONGEST_MOVES} visible characters at most.")
    return text


Server = Annotated[
    str | None,
    typer.Option(
        metavar="URL", help="The server, ws://host:port. Default: the environment's PARLOUR_SERVER."
    ),
]
As = Annotated[
    str | None, typer.Option("--as", metavar="NAME", help="Be this player; another one than you usually are.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
Game = Annotated[str, typer.Argument(help="The game's name; `parlour games` lists them.", callback=legible)]
Code = Annotated[str, typer.Argument(help="The room's code, or a link to it.")]
Starts = Annotated[
    Literal["first", "second", "random", "loser", "alternate"],
    typer.Option(help="Which seat begins each game."),
]
Reports = Annotated[
    Literal["at_once", "after", "never"], typer.Option(help="When a bot's opponents see how it thinks.")
]
Hints = Annotated[Literal["bots", "always", "never"], typer.Option(help="When players may ask for hints.")]
Pace = Annotated[float, typer.Option(min=0, max=60, help="Seconds between moves while bots play each other.")]


Moves = Annotated[
    str, typer.Argument(help="The moves that lead to the position: 4444 2, or a1,b2.", callback=legible_moves)
]
Depth = Annotated[int | None, typer.Option(min=1, max=99, help="Look so many plies ahead.")]
Seconds = Annotated[
    float | None,
    typer.Option("--time", metavar="SECONDS", min=0.01, max=3600, help="Think so long about a position."),
]
Bot = Annotated[
    str, typer.Option(metavar="BOT", help="Who searches; `parlour bots` lists them.", callback=legible)
]


def searcher(bot: str, depth: int | None, seconds: float | None) -> str:
    """The bot with a depth and a time among its settings. Raises `UsageFault` where it has its own."""
    name, _, rest = bot.partition(":")
    settings = [rest] if rest else []
    for key, value in (("depth", depth), ("time", seconds)):
        if value is None:
            continue
        if any(one.strip().startswith(f"{key}=") for one in rest.split(",")):
            raise UsageFault(f"{key} is given twice: in --bot {bot} and as --{key}. Leave one of them out.")
        settings.append(f"{key}={value:g}")
    return f"{name}:{','.join(settings)}" if settings else name


def screen(as_json: bool) -> "Screen":
    """Where a command shows things."""
    from parlour_client.screen import Screen

    return Screen(as_json=as_json)


def room_of(text: str, server: str | None) -> tuple[str, str | None]:
    """A room's code, and the server: a link's own, else the one asked for. Raises `UsageFault`."""
    from parlour_client.clean import clean
    from parlour_protocol.ids import parse_link

    link = parse_link(text)
    if link is None:
        raise UsageFault(
            f"{clean(text)[:80]!r} is no room's code, which has six letters like KMRTQA, nor a link to one."
        )
    return link.code, link.server or server
