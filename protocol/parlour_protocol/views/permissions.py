"""What each role may do at a table, and when: one rule for the server and for every client.

| action        | waiting           | playing                       | finished            |
|---------------|-------------------|-------------------------------|---------------------|
| sit, add_bot  | a free seat       | -                             | -                   |
| take_over     | -                 | a bot's seat: the owner, others by the settings       ||
| leave         | own seat          | a seat taken over from a bot  | own seat            |
| play, hint    | -                 | own turn                      | -                   |
| resign        | -                 | own seat                      | -                   |
| abort         | -                 | own seat, till both moved     | -                   |
| claim         | -                 | own seat, the other away      | -                   |
| an offer      | own seat, in its phase by `actions.OFFERS`: takebacks after a move   |||
| ... of two bots | -               | -                             | a rematch: the owner|
| ... at one device | as any other: both agree at once, the last move is taken back       |||
| ... for a seat | -                | a bot's: spectators, the owner agrees; by the settings||
| decline       | what is offered, from one's own seat; who asks for a seat, and the owner |||
| say           | where the settings let people chat; not across one device            |||
| close         | owner             | owner, where no one else plays| owner               |

At a tournament's table nobody leaves, aborts, claims or asks for a rematch: the tournament decides.

A closed room takes no command. Anything that no rule allows is refused. The server refuses by `refusal_of`; a
view's `may` lists what is open; a client that has a view asks `why_not`.

Rules see a `Situation` alone: the few facts of a room that matter here. Equal ones are the same object, so
that what follows from one is worked out once, not at every move.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from parlour_protocol.actions import OFFERS, Action, Offer
from parlour_protocol.errors import Code
from parlour_protocol.ids import SEATS, Seat, other
from parlour_protocol.views.rooms import Phase, RoomView, SeatView

SeatKind = Literal["open", "person", "relief", "stand_in", "shared", "bot"]
"""`relief`: a person's, who took it over from a bot; `stand_in`: a person's, for whom a bot plays; `shared`:
one of two at one device, whose player acts for the seat that is to move."""

OffersMade = tuple[tuple[Offer, Seat], ...]
"""What stands offered, and by whom."""


@dataclass(frozen=True, slots=True, eq=False)
class Situation:
    """What of a room decides which actions are open. Made by `situation` alone: see there."""

    phase: Phase
    seats: tuple[SeatKind, SeatKind]
    owner: Seat | None
    """Where the room's owner sits."""
    chat: bool
    takebacks: bool
    hints: bool
    relieves: str
    """Who may take over a bot's seat: the room's setting."""
    tournament: bool
    """Is its game one of a tournament's?"""
    to_move: Seat | None
    offers: Mapping[Offer, Seat]
    moved: tuple[bool, bool]
    """For each seat: has it made a move in this game?"""


@dataclass(frozen=True, slots=True, eq=False)
class BetweenMoves:
    """The first fields of a situation: those that no move changes. Made by `between_moves` alone."""

    fields: tuple[Any, ...]


class Role(NamedTuple):
    """What the author of a command is at the table."""

    seat: Seat | None
    """The seat that they sit in, or that a stand-in plays for; None: a spectator."""
    owner: bool
    asker: bool = False
    """Were they the last to ask for a bot's seat?"""


class Closed(NamedTuple):
    """Why an action is not open: for programs, and the id of the sentence for people."""

    code: Code
    id: str


Rule = Callable[[Situation, Role], Closed | None]


@lru_cache(maxsize=4096)
def situation(
    between: BetweenMoves, to_move: Seat | None, offers: OffersMade, first_moved: bool, second_moved: bool
) -> Situation:
    """The same object for the same facts, so it is its own hash."""
    return Situation(*(*between.fields, to_move, dict(offers), (first_moved, second_moved)))


@lru_cache(maxsize=1024)
def between_moves(
    phase: Phase,
    seats: tuple[SeatKind, SeatKind],
    owner: Seat | None,
    chat: bool,
    takebacks: bool,
    hints: str,
    take_over: str,
    tournament: bool,
) -> BetweenMoves:
    """The same object for the same facts; those from `chat` to `take_over` are the room's settings."""
    return BetweenMoves(
        (phase, seats, owner, chat, takebacks, gives_hints(hints, bots="bot" in seats), take_over, tournament)
    )


def gives_hints(setting: str, *, bots: bool) -> bool:
    """May players ask for hints by a room's setting; `bots`: where a bot plays?"""
    return setting == "always" or (setting == "bots" and bots)


def situation_of(view: RoomView) -> Situation:
    """The situation that a viewer sees."""
    first, second = view.seats
    settings, owner = view.settings, view.you if view.owner else None
    if view.shared:
        owner = 0
    between = between_moves(
        view.phase,
        (_kind(first), _kind(second)),
        owner,
        settings.chat,
        settings.takebacks,
        settings.hints,
        settings.take_over,
        view.tournament is not None,
    )
    return situation(between, view.to_move, tuple(view.offers.items()), *view.moved)


def _kind(seat: SeatView) -> SeatKind:
    if seat.shared:
        return "shared"
    if seat.kind == "human":
        return "stand_in" if seat.stand_in is not None else "person" if seat.relieved is None else "relief"
    return seat.kind


def why_not(view: RoomView, action: Action) -> Closed | None:
    """Why a viewer can't do something now, by the server's own rules; None: they can.

    `view` has its times as of now: a claim opens with time.
    """
    closed = refusal_of(action, situation_of(view), Role(view.acting, view.owner, view.asks is True))
    if closed is not None or action != "claim":
        return closed
    assert view.you is not None, "only players claim"
    opens = view.claim_from[view.you]
    if opens is None:
        return Closed(Code.NOT_ALLOWED, "refusal.not_away")
    return Closed(Code.NOT_ALLOWED, "refusal.not_away_for_long") if view.at < opens else None


@lru_cache(maxsize=4096)
def refusal_of(action: Action, now: Situation, role: Role) -> Closed | None:
    """Why an action is refused, by the first rule that it breaks; None: it is open."""
    return next(filter(None, (rule(now, role) for rule in RULES.get(action, (_unknown,)))), None)


@lru_cache(maxsize=4096)
def open_actions(now: Situation) -> dict[str, Any]:
    """A view's `may`, as plain data: to be read only."""
    own = [_open(now, Role(seat, owner=False)) if _is_person(now.seats[seat]) else [] for seat in SEATS]
    spectator = _open(now, Role(None, owner=False))
    as_owner = _open(now, Role(now.owner, owner=True))
    base = spectator if now.owner is None else own[now.owner]
    as_asker = _open(now, Role(None, owner=False, asker=True))
    return {
        "seats": own,
        "spectator": spectator,
        "owner": [one for one in as_owner if one not in base],
        "asker": [one for one in as_asker if one not in spectator],
    }


def _open(now: Situation, role: Role) -> list[Action]:
    return [action for action in ACTIONS if refusal_of(action, now, role) is None]


def _is_person(kind: SeatKind) -> bool:
    return kind not in ("open", "bot")


# ---------------------------------------------------------------- rules


def _unless(holds: Callable[[Situation, Role], bool], code: Code, id_: str) -> Rule:
    """A rule that refuses with the sentence of this id unless something holds."""
    closed = Closed(code, id_)
    return lambda now, role: None if holds(now, role) else closed


_unknown = _unless(lambda now, role: False, Code.NOT_ALLOWED, "refusal.no_such_action")
_not_closed = _unless(lambda now, role: now.phase != "closed", Code.UNKNOWN_ROOM, "refusal.room_closed")
_seated = _unless(lambda now, role: role.seat is not None, Code.NOT_SEATED, "refusal.not_seated")
_playing = _unless(lambda now, role: now.phase == "playing", Code.NOT_PLAYING, "refusal.not_playing")
_player_moves = _unless(lambda now, role: role.seat is not None, Code.NOT_SEATED, "refusal.only_players_move")
_not_over = _unless(lambda now, role: now.phase != "finished", Code.GAME_OVER, "refusal.game_over")
_begun = _unless(lambda now, role: now.phase == "playing", Code.NOT_PLAYING, "refusal.not_begun")
_own_turn = _unless(lambda now, role: role.seat == now.to_move, Code.NOT_YOUR_TURN, "refusal.not_your_turn")
_player_hint = _unless(lambda now, role: role.seat is not None, Code.NOT_SEATED, "refusal.hints_for_players")
_hints = _unless(lambda now, role: now.hints, Code.NO_HINTS, "refusal.no_hints")
_hint_turn = _unless(lambda now, role: role.seat == now.to_move, Code.NOT_YOUR_TURN, "refusal.hints_in_turn")
_standing = _unless(lambda now, role: role.seat is None, Code.ALREADY_SEATED, "refusal.seated_already")
_free_seat = _unless(lambda now, role: "open" in now.seats, Code.ROOM_FULL, "refusal.room_full")
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
_bots_are_relieved = _unless(
    lambda now, role: now.relieves != "nobody", Code.NOT_ALLOWED, "refusal.bots_stay"
)
_seat_asked_for = _unless(
    lambda now, role: role.owner or now.relieves != "asked", Code.NOT_ALLOWED, "refusal.ask_for_seat"
)
_may_relieve = _unless(
    lambda now, role: role.owner or now.relieves == "anyone",
    Code.NOT_ALLOWED,
    "refusal.who_relieves_bots",
)
_not_needed = _unless(
    lambda now, role: now.phase != "playing" or (role.seat is not None and now.seats[role.seat] == "relief"),
    Code.NOT_ALLOWED,
    "refusal.resign_first",
)
_early = _unless(lambda now, role: not all(now.moved), Code.NOT_ALLOWED, "refusal.too_late_to_abort")
_person_across = _unless(
    lambda now, role: now.seats[_across(role)] in ("person", "relief"),
    Code.NOT_ALLOWED,
    "refusal.bot_never_away",
)
_one_leaves = _unless(lambda now, role: not _shared(now, role), Code.NOT_ALLOWED, "refusal.two_leave")
_free = _unless(lambda now, role: not now.tournament, Code.NOT_ALLOWED, "refusal.tournament.decides")
_chat = _unless(lambda now, role: now.chat and not _shared(now, role), Code.NOT_ALLOWED, "refusal.no_chat")
_owner = _unless(lambda now, role: role.owner, Code.NOT_ALLOWED, "refusal.who_closes")
_nobody_else_plays = _unless(
    lambda now, role: (
        now.phase != "playing"
        or not any(
            _is_person(kind) for seat, kind in enumerate(now.seats) if seat != role.seat and kind != "shared"
        )
    ),
    Code.NOT_ALLOWED,
    "refusal.game_runs",
)


def _shared(now: Situation, role: Role) -> bool:
    return role.seat is not None and now.seats[role.seat] == "shared"


def _across(role: Role) -> Seat:
    assert role.seat is not None, "an earlier rule sees to it"
    return other(role.seat)


# ---------------------------------------------------------------- rules of offers

_takebacks = _unless(lambda now, role: now.takebacks, Code.NOT_ALLOWED, "refusal.no_takebacks")
_has_moved = _unless(
    lambda now, role: (
        any(now.moved) if _shared(now, role) else now.moved[now.offers.get("takeback", other(_across(role)))]
    ),
    Code.NOT_ALLOWED,
    "refusal.nothing_to_take_back",
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
_answers = _unless(
    lambda now, role: role.seat is not None or _concerned(now, role), Code.NOT_SEATED, "refusal.not_seated"
)
_something_offered = _unless(
    lambda now, role: _concerned(now, role), Code.NOTHING_OFFERED, "refusal.not_offered"
)
_seats_are_asked_for = _unless(
    lambda now, role: now.relieves == "asked", Code.NOT_ALLOWED, "refusal.seats_not_asked_for"
)
_standing_or_asked = _unless(
    lambda now, role: role.seat is None or (role.owner and "seat" in now.offers),
    Code.ALREADY_SEATED,
    "refusal.seated_already",
)
_not_asked_for = _unless(
    lambda now, role: role.owner or "seat" not in now.offers, Code.ALREADY_OFFERED, "refusal.seat_asked_for"
)


def concerns(offer: Offer, role: Role) -> bool:
    """Is it theirs to answer, or to withdraw?"""
    return role.owner or role.asker if OFFERS[offer].to_owner else role.seat is not None


def _concerned(now: Situation, role: Role) -> bool:
    return any(concerns(offer, role) for offer in now.offers)


def _not_offered_before(offer: Offer) -> Rule:
    return _unless(
        lambda now, role: offer not in now.offers or now.offers[offer] != role.seat,
        Code.ALREADY_OFFERED,
        "refusal.offered_already",
    )


def _person_to_ask(offer: Offer) -> Rule:
    """A rule that refuses to ask a stand-in for anything; what its player has offered can be taken."""
    return _unless(
        lambda now, role: now.seats[_across(role)] != "stand_in" or now.offers.get(offer) == _across(role),
        Code.NOT_ALLOWED,
        "refusal.bot_agrees_to_nothing",
    )


_AT_TABLE = (_not_closed, _seated, _playing)
_OF_AN_OFFER: Mapping[Offer, tuple[Rule, ...]] = {"takeback": (_takebacks, _has_moved)}
"""What holds for one offer alone."""


def _offer_rules(offer: Offer) -> tuple[Rule, ...]:
    if OFFERS[offer].to_owner:
        return (_not_closed, _bot_to_relieve, _seats_are_asked_for, _standing_or_asked, _not_asked_for)
    if OFFERS[offer].phase == "finished":
        return (_not_closed, _finished, _free, _player_or_owner_of_bots, _not_offered_before(offer))
    own = _OF_AN_OFFER.get(offer, ())
    return (*_AT_TABLE, *own, _not_offered_before(offer), _person_to_ask(offer))


RULES: Mapping[Action, tuple[Rule, ...]] = {
    "sit": (_not_closed, _standing, _free_seat),
    "play": (_not_closed, _player_moves, _not_over, _begun, _own_turn),
    "hint": (_not_closed, _player_hint, _hints, _playing, _hint_turn),
    **{offer: _offer_rules(offer) for offer in OFFERS},
    "decline": (_not_closed, _answers, _something_offered),
    "add_bot": (_not_closed, _owner_or_player, _free_seat),
    "take_over": (_not_closed, _standing, _bot_to_relieve, _bots_are_relieved, _seat_asked_for, _may_relieve),
    "claim": (*_AT_TABLE, _free, _person_across),
    "abort": (*_AT_TABLE, _free, _early),
    "resign": _AT_TABLE,
    "leave": (_not_closed, _seated, _free, _one_leaves, _not_needed),
    "say": (_not_closed, _chat),
    "close": (_not_closed, _owner, _nobody_else_plays),
}
"""In the order in which a view lists what is open, and a page shows it."""

ACTIONS: tuple[Action, ...] = tuple(RULES)
"""Every action, in the order of the table."""
