"""`parlour review`: a game's moves are graded by the server, one after the other."""

from dataclasses import asdict
from typing import Any

from parlour_client.cli.reports import report_json
from parlour_client.render import review as review_view
from parlour_client.render.console import Screen
from parlour_client.render.progress import bar
from parlour_client.sdk import records
from parlour_client.sdk.errors import ParlourError
from parlour_client.sdk.queries import QueryClient
from parlour_client.sdk.requests import new_id
from parlour_client.sdk.review import Review, review_game
from parlour_client.sdk.source import Source
from parlour_client.text import wording
from parlour_client.text.names import seat_name
from parlour_client.text.reports import compiling_title, queued_line
from parlour_protocol import commands
from parlour_protocol.views.reports import Report
from parlour_protocol.words import say


async def review(client: QueryClient, screen: Screen, source: Source, bot: str) -> None:
    """Have a game's moves graded, and show how it went."""
    names, result = ("", ""), None
    asked = commands.AskReview(id=new_id(), room=source.room, number=source.number, bot=bot, progress=True)
    if source.room is None:
        game, moves = source.game, source.moves
        if source.record is not None:
            first, second = source.record.side_seats()
            game, moves = source.record.game, " ".join(records.moves_of(source.record))
            names, result = (seat_name(first), seat_name(second)), source.record.side_result()
            asked = asked.model_copy(update={"started_with": source.record.started_with})
        asked = asked.model_copy(update={"game": game, "moves": moves})
    with bar(screen, say("command.review.moves"), None) as progress:
        graded, count = 0, None

        def moves_graded(done: int, of: int) -> None:
            nonlocal graded, count
            graded, count = done, of
            progress(done, of)

        def waiting(now: Report) -> None:
            if now.compiling is not None:
                progress(now.compiling.done, now.compiling.of, compiling_title(now.compiling))
            elif now.queued is not None:
                progress(graded, count, queued_line(now.queued))

        answer, reports = await review_game(client, asked, moves_graded, waiting)
    if source.room is not None and not answer.moves:
        if source.number is None:
            raise ParlourError(say("error.no_move_in_room", room=source.room))
        raise ParlourError(say("error.no_move_in_room_game", number=source.number, room=source.room))
    if not answer.moves and not screen.as_json:
        raise ParlourError(say("error.no_move_yet"))
    done = wording.review_of(answer, names, reports, result)
    if screen.as_json:
        screen.emit(review_json(done))
        return
    screen.say("", *review_view.shown(done, screen.out.width, ascii_only=screen.ascii_only))


def review_json(review: Review) -> dict[str, Any]:
    """What `parlour review --json` prints."""
    sides = ("first", "second")
    return {
        "game": review.game,
        "outcome": review.outcome,
        "termination": review.result.termination if review.result else None,
        "bot": review.bot,
        "moves": [
            {
                "ply": one.ply,
                "side": sides[one.side],
                "move": one.move,
                "grade": one.grade.grade if one.grade else None,
                "exact": one.grade.exact if one.grade else False,
                "reason": one.grade.reason if one.grade else None,
                "loss": one.grade.loss if one.grade else None,
                "better": one.grade.better if one.grade else None,
                "report": report_json(review.reports[one.ply]) if one.ply in review.reports else None,
            }
            for one in review.moves
        ],
        "points": [None if point is None else asdict(point) for point in review.points],
        "counts": dict(zip(sides, map(asdict, review.grades), strict=True)),
    }
