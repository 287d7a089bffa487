"""Reports as tables that fit 80 columns."""

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from parlour_client.render.board import plain
from parlour_client.sdk.room_list import in_order
from parlour_client.text import durations, wording
from parlour_client.text.names import localised, seat_name
from parlour_client.text.scores import PAST
from parlour_protocol.views.records import PastRoom, RoomHistory
from parlour_protocol.views.rooms import BotLine, BotSetting, GameLine, RoomLine, SeatView
from parlour_protocol.words import say

MANY = 1_000
"""A bot's setting that may be larger is shown without its bounds."""


def columns(*names: str) -> Table:
    """An empty table with these columns, of `table_head`."""
    table = Table(box=None, pad_edge=False, header_style=PAST, padding=(0, 2, 0, 0))
    for name in names:
        table.add_column(say(f"table_head.{name}"), overflow="fold")
    return table


def seat_text(seat: SeatView) -> Text:
    """Who sits there; a bot is always marked as one."""
    return plain(seat_name(seat), PAST if seat.kind == "open" else "")


def games_table(games: Sequence[GameLine]) -> Table:
    """What can be played."""
    table = columns("game", "title", "what_it_is")
    for game in games:
        cell = Text(localised(game.summary, game.summary_said))
        if game.variants:
            cell.append("\n").append_text(Text(localised(game.variants, game.variants_said), PAST))
        table.add_row(plain(game.name, "bold"), Text(localised(game.title, game.title_said)), cell)
    return table


def bots_table(bots: Sequence[BotLine]) -> Table:
    """Who can be played against."""
    table = columns("bot", "what_bot_does")
    for bot in bots:
        cell = Text(localised(bot.summary, bot.summary_said))
        for plays in bot.plays:
            cell.append("\n").append_text(plain(", ".join(plays.games), "bold")).append(": ")
            cell.append_text(Text(localised(plays.does, plays.does_said)))
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


def rooms_table(rooms: Sequence[RoomLine], *, numbered: bool = False) -> Table:
    """What is being played, in the order of `in_order`; `numbered`: each room with its number, from 1."""
    table = columns(*["number"] * numbered, "room", "game", "first_seat", "second_seat", "standing")
    for number, room in enumerate(in_order(rooms), start=1):
        table.add_row(
            *[str(number)] * numbered,
            plain(room.room, "bold"),
            plain(room.game),
            *(seat_text(seat) for seat in room.seats[:2]),
            plain(", ".join([say(f"command.rooms.standing.{room.standing}"), *wording.room_facts(room)])),
        )
    return table


def history_table(rooms: Sequence[PastRoom], *, first: int | None = None) -> Table:
    """A player's own rooms; each with its number, where that of the `first` one is given."""
    numbered = first is not None
    table = columns(
        *["number"] * numbered, "room", "game", "players", "standing", "games", "moves", "last_used"
    )
    for number, room in enumerate(rooms, start=first or 0):
        table.add_row(
            *[str(number)] * numbered,
            plain(room.room, "bold"),
            plain(room.game),
            Text(" - ").join(seat_text(seat) for seat in room.seats[:2]),
            *_standing(room),
            str(room.games),
            str(room.moves),
            Text(durations.moment(room.at).removesuffix(" UTC"), PAST),
        )
    return table


def games_played_table(history: RoomHistory) -> Table:
    """The games of a room."""
    table = columns("game", "ending", "moves", "who_began", "when")
    for game in history.games:
        table.add_row(
            Text(str(game.number), "bold"),
            Text(wording.game_result(history, game)),
            str(game.moves),
            seat_text(game.seats[game.starter]),
            Text(durations.moment(game.started).removesuffix(" UTC"), PAST),
        )
    return table


def _standing(room: PastRoom) -> list[Text]:
    if room.phase == "playing":
        return [Text(say("command.rooms.standing.playing"))]
    if room.result is not None:
        return [Text(wording.ended(room.result, room.seats, room.you), PAST)]
    return [Text(say(f"command.rooms.standing.{room.phase}"), PAST if room.phase == "closed" else "")]
