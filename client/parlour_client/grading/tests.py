"""What each test does: a table of functions that are given a file under trial."""

from collections.abc import Awaitable, Callable, Sequence

from parlour_client.bots.position import Position
from parlour_client.bots.process import Called
from parlour_client.grading.proofs import Begun, order
from parlour_client.grading.trial import Blunder, Trial
from parlour_protocol.words import say

VALUES = ("value", "minimax_value", "minimax_score")
MAX_MIN = ("max_value", "min_value")
ALPHA_BETA = (
    "alphabeta",
    "alpha_beta",
    "minimax_alpha_beta",
    "minimax_alphabeta",
    "alpha_beta_search",
    "minimax_ab",
)
WATCHED_COSTS = 10
"""So many times as long a move may take at most while its search is watched."""
OTHER_WAY = 0.6
"""With the worst move in so large a share of positions it looks as if it wanted the opponent's best."""


async def _loads(trial: Trial) -> None:
    """It is loaded already."""
    trial.count(1)
    trial.earn()


async def _legal(trial: Trial) -> None:
    """No illegal move, no exception, anywhere."""
    boards = trial.proofs.boards(trial.test.positions)
    trial.count(len(boards))
    for number, moves in enumerate(boards):
        if await trial.ask(trial.proofs.begin(moves), f"legal/{number}"):
            trial.earn()


async def _speed(trial: Trial) -> None:
    """A move within its seconds, from the beginning on; quick ones are watched afterwards."""
    by_length = {len(moves): moves for moves in ((), *trial.proofs.boards(trial.test.positions))}
    positions = [trial.proofs.begin(by_length[ply]) for ply in sorted(by_length)[:5]]
    trial.count(len(positions))
    quick = list[tuple[int, Position]]()
    for number, position in enumerate(positions):
        found = await trial.ask(position, f"speed/{number}")
        if found is not None:
            trial.earn()
            if found[1] < trial.test.move_seconds / WATCHED_COSTS:
                quick.append((len(trial.result.asked) - 1, position))
    spent = sum(one.seconds for one in trial.result.asked)
    for at, position in quick:
        await trial.watch(position, at, (trial.test.seconds - spent) / (2 * len(quick)))


async def _games(trial: Trial, opponent: str) -> None:
    """Games from even openings, begun by either: a draw is as good as a win, since nobody has to lose."""
    proofs = trial.proofs
    bot = proofs.perfect if opponent == "perfect" else proofs.chance
    openings = proofs.openings(trial.test.games)
    trial.count(len(openings))
    lost = 0
    for number, opening in enumerate(openings):
        game = proofs.judge.begin(opening)
        ours, failed = (game.to_move + number) % 2, False
        while game.result is None and not failed:
            key = f"{opponent}/{number}/{len(game.moves)}"
            if game.to_move == ours:
                position = proofs.begin(tuple(game.moves))
                found = await trial.ask(position, key)
                failed = found is None
                if found is not None:
                    game.play(found[0])
            else:
                seed = proofs.seed * 1000 + 40 * number + len(game.moves)
                game.play(game.think(bot, seed).best or game.view().legal[0])
        if not failed and (game.result is None or game.result.winner in (None, ours)):
            trial.earn()
        elif not failed:
            lost += 1
            _first_blunder(trial, tuple(game.moves), ours, len(opening.moves.split()))
    if lost:
        trial.say(say(f"grading.lost_to.{opponent}", count=lost, of=len(openings)))


def _first_blunder(trial: Trial, moves: tuple[str, ...], ours: int, begun: int) -> None:
    """Note the first move of a lost game that gave something away, where that can be proven."""
    game = trial.proofs.judge.begin(Begun(trial.proofs.game))
    for ply, move in enumerate(moves):
        if ply >= begun and game.to_move == ours:
            proven = trial.proofs.proof(moves[:ply])
            if proven is not None and order(proven.scores[move]) < proven.result:
                best = proven.best
                trial.result.blunders.append(
                    Blunder(moves[:ply], move, proven.scores[move], best, proven.scores[best])
                )
                return
        game.play(move)


async def _best(trial: Trial) -> None:
    """The move that keeps what the position is worth, where not all do."""
    asked = trial.proofs.proven(trial.test.positions)
    if not asked:
        return
    trial.count(len(asked))
    later = sooner = worst = 0
    for number, proven in enumerate(asked):
        found = await trial.ask(trial.proofs.begin(proven.moves), f"best/{number}")
        if found is None:
            continue
        score, best = proven.scores[found[0]], proven.scores[proven.best]
        worst += order(score) == min(map(order, proven.scores.values()))
        if order(score) < proven.result:
            trial.result.blunders.append(Blunder(proven.moves, found[0], score, proven.best, best))
            continue
        trial.earn()
        later += proven.result == 2 and score.points < best.points
        sooner += proven.result == 0 and score.points < best.points
    if worst >= OTHER_WAY * len(asked):
        trial.say(say("grading.wrong_way", count=worst, of=len(asked)))
    if later:
        trial.say(say("grading.later", count=later))
    if sooner:
        trial.say(say("grading.sooner", count=sooner))
    if trial.shown < len(asked):
        trial.say(say("grading.right", count=round(trial.shown), of=len(asked)))


async def _utility(trial: Trial) -> None:
    """What a finished game is worth."""
    functions = trial.test.functions or ("utility",)
    found = []
    ended = trial.proofs.ended(trial.test.positions)
    for moves, winner in ended:
        given = await _first(trial, functions, trial.proofs.begin(moves))
        if given is None:
            break
        found.append((given, 0 if winner is None else 1 - 2 * winner, 1 - 2 * (len(moves) % 2)))
    _agree(trial, found, len(ended), "utility")


async def _value(trial: Trial) -> None:
    """What minimax makes of a position."""
    found = []
    asked = [one for one in trial.proofs.proven(trial.test.positions) if len(one.moves) >= 2]
    for proven in asked:
        position = trial.proofs.begin(proven.moves)
        side = 1 - 2 * position.marks.index(position.mark)
        functions = trial.test.functions or (*VALUES, MAX_MIN[side < 0])
        given = await _first(trial, functions, position)
        if given is None:
            break
        found.append((given, side * (proven.result - 1), side))
    _agree(trial, found, len(asked), "value")


async def _first(trial: Trial, functions: Sequence[str], position: Position) -> Called | None:
    """What the first of these functions that there is gives."""
    for function in functions:
        if (given := await trial.call(function, position)) is not None:
            return given
        if trial.result.faults:
            return None
    return None


def _agree(trial: Trial, found: list[tuple[Called, int, int]], of: int, what: str) -> None:
    """Hold values against the truth: each with what it is for the side that began, and whose turn it is.

    Their signs count. They may be told for the side that began, or for the side to move.
    """
    if not found and not trial.result.faults:
        return
    trial.count(max(1, of))

    def right(of_mover: bool) -> list[bool]:
        return [
            given.value is not None and _sign(given.value) == (truth * side if of_mover else truth)
            for given, truth, side in found
        ]

    best = max(right(False), right(True), key=sum)
    trial.earn(sum(best))
    for (given, truth, _), ok in zip(found, best, strict=True):
        if not ok:
            outcome = say(f"grading.truth.{('loss', 'draw', 'win')[truth + 1]}")
            trial.say(say(f"grading.wrong_{what}", shown=given.shown, truth=outcome))
            break


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


async def _alphabeta(trial: Trial) -> None:
    """Alpha-beta gives minimax's answer, with fewer calls."""
    boards = [one for one in trial.proofs.boards(4 * trial.test.positions) if len(one) >= 2][
        : trial.test.positions
    ]
    more = fewer = 0
    names = trial.test.functions or ALPHA_BETA
    for moves in boards:
        pruned, position = None, trial.proofs.begin(moves)
        for name in names:
            if (pruned := await trial.call(name, position)) is not None:
                names = (name,)
                break
        if pruned is None and not trial.result.faults:
            return
        if not trial.of:
            trial.count(len(boards))
        plain = None if pruned is None else await trial.call("minimax", position)
        if plain is None and not trial.result.faults:
            # There is nothing to hold it against.
            trial.result.share = None
            return
        if pruned is None or plain is None:
            continue
        more, fewer = more + plain.calls, fewer + pruned.calls
        if pruned.shown == plain.shown:
            trial.earn()
        else:
            trial.say(say("grading.other_than_minimax", minimax=plain.shown, alphabeta=pruned.shown))
    if fewer:
        trial.say(say("grading.calls", minimax=more, alphabeta=fewer))
    if fewer >= more:
        # It is minimax by another name.
        trial.result.share = (trial.result.share or 0) / 2


TESTS: dict[str, Callable[[Trial], Awaitable[None]]] = {
    "loads": _loads,
    "legal": _legal,
    "speed": _speed,
    "random": lambda trial: _games(trial, "random"),
    "perfect": lambda trial: _games(trial, "perfect"),
    "best": _best,
    "utility": _utility,
    "value": _value,
    "alphabeta": _alphabeta,
}
