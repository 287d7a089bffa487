"""What a puzzle says: what is to be found, and what each answer is worth."""

from parlour_client.text.scores import outlook
from parlour_protocol.answers import Puzzle
from parlour_protocol.words import say


def heading(puzzle: Puzzle) -> str:
    """Of which game and day it is."""
    return f"{puzzle.game} · {say('puzzle.of_day', day=puzzle.day or '')}"


def task(puzzle: Puzzle) -> str:
    """What is to be found."""
    return say(f"puzzle.{'only' if puzzle.only else 'any'}_{puzzle.find}")


def to_move(puzzle: Puzzle) -> str:
    """Whose move it is."""
    side = puzzle.position.to_move or 0
    mark = puzzle.position.marks[side][0]
    return say(f"command.analyse.to_move_{'second' if side else 'first'}", mark=mark)


def tried(puzzle: Puzzle, text: str) -> tuple[str, bool] | None:
    """What a move is answered with, however it is written, and is it right? None: it is no legal move."""
    typed = text.strip().casefold()
    one = next((one for one in puzzle.candidates if one.move.casefold() == typed), None)
    if one is None:
        return None
    right = one.score.result == puzzle.find
    id_ = "puzzle.right" if right else "puzzle.wrong"
    said = [say(id_, move=one.move, outlook=outlook(one.score))]
    if one is puzzle.candidates[0]:
        said += _goes_on(puzzle)
    return " ".join(said), right


def answer(puzzle: Puzzle) -> str:
    """The right moves."""
    right = [one.move for one in puzzle.candidates if one.score.result == puzzle.find]
    said = say("puzzle.answer", moves=right, outlook=outlook(puzzle.candidates[0].score))
    return " ".join([said, *_goes_on(puzzle)])


def _goes_on(puzzle: Puzzle) -> list[str]:
    return [say("search.best_play", line=" ".join(puzzle.line))] if len(puzzle.line) > 1 else []
