"""`decide`: whether a room obeys a command, and what then happens. The whole rule book of a table.

| command      | waiting           | playing          | finished            | closed  |
|--------------|-------------------|------------------|---------------------|---------|
| Sit, SeatBot | a free seat       | refused          | refused             | refused |
| Leave        | own seat          | refused: resign  | own seat            | refused |
| Play         | refused           | own turn, legal  | refused             | refused |
| Resign       | refused           | own seat         | refused             | refused |
| OfferRematch | refused           | refused          | own seat, or owner  | refused |
|              |                   |                  | where two bots sit  |         |
| Close        | owner             | owner            | owner               | refused |

Sitting down where one sits already is accepted and changes nothing: that is how a person comes back.
"""

from collections.abc import Callable
from typing import Any, assert_never

from parlour_protocol import LONGEST_NAME
from parlour_protocol.errors import Code
from parlour_protocol.ids import Seat, other
from parlour_server.games.game import GameIsOver, IllegalMove, InvalidMove
from parlour_server.room.commands import (
    Close,
    Command,
    Create,
    Leave,
    OfferRematch,
    Play,
    Resign,
    SeatBot,
    Sit,
)
from parlour_server.room.events import (
    Event,
    GameFinished,
    GameStarted,
    MovePlayed,
    RematchOffered,
    RoomClosed,
    RoomCreated,
    SeatLeft,
    SeatTaken,
)
from parlour_server.room.refusals import Refusal
from parlour_server.room.state import RoomState

Chance = Callable[[int], int]
"""Draws a whole number from 0 up to, but not including, its argument."""

SERVER = ""
"""The author of what the server itself does."""


def bot_player(seat: Seat) -> str:
    """The name by which a bot's seat acts. No person's: theirs hold no colon."""
    return f"bot:{seat}"


def decide(state: RoomState, command: Command, by: str, chance: Chance) -> list[Event]:
    """The events that a player's command causes; empty where it changes nothing.

    Raises `Refusal`. The state is only read.
    """
    if state.phase == "closed":
        raise Refusal(Code.UNKNOWN_ROOM, "This room is closed. Create another one.")
    match command:
        case Play():
            return _play(state, command, by)
        case Create(game=game, settings=settings):
            assert state.version == 0, "a room is created once"
            return [RoomCreated(game, settings, by)]
        case Sit(name=name, seat=seat):
            return _sit(state, by, name, seat, chance)
        case SeatBot(bot=bot, seat=seat):
            return _seat_bot(state, by, bot, seat, chance)
        case Leave():
            return _leave(state, by)
        case Resign(reason=reason):
            seat = _playing_seat(state, by)
            return [GameFinished(other(seat), reason)]
        case OfferRematch():
            return _offer_rematch(state, by, chance)
        case Close(reason=reason):
            if by not in (state.owner, SERVER):
                raise Refusal(Code.NOT_ALLOWED, "Only whoever created the room can close it.")
            return [RoomClosed(reason)]
        case _:
            assert_never(command)


# ---------------------------------------------------------------- moves


def _play(state: RoomState, command: Play, by: str) -> list[Event]:
    seat = state.seat_of(by)
    if seat is None:
        raise Refusal(Code.NOT_SEATED, "You look on here: only the players move.", state.legal_moves())
    if state.phase != "playing":
        code = Code.GAME_OVER if state.phase == "finished" else Code.NOT_PLAYING
        said = (
            "The game is over. Ask for a rematch to play on."
            if state.phase == "finished"
            else "The game has not begun: the other seat is free."
        )
        raise Refusal(code, said, [])
    # A person who moves when it is not their turn should hear that, however old their picture is.
    if seat != state.to_move:
        raise Refusal(Code.NOT_YOUR_TURN, "It is not your turn.", state.legal_moves())
    if not state.position_version <= command.version <= state.version:
        raise Refusal(
            Code.STALE,
            f"The board has changed: it is at version {state.version}, your move was made for "
            f"{command.version}. Look again.",
            state.legal_moves(),
        )
    rules: Any = state.rules
    try:
        move = rules.parse(state.position, command.move)
        after = rules.result(state.position, move)
    except InvalidMove as error:
        raise Refusal(Code.INVALID_MOVE, str(error), state.legal_moves()) from None
    except IllegalMove as error:
        raise Refusal(Code.ILLEGAL_MOVE, str(error), state.legal_moves()) from None
    except GameIsOver as error:  # pragma: no cover - the phase says so first
        raise Refusal(Code.GAME_OVER, str(error), []) from None
    played = MovePlayed(seat, rules.format(state.position, move), command.report)
    outcome = rules.outcome(after)
    if outcome is None:
        return [played]
    winner: Seat | None = None
    if outcome.winner is not None:
        winner = state.starter if outcome.winner == 0 else other(state.starter)
    return [played, GameFinished(winner, outcome.reason)]


def _playing_seat(state: RoomState, by: str) -> Seat:
    seat = state.seat_of(by)
    if seat is None:
        raise Refusal(Code.NOT_SEATED, "You don't sit at this table.")
    if state.phase != "playing":
        raise Refusal(Code.NOT_PLAYING, "No game is running here.")
    return seat


# ---------------------------------------------------------------- seats


def _sit(state: RoomState, by: str, name: str, wanted: Seat | None, chance: Chance) -> list[Event]:
    own = state.seat_of(by)
    if own is not None:
        if wanted in (None, own):
            return []
        raise Refusal(Code.ALREADY_SEATED, "You sit in the other seat. Another player joins with --as NAME.")
    seat = _free_seat(state, wanted)
    taken = SeatTaken(seat, by, _unlike_others(state, name))
    return [taken, *_start_if_full(state, seat, chance)]


def _seat_bot(state: RoomState, by: str, bot: str, wanted: Seat | None, chance: Chance) -> list[Event]:
    if by != state.owner and state.seat_of(by) is None:
        raise Refusal(Code.NOT_ALLOWED, "Only the room's owner and its players can add a bot.")
    seat = _free_seat(state, wanted)
    name = bot.partition(":")[0]
    taken = SeatTaken(seat, bot_player(seat), _unlike_others(state, name), bot)
    return [taken, *_start_if_full(state, seat, chance)]


def _free_seat(state: RoomState, wanted: Seat | None) -> Seat:
    free = state.free_seats()
    if not free:
        raise Refusal(Code.ROOM_FULL, "Both seats are taken. You can watch this room instead.")
    if wanted is None:
        return free[0]
    if wanted not in free:
        raise Refusal(Code.SEAT_TAKEN, f"Seat {wanted} is taken; seat {free[0]} is free.")
    return wanted


def _unlike_others(state: RoomState, name: str) -> str:
    """The name, with a number where the other seat bears the same one."""
    others = {seated.name.casefold() for seated in state.seats if seated is not None}
    if name.casefold() not in others:
        return name
    return f"{name[: LONGEST_NAME - 2]} 2"


def _leave(state: RoomState, by: str) -> list[Event]:
    seat = state.seat_of(by)
    if seat is None:
        raise Refusal(Code.NOT_SEATED, "You don't sit at this table.")
    if state.phase == "playing":
        raise Refusal(Code.NOT_ALLOWED, "The game is on: resign first, then leave.")
    return [SeatLeft(seat)]


# ---------------------------------------------------------------- games


def _start_if_full(state: RoomState, seat: Seat, chance: Chance) -> list[Event]:
    if state.seats[other(seat)] is None:
        return []
    return [GameStarted(_starter(state, chance))]


def _offer_rematch(state: RoomState, by: str, chance: Chance) -> list[Event]:
    if state.phase != "finished":
        raise Refusal(Code.NOT_FINISHED, "A rematch can be asked for when a game is over.")
    seat = state.seat_of(by)
    if seat is None:
        if state.bots() == 2 and by == state.owner:
            return [GameStarted(_starter(state, chance))]
        raise Refusal(Code.NOT_SEATED, "Only the players ask for a rematch (where two bots sit, the owner).")
    across = state.seats[other(seat)]
    agreed = other(seat) in state.rematch or (across is not None and across.bot is not None)
    if agreed:
        return [GameStarted(_starter(state, chance))]
    return [] if seat in state.rematch else [RematchOffered(seat)]


def _starter(state: RoomState, chance: Chance) -> Seat:
    """Who begins the next game, by the room's setting."""
    begun_before = state.game_number > 0
    match state.settings.starts:
        case "first":
            return 0
        case "second":
            return 1
        case "random":
            return 0 if chance(2) == 0 else 1
        case "loser":
            lost = None
            if state.result is not None and state.result.winner is not None:
                lost = other(state.result.winner)
            if lost is not None:
                return lost
            return other(state.starter) if begun_before else 0
        case "alternate":
            return other(state.starter) if begun_before else 0
        case _:
            assert_never(state.settings.starts)
