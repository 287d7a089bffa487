"""Tournaments as pure functions: no asyncio, no clock, no store; usable without a server.

A tournament is what its log says, as a room is (`aggregate.py`): `decide` gives the events that a command
causes, or refuses; `evolve` folds them; `view` shows the state to one viewer. Time comes in with the command
(`Moment.now`), chance once, as the seed of the event that creates it.

    phase      commands                                            leads to
    --------   -------------------------------------------------   -------------------------------
    joining    Join, Enter, Withdraw, Start, End                   playing, by Start; over, by End
    playing    Proceed pairs the next round once it is due,        over, by Proceed after the last
               NoteTable, NoteResult; Join until half-time,        round, or by End
               Withdraw, Forfeit, Replay, End
    over       -

**A round is a fact.** `Proceed` asks `pairing.next_round` for it, a function of the state alone, and the
pairs stand in the log: the same state gives the same round, and two nodes that pair at once meet at one
version.

**A pairing is played game by game.** Which game of it is open follows from those that are decided, so its
key (round, board, number) names it for ever. The actor of the tournament (`hosting/tournaments`), at the
node that holds its lease, creates a room for each open game as the command with this key, which creates
one room, however often it is asked and by whichever node; it seats both, and so the game begins. What has
become of the game is read from the room's log, and decided here once: a key that is decided is decided
for good.

    Proceed -> RoundPaired -> (a room by its key) -> TableMade -> (the room's log) -> GameDecided -> Proceed

**The tournament's log has the last word.** A forfeit, a withdrawal or an end by the host is decided here
at once, and the room is told afterwards. What a room says of a key that is decided changes nothing. Each
step follows from the state, so whoever is killed between two of them, the next look at the state takes
the step again.

**Points.** A pairing gives 1, 0.5 or 0, a bye in a Swiss 1; an arena gives 2, 1, 0, doubled after two
wins in a row until one does not win. A Swiss pairs nobody twice and gives nobody two byes.

For a tournament of files: `TournamentState`, `apply` each command, and play what `open_games` lists.
"""

from pydantic import TypeAdapter

from parlour_server.aggregate import Aggregate
from parlour_server.tournament.decide import decide
from parlour_server.tournament.events import TournamentEvent
from parlour_server.tournament.state import TournamentState, answer, evolve

_EVENTS = TypeAdapter[TournamentEvent](TournamentEvent)


def _is_over(state: TournamentState) -> bool:
    return state.phase == "over"


TOURNAMENT = Aggregate(
    "tournament", "tournament", TournamentState, decide, evolve, answer, is_over=_is_over, events=_EVENTS
)
