"""What a line typed in the lobby means. Pure: from a line, and the rooms that are listed, to a meaning."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from parlour_client.sdk.commands import checked
from parlour_client.sdk.errors import UsageError
from parlour_client.sdk.seek import Seek
from parlour_client.text.durations import LONGEST_ECHO, read_seconds
from parlour_protocol.commands import AskedSettings
from parlour_protocol.ids import Link, Seat, parse_link
from parlour_protocol.settings import RoomSettings

USUAL_GAME = "tictactoe"
USUAL_BOT = "medium"

ListWord = Literal["list", "games", "bots", "history", "help", "quit"]
"""What the lobby shows, and how it is left."""

LIST_WORDS: dict[str, ListWord] = {word: word for word in get_args(ListWord)} | {"?": "help", "exit": "quit"}
SEATS: dict[str, Seat] = {"first": 0, "second": 1}
WORDS = "Type a number or a code to join, or new, match, watch CODE, list, games, bots, history, help, quit."
HELP = (
    "3, KMRTQA        take the free seat of a room in the list, or of any other; or go back to yours",
    "watch 3          watch it",
    "new GAME         make a room for a friend, who joins by its code",
    "  vs=BOT           play a bot: new connect4 vs=hard, new reversi vs=minimax:depth=4",
    "  side=second      take the second seat",
    "match GAME       play the next person who wants the same game and clock",
    "  after=30 vs=BOT  if nobody has come after so many seconds, that bot does",
    "list             show the rooms, and your games to go back to",
    "games, bots      show what can be played, and against which bots",
    "history          show all your games",
    "help, quit",
)
"""What can be typed, before the settings."""


@dataclass(frozen=True, slots=True)
class Enter:
    """To a room: to its free seat, or (not `sit`) to watch."""

    code: str
    sit: bool = True


@dataclass(frozen=True, slots=True)
class Create:
    """A new room, with a bot in the other seat, or (None) with one for a friend."""

    game: str
    bot: str | None = None
    seat: Seat = 0
    settings: AskedSettings = field(default_factory=AskedSettings)


@dataclass(frozen=True, slots=True)
class Show:
    """One of the lobby's own words."""

    word: ListWord


Meaning = Enter | Create | Seek | Show


def read(line: str, listed: Sequence[str], server: str) -> Meaning:
    """What a line means, that is not empty; `listed` are the codes of the rooms with the numbers 1, 2, 3.

    Raises `UsageError`, with a sentence, where it means nothing.
    """
    word, _, rest = line.partition(" ")
    word, rest = word.casefold(), rest.strip()
    match word:
        case "new" | "match":
            return _asked(word, rest)
        case "watch" | "join" if not rest:
            raise UsageError(f"{word} which room? Type its number in the list, or its code: {word} KMRTQA")
        case "watch" | "join":
            return Enter(_code(rest, listed, server), sit=word == "join")
        case _ if word in LIST_WORDS and rest:
            raise UsageError(f"Type {word} alone.")
        case _ if word in LIST_WORDS:
            return Show(LIST_WORDS[word])
        case _:
            return Enter(_code(line, listed, server))


CARRIES = "That link carries a player over: leave the lobby, and type parlour join with the link."


def _code(text: str, listed: Sequence[str], server: str) -> str:
    link = parse_link(text)
    if link is None and text.isascii() and text.isdigit():
        if not 1 <= int(text[:LONGEST_ECHO]) <= len(listed):
            rooms = f"The list ends with {len(listed)}" if listed else "No room is listed"
            raise UsageError(f"There is no room number {text[:LONGEST_ECHO]}. {rooms}; list shows it anew.")
        link = Link(None, listed[int(text) - 1])
    if link is None:
        raise UsageError(f"{text[:LONGEST_ECHO]!r} is not a room's number or code, nor a command. {WORDS}")
    if link.carry is not None:
        raise UsageError(CARRIES)
    if link.server not in (None, server):
        raise UsageError(
            f"That room is on {link.server}: leave the lobby, and type parlour join with the link."
        )
    return link.code


def _asked(word: str, rest: str) -> Create | Seek:
    words = rest.split()
    game = words.pop(0) if words and "=" not in words[0] else USUAL_GAME
    given = dict(_pair(one, word) for one in words)
    bot = given.pop("vs", None)
    if word == "match":
        after = given.pop("after", None)
        return _seek(game, bot, after, _settings(given, ["clock"], ["vs", "after"]))
    side = given.pop("side", "first")
    if side not in SEATS:
        raise UsageError(f"side is first or second, not {side[:LONGEST_ECHO]!r}.")
    return Create(game, bot, SEATS[side], _settings(given, RoomSettings.model_fields, ["vs", "side"]))


def _pair(text: str, word: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not value:
        raise UsageError(
            f"{text[:LONGEST_ECHO]!r} is not understood. After {word}: a game, and settings like clock=5+3."
        )
    return name.casefold(), value


def _seek(game: str, bot: str | None, after: str | None, settings: AskedSettings) -> Seek:
    if after is None:
        if bot is not None:
            raise UsageError(f"Say after how many seconds: match {game} vs={bot} after=30")
        return Seek(game, settings)
    try:
        return Seek(game, settings, bot or USUAL_BOT, read_seconds(after, 0, 3600))
    except ValueError as error:
        raise UsageError(f"after is wrong: {error}") from None


def _settings(
    given: Mapping[str, str], known: Sequence[str] | Mapping[str, Any], more: list[str]
) -> AskedSettings:
    for name in given:
        if name not in known:
            raise UsageError(
                f"There is no setting {name[:LONGEST_ECHO]!r} here. There are: {', '.join([*more, *known])}."
            )
        if RoomSettings.model_fields[name].annotation is bool and given[name] not in ("yes", "no"):
            raise UsageError(f"{name} is yes or no, not {given[name][:LONGEST_ECHO]!r}.")
    read = checked(RoomSettings, dict(given))
    return AskedSettings.model_validate(read.model_dump(exclude_unset=True))


def help_lines() -> list[str]:
    """All that can be typed in the lobby, with every setting of a room."""
    settings = [
        f"  {name}=…".ljust(19) + (info.description or "") for name, info in RoomSettings.model_fields.items()
    ]
    at = next(number for number, line in enumerate(HELP) if line.startswith("match"))
    return [*HELP[:at], *settings, *HELP[at:]]
