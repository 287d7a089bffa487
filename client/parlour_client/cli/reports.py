"""What is asked and answered: games, bots, rooms, one's history, an analysis, a new room."""

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.text import Text

from parlour_client.render import tables
from parlour_client.render.analysis import HintDrawing, report_lines
from parlour_client.render.board import BoardDrawing
from parlour_client.render.console import Screen
from parlour_client.render.progress import effort, shown_progress
from parlour_client.render.rules import RulesDrawing
from parlour_client.sdk.data_file import usual_server
from parlour_client.sdk.queries import QueryClient
from parlour_client.sdk.requests import new_id
from parlour_client.sdk.room_list import Listing, in_order
from parlour_client.text import wording
from parlour_client.text.names import bot_name, localised
from parlour_client.text.reports import from_book, unfinished
from parlour_client.text.scores import PAST, legend
from parlour_protocol import commands
from parlour_protocol.answers import Analysis
from parlour_protocol.commands import AskedSettings
from parlour_protocol.ids import SEATS
from parlour_protocol.notices import Lobby
from parlour_protocol.views.lists import OWN_ROOMS, ROOM_GAMES, ROOMS
from parlour_protocol.views.reports import Report
from parlour_protocol.words import say

if TYPE_CHECKING:  # so that a query needs nothing of a connection
    from parlour_client.sdk.client import Client


async def games(client: QueryClient, screen: Screen) -> None:
    """What can be played."""
    screen.show_list(tables.GAMES, await client.games())


async def rules(client: QueryClient, screen: Screen, game: str) -> None:
    """How a game is played."""
    answer = await client.rules(game)
    if screen.as_json:
        values = asdict(answer)
        screen.emit({name: values[name] for name in ("game", "title", "points")})
    else:
        screen.say(RulesDrawing(answer))


async def bots(client: QueryClient, screen: Screen) -> None:
    """Who can be played against."""
    screen.show_list(tables.BOTS, await client.bots())


async def rooms(client: "Client", screen: Screen) -> None:
    """What is being played."""
    screen.show_list(ROOMS, in_order((await client.rooms()).rooms), say("command.rooms.none"))


async def follow_rooms(client: "Client", screen: Screen) -> None:
    """What is being played, and every change of it, until the person has seen enough."""
    from parlour_client.sdk.messages import Disconnected, Reconnected
    from parlour_client.text.events import connection_lost

    notices = client.notices()
    listing = await _entered(client, screen)
    with _live(listing, screen) as show:
        async for notice in notices:
            match notice:
                case Lobby():
                    listing = listing.after(notice)
                    if screen.as_json:
                        from parlour_protocol.codec import encode_to_client

                        screen.emit(json.loads(encode_to_client(notice)))
                    elif not screen.out.is_terminal:
                        # One line each, however long: it is for programs that read lines, too.
                        screen.write("".join(f"{change}\n" for change in changes(notice)))
                    show(listing, "")
                case Disconnected():
                    show(listing, connection_lost(notice.retry_in, notice.reason))
                    if not screen.out.is_terminal and not notice.attempt:
                        screen.note(connection_lost(notice.retry_in, notice.reason))
                case Reconnected():
                    # What changed meanwhile is in the list that is sent now.
                    listing = await _entered(client, screen)
                    show(listing, "")
                case _:
                    pass


async def _entered(client: "Client", screen: Screen) -> Listing:
    """Ask for the list, and subscribe to its changes."""
    answer = await client.rooms(subscribe=True)
    if screen.as_json or not screen.out.is_terminal:
        screen.show_list(ROOMS, in_order(answer.rooms))
        screen.say(say("presence.players_here", count=answer.players))
    return Listing(answer.rooms, answer.players)


def changes(notice: Lobby) -> list[str]:
    """What a notice tells, one line for each room."""
    gone = [say("plain.room_gone", room=room) for room in notice.gone]
    return [*(tables.line(ROOMS, line) for line in notice.rooms), *gone]


@contextmanager
def _live(listing: Listing, screen: Screen) -> Iterator[Callable[[Listing, str], None]]:
    """A list that is drawn anew in its place, with what else there is to tell, where a terminal allows it."""

    def drawn(listing: Listing, said: str) -> Group:
        said = said or say("presence.players_here", count=listing.players)
        footer = say("command.rooms.footer", said=said)
        return Group(tables.table(ROOMS, in_order(listing.rooms)), "", Text(footer, PAST))

    if screen.as_json or not screen.out.is_terminal:
        yield lambda listing, said: None
        return
    from rich.live import Live

    with Live(drawn(listing, ""), console=screen.out, auto_refresh=False) as live:
        yield lambda listing, said: live.update(drawn(listing, said), refresh=True)


async def history(client: "Client", screen: Screen) -> None:
    """The player's own rooms."""
    screen.show_list(OWN_ROOMS, await client.history(), say("command.history.none", name=client.name))


async def remove(client: "Client", screen: Screen, code: str, *, back: bool) -> None:
    """Remove a room from the player's own list, or put it `back`."""
    room = await (client.restore if back else client.remove)(code)
    done = "restored" if back else "removed"
    if screen.as_json:
        screen.emit({done: room})
    else:
        screen.say(say(f"command.history.{done}", room=room))


async def room_history(client: "Client", screen: Screen, code: str) -> None:
    """The games of a room."""
    history = await client.room_history(code)
    if screen.as_json:
        screen.emit(asdict(history))
        return
    title = say("command.history.title", game=localised(history.title, history.title_said), room=history.room)
    screen.say(Text(title, "bold"), "")
    screen.show_list(ROOM_GAMES, history.games, say("command.history.no_game"))
    if not history.games:
        return
    screen.say("")
    if history.tally is not None:
        screen.say(wording.tally(history.tally))
    screen.note(say("command.history.see_again", room=history.room, number=str(history.default)))


async def create(
    client: "Client",
    screen: Screen,
    game: str,
    settings: AskedSettings,
    moves: str = "",
    bots: Sequence[str] = (),
) -> None:
    """Make a room, its games beginning after these moves; its code stands alone on standard output."""
    seats = [*bots, "open", "open"][: len(SEATS)]
    room = await client.create(game, seats=seats, settings=settings, moves=moves)
    if screen.as_json:
        screen.emit({"room": room.code, "server": client.url, "link": client.link(room)})
        return
    screen.say(room.code)
    server = client.public_url
    option = "" if client.url == usual_server() else f" --server {client.url}"
    if len(bots) < len(SEATS):
        for line in wording.invitation(server, room.code):
            screen.note(line)
        screen.note(say("command.create.bot_sits"))
        screen.note(f"  parlour add-bot {room.code}{option}")
    screen.note(say("command.create.watch"))
    screen.note(f"  parlour watch {room.code}{option}")


async def add_bot(client: "Client", screen: Screen, room: str, bot: str) -> None:
    """Put a bot in a free seat."""
    done = await client.add_bot(room, bot)
    if screen.as_json:
        screen.emit({"room": done.room, "bot": bot, "version": done.version})
    else:
        screen.say(say("command.add_bot.sits", name=bot_name(bot), room=done.room))


async def analyse(client: QueryClient, screen: Screen, game: str, moves: str, bot: str) -> None:
    """Every legal move of a position with its score; of a search that is stopped what it had found."""
    seen: list[Report] = []
    board = await client.request(commands.AskBoard(id=new_id(), game=game, moves=moves))
    try:
        async with shown_progress(client, screen, seen.append) as progress:
            answer = await client.request(
                commands.Analyse(id=new_id(), game=game, moves=moves, bot=bot, progress=progress)
            )
    except asyncio.CancelledError:
        if found := next((report for report in reversed(seen) if report.candidates), None):
            _show(screen, Analysis("", board.game, board.position, found, None, board.moves))
        raise
    _show(screen, answer)


def _show(screen: Screen, answer: Analysis) -> None:
    if screen.as_json:
        screen.emit(analysis_json(answer))
        return
    board = answer.position
    if answer.winner is not None:
        screen.say("", BoardDrawing(board), "")
        if line := wording.winning_line(board):
            screen.say(line)
        if answer.winner == "draw":
            screen.say(say("outcome.draw"))
        else:
            mark = board.marks[1 if answer.winner == "second" else 0][0]
            screen.say(say(f"command.analyse.won_{answer.winner}", mark=mark))
        return
    said = explained(answer)
    screen.say(HintDrawing(board, answer.report, below=screen.height_of(*said) + 1), *said)


def explained(answer: Analysis) -> list[Text]:
    """What there is to say about an analysis."""
    board, report = answer.position, answer.report
    side = board.to_move or 0
    mark = board.marks[side][0]
    said = [
        Text(say(f"command.analyse.to_move_{'second' if side else 'first'}", mark=mark)),
        *report_lines(report),
    ]
    judged, every = len(report.candidates), len(board.legal)
    if judged < every and report.finished:
        said.append(Text(say("command.analyse.most_promising", of=every, count=judged)))
    elif judged < every:
        said.append(Text(say("command.analyse.stopped", of=every, count=judged)))
    if not from_book(report):
        said.append(Text(effort(report), PAST))
    if report.candidates:
        said.append(Text(say("command.analyse.on_the_board", legend=legend(report)), PAST))
    if deeper := unfinished(report):
        said.append(Text(f"{deeper}.", "" if report.unfinished and report.unfinished.chosen else PAST))
    if any(one.no_better_than is not None for one in report.candidates):
        said.append(Text(say("command.analyse.cut_off"), PAST))
    if report.line:
        said.append(Text(say("search.best_play", line=" ".join(report.line)), PAST))
    return said


def analysis_json(answer: Analysis) -> dict[str, Any]:
    """An analysis as `parlour analyse --json` prints it: the position, and the whole report."""
    side = answer.position.to_move
    over = answer.winner is not None or side is None
    judged = {one.move for one in answer.report.candidates}
    # A search that the server stopped leaves some out: they are legal, and their worth is not known.
    unjudged = [move for move in answer.position.legal if not over and move not in judged]
    values = report_json(answer.report)
    nothing = {"score": None, "exact": False}
    values["candidates"] += [nothing | {"move": move} for move in unjudged]
    return {
        "game": answer.game,
        "moves": answer.moves,
        "to_move": None if over else ("second" if side else "first"),
        "outcome": answer.winner,
        **values,
    }


def report_json(report: Report) -> dict[str, Any]:
    """A report with all its fields, as on the wire; each candidate says whether its score is `exact`, too."""
    values = asdict(report)
    for one in values["candidates"]:
        one["exact"] = one["score"]["kind"] == "exact"
    return values
