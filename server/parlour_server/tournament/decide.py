"""`decide`: the events that a command causes, or a refusal.

| command                        | who                         | when                                        |
|--------------------------------|-----------------------------|---------------------------------------------|
| Join                           | any player                  | before the start, or not too late           |
| Rename                         | any player                  | changes nothing after the start             |
| Enter                          | the host                    | as Join                                     |
| Withdraw                       | oneself, or the host        | not over                                    |
| Start                          | the host                    | before the start, with two players at least |
| Forfeit                        | the host                    | a game runs at that board                   |
| Replay                         | the host                    | decided, in this round, both free           |
| End                            | the host                    | not over                                    |
| Proceed, and the Notes         | the server                  | changes nothing where nothing is due        |
"""

from collections.abc import Sequence
from typing import Any, assert_never

from parlour_protocol import LONGEST_NAME
from parlour_protocol.errors import Code
from parlour_protocol.tournaments import MOST_ENTRANTS
from parlour_protocol.words import Sentence
from parlour_server.aggregate import Decision, Moment
from parlour_server.log import LogRecord
from parlour_server.refusals import Refusal
from parlour_server.room.look_alikes import look_alike
from parlour_server.tournament import swiss
from parlour_server.tournament.commands import (
    SERVER,
    Create,
    End,
    Enter,
    Forfeit,
    Join,
    NoteClosed,
    NoteResult,
    NoteTable,
    Proceed,
    Rename,
    Replay,
    Start,
    TournamentCommand,
    Withdraw,
)
from parlour_server.tournament.events import (
    EntrantJoined,
    EntrantRenamed,
    EntrantReturned,
    EntrantWithdrew,
    GameAnnulled,
    GameDecided,
    How,
    RoundPaired,
    TableMade,
    TournamentCreated,
    TournamentEnded,
    TournamentStarted,
)
from parlour_server.tournament.pairing import next_round
from parlour_server.tournament.state import Entrant, Game, Pair, TournamentState, evolve

FEWEST = 2


def decide(state: TournamentState, command: TournamentCommand, moment: Moment) -> Decision:
    """Decide a command. The state is only read. Raises `Refusal`."""
    if isinstance(command, Create):
        return Decision(_create(state, command, moment))
    if not state.version:
        raise no_such_tournament()
    return Decision(
        _server(state, command, moment) if moment.by == SERVER else _people(state, command, moment)
    )


def apply(state: TournamentState, command: TournamentCommand, moment: Moment) -> Sequence[Any]:
    """Decide a command and fold what it causes; gives the events. For tournaments without a server."""
    events = decide(state, command, moment).events
    for event in events:
        evolve(state, LogRecord(event, moment.now, moment.by))
    return events


def no_such_tournament() -> Refusal:
    """For a code that is no tournament's."""
    return Refusal(Code.UNKNOWN_TOURNAMENT, Sentence("refusal.tournament.unknown"))


def _refuse(id_: str, **facts: str) -> Refusal:
    return Refusal(Code.NOT_ALLOWED, Sentence(f"refusal.tournament.{id_}", **facts))


def _create(state: TournamentState, command: Create, moment: Moment) -> list[Any]:
    if state.version:
        raise Refusal(Code.BUSY, Sentence("refusal.code_taken"), retry_after=0.1)
    if command.settings.format == "swiss" and not swiss.is_installed():
        raise _refuse("no_swiss")
    settings = command.settings
    # Only a Swiss and an arena are joined late; how many rounds a Swiss has by itself shows at its start.
    last = {"swiss": settings.rounds, "arena": settings.minutes}.get(settings.format)
    if last is not None and settings.late_until is not None and settings.late_until > last:
        raise _refuse("late_until", late=str(settings.late_until), last=str(last))
    seed = moment.chance(2**31) if command.seed is None else command.seed
    return [TournamentCreated(command.title, command.settings, moment.by, command.name, seed)]


def _people(state: TournamentState, command: TournamentCommand, moment: Moment) -> list[Any]:
    own = state.entrant_of(moment.by)
    if isinstance(command, Rename):
        if own is None or state.phase != "joining":
            return []
        name = _unlike_others(state, command.name, own)
        return [] if name == own.name else [EntrantRenamed(own.number, name)]
    if state.phase == "over":
        raise _refuse("over")
    if isinstance(command, Join):
        return _join(state, command, own, moment)
    if isinstance(command, Withdraw) and command.entrant in (None, own and own.number):
        if own is None:
            raise _refuse("not_entered")
        return _withdraw(state, own)
    if moment.by != state.host:
        raise _refuse("not_host")
    match command:
        case Enter(bot=bot):
            _check_joining(state, moment)
            name = _unlike_others(state, bot.partition(":")[0])
            return [EntrantJoined(f"bot:{len(state.entrants) + 1}", name, bot)]
        case Withdraw(entrant=number):
            entrant = state.entrant(number or 0)
            if entrant is None:
                raise _refuse("no_such_entrant")
            return _withdraw(state, entrant)
        case Start():
            if state.phase != "joining":
                raise _refuse("begun")
            if len(state.active()) < FEWEST:
                raise _refuse("alone")
            return [TournamentStarted()]
        case Forfeit(round=round_, board=board, loser=loser):
            pair = state.pair(round_, board)
            if pair is None or pair.open is None or loser not in (None, *pair.both):
                raise _refuse("no_such_game")
            return [_decided(pair, pair.open, {loser} if loser else set(pair.both))]
        case Replay(round=round_, board=board):
            pair = state.pair(round_, board)
            if pair is None or not pair.counted:
                raise _refuse("no_such_game")
            later = not state.is_arena and round_ != len(state.rounds)
            gone = any(state.entrants[number - 1].withdrawn for number in pair.both)
            if later or gone or state.playing().intersection(pair.both):
                raise _refuse("no_replay")
            return [GameAnnulled(round_, board, pair.counted[-1].number)]
        case End():
            return [TournamentEnded(early=True)]
        case _:
            raise _refuse("not_host")


def _join(state: TournamentState, command: Join, own: Entrant | None, moment: Moment) -> list[Any]:
    if own is not None and not own.withdrawn:
        raise _refuse("entered")
    if own is not None:
        if state.settings.format not in ("swiss", "arena") and state.phase != "joining":
            raise _refuse("too_late")
        return [EntrantReturned(own.number)]
    _check_joining(state, moment)
    return [EntrantJoined(moment.by, _unlike_others(state, command.name), program=command.program)]


def may_join(state: TournamentState, now: int) -> bool:
    """Is it not too late to come?"""
    if state.phase != "playing":
        return state.phase == "joining"
    last = state.settings.last_to_join(len(state.entrants))
    if state.is_arena:
        return now < state.started_at + 60_000 * last
    # Who comes now is a part of the next round.
    return len(state.rounds) < last


def _check_joining(state: TournamentState, moment: Moment) -> None:
    if not may_join(state, moment.now):
        raise _refuse("too_late")
    if len(state.entrants) >= MOST_ENTRANTS:
        raise _refuse("full", most=str(MOST_ENTRANTS))


def _unlike_others(state: TournamentState, name: str, own: Entrant | None = None) -> str:
    """A name that is taken for nobody else's, with a number behind it where it would be."""
    found, number = name, 1
    while any(look_alike(found, one.name) for one in state.entrants if one is not own):
        number += 1
        found = f"{name[: LONGEST_NAME - 4]} {number}"
    return found


def _withdraw(state: TournamentState, entrant: Entrant) -> list[Any]:
    if entrant.withdrawn:
        return []
    number = entrant.number
    lost = [_decided(pair, game, {number}) for pair, game in state.open_games() if number in pair.both]
    return [EntrantWithdrew(number), *lost]


def _decided(pair: Pair, game: Game, losers: set[int], how: How = "forfeit") -> GameDecided:
    points = (0.0 if pair.first in losers else 1.0, 0.0 if pair.second in losers else 1.0)
    return GameDecided(pair.round, pair.board, game.number, points, how)


def _server(state: TournamentState, command: TournamentCommand, moment: Moment) -> list[Any]:
    """What the server does by itself; nothing where that is no longer so."""
    if state.phase != "playing":
        return []
    match command:
        case Proceed():
            return _proceed(state, moment)
        case NoteTable(round=round_, board=board, number=number, room=room):
            game = _open(state, round_, board, number)
            return [] if game is None or game.room else [TableMade(round_, board, number, room)]
        case NoteResult(round=round_, board=board, number=number, points=points, how=how):
            game = _open(state, round_, board, number)
            return [] if game is None else [GameDecided(round_, board, number, points, how)]
        case NoteClosed(round=round_, board=board, number=number):
            game = _open(state, round_, board, number)
            return [] if game is None else [GameAnnulled(round_, board, number)]
        case Create() | Join() | Rename() | Enter() | Withdraw() | Start() | Forfeit() | Replay() | End():
            raise AssertionError("people ask for that")
        case _:
            assert_never(command)


def _open(state: TournamentState, round_: int, board: int, number: int) -> Game | None:
    pair = state.pair(round_, board)
    game = None if pair is None else pair.open
    return game if game is not None and game.number == number else None


def _proceed(state: TournamentState, moment: Moment) -> list[Any]:
    due, ends = state.due_at, state.ends_at
    if due is None or moment.now < due:
        return []
    if ends is not None and moment.now >= ends:
        return [] if state.open_games() else [TournamentEnded()]
    plan = next_round(state)
    if plan is None:
        return [TournamentEnded()]
    pairs, byes = plan
    if not pairs and not byes:
        return []
    gone = {one.number for one in state.entrants if one.withdrawn}
    number = len(state.rounds) + 1
    made = [Pair(number, board, *both) for board, both in enumerate(pairs, 1)]
    # In a round robin, who has gone is still met, and loses.
    lost = [
        _decided(pair, Game(1, pair.first), gone.intersection(pair.both))
        for pair in made
        if gone.intersection(pair.both)
    ]
    return [RoundPaired(pairs, byes), *lost]
