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
from parlour_protocol.nearest import nearest
from parlour_protocol.settings import RoomSettings
from parlour_protocol.words import language, say

USUAL_GAME = "tictactoe"
USUAL_BOT = "medium"

ListWord = Literal["list", "games", "bots", "history", "help", "quit"]
"""What the lobby shows, and how it is left."""

LIST_WORDS: dict[str, ListWord] = {word: word for word in get_args(ListWord)} | {"?": "help", "exit": "quit"}
BEFORE = 19
"""Columns before what something does."""
WORDS = ("new", "match", "watch", "join", "rules", "name", *LIST_WORDS)
SEATS: dict[str, Seat] = {"first": 0, "second": 1}
HELP = {
    "3, KMRTQA": "enter",
    "watch 3": "watch",
    "new GAME": "new",
    "  vs=BOT": "new_against",
    "  side=second": "new_side",
    "match GAME": "match",
    "  after=30 vs=BOT": "match_after",
    "list": "list",
    "games, bots": "games",
    "rules GAME": "rules",
    "history": "history",
    "name NAME": "name",
}
"""What can be typed, and the ids of what that does. The settings stand before `match`."""


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


@dataclass(frozen=True, slots=True)
class Explain:
    """How a game is played."""

    game: str


@dataclass(frozen=True, slots=True)
class Rename:
    """Be called so from now on."""

    name: str


Meaning = Enter | Create | Seek | Show | Explain | Rename


def read(line: str, listed: Sequence[str], server: str) -> Meaning:
    """What a line means, that is not empty; `listed` are the codes of the rooms with the numbers 1, 2, 3.

    Raises `UsageError`, with a sentence, where it means nothing.
    """
    word, _, rest = line.partition(" ")
    word, rest = word.casefold(), rest.strip()
    match word:
        case "new" | "match":
            return _asked(word, rest)
        case "rules":
            return Explain(rest or USUAL_GAME)
        case "name" if rest:
            return Rename(rest)
        case "watch" | "join" if not rest:
            raise UsageError(say("plain.lobby.which_room", word=word))
        case "watch" | "join":
            return Enter(_code(rest, listed, server), sit=word == "join")
        case _ if word in LIST_WORDS and rest:
            raise UsageError(say("plain.lobby.alone", word=word))
        case _ if word in LIST_WORDS:
            return Show(LIST_WORDS[word])
        case _:
            return Enter(_code(line, listed, server))


def _code(text: str, listed: Sequence[str], server: str) -> str:
    link = parse_link(text)
    if link is None and text.isascii() and text.isdigit():
        if not 1 <= int(text[:LONGEST_ECHO]) <= len(listed):
            id_ = "plain.lobby.no_number" if listed else "plain.lobby.no_number_at_all"
            raise UsageError(say(id_, number=text[:LONGEST_ECHO], last=len(listed)))
        link = Link(None, listed[int(text) - 1])
    if link is None:
        given, near = repr(text[:LONGEST_ECHO]), nearest(text.partition(" ")[0], WORDS)
        if near:
            meant = language().listed(near, last="list.or")
            raise UsageError(say("plain.lobby.meant", text=given, meant=meant))
        raise UsageError(say("plain.lobby.not_understood", text=given, words=say("plain.lobby.words")))
    if link.carry is not None:
        raise UsageError(say("plain.lobby.carries"))
    if link.server not in (None, server):
        raise UsageError(say("plain.lobby.elsewhere", server=str(link.server)))
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
        raise UsageError(say("plain.lobby.which_side", text=repr(side[:LONGEST_ECHO])))
    return Create(game, bot, SEATS[side], _settings(given, RoomSettings.model_fields, ["vs", "side"]))


def _pair(text: str, word: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not value:
        raise UsageError(say("plain.lobby.no_setting", text=repr(text[:LONGEST_ECHO]), word=word))
    return name.casefold(), value


def _seek(game: str, bot: str | None, after: str | None, settings: AskedSettings) -> Seek:
    if after is None:
        if bot is not None:
            raise UsageError(say("plain.lobby.after_what", game=game, bot=bot))
        return Seek(game, settings)
    try:
        return Seek(game, settings, bot or USUAL_BOT, read_seconds(after, 0, 3600))
    except ValueError as error:
        raise UsageError(say("plain.lobby.after_wrong", why=str(error))) from None


def _settings(
    given: Mapping[str, str], known: Sequence[str] | Mapping[str, Any], more: list[str]
) -> AskedSettings:
    for name in given:
        if name not in known:
            raise UsageError(
                say(
                    "plain.lobby.unknown_setting",
                    name=repr(name[:LONGEST_ECHO]),
                    known=", ".join([*more, *known]),
                )
            )
        if RoomSettings.model_fields[name].annotation is bool and given[name] not in ("yes", "no"):
            raise UsageError(say("plain.lobby.yes_or_no", name=name, text=repr(given[name][:LONGEST_ECHO])))
    read = checked(RoomSettings, dict(given))
    return AskedSettings.model_validate(read.model_dump(exclude_unset=True))


def help_lines() -> list[str]:
    """All that can be typed in the lobby, with every setting of a room."""
    lines = []
    for typed, does in HELP.items():
        if does == "match":
            for name in RoomSettings.model_fields:
                lines.append(_help_line(f"  {name}=…", say(f"setting.{name}.help")))
        lines.append(_help_line(typed, say(f"plain.lobby.help.{does}")))
    return [*lines, "help, quit"]


def _help_line(typed: str, does: str) -> str:
    return f"{typed:<{BEFORE}}{does}"
