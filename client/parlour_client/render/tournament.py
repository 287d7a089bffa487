"""A tournament as it stands, in a terminal: a headline, standings with the cross table, and boards."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from parlour_client.render.board import plain
from parlour_client.render.tables import table
from parlour_client.text import durations
from parlour_client.text.names import bot_name, game_name
from parlour_client.text.scores import PAST
from parlour_protocol.codec import encode_to_client
from parlour_protocol.notices import TournamentChanged
from parlour_protocol.views.lists import Column, Columns, Tone
from parlour_protocol.views.tournaments import BoardLine, EntrantLine, TournamentLine, TournamentView
from parlour_protocol.words import language, say

BOARDS = 12
"""So many boards a terminal shows beside the standings."""


def entrant_name(line: EntrantLine) -> str:
    """A bot is marked as one, and so is who has left, or is not here."""
    name = bot_name(line.name) if line.bot or line.program else line.name
    if line.withdrawn:
        return say("tournament.withdrawn", name=name)
    if line.streak:
        name = say("tournament.streak", name=name)
    return name if line.here else say("tournament.absent", name=name)


def _tone(line: EntrantLine) -> Tone:
    return "past" if line.withdrawn else ""


def result(line: BoardLine) -> str:
    """How a board stands."""
    if line.forfeit:
        return say("tournament.board.forfeit", score=line.score)
    if line.state == "done":
        return line.score
    waits = say(f"tournament.board.{line.state}")
    return f"{line.score}, {waits}" if line.score else waits


TOURNAMENTS: Columns[TournamentLine] = (
    Column("tournament", "key"),
    Column("title", tone="strong"),
    Column("game", "game", line=2),
    Column(
        "format",
        of=lambda line: say(f"tournament.format.{line.format}"),
        raw=lambda line: line.format,
        line=2,
    ),
    Column("players", "number", "count.player", line=2),
    Column(
        "phase", of=lambda line: say(f"tournament.phase.{line.phase}"), raw=lambda line: line.phase, line=2
    ),
)

ENTRANTS: Columns[EntrantLine] = (
    Column("rank", "number"),
    Column("number", "number", tone="past"),
    Column("name", head="table_head.player", of=entrant_name, raw=lambda line: line.name, tone=_tone),
    Column("points", "number", tone="strong"),
    Column("buchholz", "number", from_width=100),
    Column("sonneborn_berger", "number", from_width=100),
    Column("results", of=lambda line: " ".join(f"{one or '-':>3}" for one in line.results)),
)

BOARD_LINES: Columns[BoardLine] = (
    Column("round", "number", from_width=70),
    Column("board", "number"),
    Column("names", of=lambda line: " – ".join(line.names), head="table_head.seats"),
    Column("score", head="table_head.result", of=result, raw=lambda line: line.score),
    Column("rooms", head="table_head.room", of=lambda line: " ".join(line.rooms[-1:]), tone="past"),
)


BOARDS_ON_SCREEN: Columns[BoardLine] = [
    one for name in ("names", "score", "round", "board") for one in BOARD_LINES if one.name == name
]
"""On the full screen, where a board leads to its room: what matters most first."""


def headline(view: TournamentView, now: float) -> list[str]:
    """Its title, what it is, and what comes next; `now` in milliseconds since 1970, by the server's clock."""
    settings = view.settings
    about = [game_name(settings.game), say(f"tournament.format.{settings.format}"), settings.clock]
    about.append(say("tournament.hosted", name=view.host))
    return [view.title, " · ".join(about), status(view, now)]


def status(view: TournamentView, now: float) -> str:
    """How far it is, and what comes next."""
    if view.phase == "over":
        first = [one.name for one in view.entrants if one.rank == 1]
        won = say("tournament.winner", name=language().listed(first)) if view.round and first else ""
        return " ".join(filter(None, [won, say("tournament.ended_early") if view.early else ""])) or say(
            "tournament.phase.over"
        )
    said = [say(f"tournament.phase.{view.phase}")]
    if view.round and view.rounds is not None:
        said = [say("tournament.round_of", round=view.round, rounds=view.rounds)]
    # After the last round the host may still have one of its games played again.
    after_round = "tournament.over_in" if view.round == view.rounds else "tournament.next_in"
    for id_, at in ((after_round, view.next_at), ("tournament.ends_in", view.ends_at)):
        if at is not None and at > now and view.phase == "playing":
            said.append(say(id_, time=durations.span((at - now) / 1000)))
    return ", ".join(said)


def drawn(view: TournamentView, now: float, width: int) -> Iterator[RenderableType]:
    """All of it, from top to bottom."""
    title, about, state = headline(view, now)
    yield plain(title, "bold")
    yield plain(about, PAST)
    yield plain(state)
    yield ""
    if view.entrants:
        yield table(ENTRANTS, view.entrants, width=width)
    else:
        yield say("tournament.nobody_yet")
    if view.boards:
        yield ""
        yield table(BOARD_LINES, view.boards[:BOARDS], width=width)
    if view.byes:
        yield Text(byes(view), PAST)


def byes(view: TournamentView) -> str:
    """Who has no game this round; empty where all have one."""
    names = {one.number: one.name for one in view.entrants}
    return (
        say("tournament.bye", names=language().listed([names[one] for one in view.byes])) if view.byes else ""
    )


def as_json(view: TournamentView) -> Mapping[str, Any]:
    """What `--json` prints: the view, as the protocol has it."""
    shown: dict[str, Any] = json.loads(encode_to_client(TournamentChanged(view)))["view"]
    return shown
