"""Reports as tables that fit 80 columns."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.table import Table
from rich.text import Text

from parlour_client.render.board import plain
from parlour_client.text import durations, wording
from parlour_client.text.sanitize import clean
from parlour_client.text.scores import FIRST, PAST, SECOND
from parlour_protocol.records import PastRoom
from parlour_protocol.views import BotLine, BotSetting, GameLine, RoomLine, SeatView

BAR = 30
MANY = 1_000
"""A bot's setting that may be larger is shown without its bounds."""


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style=PAST, padding=(0, 2, 0, 0))
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def seat_text(seat: SeatView) -> Text:
    """Who sits there; a bot is always marked as one."""
    match seat.kind:
        case "open":
            return Text("free", PAST)
        case "bot":
            return plain(seat.name).append(" (bot)")
        case "human":
            return plain(seat.name).append(" (bot)" if seat.program else "")


def games_table(games: Sequence[GameLine]) -> Table:
    """What can be played."""
    table = _table("game", "title", "what it is")
    for game in games:
        cell = plain(game.summary)
        if game.variants:
            cell.append("\n").append_text(plain(game.variants, PAST))
        table.add_row(plain(game.name, "bold"), plain(game.title), cell)
    return table


def bots_table(bots: Sequence[BotLine]) -> Table:
    """Who can be played against."""
    table = _table("bot", "what it is, and what it does in each game")
    for bot in bots:
        cell = plain(bot.summary)
        for plays in bot.plays:
            cell.append("\n").append_text(plain(", ".join(plays.games), "bold")).append(": ")
            cell.append_text(plain(plays.does))
        if bot.settings:
            cell.append("\n").append_text(plain(bot_settings(bot), PAST))
        table.add_row(plain(bot.name, "bold"), cell)
    return table


def bot_settings(bot: BotLine) -> str:
    """What may follow a bot's name: `depth=1..99, time=SECONDS, seed=N`."""
    return ", ".join(f"{one.name}={_values(one)}" for one in bot.settings)


def _values(setting: BotSetting) -> str:
    if not setting.whole:
        return (setting.unit or "number").upper()
    return f"{setting.least:.0f}..{setting.greatest:.0f}" if setting.greatest < MANY else "N"


def rooms_table(rooms: Sequence[RoomLine]) -> Table:
    """What is being played: those that wait for somebody first."""
    order = {"waiting": 0, "playing": 1, "finished": 2, "closed": 3}
    table = _table("room", "game", "phase", "first seat", "second seat", "moves", "watch")
    for room in sorted(rooms, key=lambda one: order[one.phase]):
        table.add_row(
            plain(room.room, "bold"),
            plain(room.game),
            Text(room.phase, "" if room.phase in ("waiting", "playing") else PAST),
            *(seat_text(seat) for seat in room.seats[:2]),
            str(room.moves),
            str(room.watching),
        )
    return table


def history_table(rooms: Sequence[PastRoom]) -> Table:
    """A player's own rooms."""
    table = _table("room", "game", "players", "how it stands", "moves", "last used")
    for room in rooms:
        table.add_row(
            plain(room.room, "bold"),
            plain(room.game),
            Text(" - ").join(seat_text(seat) for seat in room.seats[:2]),
            *_standing(room),
            str(room.moves),
            Text(durations.moment(room.at).removesuffix(" UTC"), PAST),
        )
    return table


def _standing(room: PastRoom) -> list[Text]:
    if room.phase == "playing":
        return [Text("running")]
    if room.result is not None:
        return [Text(wording.ended(room.result, room.seats, room.you), PAST)]
    return [Text(room.phase, PAST if room.phase == "closed" else "")]


@dataclass(frozen=True, slots=True)
class Tally:
    """How a match went: what `parlour arena --json` prints."""

    game: str
    first: str
    second: str
    games: int
    first_wins: int
    second_wins: int
    draws: int
    moves: int
    seconds: float
    first_ran: str | None = None
    """How the first bot's searches ran: `compiled`, `plain Python`, `partly compiled`; None: no choice."""
    second_ran: str | None = None

    def as_json(self) -> dict[str, Any]:
        """The tally with its fields in order."""
        return asdict(self)


def arena_table(tally: Tally, *, ascii_only: bool = False) -> Table:
    """A match's results, each with a bar for its share."""
    table = _table("result", "games", "share", "")
    rows = [
        (plain(tally.first).append(" (first) wins"), tally.first_wins, FIRST),
        (plain(tally.second).append(" (second) wins"), tally.second_wins, SECOND),
        (Text("draws"), tally.draws, PAST),
    ]
    for name, count, style in rows:
        share = count / tally.games if tally.games else 0.0
        length = max(round(share * BAR), 1) if count else 0
        bar = Text(("#" if ascii_only else "█") * length, style)
        table.add_row(name, str(count), f"{share:.0%}", bar)
    return table


def arena_line(tally: Tally) -> str:
    """How much was played, and how fast."""
    rate = tally.games / tally.seconds if tally.seconds else 0.0
    games = "1 game" if tally.games == 1 else f"{tally.games:,} games"
    return f"{games} of {tally.game}, {tally.moves:,} moves in {tally.seconds:.2f} s ({rate:.1f} games/s)"


def ran_line(tally: Tally) -> str:
    """How the bots' searches ran: `hard: compiled, easy: plain Python`; nothing where that is no question."""
    ran = ((tally.first, tally.first_ran), (tally.second, tally.second_ran))
    return ", ".join(dict.fromkeys(f"{clean(name)}: {how}" for name, how in ran if how is not None))
