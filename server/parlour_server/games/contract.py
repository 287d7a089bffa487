"""Whether a game keeps the contract, tried on a few short games that are played at random.

Our own games are held to it by the tests. Other people's are checked when they are loaded: a view that breaks
the contract would otherwise show first when a client draws it.
"""

import pickle
import random
from typing import Any, get_args

from parlour_protocol import LONGEST_WORD
from parlour_protocol.ids import Side
from parlour_protocol.views.boards import BoardView, Path, fault_of
from parlour_protocol.views.rooms import GameTermination
from parlour_server.games.game import BrokenContract, Game, InvalidPosition, Move, MoveError, Outcome, quoted
from parlour_server.games.positions import read, write
from parlour_server.games.rules import rule_points

GAMES, PLIES = 2, 100
"""How many games are played, and how many plies of each."""
MANY_GAMES, MANY_PLIES = 50, 20_000
"""How many are played to their ends where there is time, and how many plies of all."""
FIRST, THEN = 6, 12
"""How many positions are looked at closely from a game's beginning; then every twelfth, and its end."""
MOVES = 8
"""How many moves of a position, chosen at random, are written and read back."""
NO_MOVE = "zz"
"""What is no move of most games, and must be read or refused by all."""
MOST_ESTIMATED = 4800
LONGEST_TITLE, LONGEST_SUMMARY = 60, 200
MOST_RULES, LONGEST_RULE = 12, 400


def check(game: Game[Any]) -> None:
    """Play a few random games, the same ones each time. Raises `BrokenContract`, and what the game raises."""
    _require(_is_line(game.title, LONGEST_TITLE), "its title is not a short line")
    _require(_is_line(game.summary, LONGEST_SUMMARY), "its summary is not one line")
    _require(isinstance(game.max_plies, int) and game.max_plies > 0, "its max_plies is no number above 0")
    _require(game.estimate_scale > 0, "its estimate_scale is no number above 0")
    for at, parameters in enumerate(game.usual):
        try:
            variant = game.variant(parameters)
        except ValueError as error:
            raise BrokenContract(f"its usual variant {quoted(parameters)} is none: {error}") from None
        _require(
            at > 0 or variant.name == game.name.partition(":")[0],
            "its first usual variant is not the game itself",
        )
    try:
        game.parse(game.initial(), NO_MOVE)
    except MoveError:
        pass
    except Exception as error:
        raise BrokenContract(
            f"parse raises {type(error).__name__} for {quoted(NO_MOVE)}, and is to raise InvalidMove"
        ) from error
    try:
        position, last = game.replay(game.sample)
    except MoveError as error:
        raise BrokenContract(f"its sample can't be played: {error}") from None
    _check_position(game, position, last, random.Random(0))  # noqa: S311 - the same games each time
    for seed in range(GAMES):
        _play(game, random.Random(seed))  # noqa: S311
    _check_rules(game)
    if type(game).place is not Game.place:
        _check_texts(game)


def check_ends(game: Game[Any]) -> None:
    """Play more games at random, to their ends: how, and after how many plies. It takes its time."""
    dice, plies = random.Random(0), 0  # noqa: S311 - the same games each time
    for _ in range(MANY_GAMES):
        position, ply = game.initial(), 0
        while plies < MANY_PLIES and (moves := game.legal_moves(position)):
            _require_length(game, ply)
            position, ply, plies = game.play(position, dice.choice(list(moves))), ply + 1, plies + 1
        if (outcome := game.outcome(position)) is not None:
            _check_outcome(outcome)


def _check_outcome(outcome: Outcome) -> None:
    _require(outcome.winner in (None, 0, 1), f"the winner is {outcome.winner}, neither 0, 1 nor None")
    known = get_args(GameTermination)
    said = f"{outcome.termination!r} is no termination: write one of {', '.join(known)}"
    _require(outcome.termination in known, said)
    _require(bool(outcome.reason), "an outcome has no reason")


def _require_length(game: Game[Any], ply: int) -> None:
    _require(ply < game.max_plies, f"a game goes on after {game.max_plies} plies, its max_plies")


def _check_texts(game: Game[Any]) -> None:
    """Positions are written and read back as they were."""
    position, dice = game.initial(), random.Random(0)  # noqa: S311
    while moves := list(game.legal_moves(position)):
        try:
            again = read(game, write(game, position))
        except InvalidPosition as error:
            raise BrokenContract(f"a position is not read back: {error}") from None
        _require(game.view(again) == game.view(position), "a position is another one when it is read back")
        position = game.play(position, dice.choice(moves))


def _check_rules(game: Game[Any]) -> None:
    try:
        points = rule_points(game)
    except MoveError as error:
        raise BrokenContract(f"its rules can't be shown: {error}") from None
    _require(1 <= len(game.rules()) <= MOST_RULES, f"its rules are not 1 to {MOST_RULES} points")
    for point in points:
        _require(_is_line(point.text, LONGEST_RULE), "a point of its rules is not one line")
        if point.position is not None:
            fault = fault_of(point.position)
            _require(fault is None, f"a position of its rules can't be drawn: {fault}")


def _play(game: Game[Any], dice: random.Random) -> None:
    position, last, side = game.initial(), None, 0
    for ply in range(PLIES):
        moves = list(game.legal_moves(position))
        if ply < FIRST or ply % THEN == 0 or not moves:
            _check_position(game, position, last, dice)
        now = game.to_move(position)
        _require(ply > 0 or now == 0, "side 1 is to move first")
        if not moves:
            return
        alternated = ply == 0 or now != side
        _require(alternated or not game.alternates, "a side moves twice running, and `alternates` is true")
        _require_length(game, ply)
        last, side = dice.choice(moves), now
        after = game.play(position, last)
        _require(after != position, "a move leaves the position as it was")
        hash(after)  # raises for a position that can't be looked up: a list, say
        position = after


def _check_position(game: Game[Any], position: Any, last: Move | None, dice: random.Random) -> None:
    """Hold one position against the contract."""
    side, moves, outcome = game.to_move(position), list(game.legal_moves(position)), game.outcome(position)
    _require(side in (0, 1), f"the side to move is {side}, neither 0 nor 1")
    _require(bool(moves) == (outcome is None), "a position has legal moves and an outcome, or neither")
    _require(len(set(moves)) == len(moves), "a legal move is listed twice")
    if outcome is not None:
        _check_outcome(outcome)
    else:
        _require(abs(game.evaluate(position)) <= MOST_ESTIMATED, "an estimate is beyond -4800 and 4800")
    for move in dice.sample(moves, min(MOVES, len(moves))):
        written = game.format(position, move)
        _require(_is_line(written, LONGEST_WORD), f"the move {quoted(written)} is not one word")
        _require(
            game.notation.fullmatch(written) is not None, f"{quoted(written)} doesn't match its notation"
        )
        _require(
            game.parse(position, written) == move, f"{quoted(written)} is not read back as the same move"
        )
        game.play(position, move)
    written_down = pickle.dumps(position)
    sent = pickle.loads(written_down)  # noqa: S301 - made here
    _require(sent == position, "a position is another one when it comes back from pickle")
    _check_view(game, position, game.view(position, last), None if outcome else side, moves)
    _require(pickle.dumps(position) == written_down, "a position is changed by what is asked of it")


def _check_view(
    game: Game[Any], position: Any, view: BoardView, side: Side | None, moves: list[Move]
) -> None:
    _require(isinstance(view, BoardView), "its view is no BoardView")
    fault = fault_of(view)
    _require(fault is None, f"a view can't be drawn: {fault}")
    _require(view.to_move == side, f"a view says that {view.to_move} is to move, and it is {side}")
    _require(
        view.legal == [game.format(position, move) for move in moves], "a view's moves are not the legal ones"
    )
    _require(len(set(view.legal)) == len(view.legal), "two legal moves are written the same way")
    for move, path in view.ways():
        _require(_reached(view, move, path), f"its path doesn't lead to the move {quoted(move)}")


def _reached(view: BoardView, move: str, path: Path) -> bool:
    """Does choosing the cells of a path in turn mean its move, by itself or among others?"""
    chosen: Path = ()
    for cell in path:
        chosen, moves = view.choose(chosen, cell)
        if move in moves:
            return True
    return move in view.done_at(chosen)


def _is_line(text: Any, longest: int) -> bool:
    return isinstance(text, str) and 1 <= len(text) <= longest and text.isprintable() and bool(text.strip())


def _require(kept: bool, breach: str) -> None:
    if not kept:
        raise BrokenContract(breach)
