"""`decide`: whether a room obeys a command, and what then happens. The whole rule book of a table.

| command       | waiting           | playing                    | finished            | closed  |
|---------------|-------------------|----------------------------|---------------------|---------|
| Sit, SeatBot  | a free seat       | refused                    | refused             | refused |
| TakeOver      | refused           | a bot's seat: the owner,   | the same            | refused |
|               |                   | anyone where two bots play |                     |         |
| Leave         | own seat          | refused: resign            | own seat            | refused |
| Play          | refused           | own turn, legal, in time   | refused             | refused |
| Resign        | refused           | own seat                   | refused             | refused |
| Abort         | refused           | own seat, before move 2    | refused             | refused |
| OfferDraw     | refused           | own seat                   | refused             | refused |
| OfferTakeback | refused           | own seat, after a move     | refused             | refused |
| Decline       | no change         | what is offered            | a rematch           | refused |
| Claim         | refused           | own seat, the other away   | refused             | refused |
| OfferRematch  | refused           | refused                    | own seat, or owner  | refused |
|               |                   |                            | where two bots sit  |         |
| Say           | who is here, where the settings let people talk; to those of one's own kind ||| refused |
| Close         | owner             | owner, where no one else   | owner               | refused |
|               |                   | but bots plays             |                     |         |

StandIn, EndStandIn, Flag and Wake are the server's own. Sitting down where one sits already is accepted and
changes nothing: that is how a person comes back. (If a bot stood in for them, it leaves.)
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, assert_never

from parlour_protocol import LONGEST_NAME
from parlour_protocol.errors import Code
from parlour_protocol.ids import Seat, other
from parlour_protocol.views import Offer, Report
from parlour_server.games.game import GameIsOver, IllegalMove, InvalidMove
from parlour_server.room.commands import (
    Abort,
    Claim,
    Close,
    Command,
    Create,
    Decline,
    EndStandIn,
    Flag,
    Leave,
    OfferDraw,
    OfferRematch,
    OfferTakeback,
    Play,
    Resign,
    Say,
    SeatBot,
    Sit,
    StandIn,
    TakeOver,
    Wake,
)
from parlour_server.room.events import (
    ClocksWoken,
    DrawOffered,
    Event,
    GameAborted,
    GameFinished,
    GameStarted,
    MovePlayed,
    MovesTakenBack,
    NothingChanged,
    OfferDeclined,
    RematchOffered,
    RoomClosed,
    RoomCreated,
    Said,
    SeatLeft,
    SeatTaken,
    StandInLeft,
    StandInSeated,
    TakebackOffered,
)
from parlour_server.room.refusals import Refusal
from parlour_server.room.state import FREE_PLIES, RoomState

Chance = Callable[[int], int]
"""Draws a whole number from 0 up to, but not including, its argument."""

SERVER = ""
"""The author of what the server itself does."""


def bot_player(seat: Seat) -> str:
    """The name by which a bot's seat acts. No person's: theirs hold no colon."""
    return f"bot:{seat}"


def decide(state: RoomState, command: Command, by: str, chance: Chance, now: int) -> list[Event]:
    """The events that a player's command causes; none where the server asks for what stands already.

    A player's command is always written down, so that it counts once. `now` is in milliseconds since 1970.
    Raises `Refusal`. The state is only read.
    """
    events = _decide(state, command, by, chance, now)
    return events or ([] if by == SERVER else [NothingChanged()])


def _decide(state: RoomState, command: Command, by: str, chance: Chance, now: int) -> list[Event]:
    if state.phase == "closed":
        raise Refusal(Code.UNKNOWN_ROOM, "This room is closed. Create another one.")
    match command:
        case Play():
            return _play(state, command, by, now)
        case Create(game=game, settings=settings, moves=moves):
            assert state.version == 0, "a room is created once"
            return [RoomCreated(game, settings, by, moves)]
        case Sit():
            return _sit(state, by, command, chance)
        case SeatBot(bot=bot, seat=seat):
            return _seat_bot(state, by, bot, seat, chance)
        case Leave():
            return _leave(state, by)
        case Resign(reason=reason):
            # A stand-in too: one whose search keeps failing would else hold the game up for ever.
            seat = _playing_seat(state, by)
            return [GameFinished(other(seat), reason)]
        case OfferRematch():
            return _offer_rematch(state, by, chance)
        case OfferDraw():
            return _offer_draw(state, by)
        case OfferTakeback():
            return _offer_takeback(state, by)
        case Decline(offer=offer):
            return _decline(state, by, offer)
        case Abort():
            return _abort(state, by)
        case Claim():
            return _claim(state, by, command)
        case TakeOver(name=name, seat=seat):
            return _take_over(state, by, name, seat)
        case Say():
            return _say(state, by, command)
        case StandIn(seat=seat, bot=bot):
            seated = state.seats[seat]
            wanted = state.phase == "playing" and seated is not None and seated.mind is None
            return [StandInSeated(seat, bot)] if wanted else []
        case EndStandIn(seat=seat):
            return [StandInLeft(seat)] if _stands_in(state, seat) else []
        case Flag():
            return _flag(state, now)
        case Wake(spent=spent):
            ticking = state.clocks is not None and state.clocks.running is not None
            return [ClocksWoken(spent)] if ticking else []
        case Close(reason=reason):
            return _close(state, by, reason)
        case _:
            assert_never(command)


# ---------------------------------------------------------------- moves


def _play(state: RoomState, command: Play, by: str, now: int) -> list[Event]:
    seat = _acting_seat(state, by)
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
    clocks = state.clocks
    if clocks is not None and clocks.remaining(seat, now - command.lag) <= 0:
        raise Refusal(Code.OUT_OF_TIME, "Your time is up.", [])
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
    text, report = rules.format(state.position, move), command.report
    if report is not None and by != bot_player(seat):
        report = _own_report(state, seat, report, text)
    played = MovePlayed(seat, text, report, command.lag)
    # Who plays for themselves is back.
    back: list[Event] = [StandInLeft(seat)] if _stands_in(state, seat) and by != bot_player(seat) else []
    outcome = rules.outcome(after)
    if outcome is None:
        return [*back, played] if back else [played]
    winner: Seat | None = None
    if outcome.winner is not None:
        winner = state.starter if outcome.winner == 0 else other(state.starter)
    return [*back, played, GameFinished(winner, outcome.reason)]


def _own_report(state: RoomState, seat: Seat, report: Report, move: str) -> Report:
    """What a player's own program says of its move, in nobody else's name. Raises `Refusal`."""
    seated = state.seats[seat]
    if seated is None or not seated.program:
        said = "Only a program reports how it thinks: sit down as one, or leave the report out."
        raise Refusal(Code.NOT_ALLOWED, said, state.legal_moves())
    return replace(report, bot=seated.name, best=move)


def _acting_seat(state: RoomState, by: str) -> Seat | None:
    """The seat that a player may move for: their own, or a stand-in the one it plays for."""
    seat = state.seat_of(by)
    if seat is not None:
        return seat
    seats: tuple[Seat, Seat] = (0, 1)
    return next((one for one in seats if by == bot_player(one) and _stands_in(state, one)), None)


def _stands_in(state: RoomState, seat: Seat) -> bool:
    seated = state.seats[seat]
    return seated is not None and seated.stand_in is not None


def _playing_seat(state: RoomState, by: str) -> Seat:
    seat = _acting_seat(state, by)
    if seat is None:
        raise Refusal(Code.NOT_SEATED, "You don't sit at this table.")
    if state.phase != "playing":
        raise Refusal(Code.NOT_PLAYING, "No game is running here.")
    return seat


# ---------------------------------------------------------------- seats


def _sit(state: RoomState, by: str, sit: Sit, chance: Chance) -> list[Event]:
    own = state.seat_of(by)
    if own is not None:
        if sit.program and not _is_program(state, own):
            raise Refusal(Code.ALREADY_SEATED, "You sit here yourself: a program needs a name of its own.")
        if sit.seat in (None, own):
            return _end_stand_in(state, by)
        raise Refusal(Code.ALREADY_SEATED, "You sit in the other seat. Another player joins with --as NAME.")
    seat = _free_seat(state, sit.seat)
    taken = SeatTaken(seat, by, _unlike_others(state, sit.name), program=sit.program)
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


def _take_over(state: RoomState, by: str, name: str, wanted: Seat | None) -> list[Event]:
    if state.seat_of(by) is not None:
        raise Refusal(Code.ALREADY_SEATED, "You sit at this table already.")
    seats: tuple[Seat, Seat] = (0, 1)
    bots = [seat for seat in seats if _is_bot(state, seat) and wanted in (None, seat)]
    if state.phase not in ("playing", "finished") or not bots:
        raise Refusal(Code.NOT_ALLOWED, "There is no bot here whose seat you could take.")
    if by != state.owner and state.bots() < 2:
        raise Refusal(Code.NOT_ALLOWED, "Only the room's owner can take a bot's seat while a person plays.")
    return [SeatTaken(bots[0], by, _unlike_others(state, name))]


def _end_stand_in(state: RoomState, by: str) -> list[Event]:
    seat = state.seat_of(by)
    return [StandInLeft(seat)] if seat is not None and _stands_in(state, seat) else []


def _is_bot(state: RoomState, seat: Seat) -> bool:
    seated = state.seats[seat]
    return seated is not None and seated.bot is not None


def _is_program(state: RoomState, seat: Seat) -> bool:
    seated = state.seats[seat]
    return seated is not None and seated.program


# ---------------------------------------------------------------- talk


def _say(state: RoomState, by: str, say: Say) -> list[Event]:
    if not say.here:
        raise Refusal(Code.NOT_ALLOWED, "Who talks in a room is in it: watch it, or sit down.")
    if not state.settings.chat:
        raise Refusal(Code.NOT_ALLOWED, "There is no talk in this room.")
    seat = state.seat_of(by)
    if seat is None:
        return [Said("spectators", say.name, say.text)]
    return [Said("players", f"{say.name} (bot)" if _is_program(state, seat) else say.name, say.text)]


def _close(state: RoomState, by: str, reason: str) -> list[Event]:
    if by not in (state.owner, SERVER):
        raise Refusal(Code.NOT_ALLOWED, "Only whoever created the room can close it.")
    others = [one for one in state.seats if one is not None and one.bot is None and one.player != by]
    if state.phase == "playing" and others and by != SERVER:
        said = f"{others[0].name} plays here: a room is closed when its game is over."
        raise Refusal(Code.NOT_ALLOWED, said)
    return [RoomClosed(reason)]


# ---------------------------------------------------------------- offers


def _offer_draw(state: RoomState, by: str) -> list[Event]:
    seat = _playing_seat(state, by)
    across = other(seat)
    if state.draw == across:
        return [_agreed()]
    if state.draw == seat:
        return []
    _refuse_stand_in(state, across)
    if _is_bot(state, across):
        agrees = _would_draw(state, across)
        return [DrawOffered(seat), _agreed() if agrees else OfferDeclined(across, "draw")]
    return [DrawOffered(seat)]


def _refuse_stand_in(state: RoomState, seat: Seat) -> None:
    seated = state.seats[seat]
    if seated is not None and seated.stand_in is not None:
        said = f"A bot plays for {seated.name}, who is away: it finds moves, and agrees to nothing."
        raise Refusal(Code.NOT_ALLOWED, said)


def _agreed() -> GameFinished:
    return GameFinished(None, "a draw was agreed")


def _minded(state: RoomState, seat: Seat) -> bool:
    """Does a bot play for this seat, now?"""
    seated = state.seats[seat]
    return seated is not None and seated.mind is not None


def _would_draw(state: RoomState, seat: Seat) -> bool:
    """A bot takes a draw where its last move promised it no more."""
    for played in reversed(state.moves):
        if played.seat == seat:
            report = played.report
            return report is not None and bool(report.candidates) and report.candidates[0].score <= 0
    return False


def _offer_takeback(state: RoomState, by: str) -> list[Event]:
    seat = _playing_seat(state, by)
    if not state.settings.takebacks:
        raise Refusal(Code.NOT_ALLOWED, "No moves are taken back in this room.")
    across = other(seat)
    asker = across if state.takeback == across else seat
    plies = _plies_back(state, asker)
    if plies is None:
        raise Refusal(Code.NOT_ALLOWED, "You have made no move yet that could be taken back.")
    if asker == across or _is_bot(state, across):
        return [MovesTakenBack(asker, plies)]
    _refuse_stand_in(state, across)
    return [] if state.takeback == seat else [TakebackOffered(seat)]


def _plies_back(state: RoomState, seat: Seat) -> int | None:
    """How many plies lead back to where this seat made its last move; None: it has made none here."""
    made_here = state.moves[len(state.start) :]
    return next((plies for plies, one in enumerate(reversed(made_here), 1) if one.seat == seat), None)


def _decline(state: RoomState, by: str, offer: Offer) -> list[Event]:
    seat = state.seat_of(by)
    if seat is None:
        raise Refusal(Code.NOT_SEATED, "You don't sit at this table.")
    match offer:
        case "draw":
            standing = state.draw is not None
        case "takeback":
            standing = state.takeback is not None
        case "rematch":
            standing = bool(state.rematch)
        case _:
            assert_never(offer)
    return [OfferDeclined(seat, offer)] if standing else []


def _abort(state: RoomState, by: str) -> list[Event]:
    seat = _playing_seat(state, by)
    if state.played() >= FREE_PLIES:
        raise Refusal(Code.NOT_ALLOWED, "The game is under way: you can resign, or offer a draw.")
    return [GameAborted(seat)]


# ---------------------------------------------------------------- time


def _claim(state: RoomState, by: str, claim: Claim) -> list[Event]:
    seat = _playing_seat(state, by)
    across = other(seat)
    if _minded(state, across):
        raise Refusal(Code.NOT_ALLOWED, "A bot plays there: there is nobody to wait for.")
    patience = round(1000 * state.settings.patience)
    if claim.away is None:
        raise Refusal(Code.NOT_ALLOWED, "The other player is here.")
    if claim.away < patience:
        wait = (patience - claim.away) / 1000
        said = "The other player has not been away for long enough."
        raise Refusal(Code.NOT_ALLOWED, said, retry_after=wait)
    match claim.what:
        case "win":
            return [GameFinished(seat, "the other player stayed away")]
        case "draw":
            return [GameFinished(None, "a player stayed away")]
        case "bot":
            assert claim.bot is not None, "the door names the bot"
            return [StandInSeated(across, claim.bot)]
        case _:
            assert_never(claim.what)


def _flag(state: RoomState, now: int) -> list[Event]:
    clocks = state.clocks
    if state.phase != "playing" or clocks is None or clocks.running is None:
        return []
    late = clocks.running
    if clocks.remaining(late, now) > 0:
        return []
    rules: Any = state.rules
    winner = other(late)
    if rules.can_win(state.position, 0 if winner == state.starter else 1):
        return [GameFinished(winner, "time is up")]
    return [GameFinished(None, "time is up, and the other side could not win any more")]


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
