"""What is studied at a table beside its game: earlier positions, a review, what moves are worth. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from parlour_client.sdk.review import Review
from parlour_protocol.notices import Thinking
from parlour_protocol.views.boards import BoardView
from parlour_protocol.views.reports import Report
from parlour_protocol.views.rooms import RoomView

Fetch = Literal["look", "review", "hint"]
"""What may be on its way from the server, each at most once."""


@dataclass(slots=True)
class Study:
    """Which position is shown, and what is known of it. What `wanted` names is to be fetched for it."""

    view: RoomView
    """With its times as they are now."""
    thinking: Thinking | None = None
    """The search of the bot that is to move."""
    ply: int | None = None
    """The earlier position that is shown: after so many moves; None: the present one."""
    line: int = 0
    """Rises whenever the game has other moves: what was asked for before is of no use any more."""
    beginning: BoardView | None = None
    """The position in which a game of this room begins, while there is none yet."""
    looked: BoardView | None = None
    """What the board shows while it is not the present position."""
    looked_at: tuple[int, int] | None = None
    """Of which line, and after how many moves, that is."""
    reports: Mapping[int, Report] = field(default_factory=dict)
    """What was kept with the game's moves, by ply from 1."""
    reports_of: int | None = None
    """The line of which these are all."""
    reviewing: bool = False
    """The review is shown, in the place of the bots' thinking."""
    review: Review | None = None
    """None while it is on its way."""
    graded: tuple[int, int] = (0, 0)
    """How many moves are graded while it is on its way, and of how many."""
    waits: str = ""
    """What the review's next search waits for."""
    marked: int | None = None
    """The point on the review's curve: after so many moves."""
    searching: bool = False
    """A hint is on its way."""
    searched: Report | None = None
    """What is known of it by now."""
    hint: Report | None = None
    """What each of the player's moves is worth, where they asked."""
    wants_scores: bool = False

    # ------------------------------------------------------------ what there is to show

    @property
    def your_turn(self) -> bool:
        """Is the player to move?"""
        return self.view.your_turn

    @property
    def position(self) -> BoardView | None:
        """What the board shows; an earlier position once it has come."""
        return self.view.position or self.beginning if self.ply is None else self.looked

    @property
    def kept(self) -> Report | None:
        """The report that was kept with the move that led to the earlier position."""
        return None if self.ply is None else self.reports.get(self.ply)

    @property
    def report(self) -> Report | None:
        """What the moves of the earlier position are worth, by the review or the bot that moved there."""
        if self.ply is None:
            return None
        reviewed = self.review.reports if self.reviewing and self.review is not None else {}
        return reviewed.get(self.ply + 1) or self.reports.get(self.ply + 1)

    @property
    def scores(self) -> Report | None:
        """What is drawn on the board's cells."""
        if self.hint is not None or not self.wants_scores:
            return self.hint
        if self.ply is None:
            return None if self.thinking is None else self.thinking.report
        return self.report if self.looked_at == (self.line, self.ply) else None

    @property
    def over_the_game(self) -> bool:
        """Does anything lie over the present position, that could be taken away?"""
        return self.reviewing or self.searching or self.scores is not None

    @property
    def wanted(self) -> dict[Fetch, tuple[int, int]]:
        """What is to be fetched: for which line, and the position after how many moves."""
        found: dict[Fetch, tuple[int, int]] = {}
        if self.ply is not None and (self.looked_at, self.reports_of) != (
            at := (self.line, self.ply),
            self.line,
        ):
            found["look"] = at
        if self.reviewing and self.review is None:
            found["review"] = self.line, 0
        if self.searching:
            found["hint"] = self.line, 0
        return found

    # ------------------------------------------------------------ what the player does

    def by(self, plies: int) -> None:
        """So many moves on, or back."""
        self.to((len(self.view.moves) if self.ply is None else self.ply) + plies)

    def to(self, ply: int) -> None:
        """The position after so many moves; nothing happens where there is none."""
        last = len(self.view.moves)
        if self.view.position is None or not 0 <= ply <= last:
            return
        self.looked, self.marked = self.position, ply
        self.ply = ply if ply < last else None
        self.stop_search()
        self.hint = None
        if self.ply is None:
            self.wants_scores = False

    def to_present(self) -> None:
        """The position as it stands, to play on."""
        self.to(len(self.view.moves))

    def toggle_review(self) -> None:
        """Show the review, or go back to the game."""
        if self.reviewing:
            self.close()
            return
        self.reviewing = True
        if self.review is None:
            self.marked, self.graded, self.waits = self.ply, (0, len(self.view.moves)), ""

    def toggle_scores(self) -> None:
        """Draw what is known of the shown position, ask for a hint on one's own turn; or take it away."""
        if self.searching or self.scores is not None:
            self._stop_scores()
        elif self.ply is None and self.your_turn:
            self.searching = True
        else:
            self.wants_scores = True

    def close(self) -> bool:
        """Take away what lies over the game as it stands; False where nothing does."""
        if self.ply is not None or self.reviewing:
            self.reviewing = False
            self.to_present()
            return True
        lies = self.over_the_game
        self._stop_scores()
        return lies

    def _stop_scores(self) -> None:
        self.stop_search()
        self.wants_scores, self.hint = False, None

    def stop_search(self) -> None:
        """No hint is wanted any more, or it has come."""
        self.searching, self.searched = False, None

    # ------------------------------------------------------------ what happens

    def changed_since(self, was: RoomView) -> None:
        """The room is another one than it `was`: what is under way, or was found, may be of those moves."""
        view, back = self.view, self.ply
        if view.moves != was.moves or view.game_number != was.game_number:
            self.line += 1
            self.reviewing, self.review, self.graded = False, None, (0, 0)
            goes_on = view.game_number == was.game_number and view.moves[: len(was.moves)] == was.moves
            if not goes_on:
                self.reports = {}
            # A spectator who looks back stays there; a player has a move to see.
            if not goes_on or view.acting is not None:
                self.ply = None
        if position_changed(was, view) or self.ply != back:
            self.stop_search()
            if self.hint is not None:
                self.hint, self.wants_scores = None, False
        if view.you is not None and was.you is None and self.ply is not None:
            self.to_present()  # who takes a seat has a game to play


def position_changed(was: RoomView, view: RoomView) -> bool:
    """Is there another position, or somebody else to move, or another one who looks at it?"""
    return (was.position, was.to_move, was.you) != (view.position, view.to_move, view.you)
