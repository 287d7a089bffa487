"""What is asked and answered: games, bots, rooms, one's history, an analysis, a new room."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields
from typing import Any

from rich.console import Group
from rich.live import Live
from rich.text import Text

from parlour_client import sentences, tables
from parlour_client.clean import clean
from parlour_client.connection import Back, Connection, Lost, new_id
from parlour_client.draw import Board
from parlour_client.listing import Listing, changes, here
from parlour_client.localserver import DEFAULT_SERVER
from parlour_client.progress import effort, shown_progress
from parlour_client.scores import ESTIMATES_END, PAST
from parlour_client.screen import Screen
from parlour_client.thoughts import Hint, by_heart, report_lines
from parlour_protocol import to_server
from parlour_protocol.codec import encode_to_client
from parlour_protocol.ids import room_link
from parlour_protocol.to_client import Analysis, Lobby
from parlour_protocol.to_server import AskedSettings
from parlour_protocol.views import Candidate, Report

LOST = "Connection lost. Trying again."
CANDIDATE_FIELDS = [field.name for field in fields(Candidate)]


async def games(connection: Connection, screen: Screen) -> None:
    """What can be played."""
    answer = await connection.request(to_server.ListGames(id=new_id()))
    if screen.as_json:
        screen.emit([asdict(game) for game in answer.games])
    else:
        screen.say(tables.games_table(answer.games))


async def bots(connection: Connection, screen: Screen) -> None:
    """Who can be played against."""
    answer = await connection.request(to_server.ListBots(id=new_id()))
    if screen.as_json:
        screen.emit([asdict(bot) for bot in answer.bots])
    else:
        screen.say(tables.bots_table(answer.bots))


async def rooms(connection: Connection, screen: Screen) -> None:
    """What is being played."""
    answer = await connection.request(to_server.ListRooms(id=new_id()))
    if screen.as_json:
        screen.emit([asdict(room) for room in answer.rooms])
    elif answer.rooms:
        screen.say(tables.rooms_table(answer.rooms))
    else:
        screen.say("No rooms yet. Make one: parlour create tictactoe")


async def follow_rooms(connection: Connection, screen: Screen) -> None:
    """What is being played, and every change of it, until the person has seen enough."""
    listing = await _entered(connection, screen)
    with _live(listing, screen) as show:
        async for heard in connection:
            match heard:
                case Lobby():
                    listing = listing.after(heard)
                    if screen.as_json:
                        screen.emit(json.loads(encode_to_client(heard)))
                    elif not screen.out.is_terminal:
                        # One line each, however long: it is for programs that read lines, too.
                        screen.write("".join(f"{change}\n" for change in changes(heard)))
                    show(listing, "")
                case Lost(attempt=attempt):
                    show(listing, LOST)
                    if not screen.out.is_terminal and not attempt:
                        screen.note(LOST)
                case Back():
                    # What changed while nobody told us is in the list that is sent now.
                    listing = await _entered(connection, screen)
                    show(listing, "")
                case _:
                    pass


async def _entered(connection: Connection, screen: Screen) -> Listing:
    """Ask for the list, and to be told of its changes."""
    answer = await connection.request(to_server.ListRooms(id=new_id(), follow=True))
    if screen.as_json:
        screen.emit([asdict(room) for room in answer.rooms])
    elif not screen.out.is_terminal:
        screen.say(tables.rooms_table(answer.rooms), here(answer.players))
    return Listing(answer.rooms, answer.players)


@contextmanager
def _live(listing: Listing, screen: Screen) -> Iterator[Callable[[Listing, str], None]]:
    """A list that is drawn anew in its place, with what else there is to tell, where a terminal allows it."""

    def drawn(listing: Listing, said: str) -> Group:
        told = f"{said or here(listing.players)} Ctrl-C ends this."
        return Group(tables.rooms_table(listing.rooms), "", Text(told, PAST))

    if screen.as_json or not screen.out.is_terminal:
        yield lambda listing, said: None
        return
    with Live(drawn(listing, ""), console=screen.out, auto_refresh=False) as live:
        yield lambda listing, said: live.update(drawn(listing, said), refresh=True)


async def history(connection: Connection, screen: Screen) -> None:
    """The player's own rooms."""
    answer = await connection.request(to_server.AskHistory(id=new_id()))
    if screen.as_json:
        screen.emit([asdict(room) for room in answer.rooms])
    elif answer.rooms:
        screen.say(tables.history_table(answer.rooms))
    else:
        screen.say(f"{connection.welcome.name} has not played here yet. Begin: parlour play tictactoe")


async def create(
    connection: Connection, screen: Screen, game: str, settings: AskedSettings, moves: str = ""
) -> None:
    """Make a room, its games beginning after these moves; its code stands alone on standard output."""
    made = await connection.request(
        to_server.CreateRoom(id=new_id(), game=game, settings=settings, moves=moves)
    )
    if screen.as_json:
        link = room_link(connection.server, made.room)
        screen.emit({"room": made.room, "server": connection.server, "link": link})
        return
    screen.say(made.room)
    server = connection.server
    option = "" if server == DEFAULT_SERVER else f" --server {server}"
    for line in sentences.invitation(server, made.room):
        screen.note(line)
    screen.note("A bot takes a seat with:")
    screen.note(f"  parlour add-bot {made.room}{option}")
    screen.note("Look on with:")
    screen.note(f"  parlour watch {made.room}{option}")


async def add_bot(connection: Connection, screen: Screen, room: str, bot: str) -> None:
    """Put a bot in a free seat."""
    done = await connection.request(to_server.AddBot(id=new_id(), room=room, bot=bot))
    if screen.as_json:
        screen.emit({"room": done.room, "bot": bot, "version": done.version})
    else:
        screen.say(f"{bot} (bot) sits down in room {done.room}.")


async def analyse(connection: Connection, screen: Screen, game: str, moves: str, bot: str) -> None:
    """Every legal move of a position with its score."""
    async with shown_progress(connection, screen) as progress:
        answer = await connection.request(
            to_server.Analyse(id=new_id(), game=game, moves=moves, bot=bot, progress=progress)
        )
    if screen.as_json:
        screen.emit(analysis_json(answer))
        return
    board = answer.position
    if answer.winner is not None:
        screen.say("", Board(board), "")
        if line := sentences.winning_line(board):
            screen.say(line)
        mark = {"first": 0, "second": 1}.get(answer.winner)
        screen.say(
            "A draw." if mark is None else f"{clean(board.marks[mark])}, the {answer.winner} side, has won."
        )
        return
    said = explained(answer)
    screen.say(Hint(board, answer.report, below=screen.height_of(*said) + 1), *said)


def explained(answer: Analysis) -> list[Text]:
    """What there is to say about an analysis."""
    board, report = answer.position, answer.report
    side = board.to_move or 0
    who = f"{clean(board.marks[side])}, the {'second' if side else 'first'} side, is to move."
    said = [Text(who), *report_lines(report)]
    judged, every = len(report.candidates), len(board.legal)
    if judged < every and report.finished:
        said.append(Text(f"Of {every} moves the {judged} most promising were judged."))
    elif judged < every:
        said.append(Text(f"The search was stopped: {judged} of {every} moves were judged."))
    if not by_heart(report):
        said.append(Text(effort(report), PAST))
    if any(one.kind == "estimate" for one in report.candidates):
        said.append(Text(f"~ is an estimate, in points: {ESTIMATES_END} would be as good as won.", PAST))
    first = report.candidates[0] if report.candidates else None
    if first is not None and first.move == report.best and first.score < max(_scores(report)):
        # The search was cut short while it looked deeper, and had changed its mind by then.
        said.append(
            Text(f"{clean(first.move)} was looked at one ply deeper than others with more points.", PAST)
        )
    if report.line:
        said.append(Text(f"Best play: {clean(' '.join(report.line))}", PAST))
    return said


def _scores(report: Report) -> list[float]:
    return [one.score for one in report.candidates]


def analysis_json(answer: Analysis) -> dict[str, Any]:
    """An analysis as `parlour analyse --json` prints it: the position, and the whole report."""
    side = answer.position.to_move
    over = answer.winner is not None or side is None
    judged = {one.move for one in answer.report.candidates}
    # A search that the server stopped leaves some out: they are legal, and nobody knows their worth.
    unjudged = [move for move in answer.position.legal if not over and move not in judged]
    told = report_json(answer.report)
    nothing = dict.fromkeys(CANDIDATE_FIELDS) | {"result": "unknown", "exact": False}
    told["candidates"] += [nothing | {"move": move} for move in unjudged]
    return {
        "game": answer.game,
        "moves": answer.moves,
        "to_move": None if over else ("second" if side else "first"),
        "outcome": answer.winner,
        **told,
    }


def report_json(report: Report) -> dict[str, Any]:
    """A report with all its fields, as on the wire; each candidate says whether its score is `exact`, too."""
    told = asdict(report)
    for one in told["candidates"]:
        one["exact"] = one["kind"] == "exact"
    return told
