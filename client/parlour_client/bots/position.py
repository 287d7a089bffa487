"""What `choose` is given: a position of a game, and those that come after it.

Nothing in it can be changed: `play` gives another position. Positions that are the same are equal, and may be
kept in a set or a dictionary, so that `functools.cache` works on a function of a position.
"""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Self

from parlour_client.bots.rules import rules_of
from parlour_client.sdk.state import ClientRoomState, as_of
from parlour_protocol.ids import Seat
from parlour_protocol.views.boards import BoardView, Count, Groups
from parlour_protocol.words import say


def _refuse(*_: object, **__: object) -> NoReturn:
    raise AttributeError(say("error.bot.fixed"))


if TYPE_CHECKING:
    fixed = property
else:

    class fixed(property):  # noqa: N801 - it stands where `property` would
        """A property whose assignment is refused with the way to another position."""

        __set__ = _refuse


class _Fixed(list[Any]):
    """A list that refuses to be changed, which would be lost in silence; its copies are plain ones."""

    __slots__ = ()

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = extend = insert = remove = pop = clear = sort = reverse = _refuse

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return list, (list(self),)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended."""

    winner: str | None
    """The winner's mark; None for a draw."""
    reason: str
    """Why, in words."""


class Position:
    """A position as one player sees it. Marks are the two sides' own signs, `X` and `O` in tic-tac-toe.

    What a server sent of it is there at once. `play`, and all that is asked of the positions that it gives,
    needs the rules of the game (parlour-server) to be installed, and raises `NoRules` where they are not.
    """

    __slots__ = (
        "_before",
        "_choices",
        "_clock",
        "_game",
        "_last",
        "_limit",
        "_mark",
        "_marks",
        "_move",
        "_outcome",
        "_rules",
        "_seat",
        "_state",
        "_told",
        "_view",
    )

    def __init__(
        self,
        game: str,
        view: BoardView,
        moves: list[str],
        *,
        seat: Seat = 0,
        mark: str = "",
        clock: float | None = None,
        limit: float | None = None,
    ) -> None:
        self._game = game
        self._limit = limit
        self._seat: Seat = seat
        self._marks = (view.marks[0][0], view.marks[1][0])
        self._mark = mark or self._marks[view.to_move or 0]
        self._clock = clock
        self._told = moves
        self._view: BoardView | None = view
        self._before: Position | None = None
        self._move = ""
        self._rules: Any = None
        self._state: Any = None
        self._last: Any = None
        self._choices: dict[str, Any] | None = None
        self._outcome: Outcome | Literal["unknown"] | None = "unknown" if view.to_move is None else None

    @classmethod
    def begin(cls, game: str, moves: str = "") -> Self:
        """The position after some moves from the start, to try a bot out without a server."""
        rules = rules_of(game)
        return cls(game, rules.view(*rules.replay(moves)), rules.read(moves))

    # ------------------------------------------------------------ the game

    @fixed
    def game(self) -> str:
        """Its name, `connect4` or `mnk:7,7,4`."""
        return self._game

    @fixed
    def seat(self) -> Seat:
        """The seat that we play in: 0 or 1. Who began the game is another matter."""
        return self._seat

    @fixed
    def mark(self) -> str:
        """The sign that we play with."""
        return self._mark

    @fixed
    def clock(self) -> float | None:
        """The seconds that we have left, or None in a game without a clock."""
        return self._clock

    @fixed
    def limit(self) -> float | None:
        """The seconds that this move may take; None where nobody counts them."""
        return self._limit

    # ------------------------------------------------------------ the board

    @fixed
    def board(self) -> list[list[str]]:
        """The rows from the top, each a list of texts: `board[0][0]` is the top left cell.

        To write on it, copy it: `[list(row) for row in position.board]`.
        """
        return _Fixed(_Fixed(row) for row in self._seen().cells)

    @fixed
    def empty(self) -> str:
        """The sign of an empty cell."""
        return self._seen().empty

    @fixed
    def marks(self) -> tuple[str, str]:
        """The two players' signs: first that of the player who began the game."""
        return self._marks

    @fixed
    def opponent(self) -> str:
        """The sign that the other one plays with."""
        first, second = self._marks
        return second if self.mark == first else first

    @fixed
    def view(self) -> BoardView:
        """The board as the wire tells it: with the names of rows and columns, and the last move's cells."""
        return self._seen()

    @fixed
    def moves(self) -> list[str]:
        """All moves from the start of the game to here."""
        played: list[str] = []
        position = self
        while position._before is not None:
            played.append(position._move)
            position = position._before
        return [*position._told, *reversed(played)]

    # ------------------------------------------------------------ what may come

    @fixed
    def to_move(self) -> str | None:
        """The mark of the player to move; None when the game is over."""
        if self._rules is None:
            side = self._seen().to_move
        else:
            side = None if self.over else self._rules.to_move(self._state)
        return None if side is None else self._marks[side]

    @fixed
    def legal_moves(self) -> list[str]:
        """Every move that may be played here, as people write it; none when the game is over."""
        if self._rules is None:
            return list(self._seen().legal)
        return list(self._by_name())

    @fixed
    def outcome(self) -> Outcome | None:
        """How the game ended; None while it goes on."""
        if self._outcome == "unknown":
            self._load()
            ended = self._rules.outcome(self._state)
            self._outcome = None
            if ended is not None:
                winner = None if ended.winner is None else self._marks[ended.winner]
                self._outcome = Outcome(winner, ended.reason)
        return self._outcome

    @fixed
    def over(self) -> bool:
        """Is the game over?"""
        return self.outcome is not None

    def play(self, move: str) -> "Position":
        """The position after a move; this one stays as it is.

        Raises `ValueError` for what is no legal move here, and `NoRules`.
        """
        self._load()
        choices = self._by_name()
        if move not in choices:
            free = " ".join(choices) or say("error.bot.none_for_over")
            raise ValueError(say("error.bot.illegal_here", move=repr(move), legal=free))
        after: Position = object.__new__(type(self))
        after._game, after._seat, after._mark, after._clock = self._game, self._seat, self._mark, self._clock
        after._limit = self._limit
        after._before, after._move, after._last = self, move, choices[move]
        after._rules, after._state = self._rules, self._rules.play(self._state, choices[move])
        after._marks, after._view, after._choices, after._outcome = self._marks, None, None, "unknown"
        return after

    # ------------------------------------------------------------ within

    def _load(self) -> None:
        """Find the rules, and this position among theirs."""
        if self._rules is None:
            rules = rules_of(self.game)
            self._state, self._last = rules.replay(" ".join(self._told))
            self._rules = rules

    def _by_name(self) -> dict[str, Any]:
        if self._choices is None:
            rules, state = self._rules, self._state
            self._choices = {rules.format(state, move): move for move in rules.legal_moves(state)}
        return self._choices

    def _seen(self) -> BoardView:
        if self._view is None:
            self._view = self._rules.view(self._state, self._last)
        return self._view

    def _same(self) -> Any:
        self._load()
        return self.game, self.mark, self._state

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self._same() == other._same()

    def __hash__(self) -> int:
        return hash(self._same())

    def __repr__(self) -> str:
        rows = "\n".join(" ".join(row) for row in self._seen().cells)
        return f"{self.game}, {self.to_move or 'nobody'} to move:\n{rows}"

    # ------------------------------------------------------------ from and to a server's words

    @classmethod
    def of_room(cls, shown: ClientRoomState, now: float) -> "Position":
        """The position in a room where we sit, with our time as it is `now`."""
        view = as_of(shown, now)
        assert view.you is not None, "a spectator has nothing to choose"
        assert view.position is not None, "a game is running"
        mark = view.position.marks[0 if view.you == view.starter else 1][0]
        clock = None if view.clock is None else view.clock.left[view.you] / 1000
        return cls(view.game, view.position, view.moves, seat=view.you, mark=mark, clock=clock)

    def as_json(self) -> dict[str, Any]:
        """The position as JSON: for the process that the bot runs in."""
        return {
            "game": self.game,
            "view": asdict(self._seen()),
            "moves": self.moves,
            "seat": self.seat,
            "mark": self.mark,
            "clock": self.clock,
            "limit": self.limit,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Position":
        """The same, read back."""
        view = dict(data.pop("view"))
        groups = view.pop("groups", None)
        counts = [Count(**count) for count in view.pop("counts", [])]
        board = BoardView(**view, groups=None if groups is None else Groups(**groups), counts=counts)
        return cls(view=board, **data)
