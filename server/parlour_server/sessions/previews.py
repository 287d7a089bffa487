"""What the link of a room shows where it is sent to somebody, a title in words and a picture of the board;
and what it shows at once to whoever opens it.

It tells no more than the room tells everybody who has its code, and asking costs the address what it would
cost a player: guesses count, and after many that were wrong a right one is not told from another.
"""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass

from parlour_protocol.errors import Code
from parlour_protocol.words import Sentence
from parlour_server.analysis.fair_queue import Requester
from parlour_server.analysis.scheduler import QueueFull
from parlour_server.hosting.limits.rate_limits import Action, Bucket, Subject, is_limited
from parlour_server.hosting.rooms.directory import Directory
from parlour_server.hosting.rooms.live_room import LiveRoom
from parlour_server.pictures import card_job
from parlour_server.refusals import Refusal, internal_error, no_such_room
from parlour_server.room.state import RoomState, Seated
from parlour_server.sessions import prices

CARDS_KEPT = 64
"""Some 20 kB each. A link that is sent to a group is asked for many times at once."""


@dataclass(frozen=True, slots=True)
class Preview:
    """A room in two sentences."""

    title: Sentence
    text: Sentence
    version: int
    """The room's: another one may have another picture."""
    snapshot: bytes
    """The room, as one sees it who has never been there."""


class Previews:
    """The previews of one server's rooms. Raises `Refusal` where there is none, or none for now."""

    def __init__(self, directory: Directory) -> None:
        self._directory, self._context = directory, directory.context
        self._cards: OrderedDict[tuple[str, str], asyncio.Future[bytes | None]] = OrderedDict()
        """By game and moves; those asked for last come last."""
        self._unlimited: dict[Action, Bucket] = {}
        """Shared by all addresses without limits: behind a proxy that isn't trusted may be the world."""

    async def of(self, code: str, address: str) -> Preview:
        """What there is to say of a room."""
        room = await self._room(code, address)
        return Preview(*_said(room.state), room.state.version, room.audience.newcomer_snapshot())

    async def card(self, code: str, address: str) -> bytes:
        """Its board, as PNG; before the first move that which it begins with."""
        state = (await self._room(code, address)).state
        moves = [played.move for played in state.moves] or list(state.start)
        key = state.rules.name, " ".join(moves)
        if key not in self._cards:
            self._cards[key] = self._paint(*key, self._subject(address))
        self._cards.move_to_end(key)
        while len(self._cards) > CARDS_KEPT:
            self._cards.popitem(last=False)
        # Whoever hangs up takes it from nobody else.
        found = await asyncio.shield(self._cards[key])
        if found is None:
            self._cards.pop(key, None)
            raise internal_error()
        return found

    def _paint(self, game: str, moves: str, subject: Subject) -> asyncio.Future[bytes | None]:
        painted: asyncio.Future[bytes | None] = asyncio.get_running_loop().create_future()

        def done(found: object) -> None:
            self._context.rate_limits.charge("query", subject, prices.SEARCH_SECOND * search.used)
            painted.set_result(found if isinstance(found, bytes) else None)

        requester = Requester("question", subject.player, subject.address)
        try:
            search = self._context.scheduler.search(
                card_job(game, moves.split()), requester, done, lambda report: None
            )
        except QueueFull as full:
            raise Refusal(
                Code.BUSY, Sentence(f"refusal.too_many_questions.{full.whose}"), retry_after=1.0
            ) from None
        return painted

    def _subject(self, address: str) -> Subject:
        """An address, in a player's place, too: so one without limits has those of one player at least."""
        return Subject(address, address, {} if is_limited(address) else self._unlimited)

    async def _room(self, code: str, address: str) -> LiveRoom:
        subject, rates = self._subject(address), self._context.rate_limits
        rates.check("wrong_code", subject)
        rates.take("query", subject, prices.FETCH)
        asleep = self._directory.get(code) is None
        room = await self._directory.fetch(code, address)
        if room is None:
            rates.charge("wrong_code", subject)
            raise no_such_room()
        if asleep:
            rates.charge("query", subject, prices.RECORD * room.state.version)
        if room.quarantined or room.state.phase == "closed":
            raise no_such_room()
        return room


def _said(state: RoomState) -> tuple[Sentence, Sentence]:
    game = state.rules.title
    here = [_name(seated) for seated in state.seats if seated is not None]
    sit = Sentence("share.sit")
    match here:
        case [first, last]:
            first, last = (last, first) if state.starter else (first, last)
            title = Sentence("share.between", first=first, last=last, game=game)
            return title, _standing(state)
        case [name]:
            return Sentence("share.invites", name=name, game=game), sit
        case _:
            return Sentence("share.free", game=game), sit


def _standing(state: RoomState) -> Sentence:
    result = state.result
    if result is None:
        return Sentence("share.watch", count=len(state.moves))
    if result.termination == "aborted":
        return Sentence("outcome.aborted")
    winner = None if result.winner is None else state.seats[result.winner]
    return (
        Sentence("outcome.over_draw") if winner is None else Sentence("outcome.over_wins", name=_name(winner))
    )


def _name(seated: Seated) -> str:
    if seated.bot is not None or seated.program:
        return Sentence("seat.bot", name=seated.name)
    return seated.name
