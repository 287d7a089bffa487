"""What can be asked without a room: the games and bots there are, a board, an analysis, a game tree, a race
of searches, a review of moves; and a hint, whose room the caller has found.

One search at a time; the next one is refused until that is answered. What is asked is checked here, and
searched at the scheduler.
"""

import time
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from parlour_protocol import LONGEST_RACE, answers, commands, notices, words
from parlour_protocol.errors import Code
from parlour_protocol.game_text import written
from parlour_protocol.ids import Both, Side
from parlour_protocol.settings import RoomSettings, setting_lines
from parlour_protocol.tournaments import TournamentSettings
from parlour_protocol.views.boards import BoardView
from parlour_protocol.views.records import GameRecord, RecordedMove
from parlour_protocol.views.reports import Report, ReviewedMove
from parlour_protocol.views.rooms import ResultView, SeatView
from parlour_protocol.words import Sentence, made_of
from parlour_server.analysis.fair_queue import Requester
from parlour_server.analysis.game_review import ReviewRun
from parlour_server.analysis.scheduler import QueueFull, Search, SearchScheduler
from parlour_server.analysis.worker import Job
from parlour_server.games import UnknownGame, all_games, find_game, game_line, no_such_game
from parlour_server.games.game import Game, GameIsOver, MoveError, Outcome
from parlour_server.games.positions import fields, tray
from parlour_server.games.rules import rule_points
from parlour_server.hosting import puzzle_days
from parlour_server.hosting.refusing import refusing
from parlour_server.pictures import picture_job
from parlour_server.refusals import Refusal
from parlour_server.search.levels import BadSetting, BotSpec, UnknownBot, parse_bot
from parlour_server.search.reports.exercises import exercise
from parlour_server.search.reports.grades import grade
from parlour_server.search.reports.lab import race_to
from parlour_server.search.reports.playouts import Recorded, recorded
from parlour_server.search.reports.puzzle import Puzzle, line_of, proven, right, unasked
from parlour_server.search.reports.review import grade_counts, review_notes
from parlour_server.search.reports.tree import Entry, TooLarge, Tree, grow
from parlour_server.search.scores import INFINITY, POINT
from parlour_server.search.thinking import list_bots, plays, repeatable
from parlour_server.search.turns import in_turns
from parlour_server.sessions import lecture, puzzles
from parlour_server.sessions.prices import SEARCH_SECOND

if TYPE_CHECKING:  # so that a query needs neither a room nor the way from message to text
    from parlour_protocol.codec import ToClient
    from parlour_server.room.state import RoomState

HINT_BOT = "perfect"
MOST_REVIEWED = 400
"""No game of the usual ones is longer, and a review of this many moves fits into one answer."""
SHOWN_CANDIDATES = 81
"""How many of the best moves are shown while a search runs: all of them in the usual games, so that every
cell can say what it is worth; not the 361 of the largest board, ten times a second."""
MOST_CHARACTERS = 240_000
"""What is sent of a tree or a picture: less than may wait for a reader."""
_WINNERS: dict[Side | None, Literal["first", "second", "draw"]] = {0: "first", 1: "second", None: "draw"}

_OF_TOURNAMENT = [*setting_lines(TournamentSettings)]


class Queries:
    """One connection's. Each method answers at once, or later; or raises `Refusal`."""

    def __init__(
        self,
        scheduler: SearchScheduler,
        say: Callable[["ToClient"], None],
        refuse: Callable[[str, Refusal], None],
        requester: Callable[[], Requester],
        charge: Callable[[float], None] = lambda price: None,
        now: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
        rated: bool = False,
    ) -> None:
        self._settings = [line for line in setting_lines() if rated or line.name != "rated"]
        self._scheduler, self._say, self._refuse, self._now = scheduler, say, refuse, now
        self._requester, self._charge = requester, charge
        self._search: Search | ReviewRun | None = None
        self._painting: Search | None = None
        """A picture is painted beside what is searched."""
        self._searched_for = ""
        """The id of the command that is searched for."""
        self._cancelled = ""
        """The id of the command that was cancelled last: its game may still be read from the store."""

    def close(self) -> None:
        """The connection is gone, and its search with it."""
        for begun in (self._search, self._painting):
            if begun is not None:
                begun.cancel()
        # Its session holds it: else both, and their connection, would stay until a rare look for cycles.
        self._say = self._refuse = self._charge = _ignore
        self._requester = _NOBODY

    def answer(self, message: commands.Command[Any], record: GameRecord | None = None) -> None:
        """Answer any command of `QUERIES`; the record is that of a room's game, where it is about one."""
        if record is None:
            QUERIES[type(message)](self, message)
        else:
            QUERIES[type(message)](self, message, record)

    def busy(self, command_id: str) -> Refusal | None:
        """Why nothing can be searched for a command, if so: what is known before it is looked into."""
        if command_id == self._cancelled:
            return _stopped()
        if self._search is not None:
            return Refusal(Code.BUSY, Sentence("refusal.still_thinking"), retry_after=1.0)
        return None

    def games(self, message: commands.ListGames) -> None:
        """List the games."""
        games = [game_line(game) for game in all_games()]
        self._say(answers.Games(message.id, games, self._settings, _OF_TOURNAMENT))

    def bots(self, message: commands.ListBots) -> None:
        """List the bots, with what each does in each game."""
        bots = list_bots(all_games(), compiled=self._scheduler.has_code)
        self._say(answers.Bots(message.id, bots))

    def cancel(self, message: commands.Cancel) -> None:
        """Stop a search and refuse its command; one that is over, or never was, needs no stopping."""
        self._cancelled = message.search
        if self._search is not None and self._searched_for == message.search:
            self._search.cancel()
            self._search = None
            self._refuse(message.search, _stopped())
        self._say(answers.Cancelled(message.id))

    def hint(self, message: commands.AskHint, state: "RoomState") -> None:
        """Score the moves of a room's present position."""
        code, version = state.code, state.version
        job = Job(state.rules.name, state.position, parse_bot(HINT_BOT), 0, every_move=True)

        def found(report: Report) -> None:
            self._say(answers.Hint(message.id, code, version, report))

        self._think(message.id, job, found, progress=message.progress)

    def analyse(self, message: commands.Analyse) -> None:
        """Score every move of a position, and grade one."""
        bot = read_bot(message.bot)
        game, position, board, moves = _replayed(message.game, message.moves)
        outcome = game.outcome(position)
        if outcome is not None:
            if message.played is not None:
                raise Refusal(Code.GAME_OVER, Sentence("refusal.over_no_move", reason=outcome.reason))
            nothing = Report(str(bot), [], finished=True)
            winner = _WINNERS[outcome.winner]
            self._say(answers.Analysis(message.id, game.name, board, nothing, winner, moves))
            return
        played = None if message.played is None else _legal(game, position, message.played)

        def found(report: Report) -> None:
            graded = None if played is None else grade(report, played)
            self._say(answers.Analysis(message.id, game.name, board, report, None, moves, graded))

        also = () if played is None else (game.parse(position, played),)
        job = Job(game.name, position, bot, 0, every_move=True, also=also, lasting=True)
        self._think(message.id, job, found, progress=message.progress)

    def check_bot(self, message: commands.CheckBot) -> None:
        """Tell what a bot would do."""
        bot = read_bot(message.bot)
        games = all_games() if message.game is None else [read_game(message.game)]
        does = plays(bot, games, compiled=self._scheduler.has_code)
        self._say(answers.CheckedBot(message.id, str(bot), does))

    def review(self, message: commands.AskReview, record: GameRecord | None = None) -> None:
        """Grade the moves of a game: of a room's, as it was recorded, or of the one that the message has."""
        if record is not None:
            name, moves = record.game, " ".join(move.move for move in record.moves)
            seats, started_with = record.side_seats(), record.started_with
        elif message.game is not None:
            name, moves, seats, started_with = message.game, message.moves, None, message.started_with
        else:
            raise Refusal(Code.BAD_MESSAGE, Sentence("refusal.nothing_to_review"))
        bot = read_bot(message.bot)
        game, position, board, played = _replayed(name, moves)
        count, outcome = len(played), game.outcome(position)
        if count > MOST_REVIEWED:
            said = Sentence("refusal.review_too_long", most=MOST_REVIEWED, given=count)
            raise Refusal(Code.TOO_LARGE, said)
        result = record.side_result() if record is not None else _result(outcome)

        so_far: list[ReviewedMove] = []

        def graded(move: ReviewedMove, report: Report) -> None:
            self._charge(SEARCH_SECOND * report.seconds)
            so_far.append(move)
            if message.progress:
                self._say(notices.Progress(message.id, report, move, count, grade_counts(so_far)))

        def done(reviewed: list[ReviewedMove] | None) -> None:
            if reviewed is None:
                raise _failed()
            self._search, shown = None, str(replace(bot, seed=None))
            self._say(
                answers.Review(
                    message.id,
                    game.name,
                    shown,
                    reviewed,
                    board,
                    result,
                    seats,
                    grade_counts(reviewed),
                    review_notes(reviewed, _names(board, seats)),
                )
            )

        def shown(report: Report) -> None:
            if message.progress and (report.compiling is not None or report.queued is not None):
                self._say(notices.Progress(message.id, report, of=count))

        def answering() -> AbstractContextManager[None]:
            return refusing(partial(self._end, message.id))

        with self._beginning(message.id):
            self._search = run = ReviewRun(
                self._scheduler,
                self._requester(),
                game,
                moves,
                bot,
                graded,
                done,
                shown,
                answering,
                started_with=started_with,
            )
            run.start()

    def puzzle_of(self, day: int, message: commands.AskPuzzle, played: Puzzle | None) -> None:
        """Send the puzzle of a day, which one may be that was `played` here."""
        game = None if message.game is None else read_game(message.game)
        if played is not None and (game is None or played.game == game.name):
            one = played
        else:
            one, played = puzzles.shipped_of(game, day), None
        game, position, board, moves = _replayed(one.game, one.moves)
        candidates, line = one.candidates(game), one.line.split()
        found = puzzles.answer(message.id, game, position, board, moves, candidates, line)
        today = puzzle_days.day_of(self._now())
        self._say(replace(found, played=played is not None, **puzzle_days.days(day, today)))

    def puzzle_day(self, message: commands.AskPuzzle) -> int:
        """The day whose puzzle is asked for. Raises `Refusal`."""
        today = puzzle_days.day_of(self._now())
        return today if message.day is None else puzzle_days.read_day(message.day, today)

    def puzzle(self, message: commands.AskPuzzle) -> None:
        """Make a puzzle of a position whose moves can all be proven; without one, send that of a day."""
        if message.moves is None:
            # Where no games are kept, none of them has one.
            self.puzzle_of(self.puzzle_day(message), message, None)
            return
        if message.day is not None:
            raise Refusal(Code.BAD_MESSAGE, Sentence("refusal.puzzle_of_day_or_moves"))
        if message.game is None:
            raise Refusal(Code.BAD_MESSAGE, Sentence("refusal.puzzle_without_game"), field="game")
        game, position, board, moves = _replayed(message.game, message.moves)
        outcome = game.outcome(position)
        if outcome is not None:
            raise Refusal(Code.GAME_OVER, Sentence("refusal.over_no_search", reason=outcome.reason))

        def found(report: Report) -> None:
            candidates = proven(game, position, report)
            if candidates is None or len(right(candidates)) == len(candidates):
                raise Refusal(Code.NOT_ALLOWED, Sentence("refusal.no_puzzle"))
            line = line_of(report, candidates)
            self._say(puzzles.answer(message.id, game, position, board, moves, candidates, line))

        # As the review searches, which says where there is one.
        bot = repeatable(game, parse_bot(HINT_BOT), compiled=self._scheduler.has_code(game))
        job = Job(game.name, position, bot, 0, every_move=True, also=unasked(game, position))
        self._think(message.id, job, found)

    def board(self, message: commands.AskBoard) -> None:
        """Draw a position."""
        game, position, board, moves = _replayed(message.game, message.moves)
        outcome = game.outcome(position)
        winner = None if outcome is None else _WINNERS[outcome.winner]
        extras = fields(game, position)
        self._say(answers.Board(message.id, game.name, board, moves, winner, tray(game), extras))

    def export(self, message: commands.AskExport, record: GameRecord | None = None) -> None:
        """Write a game down or draw it: a room's, as it was recorded, or the one that the message has."""
        found = record or _bare_record(message)
        if message.format == "pgn":
            self._exported(message, written(found).encode())
            return
        if self._painting is not None:
            raise Refusal(Code.BUSY, Sentence("refusal.still_thinking"), retry_after=1.0)

        def done(file: Any) -> None:
            self._painting = None
            with refusing(partial(self._refuse, message.id)):
                self._charge(SEARCH_SECOND * asked.used)
                if file is None:
                    raise _failed()
                self._exported(message, file)

        with self._room_for_more():
            moves = [played.move for played in found.moves]
            job = picture_job(found.game, moves, message.format)
            self._painting = asked = self._scheduler.search(job, self._requester(), done, _ignore)

    def _exported(self, message: commands.AskExport, file: bytes) -> None:
        data = b64encode(file).decode()
        if len(data) > MOST_CHARACTERS:
            raise Refusal(Code.TOO_LARGE, Sentence("refusal.picture_too_large"))
        self._say(answers.Exported(message.id, message.format, data))

    def rules(self, message: commands.AskRules) -> None:
        """Tell how a game is played."""
        game = read_game(message.game)
        self._say(answers.Rules(message.id, game.name, game.title, rule_points(game)))

    def tree(self, message: commands.AskTree) -> None:
        """Search a position, and show the tree or a part of it."""
        game, position, board = _unfinished(message)
        entry = _entry(message, game, position)

        def found(tree: Tree | TooLarge) -> None:
            if isinstance(tree, TooLarge):
                raise Refusal(Code.TOO_LARGE, tree.sentence(message.limit))
            self._say(
                answers.GameTree(
                    message.id,
                    game.name,
                    board,
                    tree.depth,
                    message.prune,
                    tree.nodes,
                    tree.visited,
                    tree.cutoffs,
                )
            )

        task = partial(
            grow,
            depth=message.depth,
            prune=message.prune,
            order=message.order,
            limit=message.limit,
            characters=MOST_CHARACTERS,
            levels=message.levels,
            entry=entry,
        )
        self._think(message.id, Job(game.name, position, BotSpec("minimax"), 0, task=task), found)

    def playouts(self, message: commands.AskPlayouts) -> None:
        """Search a position by playouts, and send them all."""
        game, position, board = _unfinished(message)

        def found(search: Recorded) -> None:
            self._say(answers.Playouts(message.id, game.name, board, search.nodes, search.played))

        task = partial(recorded, playouts=message.playouts)
        self._think(message.id, Job(game.name, position, BotSpec("minimax"), 0, task=task), found)

    def exercise(self, message: commands.AskExercise) -> None:
        """Send an exercise, and with an answer whether that is right, and why."""
        one = exercise(message.lesson, message.number)
        position, _ = one.game.replay(" ".join(one.moves))
        answer = answers.Exercise(
            message.id,
            message.lesson,
            message.number,
            one.game.name,
            list(one.moves),
            one.game.view(position),
            one.asks,
            one.question,
            list(one.choices),
            one.depth,
            list(one.tried),
        )
        if message.answer is not None:
            right = one.right(message.answer)
            answer = replace(answer, right=right, solution=list(one.solution), why=one.why)
        self._say(answer)

    def lecture(self, message: commands.AskLecture) -> None:
        """Send the page that shows a tree without a server."""
        page = lecture.document(words.closest([message.language]))
        self._say(answers.Lecture(message.id, page))

    def race(self, message: commands.Race) -> None:
        """Run one of the searches that are taught."""
        game, position, board = _unfinished(message)

        def found(ran: tuple[int, Report, int | None]) -> None:
            depth, report, expected = ran
            self._say(answers.Raced(message.id, game.name, board, message.entrant, depth, report, expected))

        if message.entrant != "engine":
            task = partial(race_to, entrant=message.entrant, depth=message.depth)
            job = Job(game.name, position, BotSpec("minimax"), 0, seconds=LONGEST_RACE, task=task)
            self._think(message.id, job, found, progress=message.progress)
            return
        # The engine is a bot like any other, and runs where bots do.
        if message.depth is None:
            raise Refusal(Code.BAD_MESSAGE, Sentence("refusal.engine_without_depth"))
        depth = message.depth
        job = Job(game.name, position, read_bot(f"engine:depth={depth}"), 0, seconds=LONGEST_RACE)
        self._think(message.id, job, lambda report: found((depth, report, None)), progress=message.progress)

    def _think(
        self,
        command_id: str,
        job: Job,
        found: Callable[[Any], None],
        *,
        progress: bool = False,
    ) -> None:
        """Have it searched, unless something else is."""

        def done(report: Any) -> None:
            self._search = None
            with refusing(partial(self._refuse, command_id)):
                if report is None:
                    raise _failed()
                # A tree and a race of the plain searches say nothing of their time.
                seconds = report.seconds if isinstance(report, Report) else asked.used
                self._charge(SEARCH_SECOND * seconds)
                found(report)

        def shown(report: Report) -> None:
            if progress:
                best = replace(report, candidates=report.candidates[:SHOWN_CANDIDATES])
                self._say(notices.Progress(command_id, best))

        with self._beginning(command_id):
            self._search = asked = self._scheduler.search(job, self._requester(), done, shown)

    def _end(self, command_id: str, refusal: Refusal) -> None:
        """End a review by a refusal."""
        self._search = None
        self._refuse(command_id, refusal)

    @contextmanager
    def _beginning(self, command_id: str) -> Iterator[None]:
        """Begin to search for a command. Raises `Refusal` where something else is searched or waits."""
        if refusal := self.busy(command_id):
            raise refusal
        self._searched_for = command_id
        try:
            with self._room_for_more():
                yield
        except Refusal:
            self._search = None
            raise

    @contextmanager
    def _room_for_more(self) -> Iterator[None]:
        """Raises `Refusal` where as many wait at the scheduler as may."""
        try:
            yield
        except QueueFull as full:
            said = Sentence(f"refusal.too_many_questions.{full.whose}")
            raise Refusal(Code.BUSY, said, retry_after=1.0) from None


def _ignore(*_: Any, **__: Any) -> None:
    """In place of the way to a peer that is gone."""


_NOBODY = partial(Requester, "question", "", "")


QUERIES: Mapping[type, Callable[..., None]] = MappingProxyType(
    {
        commands.ListGames: Queries.games,
        commands.ListBots: Queries.bots,
        commands.CheckBot: Queries.check_bot,
        commands.AskBoard: Queries.board,
        commands.AskRules: Queries.rules,
        commands.Analyse: Queries.analyse,
        commands.AskTree: Queries.tree,
        commands.AskPlayouts: Queries.playouts,
        commands.AskExercise: Queries.exercise,
        commands.AskLecture: Queries.lecture,
        commands.Race: Queries.race,
        commands.AskReview: Queries.review,
        commands.AskExport: Queries.export,
        commands.AskPuzzle: Queries.puzzle,
        commands.Cancel: Queries.cancel,
    }
)
"""What answers each command that needs no room. Reviews and exports may be of a room's game: those do."""

SEARCHES = frozenset({commands.Analyse, commands.AskTree, commands.AskPlayouts, commands.Race})
"""Those that are searched for at once, or refused."""


def read_bot(text: str, field: str = "bot") -> BotSpec:
    """Read a bot's name and settings, from that field of a command. Raises `Refusal`."""
    try:
        return parse_bot(text)
    except UnknownBot as error:
        raise Refusal(Code.UNKNOWN_BOT, str(error), field=field) from None
    except BadSetting as error:
        raise Refusal(Code.BAD_SETTING, str(error), field=field) from None


def _failed() -> Refusal:
    return Refusal(Code.INTERNAL, Sentence("refusal.search_failed"))


def _stopped() -> Refusal:
    return Refusal(Code.CANCELLED, Sentence("refusal.search_stopped"))


def read_game(name: str, *, searched: bool = False) -> Game[Any]:
    """Find a game by its name; one that can't be played where it is to be `searched`. Raises `Refusal`."""
    try:
        game = find_game(name)
        if not game.playable and not searched:
            raise no_such_game(name)
        return game
    except UnknownGame as error:
        raise Refusal(Code.UNKNOWN_GAME, str(error), field="game") from None


def _names(board: BoardView, seats: Both[SeatView] | None) -> Both[str]:
    """Who played the sides; their marks where that is not known."""
    if seats is None:
        return [marks[0] for marks in board.marks]
    return [Sentence("seat.bot", name=one.name) if one.bot or one.program else one.name for one in seats]


def _replayed(name: str, text: str, *, searched: bool = False) -> tuple[Game[Any], Any, BoardView, list[str]]:
    """The game that a question is about, its position, how that is drawn, and the moves one by one.

    Each move is played once: a game may have hundreds. Raises `Refusal`.
    """
    game = read_game(name, searched=searched)
    position, last, moves = game.initial(), None, list[str]()
    try:
        for before, move, after in game.follow(text):
            moves.append(game.format(before, move))
            position, last = after, move
    except MoveError as error:
        raise _wrong_move(error) from None
    return game, position, game.view(position, last), moves


def _bare_record(message: commands.AskExport) -> GameRecord:
    """A game that no room has, as a record. Raises `Refusal`."""
    if message.game is None:
        raise Refusal(Code.BAD_MESSAGE, Sentence("refusal.nothing_to_review"))
    game, position, _, moves = _replayed(message.game, message.moves)
    return GameRecord(
        room="",
        game=game.name,
        title=game.title,
        number=1,
        seats=[SeatView("human"), SeatView("human")],
        starter=0,
        settings=RoomSettings(),
        started=0,
        moves=[RecordedMove(1 if ply % 2 else 0, move, 0) for ply, move in enumerate(moves)],
        result=_result(game.outcome(position)),
    )


def _unfinished(
    message: commands.AskTree | commands.AskPlayouts | commands.Race,
) -> tuple[Game[Any], Any, BoardView]:
    """The same, of a game that goes on. Raises `Refusal`."""
    searched = isinstance(message, commands.AskTree)
    game, position, board, _ = _replayed(message.game, message.moves, searched=searched)
    outcome = game.outcome(position)
    if outcome is not None:
        raise Refusal(Code.GAME_OVER, Sentence("refusal.over_no_search", reason=outcome.reason))
    return game, position, board


def _entry(message: commands.AskTree, game: Game[Any], root: Any) -> Entry:
    """The node of a tree that a question is about. Raises `Refusal`."""
    if not message.prune and (message.alpha is not None or message.beta is not None):
        raise Refusal(Code.BAD_MESSAGE, Sentence("refusal.minimax_window"))
    game, position = in_turns(game, root)
    path = []
    try:
        for text in message.path:
            move = game.parse(position, text)
            position = game.result(position, move)
            path.append(move)
    except MoveError as error:
        raise _wrong_move(error) from None
    alpha = -INFINITY if message.alpha is None else round(POINT * message.alpha)
    beta = INFINITY if message.beta is None else round(POINT * message.beta)
    return Entry(tuple(path), alpha, beta)


def _result(outcome: Outcome | None) -> ResultView | None:
    """How a game ended that no room has."""
    if outcome is None:
        return None
    return ResultView(outcome.termination, outcome.reason, outcome.winner, made_of(outcome.reason))


def _legal(game: Game[Any], position: Any, text: str) -> str:
    """A legal move as the game writes it. Raises `Refusal`."""
    try:
        move = game.parse(position, text)
        game.check(position, move)
    except MoveError as error:
        raise _wrong_move(error, "played") from None
    return game.format(position, move)


def _wrong_move(error: MoveError, field: str = "moves") -> Refusal:
    code = Code.GAME_OVER if isinstance(error, GameIsOver) else Code.ILLEGAL_MOVE
    return Refusal(code, str(error), field=field)
