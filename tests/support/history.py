"""Who said and received what, and whether the server's log bears it out.

After any run, however violent:

1. every acceptance stands in the log exactly once;
2. every command without an answer stands there once or not at all;
3. each client saw a prefix of its room's log, with no gap and no repeat, and nothing that was not for it;
4. what each event changed in a client's view made it the view that a snapshot gives at that version;
5. replaying the log gives the state that the room had;
6. a command was accepted if and only if `may` listed it for its author at the version of the decision;
7. the author of each event was entitled to it, and nobody paid for time in which the server was down.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal

from pydantic_core import from_json, to_json

from parlour_client.sdk.messages import Update
from parlour_protocol import events
from parlour_protocol.actions import OFFERS, Offer
from parlour_protocol.answers import Accepted
from parlour_protocol.commands import COMMANDS, Subscribe, Unsubscribe
from parlour_protocol.errors import Code
from parlour_protocol.events import Event, KnownEvent, Snapshot, fields_marked
from parlour_protocol.fold import fold
from parlour_protocol.ids import Seat, other
from parlour_protocol.messages import answer_type, types_of
from parlour_server.log import LogRecord
from parlour_server.room.chat import channel_of
from parlour_server.room.commands import SERVER
from parlour_server.room.decide import bot_player
from parlour_server.room.state import RoomState, evolve
from parlour_server.room.view import PresenceState, room_view
from parlour_server.search.control import Control
from parlour_server.search.levels import parse_bot, with_seed
from parlour_server.search.thinking import think
from parlour_server.store.port import Store
from parlour_server.store.postgres.store import PostgresStore
from parlour_server.store.sqlite import SqliteStore

Message = dict[str, Any]
Log = dict[str, list[LogRecord]]
Places = dict[tuple[str, str], list[tuple[str, int]]]
"""Where each player's command stands: its room and versions."""

WRITTEN = frozenset(
    kind
    for command in COMMANDS
    if answer_type(command) is Accepted and command not in (Subscribe, Unsubscribe)
    for kind in types_of(command)
)
"""What stands in the log once it is accepted."""
PRESENCE = ("online", "watching", "away_since", "claim_from")
"""The fields of a view that follow from who is connected, which no log tells."""
AS_LISTED = frozenset({Code.STALE, Code.ILLEGAL_MOVE, Code.INVALID_MOVE, Code.OUT_OF_TIME, Code.SEAT_TAKEN})
"""Refusals of an action that is open: the move or the seat is wrong, or time was up."""
NOT_DECIDED = frozenset({Code.TOO_FAST, Code.BUSY, Code.NOT_SAVED, Code.INTERNAL, Code.SERVER_FULL})
"""Refusals for which no rule was asked, or whose decision came to nothing."""


@dataclass(slots=True)
class Downtime:
    """A time in which no server ran: milliseconds since 1970."""

    since: int
    until: int


@dataclass(slots=True)
class Client:
    """One client's diary: what went over its sockets, and what its connection let through."""

    name: str
    player: str = ""
    sent: dict[str, Message] = field(default_factory=dict)
    answers: dict[str, Message] = field(default_factory=dict)
    """The first answer to each."""
    again: list[tuple[Message, Message, bool]] = field(default_factory=list)
    """First answers, and what came later; was it within the same life of the server?"""
    seen: list[Snapshot | Event] = field(default_factory=list)
    resent: int = 0
    life: Callable[[], str] = str
    """Which server it is connected to, and in which of its lives, where that is known: each remembers
    by itself what it refused."""
    asked_again: set[str] = field(default_factory=set)
    """Commands that were sent more than once: on a connection that was lost, the first may arrive last."""
    over_lives: set[str] = field(default_factory=set)
    """Commands that were sent in several of them."""
    outside: set[str] = field(default_factory=set)
    """Commands for a room that were sent on a connection which was not in it."""
    _rooms: set[str] = field(default_factory=set)
    """The rooms that the present connection is in, or has asked to be."""
    _sent_in: dict[str, str] = field(default_factory=dict)
    _answered_in: dict[str, str] = field(default_factory=dict)

    def journal(self, at: float, way: Literal["sent", "received"], text: str) -> None:
        # Most of what is received is no answer, and this is written for every message.
        if way == "received" and text.endswith(
            ('"type":"event"}', '"type":"snapshot"}', '"type":"presence"}')
        ):
            return
        message = from_json(text)
        if way == "sent":
            if message["id"] in self.sent:
                self.resent += 1
                self.asked_again.add(message["id"])
            self.sent[message["id"]] = message
            self._note_place(message)
            if self._sent_in.setdefault(message["id"], self.life()) != self.life():
                self.over_lives.add(message["id"])
        elif message["type"] == "welcome":
            assert self.player in ("", message["player"]), "a returning player became another"
            self.player = message["player"]
        elif message.get("id") in self.sent:
            self._note_answer(message)

    def _note_place(self, command: Message) -> None:
        match command["type"]:
            case "hello":
                self._rooms.clear()
            case "subscribe":
                self._rooms.add(command["room"])
            case "unsubscribe":
                self._rooms.discard(command["room"])
            case _ if "room" in command and command["room"] not in self._rooms:
                self.outside.add(command["id"])

    def _note_answer(self, message: Message) -> None:
        command, life = message["id"], self.life()
        kind = self.sent[command]["type"]
        if kind in ("create", "quick", "sit", "take_over") and message["type"] == "accepted":
            self._rooms.add(message["room"])
        elif kind == "subscribe" and message["type"] == "refused":
            self._rooms.discard(self.sent[command]["room"])
        first = self.answers.get(command)
        if first is None:
            self.answers[command], self._answered_in[command] = message, life
        elif first["type"] == "accepted" or message["type"] == "accepted":
            self.again.append((first, message, life == self._answered_in[command]))
            if first["type"] != "accepted":
                # Whoever was asked to wait, or asks a server that was restarted, may be luckier.
                self.answers[command], self._answered_in[command] = message, life

    def saw(self, received: Update) -> None:
        if isinstance(received, Snapshot | Event):
            self.seen.append(received)


async def read_log(data: Path | str) -> Log:
    """Everything in a stopped server's file, or in a database with this URL."""
    store: Store
    if isinstance(data, str):
        store = await PostgresStore.open(data)
    else:
        store = await SqliteStore.open(data)
    log = {room: await store.read(room) for room in await store.open_rooms()}
    await store.close()
    return log


def check(
    clients: Sequence[Client],
    log: Log,
    downtimes: Sequence[Downtime] = (),
    *,
    rooms_sleep: bool = False,
    stood_still: bool = False,
) -> None:
    """Raise `AssertionError` where the log and the diaries disagree.

    A room that went to sleep has forgotten what it refused, just as after a restart. Where a node of several
    `stood_still` while it led a player to a room, another may have led them to one more meanwhile.
    """
    written = _by_command(log, stood_still)
    for client in clients:
        _check_answers(client, written, log, rooms_sleep)
    sent = {(client.player, name): command for client in clients for name, command in client.sent.items()}
    readers: dict[str, dict[int, _Reader]] = defaultdict(dict)
    for number, client in enumerate(clients):
        for received in client.seen:
            readers[received.room].setdefault(number, _Reader(client, [])).seen.append(received)
    refused = _refused(clients)
    for room, records in log.items():
        _check_room(room, records, list(readers[room].values()), downtimes, sent)
        _check_refusals(room, records, refused[room])


# ---------------------------------------------------------------- answers


def _by_command(log: Log, stood_still: bool) -> Places:
    written: Places = {}
    for room, records in log.items():
        for version, record in enumerate(records, start=1):
            if record.command is not None:
                written.setdefault((record.by, record.command), []).append((room, version))
    for (player, command), places in written.items():
        # One command may cause several events, one after the other, but never twice.
        name = f"{command} of {player or 'the server'}"
        if player == SERVER or player.startswith("bot:"):
            continue
        if stood_still and (command.endswith("/sit") or all(version == 1 for _, version in places)):
            continue
        room, expected = places[0]
        for place in places:
            assert place == (room, expected), f"{name} is doubled: {places}"
            expected += 1
    return written


def _check_answers(client: Client, written: Places, log: Log, rooms_sleep: bool) -> None:
    for command_id, command in client.sent.items():
        kind = command["type"]
        if kind not in WRITTEN:
            continue
        # To find somebody to play with takes two: the room is made under the command's own id.
        name = f"{command_id}/sit" if kind == "quick" else command_id
        places = written.get((client.player, name), [])
        answer = client.answers.get(command_id)
        if answer is None:
            continue
        stands = (answer.get("room"), answer.get("version")) in places
        if answer["type"] == "accepted" and kind == "quick" and not stands:
            # They waited for such a game already, which changes nothing and is not written down: after a
            # restart the same command seeks anew.
            state = _state_at(answer["room"], log[answer["room"]], answer["version"])
            assert state.seat_of(client.player) is not None, f"{command_id} led to no seat: {answer}"
            assert not places or rooms_sleep or command_id in client.over_lives, f"{command_id}: {places}"
        elif answer["type"] == "accepted":
            assert places, f"{command_id} was acknowledged and is lost: {command}"
            there = [version for room, version in places if room == answer["room"]]
            assert there and there[-1] == answer["version"], f"{command_id}: {places} {answer}"
        elif places:
            # It was not the last word to who was asked to wait, and tried again.
            again = command_id in client.asked_again and (
                "retry_after" in answer or command_id in client.over_lives
            )
            assert again, f"{command_id} was refused and stands in the log: {answer} {places}"
    for first, later, same_life in client.again:
        if client.sent[first["id"]]["type"] in WRITTEN:
            # Another server may have accepted meanwhile what this one refuses.
            remembered = same_life and not rooms_sleep and first["id"] not in client.over_lives
            _check_repeat(client, first, later, remembered, written)


def _check_repeat(client: Client, first: Message, later: Message, same_life: bool, written: Places) -> None:
    """The same command again gets its first answer again: always, if it has done something."""
    name = first["id"]
    places = [*written.get((client.player, name), []), *written.get((client.player, f"{name}/sit"), [])]
    did = (first.get("room"), first.get("version")) in places
    # A refusal is only remembered, not written down; and who was asked to wait may have.
    if "retry_after" in first or "retry_after" in later or not (did or same_life):
        return
    assert first == later, f"{name} got another answer: {first}, then {later}"


def _state_at(room: str, records: Sequence[LogRecord], version: int) -> RoomState:
    state = RoomState(room)
    for record in records[:version]:
        evolve(state, record)
    return state


# ---------------------------------------------------------------- a room's whole life


@dataclass(slots=True)
class _Reader:
    """One client, reading along in the log."""

    client: Client
    seen: list[Snapshot | Event]
    at: int = 0
    """The version that it has."""
    read: int = 0
    """How much of what it saw has been looked at."""
    view: dict[str, Any] = field(default_factory=dict)
    """What it made of that: the last snapshot, with all changes since."""
    came: int = 0
    """Since when it reads what spectators say: what it was shown last as a whole says it."""


def _check_room(
    room: str,
    records: list[LogRecord],
    readers: Sequence[_Reader],
    downtimes: Sequence[Downtime],
    sent: Mapping[tuple[str, str], Message],
) -> None:
    state = RoomState(room)
    before = None
    for version, record in enumerate(records, start=1):
        if version == 1:
            assert isinstance(record.event, events.RoomCreated), f"{room} begins with {record}"
            assert record.event.owner == record.by
            # Who sits there from the beginning is seated by the same command.
            before = (record.by, record.command or "")
        else:
            assert state.phase != "closed", f"{room}: {record} after the end"
            _check_author(room, state, record)
            name = (record.by, record.command or "")
            command = sent.get((record.by, name[1].removesuffix("/sit")))
            # Who waits already may ask for a bot: nothing but the wait changes.
            waits_on = isinstance(record.event, events.BotAwaited)
            if command is not None and name != before and not waits_on:
                action = "sit" if command["type"] == "quick" else command["type"]
                assert action in _open_actions(state, record.by), f"{room}: {record} was not open"
            before = name
            if isinstance(record.event, events.MovePlayed):
                meant = state.position_version if command is None else command["version"]
                assert meant >= state.position_version, f"{room}: {record} was made for {meant}, and is stale"
            _check_time(room, state, record, downtimes)
        evolve(state, record)
        for reader in readers:
            _read_along(reader, state, record)
    for reader in readers:
        left = reader.seen[reader.read :]
        assert not left, f"{reader.client.name} saw what is not in the log of {room}: {left[0]}"


def _read_along(reader: _Reader, state: RoomState, record: LogRecord) -> None:
    """Compare what a client saw of this version with what it should have seen."""
    client = reader.client
    while reader.read < len(reader.seen) and reader.seen[reader.read].version <= state.version:
        received = reader.seen[reader.read]
        reader.read += 1
        who = f"{client.name}, in {state.code}"
        if isinstance(received, Event):
            assert received.version == reader.at + 1, f"{who}, saw {received.version} after {reader.at}"
            expected = _public(record.event, reads=_reads(state, record, client.player))
            assert received.event == expected, f"{who}, saw another event {received.version}: {received}"
            assert received.at == record.at, f"{who}, saw {received.version} at another time: {received.at}"
            fold(reader.view, deepcopy(received))
        else:
            assert received.version >= reader.at, (
                f"{who}, was taken back from {reader.at} to {received.version}"
            )
            assert received.version == state.version, f"{who}, saw {received.version} too late"
            reader.view = deepcopy(received.view)
        if isinstance(received, Snapshot) or "chat" in received.set:
            reader.came = _came(state, len(reader.view["chat"]))
        _check_view(who, state, reader.view, client.player, reader.came)
        reader.at = received.version


def _came(state: RoomState, lines: int) -> int:
    """Since when a spectator was there, who is shown the last so many lines."""
    versions = [version for version, _ in state.chat["spectators"].lines]
    return versions[-lines] - 1 if 0 < lines <= len(versions) else state.version


def _reads(state: RoomState, record: LogRecord, player: str) -> bool:
    return getattr(record.event, "channel", None) == channel_of(state.seat_of(player))


def _public(event: KnownEvent, *, reads: bool) -> KnownEvent:
    """An event without what is private, and without what is of a channel that the viewer doesn't read."""
    hidden = fields_marked(type(event), *(("private",) if reads else ("private", "channel")))
    usual: Any = {one.name: one.default for one in fields(event) if one.name in hidden}
    public: KnownEvent = replace(event, **usual)
    return public


def _check_view(who: str, state: RoomState, view: dict[str, Any], player: str, came: int) -> None:
    expected = room_view(state, player, PresenceState([False, False], 0, [None, None]), came)
    here, there = _lasting(view), _lasting(from_json(to_json(expected)))
    for name in sorted(here.keys() | there.keys()):
        assert here.get(name) == there.get(name), (
            f"{who}, has another {name} at {state.version}: {here.get(name)}, not {there.get(name)}"
        )


def _lasting(view: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in view.items() if name not in PRESENCE}


# ---------------------------------------------------------------- what was open


def _open_actions(state: RoomState, player: str) -> list[str]:
    """What the view of a player lists for them."""
    view = room_view(state, player, PresenceState([False, False], 0, [None, None]))
    may, you = view["may"], view.get("you")
    if state.shared and state.seat_of(player) is not None:
        # At one device one acts for whoever is to move.
        you = state.to_move or 0
    own: list[str] = may["spectator"] if you is None else may["seats"][you]
    return [*own, *(may["owner"] if view["owner"] else ()), *(may["asker"] if "asks" in view else ())]


def _refused(clients: Sequence[Client]) -> dict[str, list[tuple[str, Message, Message]]]:
    """Who was refused which command, and how, by room."""
    refused: dict[str, list[tuple[str, Message, Message]]] = defaultdict(list)
    for client in clients:
        for name, answer in client.answers.items():
            chats_from_outside = name in client.outside and client.sent[name]["type"] == "say"
            if answer["type"] == "refused" and "version" in answer and not chats_from_outside:
                refused[answer.get("room", "")].append((client.player, client.sent[name], answer))
    return refused


def _check_refusals(
    room: str, records: Sequence[LogRecord], refused: Sequence[tuple[str, Message, Message]]
) -> None:
    """What was refused was not open at the version at which that was decided."""
    state = RoomState(room)
    for player, command, answer in sorted(refused, key=lambda one: one[2]["version"]):
        version = answer["version"]
        for record in records[state.version : version]:
            evolve(state, record)
        kind, code = command["type"], answer["code"]
        listed = kind in _open_actions(state, player)
        said = f"{room} at {version}: {command} of {player} was refused: {answer}"
        if code in AS_LISTED:
            assert listed, f"{said}, though for another reason"
        elif code in NOT_DECIDED or kind == "quick":
            pass
        elif code == Code.NOT_ALLOWED and "retry_after" in answer:
            assert listed, f"{said}, though time alone would open it"
        elif code == Code.NOT_ALLOWED and kind in ("claim", "seat"):
            pass  # who was there no log tells
        elif kind == "decline" and code == Code.NOTHING_OFFERED:
            asker = "" if state.asker is None else state.asker.player
            theirs = command["offer"] != "seat" or player in (state.owner, asker)
            assert command["offer"] not in state.offers or not theirs, said
        else:
            assert not listed, f"{said}, and was open"


# ---------------------------------------------------------------- who may do what


def _acting(state: RoomState, by: str) -> Seat | None:
    """The seat that a player acts for: at one device, whoever's turn it is."""
    seat = state.seat_of(by)
    return seat if seat is None or not state.shared else state.to_move or 0


def _check_author(room: str, state: RoomState, record: LogRecord) -> None:
    event, by = record.event, record.by
    seat = _acting(state, by)
    said = f"{room} at {state.version + 1}: {record}"
    match event:
        case events.RoomCreated():
            raise AssertionError(f"{said}: created twice")
        case events.MovePlayed():
            _check_move(said, state, record, event)
        case events.SeatTaken(seat=taken, player=player):
            before = state.seats[taken]
            if before is None:
                assert state.phase == "waiting", said
            elif before.bot is None:
                # Who leaves a bot's seat gives it back.
                assert before.player == by and before.relieved is not None, f"{said}: a taken seat was taken"
                assert (event.bot, event.seed) == (before.relieved.settings, before.relieved.seed), said
            else:
                assert event.bot is None, f"{said}: a taken seat was taken"
                owner = by == state.owner
                allowed = {"nobody": False, "owner": owner, "asked": owner, "anyone": True}
                assert allowed[state.settings.take_over], said
            asked = state.asker is not None and player == state.asker.player
            given = asked and by == state.owner and state.offers.get("seat") == taken
            assert given or player in (by, bot_player(taken)), f"{said}: seated by somebody else"
            across = state.seats[other(taken)]
            with_guest = state.version == 2 and by == state.owner
            assert across is None or across.player != player or with_guest, said
            if by == SERVER:
                awaited = state.awaited
                assert awaited is not None and awaited.at <= record.at, f"{said}: nobody waited for it"
                assert event.bot == awaited.bot.settings, said
        case events.BotAwaited():
            assert seat is not None and state.phase == "waiting" and len(state.free_seats()) == 1, said
        case events.SeatRenamed(seat=renamed):
            sits = state.seats[renamed]
            assert sits is not None and sits.player == by, said
        case events.SeatLeft(seat=left):
            assert seat == left and state.phase != "playing", said
        case events.GameStarted():
            assert state.phase != "playing" and None not in state.seats, f"{said}: a running game was started"
        case events.GameFinished():
            assert state.phase == "playing", f"{said}: no game to finish"
            _check_end(said, state, record, event)
        case events.OfferMade(seat=wanted, offer="seat", name=name):
            bot = state.seats[wanted]
            assert seat is None and by != state.owner and name is not None, said
            assert bot is not None and bot.bot is not None and state.settings.take_over == "asked", said
            assert "seat" not in state.offers, f"{said}: asked for twice"
        case events.OfferMade(seat=offered, offer=offer):
            assert seat == offered and state.phase == OFFERS[offer].phase, f"{said}: not their offer"
            assert state.offers.get(offer) != seat, f"{said}: offered twice"
        case events.MovesTakenBack(seat=wanted, plies=plies):
            assert (
                seat is not None and state.phase == "playing" and plies <= len(state.moves) - len(state.start)
            ), said
            across = state.seats[other(wanted)]
            asked = state.offers.get("takeback") == wanted and seat == other(wanted)
            bot_lets = seat == wanted and across is not None and across.bot is not None
            last = state.shared and plies == 1 and state.moves[-1].seat == wanted
            assert asked or bot_lets or last, f"{said}: nobody allowed it"
        case events.OfferDeclined(offer="seat", seat=answers):
            asked = state.asker is not None and by == state.asker.player
            withdrawn = answers == state.offers["seat"]
            # Where who asked has gone it is the owner who learns that it is withdrawn.
            assert by == state.owner or (asked and withdrawn), said
        case events.OfferDeclined(offer=offer):
            assert seat is not None and offer in state.offers, said
        case events.StandInSeated(seat=away):
            assert by == SERVER or seat == other(away), said
        case events.StandInLeft(seat=back):
            assert by == SERVER or seat == back, said
        case events.ChatPosted(channel=channel):
            alone = state.shared and seat is not None
            heard = channel == channel_of(seat) and not alone
            assert state.settings.chat and heard, f"{said}: not for their ears"
        case events.ClocksStopped():
            assert by == SERVER, said
        case events.ClocksResumed():
            running = None if state.clocks is None else state.clocks.running
            waited = None if running is None else state.seats[running]
            assert by == SERVER or (waited is not None and waited.acting_bot is not None), said
        case events.RoomClosed():
            assert by in (state.owner, SERVER), said
        case _:
            raise AssertionError(f"{said}: who may do that?")


def _check_move(said: str, state: RoomState, record: LogRecord, played: events.MovePlayed) -> None:
    seat, by = played.seat, record.by
    assert state.phase == "playing" and seat == state.to_move, f"{said}: not their move"
    assert played.move in state.legal_moves(), f"{said}: not a legal move"
    seated = state.seats[seat]
    assert seated is not None
    if by != bot_player(seat):
        assert _acting(state, by) == seat, f"{said}: somebody else's move"
        return
    assert seated.acting_bot is not None, f"{said}: no bot sits there"
    # A bot's choice follows from the position: one that was thought of for another is found out.
    spec = with_seed(parse_bot(seated.acting_bot.settings), seated.acting_bot.seed)
    if spec.name == "random" or spec.depth is not None:
        number = state.game_number * 1000 + len(state.moves)
        best = think(state.rules, state.position, spec, move_number=number, control=Control()).best
        assert played.move == best, f"{said}: thought of for another position"


def _check_end(said: str, state: RoomState, record: LogRecord, finished: events.GameFinished) -> None:
    seat = _acting(state, record.by)
    match finished.termination:
        case "resignation":
            assert finished.winner is not None and seat == finished.by == other(finished.winner), said
        case "bot_failure":
            assert finished.winner is not None and finished.by == other(finished.winner), said
            assert record.by == bot_player(finished.by), said
        case "abandonment":
            assert seat is not None and finished.by == seat and finished.winner in (seat, None), said
        case "agreement":
            assert finished.winner is None and _agreed(state, seat, {"draw"}), said
        case "aborted" if finished.by is None:
            assert finished.winner is None and _agreed(state, seat, OFFERS), said
        case "aborted":
            assert finished.winner is None and seat is not None and finished.by == seat, said
            assert 0 in state.made, f"{said}: too late"
        case "time" | "time_insufficient":
            clocks = state.clocks
            assert record.by == SERVER and clocks is not None and clocks.running is not None, said
            assert clocks.remaining(clocks.running, record.at) <= 0, f"{said}: there was time left"
            expected = other(clocks.running) if finished.termination == "time" else None
            assert finished.winner == expected, said
        case _:
            # The move before it has decided the game, and the rules say how.
            outcome = None if state.position is None else state.rules.outcome(state.position)
            assert outcome is not None, said
            assert (outcome.termination, outcome.reason) == (finished.termination, finished.reason), said
            first: Seat = state.starter
            winner = None if outcome.winner is None else first if outcome.winner == 0 else other(first)
            assert finished.winner == winner, said


def _agreed(state: RoomState, seat: Seat | None, offers: Collection[Offer]) -> bool:
    """May a player have agreed to one of these offers just now, or a bot to what the player offered?"""
    across = None if seat is None else state.seats[other(seat)]
    if state.shared:
        return seat is not None
    return (across is not None and across.bot is not None) or any(one in offers for one in state.offers)


# ---------------------------------------------------------------- time


def _check_time(room: str, state: RoomState, record: LogRecord, downtimes: Sequence[Downtime]) -> None:
    clocks = state.clocks
    if clocks is None or clocks.running is None or state.phase != "playing":
        return
    said = f"{room} at {state.version + 1}: {record}"
    # What the clocks stand still for is not charged.
    charged = [] if clocks.stopped else downtimes
    down = sum(max(0, min(one.until, record.at) - max(one.since, clocks.since)) for one in charged)
    if isinstance(record.event, events.ClocksStopped):
        up = record.at - clocks.since - down
        if downtimes:
            # Several servers' clocks differ by some milliseconds.
            assert record.event.spent <= max(0, up) + 1, (
                f"{said}: was charged for {down} ms of downtime, up for {up}"
            )
    elif isinstance(record.event, events.GameFinished) and record.event.termination.startswith("time"):
        assert down == 0, f"{said}: pays for {down} ms of downtime with the game"
    elif isinstance(record.event, events.MovePlayed) and 0 not in state.made:
        assert down == 0, f"{said}: is charged for {down} ms of downtime"
        left = clocks.remaining(record.event.seat, record.at - record.event.lag)
        assert left > 0, f"{said}: played after time was up"
