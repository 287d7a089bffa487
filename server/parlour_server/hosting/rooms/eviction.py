"""Makes place for one more room in memory: another sleeps for it, if there is one that is not needed."""

from collections import Counter
from collections.abc import Collection

from parlour_protocol.errors import Code
from parlour_protocol.words import Sentence
from parlour_server.hosting.actors.registry import Registry
from parlour_server.hosting.limits.rate_limits import is_limited
from parlour_server.hosting.rooms.live_room import LiveRoom
from parlour_server.refusals import Refusal


def make_place(rooms: Registry[LiveRoom], creating: Collection[LiveRoom], address: str) -> None:
    """Where no more rooms may be in memory, in all or from this address, put one to sleep that is not needed.

    Those that are being created count, too. Raises `Refusal`.
    """
    limits = rooms.context.limits
    held = [*rooms.awake(), *creating]
    if is_limited(address) and limits.rooms_of_an_address:
        own = [room for room in held if room.address == address]
        if len(own) >= limits.rooms_of_an_address:
            _evict(rooms, own, Sentence("refusal.rooms_of_address", count=len(own)))
    if len(rooms) + len(creating) >= limits.rooms:
        _evict(rooms, held, Sentence("refusal.rooms_full"))


def _evict(rooms: Registry[LiveRoom], held: Collection[LiveRoom], said: Sentence) -> None:
    """Put one of these rooms to sleep, or close it where no game was begun. Raises `Refusal`.

    Those with people are safe, and for a while those to which a player may come back. Of the
    others one whose game is not running goes first, of the address with the most rooms.
    """
    now, kept = rooms.context.monotonic(), rooms.context.limits.kept_room_seconds
    free = [
        room
        for room in held
        if rooms.get(room.code) is not None
        and not room.audience
        and room.at_rest
        and not (room.expects_a_player and now - room.idle_since < kept)
    ]
    if not free:
        raise Refusal(Code.SERVER_FULL, said, retry_after=60.0)
    made = Counter(room.address for room in rooms.awake() if is_limited(room.address))
    room = min(free, key=lambda one: (_needed(one), -made[one.address], one.idle_since))
    if room.state.game_number == 0:
        room.retire()
    rooms.put_to_sleep(room)


def _needed(room: LiveRoom) -> int:
    """How much an empty room may be missed, the least first."""
    if room.state.phase == "closed":
        return 0
    return 2 if room.state.phase == "playing" else 1
