"""`decide`: the events that a command causes, or a refusal. `permissions` says which player may do what."""

from dataclasses import replace
from typing import assert_never

from parlour_protocol import LONGEST_NAME
from parlour_protocol.actions import OFFERS, Offer, PlainAction
from parlour_protocol.commands import (
    AddBot,
    Claim,
    Decline,
    PlayerAction,
    PlayMove,
    Say,
    TableCommand,
    TakeOver,
    TakeSeat,
)
from parlour_protocol.errors import Code
from parlour_protocol.events import (
    BotAwaited,
    ChatPosted,
    ClocksResumed,
    ClocksStopped,
    GameFinished,
    GameStarted,
    GameSummary,
    KnownEvent,
    MovePlayed,
    MovesTakenBack,
    OfferDeclined,
    OfferMade,
    PlayerSummary,
    RoomClosed,
    RoomCreated,
    SeatLeft,
    SeatRenamed,
    SeatTaken,
    StandInLeft,
    StandInSeated,
)
from parlour_protocol.ids import SEATS, Seat, other
from parlour_protocol.views.permissions import Role, concerns, refusal_of
from parlour_protocol.views.reports import Report
from parlour_protocol.views.rooms import Channel, Unrated
from parlour_protocol.words import Sentence
from parlour_server.aggregate import Decision
from parlour_server.games.game import IllegalMove, InvalidMove
from parlour_server.log import Applied, LogRecord
from parlour_server.refusals import Refusal
from parlour_server.room.commands import (
    BotMove,
    CheckFlag,
    CommandContext,
    Create,
    EndStandIn,
    Forfeit,
    GiveUp,
    Guest,
    Invited,
    Rename,
    ResumeClocks,
    Retire,
    RoomCommand,
    SeatAwaitedBot,
    SeatStandIn,
    Seek,
    ServerCommand,
    StartNextGame,
    StopClocks,
)
from parlour_server.room.look_alikes import look_alike
from parlour_server.room.permissions import check, situation
from parlour_server.room.rated import why_unrated
from parlour_server.room.state import Bot, RoomState, Seated, evolve, plies_back

_ROLES = {
    (seat, owner, asker): Role(seat, owner, asker)
    for seat in (*SEATS, None)
    for owner in (False, True)
    for asker in (False, True)
}


_TURN_ENDS = (GameFinished, MovesTakenBack, SeatTaken, StandInLeft)
"""Events that end the turn of a bot which is to move."""


def bot_player(seat: Seat) -> str:
    """The name by which a bot's seat acts. No player's: theirs hold no colon."""
    return f"bot:{seat}"


def role_of(state: RoomState, by: str) -> Role:
    """What a player is at the table; a stand-in acts for the seat that it plays for.

    A player who shares a device with another acts for the one whose turn it is.
    """
    seat = state.seat_of(by)
    if seat is not None and state.shared and state.turn is not None:
        seat = state.turn.seat
    if seat is None:
        seat = next((one for one in SEATS if by == bot_player(one) and _stands_in(state, one)), None)
    return _ROLES[seat, by == state.owner, state.asker is not None and by == state.asker.player]


def decide(state: RoomState, command: RoomCommand, context: CommandContext) -> Decision:
    """Decide a command. The state is only read. Raises `Refusal`."""
    match command:
        # First, since most commands are moves; and a class of pydantic's is slow to tell what isn't its own.
        case BotMove() | PlayMove():
            return _play(state, command, context)
        case PlayerAction() | Decline() | TakeSeat() | AddBot() | TakeOver() | Claim() | Say():
            events = _for_player(state, command, context)
        case Seek():
            events = _seek(state, command, context)
        case _:
            events = _for_server(state, command, context)
    for event in events:
        if type(event) is GameFinished:
            _sum_up(state, event, len(state.moves), "unplayed" if state.is_early else None)
    if context.rested and any(isinstance(event, _TURN_ENDS) for event in events):
        # The bot to move loses its turn otherwise than by a move, which would say how long it has waited.
        events.insert(0, ClocksResumed(context.rested))
    return Decision(events)


def _sum_up(state: RoomState, over: GameFinished, moves: int, unrated: Unrated | None = None) -> None:
    """Add to a game's end what follows from what was before."""
    if state.rated:
        over.unrated = why_unrated(state, over.termination) or unrated
    over.summary = summary_of(state, moves)
    over.summary.rated = state.rated and over.unrated is None


def summary_of(state: RoomState, moves: int) -> GameSummary:
    """What is told of the present game if it ends after that many moves, those of its start among them."""
    first, second = state.seats
    assert first is not None and second is not None, "a game has two players"
    return GameSummary(
        state.rules.name,
        state.game_number,
        state.starter,
        moves - len(state.start),
        [player_summary(first), player_summary(second)],
        state.settings.clock,
        len(state.start),
    )


def player_summary(seated: Seated) -> PlayerSummary:
    """Who sits there, as the list of finished games has it."""
    bot = None if seated.bot is None else seated.bot.settings
    return PlayerSummary(seated.player, seated.name, bot, seated.program)


def _for_player(state: RoomState, command: TableCommand, context: CommandContext) -> list[KnownEvent]:
    """What a player asks for, but for moves."""
    role = role_of(state, context.by)
    check(command.type, state, role)
    match command:
        case PlayerAction():
            return _act(state, command.type, context, role)
        case Decline(offer=offer):
            if offer not in state.offers or not concerns(offer, role):
                raise Refusal(Code.NOTHING_OFFERED, Sentence("refusal.not_offered"))
            asked = state.offers[offer]
            to_owner = OFFERS[offer].to_owner
            seat = _seat(role) if not to_owner else asked if role.asker else other(asked)
            return [OfferDeclined(seat, offer)]
        case TakeSeat():
            return _sit(state, command.seat, context, program=command.program)
        case AddBot():
            assert context.bot is not None, "the session has read it"
            return _seat_bot(state, command.seat, context.bot, context)
        case TakeOver():
            return _take_over(state, command, context)
        case Claim():
            return _claim(state, command, context, _seat(role))
        case Say():
            return _say(state, command, context, role)
        case PlayMove():
            raise AssertionError("moves are decided by `_play`")
        case _:
            assert_never(command)


def _for_server(state: RoomState, command: ServerCommand, context: CommandContext) -> list[KnownEvent]:
    """What the server does by itself; nothing where it is no longer wanted."""
    if state.phase == "closed":
        return []
    match command:
        case Create():
            return _create(state, command, context)
        case GiveUp(seat=seat):
            over = GameFinished("bot_failure", other(seat), Sentence("game.reason.bot_failed"), seat)
            return [over] if state.phase == "playing" else []
        case Forfeit():
            return _forfeit(state, command, context)
        case SeatAwaitedBot():
            awaited = state.awaited
            due = awaited is not None and awaited.at <= context.now
            return _seat_bot(state, None, awaited.bot, context) if awaited is not None and due else []
        case SeatStandIn(seat=seat, bot=bot):
            seated = state.seats[seat]
            wanted = state.phase == "playing" and seated is not None and seated.acting_bot is None
            wanted = wanted and not state.shared
            return [StandInSeated(seat, bot.settings, bot.seed)] if wanted else []
        case Rename(before=before):
            return _rename(state, before, context)
        case EndStandIn(seat=seat):
            return [StandInLeft(seat)] if _stands_in(state, seat) else []
        case CheckFlag():
            return _check_flag(state, context.now - context.lag)
        case StopClocks(spent=spent):
            clocks = state.clocks
            ticking = clocks is not None and clocks.running is not None and not clocks.stopped
            return [ClocksStopped(spent)] if ticking else []
        case ResumeClocks():
            return [ClocksResumed()] if state.clocks is not None and state.clocks.stopped else []
        case Retire(reason=reason):
            return [RoomClosed(reason)]
        case StartNextGame():
            return [GameStarted(_starter(state, context))] if state.awaits_next_game() else []
        case _:
            assert_never(command)


def _act(state: RoomState, action: PlainAction, context: CommandContext, role: Role) -> list[KnownEvent]:
    match action:
        case "close":
            return [RoomClosed(Sentence("game.closed.owner"))]
        case "leave":
            return [_leave(state, _seat(role))]
        case "resign":
            seat = _seat(role)
            return [GameFinished("resignation", other(seat), Sentence("game.reason.resignation"), seat)]
        case "abort":
            return [GameFinished("aborted", None, Sentence("game.reason.aborted"), _seat(role))]
        case _:
            return _offer(state, action, context, role)


def _seat(role: Role) -> Seat:
    assert role.seat is not None, "the permission says so"
    return role.seat


# ---------------------------------------------------------------- moves


def _play(state: RoomState, command: PlayMove | BotMove, context: CommandContext) -> Decision:
    role = role_of(state, context.by)
    refusal = refusal_of("play", situation(state), role)
    if refusal is not None:
        # That it is not their turn a player hears first, however old their picture of the board is.
        raise Refusal(refusal.code, Sentence(refusal.id), state.legal_moves())
    seat, rules, position = role.seat, state.game, state.position
    assert seat is not None and rules is not None, "the permission says so"
    if not state.position_version <= command.version <= state.version:
        raise Refusal(
            Code.STALE,
            Sentence("refusal.stale", now=str(state.version), then=str(command.version)),
            state.legal_moves(),
        )
    clocks = state.clocks
    if clocks is not None and clocks.remaining(seat, context.now - context.lag) <= 0:
        raise Refusal(Code.OUT_OF_TIME, Sentence("refusal.out_of_time"), [])
    try:
        move = rules.parse(position, command.move)
        rules.check(position, move)
    except InvalidMove as error:
        raise Refusal(Code.INVALID_MOVE, str(error), state.legal_moves()) from None
    except IllegalMove as error:
        raise Refusal(Code.ILLEGAL_MOVE, str(error), state.legal_moves()) from None
    after, text = rules.play(position, move), rules.format(position, move)
    if isinstance(command, BotMove):
        events: list[KnownEvent] = [MovePlayed(seat, text, command.report, context.lag)]
    else:
        report = None if command.report is None else _own_report(state, seat, command.report.report(), text)
        events = [MovePlayed(seat, text, report, context.lag)]
        seated = state.seats[seat]
        if seated is not None and seated.stand_in is not None:
            # A player who moves is back.
            events.insert(0, StandInLeft(seat))
    outcome = rules.outcome(after)
    if outcome is not None:
        winner = None if outcome.winner is None else _seat_of_side(state, outcome.winner)
        over = GameFinished(outcome.termination, winner, outcome.reason)
        _sum_up(state, over, len(state.moves) + 1)
        events.append(over)
    return Decision(events, Applied(position, move, after, outcome is not None))


def _own_report(state: RoomState, seat: Seat, report: Report, move: str) -> Report:
    """What a player's own program reports of its move, under its own name. Raises `Refusal`."""
    seated = state.seats[seat]
    if seated is None or not seated.program:
        raise Refusal(Code.NOT_ALLOWED, Sentence("refusal.not_a_program"), state.legal_moves())
    return replace(report, bot=seated.name, best=move)


def _seat_of_side(state: RoomState, side: int) -> Seat:
    return state.starter if side == 0 else other(state.starter)


def _stands_in(state: RoomState, seat: Seat) -> bool:
    seated = state.seats[seat]
    return seated is not None and seated.stand_in is not None


# ---------------------------------------------------------------- seats


def _create(state: RoomState, command: Create, context: CommandContext) -> list[KnownEvent]:
    assert state.version == 0, "a room is created once"
    events: list[KnownEvent] = [
        RoomCreated(
            command.game, command.settings, command.moves, context.by, command.tournament, command.rated
        )
    ]
    made = RoomState(state.code)
    for seat, wanted in zip(SEATS, command.seats, strict=True):
        # Each sits down in the room as the one before has left it.
        for event in events[made.version :]:
            evolve(made, LogRecord(event, context.now, context.by))
        if wanted == "me":
            events += _sit(made, seat, context, program=command.program)
        elif isinstance(wanted, Guest):
            events += _sit(made, seat, replace(context, name=wanted.name))
        elif isinstance(wanted, Invited):
            invited = replace(context, by=wanted.player, name=wanted.name)
            events += _sit(made, seat, invited, program=wanted.program)
        elif wanted is not None:
            events += _seat_bot(made, seat, wanted, context)
    return [*events, *_await_bot(command.bot_after, context)]


def _seek(state: RoomState, command: Seek, context: CommandContext) -> list[KnownEvent]:
    waits = state.phase == "waiting" and state.seat_of(context.by) is not None
    if waits and command.bot_after is not None:
        return _await_bot(command.bot_after, context)
    check("sit", state, role_of(state, context.by))
    seated = _sit(state, None, context)
    return seated if len(seated) > 1 else [*seated, *_await_bot(command.bot_after, context)]


def _await_bot(seconds: float | None, context: CommandContext) -> list[KnownEvent]:
    if seconds is None:
        return []
    assert context.bot is not None, "the session has read it"
    return [BotAwaited(context.bot.settings, context.now + round(1000 * seconds), context.bot.seed)]


def _sit(
    state: RoomState, wanted: Seat | None, context: CommandContext, *, program: bool = False
) -> list[KnownEvent]:
    seat = _free_seat(state, wanted)
    name = _unlike_others(state, context.name, seat)
    return [
        SeatTaken(seat, name, program=program, player=context.by),
        *_start_if_full(state, seat, context),
    ]


def _seat_bot(state: RoomState, wanted: Seat | None, bot: Bot, context: CommandContext) -> list[KnownEvent]:
    seat = _free_seat(state, wanted)
    return [_bot_taking(state, seat, bot), *_start_if_full(state, seat, context)]


def _bot_taking(state: RoomState, seat: Seat, bot: Bot) -> SeatTaken:
    name = _unlike_others(state, bot.settings.partition(":")[0], seat)
    return SeatTaken(seat, name, bot.settings, player=bot_player(seat), seed=bot.seed)


def _free_seat(state: RoomState, asked: Seat | None) -> Seat:
    """The seat that was asked for, or the first free one. Raises `Refusal`."""
    free = state.free_seats()
    if asked is not None and asked not in free:
        raise Refusal(Code.SEAT_TAKEN, Sentence("refusal.seat_taken", seat=asked, free=free[0]))
    return free[0] if asked is None else asked


def _unlike_others(state: RoomState, name: str, seat: Seat | None = None) -> str:
    """The name of who takes this seat, or none, with a number where another seat's could be taken for it."""
    others = [seated.name for one, seated in enumerate(state.seats) if seated is not None and one != seat]
    if any(look_alike(other, name) for other in others):
        return f"{name[: LONGEST_NAME - 2]} 2"
    return name


def _rename(state: RoomState, before: str, context: CommandContext) -> list[KnownEvent]:
    found: list[KnownEvent] = []
    for seat, seated in zip(SEATS, state.seats, strict=True):
        if seated is not None and seated.player == context.by and (not state.shared or seated.name == before):
            name = _unlike_others(state, context.name, seat)
            found += [] if name == seated.name else [SeatRenamed(seat, name)]
    return found


def _leave(state: RoomState, seat: Seat) -> KnownEvent:
    seated = state.seats[seat]
    assert seated is not None
    if seated.relieved is None:
        return SeatLeft(seat)
    return _bot_taking(state, seat, seated.relieved)


def _take_over(state: RoomState, command: TakeOver, context: CommandContext) -> list[KnownEvent]:
    bots = _bots(state)
    if command.seat is not None and command.seat not in bots:
        raise Refusal(Code.NOT_ALLOWED, Sentence("refusal.no_bot_to_relieve"))
    seat = bots[0] if command.seat is None else command.seat
    return [_relieve(state, seat, context)]


def _relieve(state: RoomState, seat: Seat, context: CommandContext) -> KnownEvent:
    return SeatTaken(seat, _unlike_others(state, context.name, seat), player=context.by)


def _bots(state: RoomState) -> list[Seat]:
    """The seats of bots."""
    return [seat for seat in SEATS if (seated := state.seats[seat]) is not None and seated.bot is not None]


def _start_if_full(state: RoomState, seat: Seat, context: CommandContext) -> list[KnownEvent]:
    return [] if state.seats[other(seat)] is None else [GameStarted(_starter(state, context))]


# ---------------------------------------------------------------- chat


def _say(state: RoomState, command: Say, context: CommandContext, role: Role) -> list[KnownEvent]:
    if not context.here:
        raise Refusal(Code.NOT_ALLOWED, Sentence("refusal.chat_elsewhere"))
    text = Sentence(f"quick.{command.quick}") if command.quick is not None else command.text or ""
    return [ChatPosted(*chat_author(state, role, context.name), text)]


def chat_author(state: RoomState, role: Role, name: str) -> tuple[Channel, str]:
    """The channel that a player called so writes in, and as whom."""
    if role.seat is None:
        return "spectators", _unlike_others(state, name)
    seated = state.seats[role.seat]
    assert seated is not None
    return "players", f"{seated.name} (bot)" if seated.program else seated.name


# ---------------------------------------------------------------- offers


def _offer(state: RoomState, offer: Offer, context: CommandContext, role: Role) -> list[KnownEvent]:
    """Offer something, or agree where the other player offers it. A bot answers at once: it agrees.

    A draw it agrees to where it expects no more. The owner of two bots' room speaks for both, and so does who
    shares a device.
    """
    if OFFERS[offer].to_owner:
        return [_ask_owner(state, offer, context, role)]
    if state.shared:
        return [_agreed(state, offer, state.moves[-1].seat if state.moves else 0, context)]
    if role.seat is None:
        return [_agreed(state, offer, 0, context)]
    seat, across = role.seat, other(role.seat)
    if state.offers.get(offer) == across:
        return [_agreed(state, offer, across, context)]
    made, seated = OfferMade(seat, offer), state.seats[across]
    if seated is None or seated.bot is None:
        return [made]
    if offer == "draw" and not _would_draw(state, across):
        return [made, OfferDeclined(across, offer)]
    return [_agreed(state, offer, seat, context)]


def _ask_owner(state: RoomState, offer: Offer, context: CommandContext, role: Role) -> KnownEvent:
    """A spectator asks the owner, who has to be here; or the owner agrees. Who has gone asks no longer.

    An owner who asks has agreed already.
    """
    seat = state.offers.get(offer)
    if seat is None and role.owner:
        return _relieve(state, _bots(state)[0], context)
    if seat is not None:
        return _agreed(state, offer, seat, context) if context.here else OfferDeclined(seat, offer)
    if not context.here:
        raise Refusal(Code.NOT_ALLOWED, Sentence("refusal.owner_away"))
    return OfferMade(_bots(state)[0], offer, _unlike_others(state, context.name))


def _agreed(state: RoomState, offer: Offer, asker: Seat, context: CommandContext) -> KnownEvent:
    """What comes of an offer that both agree to."""
    match offer:
        case "draw":
            return GameFinished("agreement", None, Sentence("game.reason.agreement"))
        case "takeback":
            return MovesTakenBack(asker, plies_back(state, asker))
        case "rematch":
            return GameStarted(_starter(state, context))
        case "seat":
            assert state.asker is not None, "an offer has been made"
            name = _unlike_others(state, state.asker.name, asker)
            return SeatTaken(asker, name, player=state.asker.player)
        case _:
            assert_never(offer)


def _would_draw(state: RoomState, seat: Seat) -> bool:
    """A bot takes a draw where its last move promised it no more."""
    for played in reversed(state.moves):
        if played.seat == seat:
            expected = None if played.report is None else played.report.best_score
            return expected is not None and expected.points <= 0
    return False


# ---------------------------------------------------------------- time


def _claim(state: RoomState, claim: Claim, context: CommandContext, seat: Seat) -> list[KnownEvent]:
    across = other(seat)
    away_since = context.away_since[across]
    if away_since is None:
        raise Refusal(Code.NOT_ALLOWED, Sentence("refusal.not_away"))
    wait = round(1000 * state.settings.patience) - (context.now - away_since)
    if wait > 0:
        raise Refusal(Code.NOT_ALLOWED, Sentence("refusal.not_away_for_long"), retry_after=wait / 1000)
    match claim.what:
        case "win":
            return [GameFinished("abandonment", seat, Sentence("game.reason.stayed_away"), seat)]
        case "draw":
            return [GameFinished("abandonment", None, Sentence("game.reason.player_stayed_away"), seat)]
        case "bot":
            assert context.bot is not None, "the session has read it"
            return [StandInSeated(across, context.bot.settings, context.bot.seed)]
        case _:
            assert_never(claim.what)


def _check_flag(state: RoomState, charged_until: int) -> list[KnownEvent]:
    clocks = state.clocks
    if state.phase != "playing" or clocks is None or clocks.running is None:
        return []
    late = clocks.running
    if clocks.remaining(late, charged_until) > 0:
        return []
    winner = other(late)
    if state.rules.can_win(state.position, 0 if winner == state.starter else 1):
        return [GameFinished("time", winner, Sentence("game.reason.time"))]
    said = Sentence("game.reason.time_insufficient")
    return [GameFinished("time_insufficient", None, said)]


def _forfeit(state: RoomState, command: Forfeit, context: CommandContext) -> list[KnownEvent]:
    if state.phase != "playing" or (command.no_show and not state.is_early):
        return []
    loser = command.loser if not command.no_show else state.to_move
    if command.no_show and None not in context.away_since:
        loser = None
    if loser is None:
        return [GameFinished("aborted", None, Sentence("game.reason.nobody_came"))]
    said = Sentence("game.reason.no_show" if command.no_show else "game.reason.forfeit")
    return [GameFinished("abandonment", other(loser), said, loser)]


# ---------------------------------------------------------------- games


def _starter(state: RoomState, context: CommandContext) -> Seat:
    """Which seat begins the next game, by the room's setting."""
    in_turn: Seat = other(state.starter) if state.game_number > 0 else 0
    match state.settings.starts:
        case "first":
            return 0
        case "second":
            return 1
        case "random":
            return 0 if context.chance(2) == 0 else 1
        case "loser":
            winner = None if state.result is None else state.result.winner
            return in_turn if winner is None else other(winner)
        case "alternate":
            return in_turn
        case _:
            assert_never(state.settings.starts)
