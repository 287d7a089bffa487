"""A tournament whose games are played elsewhere, such as those of files: who meets whom, and how all stand.

Pairings and standings are those of a server's tournaments (`parlour_server.tournament`).
"""

from collections.abc import Sequence
from typing import Any

from parlour_protocol.tournaments import TournamentSettings
from parlour_protocol.views.tournaments import TournamentView
from parlour_server.aggregate import Moment
from parlour_server.refusals import Refusal
from parlour_server.tournament.bradley_terry import Rating, ratings
from parlour_server.tournament.commands import SERVER, Create, Join, NoteResult, Proceed, Start, Withdraw
from parlour_server.tournament.decide import apply
from parlour_server.tournament.state import TournamentState
from parlour_server.tournament.view import tournament_view

HOST = "host"


class Pairings:
    """The pairings of a tournament, round by round, each of so many games.

    Raises `ValueError` with a sentence for what can't be one.
    """

    def __init__(self, settings: dict[str, Any], games: int, names: Sequence[str], seed: int) -> None:
        self._state = TournamentState("")
        self._points: dict[tuple[int, int], float] = {}
        made = TournamentSettings.model_validate({"pause": 0.0, **settings})
        # Bots play more of them than anybody may ask of people.
        made = made.model_copy(update={"games": games})
        self.rounds = made.rounds_of(len(names)) or 0
        """How many there are at most."""
        try:
            self._apply(HOST, Create("", made, HOST, seed))
            for number, name in enumerate(names):
                self._apply(f"entrant:{number}", Join(name, program=True))
            self._apply(HOST, Start())
            self._apply(SERVER, Proceed())
        except Refusal as refusal:
            raise ValueError(refusal.answer("").message) from None

    def open_pairs(self) -> list[tuple[int, int, int, int]]:
        """The round, the board and the two entrants, from 0, of each pairing that is being played.

        The one that is named first begins its first game.
        """
        return [(one.round, one.board, one.first - 1, one.second - 1) for one, _ in self._state.open_games()]

    def games_decided(self, round_: int, board: int) -> int:
        """How many games of a pairing are decided."""
        pair = self._state.pair(round_, board)
        return 0 if pair is None else len(pair.counted)

    def decide(self, round_: int, board: int, points: Sequence[float], benched: Sequence[int] = ()) -> None:
        """Count a pairing's next games, by the points of its first entrant; those it hasn't are left out.

        Who is benched after them loses what is left, and ratings leave that out. With a round's last game the
        next round begins.
        """
        for one in points:
            pair = self._state.pair(round_, board)
            if pair is None or pair.open is None:
                break
            both = (pair.first - 1, pair.second - 1)
            for (mine, theirs), taken in ((both, one), (both[::-1], 1 - one)):
                self._points[mine, theirs] = self._points.get((mine, theirs), 0.0) + taken
            self._apply(SERVER, NoteResult(round_, board, pair.open.number, (one, 1 - one)))
        for entrant in benched:
            self._apply(f"entrant:{entrant}", Withdraw())
        self._apply(SERVER, Proceed())

    @property
    def over(self) -> bool:
        """Has the last round been played?"""
        return self._state.phase == "over"

    def view(self) -> TournamentView:
        """The standings, the boards and the cross table."""
        return tournament_view(self._state, "", "", (), 0)

    def ratings(self) -> list[Rating]:
        """Everyone's rating by all games, in the order of their numbers."""
        return ratings(len(self._state.entrants), self._points)

    def _apply(self, by: str, command: Any) -> None:
        apply(self._state, command, Moment(by, 0, lambda most: 0))
