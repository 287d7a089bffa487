"""What each role may do at a table, and when: `decide` refuses by this table, and a view's `may` follows.

| action        | waiting           | playing                       | finished            |
|---------------|-------------------|-------------------------------|---------------------|
| sit, add_bot  | a free seat       | -                             | -                   |
| take_over     | -                 | a bot's seat: the owner, anyone where two bots play   ||
| leave         | own seat          | -                             | own seat            |
| play, hint    | -                 | own turn                      | -                   |
| resign        | -                 | own seat                      | -                   |
| abort         | -                 | own seat, till both moved     | -                   |
| draw          | -                 | own seat                      | -                   |
| takeback      | -                 | own seat, after a move        | -                   |
| decline_...   | what is offered, from one's own seat                                 |||
| claim         | -                 | own seat, the other away      | -                   |
| rematch       | -                 | -                             | own seat (owner: two bots) |
| say           | where the settings let people chat                                   |||
| close         | owner             | owner, where no one else plays| owner               |

A closed room takes no command. Anything that no rule allows is refused.

Rules see a `Situation` alone: the few facts of a room that matter here. Equal ones are the same object, so
that what follows from one is worked out once, not at every move.
"""

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple, get_args

from parlour_protocol.actions import Action, Offer
from parlour_protocol.errors import Code
from parlour_protocol.ids import SEATS, Seat, other
from parlour_protocol.views.rooms import Phase
from parlour_protocol.words import Sentence
from parlour_server.refusals import Refusal
from parlour_server.room.state import RoomState, Seated

SeatKind = Literal["open", "person", "stand_in", "bot"]
"""`stand_in`: a person's, for whom a bot plays."""


@dataclass(frozen=True, slots=True, eq=False)
class Situation:
    """What of a room decides which actions are open. Made by `situation` alone: see there."""

    phase: Phase
    seats: tuple[SeatKind, SeatKind]
    owner: Seat | None
    """Where the room's owner sits."""
    rematch: tuple[Seat, ...]
    chat: bool
    takebacks: bool
    hints: bool
    to_move: Seat | None
    draw_offer: Seat | None
    takeback_offer: Seat | None
    moved: tuple[bool, bool]
    """For each seat: has it made a move in this game?"""


class Role(NamedTuple):
    """What the author of a command is at the table."""

    seat: Seat | None
    """The seat that they sit in, or that a stand-in plays for; None: a spectator."""
    owner: bool


Rule = Callable[[Situation, Role], Refusal | None]


def situation(state: RoomState) -> Situation:
    """What of a state the rules look at: the same object for the same facts, so it is its own hash."""
    found: Situation | None = state.situation
    if found is None:
        if state.between_moves is None:
            state.between_moves = _between_moves(state)
        turn, (first, second) = state.turn, state.made
        if turn is None:
            found = _interned(state.between_moves, None, None, None, first > 0, second > 0)
        else:
            offers = turn.draw_offer, turn.takeback_offer
            found = _interned(state.between_moves, turn.seat, *offers, first > 0, second > 0)
        state.situation = found
    return found


@lru_cache(maxsize=4096)
def _interned(
    between: "_BetweenMoves",
    to_move: Seat | None,
    draw_offer: Seat | None,
    takeback_offer: Seat | None,
    *moved: bool,
) -> Situation:
    return Situation(*(*between.fields, to_move, draw_offer, takeback_offer, moved))


@dataclass(frozen=True, slots=True, eq=False)
class _BetweenMoves:
    """The first fields of a situation: those that no move changes. The same object for the same fields."""

    fields: tuple[Any, ...]


_interned_fields = lru_cache(maxsize=1024)(_BetweenMoves)


def _between_moves(state: RoomState) -> _BetweenMoves:
    settings, (first, second) = state.settings, state.seats
    kinds = (_kind(first), _kind(second))
    return _interned_fields(
        (
            state.phase,
            kinds,
            state.seat_of(state.owner),
            tuple(sorted(state.rematch)),
            settings.chat,
            settings.takebacks,
            settings.hints == "always" or (settings.hints == "bots" and "bot" in kinds),
        )
    )


def check(action: Action, now: Situation, role: Role) -> None:
    """Raise the `Refusal` of the first rule that an action breaks."""
    if action not in _allowed(now, role):
        refusal = refusal_of(action, now, role)
        assert refusal is not None, "both ask the same rules"
        raise copy(refusal)


@lru_cache(maxsize=4096)
def refusal_of(action: Action, now: Situation, role: Role) -> Refusal | None:
    """Why an action is refused, by the first rule that it breaks; None: it is open. To be read only."""
    for rule in RULES.get(action, (_unknown,)):
        refusal = rule(now, role)
        if refusal is not None:
            return refusal
    return None


@lru_cache(maxsize=4096)
def open_actions(now: Situation) -> dict[str, Any]:
    """A view's `may`, as plain data: to be read only."""
    own = [_open(now, Role(seat, owner=False)) if _is_person(now.seats[seat]) else [] for seat in SEATS]
    spectator = _open(now, Role(None, owner=False))
    as_owner = _open(now, Role(now.owner, owner=True))
    base = spectator if now.owner is None else own[now.owner]
    return {"seats": own, "spectator": spectator, "owner": [one for one in as_owner if one not in base]}


def _open(now: Situation, role: Role) -> list[Action]:
    return [action for action in ACTIONS if refusal_of(action, now, role) is None]


@lru_cache(maxsize=4096)
def _allowed(now: Situation, role: Role) -> frozenset[Action]:
    return frozenset(_open(now, role))


def _kind(seated: Seated | None) -> SeatKind:
    if seated is None:
        return "open"
    if seated.bot is not None:
        return "bot"
    return "person" if seated.stand_in is None else "stand_in"


def _is_person(kind: SeatKind) -> bool:
    return kind in ("person", "stand_in")


# ---------------------------------------------------------------- rules


def _unless(holds: Callable[[Situation, Role], bool], code: Code, id_: str) -> Rule:
    """A rule that refuses with the sentence of this id unless something holds."""
    refusal = Refusal(code, Sentence(id_))
    return lambda now, role: None if holds(now, role) else refusal


_unknown = _unless(lambda now, role: False, Code.NOT_ALLOWED, "refusal.no_such_action")
_not_closed = _unless(lambda now, role: now.phase != "closed", Code.UNKNOWN_ROOM, "refusal.room_closed")
_seated = _unless(lambda now, role: role.seat is not None, Code.NOT_SEATED, "refusal.not_seated")
_playing = _unless(lambda now, role: now.phase == "playing", Code.NOT_PLAYING, "refusal.not_playing")
_player_moves = _unless(lambda now, role: role.seat is not None, Code.NOT_SEATED, "refusal.only_players_move")
_not_over = _unless(
    lambda now, role: now.phase != "finished",
    Code.GAME_OVER,
    "refusal.game_over",
)
_begun = _unless(
    lambda now, role: now.phase == "playing",
    Code.NOT_PLAYING,
    "refusal.not_begun",
)
_own_turn = _unless(lambda now, role: role.seat == now.to_move, Code.NOT_YOUR_TURN, "refusal.not_your_turn")
_player_hint = _unless(lambda now, role: role.seat is not None, Code.NOT_SEATED, "refusal.hints_for_players")
_hints = _unless(lambda now, role: now.hints, Code.NO_HINTS, "refusal.no_hints")
_hint_turn = _unless(lambda now, role: role.seat == now.to_move, Code.NOT_YOUR_TURN, "refusal.hints_in_turn")
_standing = _unless(lambda now, role: role.seat is None, Code.ALREADY_SEATED, "refusal.seated_already")
_free_seat = _unless(
    lambda now, role: "open" in now.seats,
    Code.ROOM_FULL,
    "refusal.room_full",
)
_owner_or_player = _unless(
    lambda now, role: role.owner or role.seat is not None,
    Code.NOT_ALLOWED,
    "refusal.who_adds_bots",
)
_bot_to_relieve = _unless(
    lambda now, role: now.phase in ("playing", "finished") and "bot" in now.seats,
    Code.NOT_ALLOWED,
    "refusal.no_bot_to_relieve",
)
_owner_or_bots = _unless(
    lambda now, role: role.owner or now.seats == ("bot", "bot"),
    Code.NOT_ALLOWED,
    "refusal.who_relieves_bots",
)
_not_in_game = _unless(lambda now, role: now.phase != "playing", Code.NOT_ALLOWED, "refusal.resign_first")
_early = _unless(
    lambda now, role: not all(now.moved),
    Code.NOT_ALLOWED,
    "refusal.too_late_to_abort",
)
_takebacks = _unless(lambda now, role: now.takebacks, Code.NOT_ALLOWED, "refusal.no_takebacks")
_has_moved = _unless(
    lambda now, role: (
        now.moved[_across(role)] if now.takeback_offer == _across(role) else now.moved[_own(role)]
    ),
    Code.NOT_ALLOWED,
    "refusal.nothing_to_take_back",
)
_person_across = _unless(
    lambda now, role: _is_person(now.seats[_across(role)]) and now.seats[_across(role)] != "stand_in",
    Code.NOT_ALLOWED,
    "refusal.bot_never_away",
)
_finished = _unless(
    lambda now, role: now.phase == "finished",
    Code.NOT_FINISHED,
    "refusal.rematch_too_soon",
)
_player_or_owner_of_bots = _unless(
    lambda now, role: role.seat is not None or (role.owner and now.seats == ("bot", "bot")),
    Code.NOT_SEATED,
    "refusal.who_asks_for_rematch",
)
_chat = _unless(lambda now, role: now.chat, Code.NOT_ALLOWED, "refusal.no_chat")
_owner = _unless(lambda now, role: role.owner, Code.NOT_ALLOWED, "refusal.who_closes")
_nobody_else_plays = _unless(
    lambda now, role: (
        now.phase != "playing"
        or not any(_is_person(kind) for seat, kind in enumerate(now.seats) if seat != role.seat)
    ),
    Code.NOT_ALLOWED,
    "refusal.game_runs",
)


def _offers(offer: Callable[[Situation, Role], bool], name: Offer) -> Rule:
    """A rule that refuses to offer what one has offered already."""
    id_ = f"refusal.offered_already.{name}"
    return _unless(lambda now, role: not offer(now, role), Code.ALREADY_OFFERED, id_)


def _answers(offer: Callable[[Situation], bool], name: Offer) -> Rule:
    """A rule that refuses to decline what is not offered."""
    return _unless(lambda now, role: offer(now), Code.NOTHING_OFFERED, f"refusal.not_offered.{name}")


def _person_to_ask(offer: Callable[[Situation], Seat | None]) -> Rule:
    """A rule that refuses to ask a stand-in for anything; what its player has offered can be taken."""
    return _unless(
        lambda now, role: now.seats[_across(role)] != "stand_in" or offer(now) == _across(role),
        Code.NOT_ALLOWED,
        "refusal.bot_agrees_to_nothing",
    )


def _own(role: Role) -> Seat:
    assert role.seat is not None, "an earlier rule sees to it"
    return role.seat


def _across(role: Role) -> Seat:
    return other(_own(role))


_AT_TABLE = (_not_closed, _seated, _playing)

RULES: Mapping[Action, tuple[Rule, ...]] = {
    "sit": (_not_closed, _standing, _free_seat),
    "add_bot": (_not_closed, _owner_or_player, _free_seat),
    "take_over": (_not_closed, _standing, _bot_to_relieve, _owner_or_bots),
    "leave": (_not_closed, _seated, _not_in_game),
    "play": (_not_closed, _player_moves, _not_over, _begun, _own_turn),
    "hint": (_not_closed, _player_hint, _hints, _playing, _hint_turn),
    "resign": _AT_TABLE,
    "abort": (*_AT_TABLE, _early),
    "draw": (
        *_AT_TABLE,
        _offers(lambda now, role: now.draw_offer == role.seat, "draw"),
        _person_to_ask(lambda now: now.draw_offer),
    ),
    "takeback": (
        *_AT_TABLE,
        _takebacks,
        _has_moved,
        _offers(lambda now, role: now.takeback_offer == role.seat, "takeback"),
        _person_to_ask(lambda now: now.takeback_offer),
    ),
    "rematch": (
        _not_closed,
        _finished,
        _player_or_owner_of_bots,
        _offers(lambda now, role: role.seat in now.rematch, "rematch"),
    ),
    "decline_draw": (_not_closed, _seated, _answers(lambda now: now.draw_offer is not None, "draw")),
    "decline_takeback": (
        _not_closed,
        _seated,
        _answers(lambda now: now.takeback_offer is not None, "takeback"),
    ),
    "decline_rematch": (_not_closed, _seated, _answers(lambda now: bool(now.rematch), "rematch")),
    "claim": (*_AT_TABLE, _person_across),
    "say": (_not_closed, _chat),
    "close": (_not_closed, _owner, _nobody_else_plays),
}

ACTIONS: tuple[Action, ...] = tuple(sorted(get_args(Action), key=[*RULES].index))
"""Every action, in the order of the table."""
