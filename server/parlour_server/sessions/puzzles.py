"""Puzzles on the wire: what one is sent with."""

from collections.abc import Sequence
from typing import Any

from parlour_protocol import answers
from parlour_protocol.errors import Code
from parlour_protocol.views.boards import BoardView
from parlour_protocol.views.reports import Candidate
from parlour_protocol.words import Sentence
from parlour_server.games.game import Game
from parlour_server.refusals import Refusal
from parlour_server.search.reports.puzzle import Puzzle, right, shipped


def answer(
    command_id: str,
    game: Game[Any],
    position: Any,
    board: BoardView,
    moves: list[str],
    candidates: Sequence[Candidate],
    line: list[str],
) -> answers.Puzzle:
    """A puzzle with all that it takes to solve it."""
    best = right(candidates)
    move = game.parse(position, best[0].move)
    return answers.Puzzle(
        command_id,
        game.name,
        moves,
        board,
        "win" if best[0].score.result == "win" else "draw",
        list(candidates),
        solved=game.view(game.play(position, move), move),
        only=len(best) == 1,
        line=line,
    )


def shipped_of(game: Game[Any] | None, day: int) -> Puzzle:
    """The puzzle of a day, of those that came with the server. Raises `Refusal`."""
    if game is None:
        every = shipped()
    else:
        every = [one for one in shipped() if one.game == game.name]
        if not every:
            known = ", ".join(sorted({one.game for one in shipped()}))
            said = Sentence("refusal.no_puzzle_of", game=game.name, known=known)
            raise Refusal(Code.UNKNOWN_GAME, said, field="game")
    return every[day % len(every)]
