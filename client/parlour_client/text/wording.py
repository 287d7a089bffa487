"""What a table says in words. Pure: from a room's view to sentences."""

import math
import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from parlour_client.sdk.data_file import usual_server
from parlour_client.sdk.identity import is_loopback
from parlour_client.sdk.local_server import ServerTarget
from parlour_client.sdk.records import side_names
from parlour_client.sdk.review import Review
from parlour_client.text import durations
from parlour_client.text.names import game_name, localised, seat_name
from parlour_protocol import answers
from parlour_protocol.actions import OFFERS, Offer
from parlour_protocol.answers import Closing, Refused
from parlour_protocol.errors import Code
from parlour_protocol.ids import SEATS, Seat, other, room_link
from parlour_protocol.notices import Announcement
from parlour_protocol.views.boards import BoardView
from parlour_protocol.views.records import PastGame, Tally
from parlour_protocol.views.reports import Report
from parlour_protocol.views.rooms import ChatLine, ResultView, RoomLine, RoomView, SeatView
from parlour_protocol.words import language, say, translated

if TYPE_CHECKING:  # which knows the wire
    from parlour_client.sdk.carrying import CarriedSeat

MOST_MOVES = 24
"""So many free moves are named; of more, nobody would find the one that was meant."""

MOST_LISTED = 4
"""So many moves are named that may come of what was chosen."""

MOST_NAMES = 3
"""So many people are named in one sentence."""

LAST_SAID = 5
"""So many of the last chat messages are shown to somebody who enters a room."""


def name_of(view: RoomView, seat: Seat) -> str:
    """A seat's player; a bot is always marked as one."""
    return seat_name(view.seats[seat])


def mark_of(view: RoomView, seat: Seat) -> str:
    """The sign that a seat plays with in the present game: side 0 is the starter's."""
    side = 0 if seat == view.starter else 1
    return view.position.marks[side][0] if view.position is not None else ""


def mover_of(view: RoomView, seat: Seat) -> str:
    """Who makes a seat's moves now: its player, or the bot that stands in."""
    who = view.seats[seat]
    if who.stand_in is None:
        return name_of(view, seat)
    return say("seat.stand_in", bot=who.stand_in, name=seat_name(who))


def waits_to_think(view: RoomView, seat: Seat, queued: int) -> str:
    """That a bot waits for its turn to search, and how many are before it."""
    name = mover_of(view, seat)
    return say("search.waits", name=name, ahead=queued) if queued else say("search.waits_next", name=name)


def turn(view: RoomView) -> str:
    """Whose turn it is."""
    if view.to_move is None:
        return ""
    if view.shared and view.moves[view.started_with :]:
        name, mark = name_of(view, view.to_move), mark_of(view, view.to_move)
        return say("table.hand_over_mark", name=name, mark=mark)
    if view.to_move == view.you:
        return say("table.your_turn_mark", mark=mark_of(view, view.you))
    stood_in = view.seats[view.to_move].stand_in is not None
    name, mark = mover_of(view, view.to_move), mark_of(view, view.to_move)
    # None, too, until it is known whether one who has just sat down is here.
    away_for = None if stood_in else view.away_for(view.to_move)
    if away_for is None:
        return say("table.to_move_mark", name=name, mark=mark)
    if away_for < 1:
        return say("table.to_move_away", name=name, mark=mark)
    return say("table.to_move_away_for", name=name, mark=mark, span=durations.span(away_for))


def presence(view: RoomView, seat: Seat) -> str:
    """Whether a seat's player is here, and since when not."""
    name, since = name_of(view, seat), view.away_for(seat)
    if since is None:
        return say("presence.is_back", name=name)
    if since < 1:
        return say("presence.is_away", name=name)
    return say("presence.is_away_for", name=name, span=durations.span(since))


def times(view: RoomView) -> str:
    """The players' time; empty in games without a clock."""
    if view.clock is None:
        return ""
    shown = [
        say(
            "table.time_running" if view.clock.running == seat else "table.time",
            name=name_of(view, seat),
            time=durations.clock(view.clock.left[seat]),
        )
        for seat in SEATS
    ]
    return say("table.times", times=", ".join(shown))


def short_times(view: RoomView) -> str:
    """The same, to stand before a prompt: by the players' marks."""
    if view.clock is None or view.phase != "playing":
        return ""
    return "  ".join(f"{mark_of(view, seat)} {durations.clock(view.clock.left[seat])}" for seat in SEATS)


def moved(view: RoomView, seat: Seat, move: str) -> str:
    """Who played what."""
    themselves = seat == view.you and view.seats[seat].stand_in is None
    return say(f"event.move_played.{'you' if themselves else 'them'}", name=mover_of(view, seat), move=move)


def players(view: RoomView) -> str:
    """Who plays against whom."""
    first, last = (
        say("seat.playing_you" if seat == view.you else "seat.playing", name=name_of(view, seat), mark=mark)
        if (mark := mark_of(view, seat))
        else name_of(view, seat)
        for seat in SEATS
    )
    return say("table.against", first=first, last=last)


def against(seats: Sequence[SeatView]) -> str:
    """The same, where there is no room."""
    return say("table.against", first=seat_name(seats[0]), last=seat_name(seats[1]))


def result(view: RoomView) -> str:
    """How the game ended; and why it isn't rated, where others here are."""
    if view.result is None:
        return ""
    said = [ended(view.result, view.seats, view.you)]
    # Of an aborted game one knows.
    if (why := view.result.unrated) not in (None, "aborted"):
        said.append(say("outcome.unrated", why=say(f"unrated.{why}")))
    return " ".join(said)


def ended(result: ResultView, seats: Sequence[SeatView], you: Seat | None = None) -> str:
    """The same, where there is no room."""
    if result.termination == "agreement":
        return say("outcome.agreement")
    reason = localised(result.reason, result.reason_said).removesuffix(".")
    if result.termination == "aborted":
        usual = result.reason_said is None or result.reason_said.id == "game.reason.aborted"
        return say("outcome.aborted") if usual else say("outcome.aborted_because", reason=reason)
    if result.winner is None:
        known = reason and reason.casefold() != "draw"
        return say("outcome.draw_because", reason=reason) if known else say("outcome.draw")
    if result.winner == you:
        return say("outcome.you_win_because", reason=reason) if reason else say("outcome.you_win")
    name = seat_name(seats[result.winner])
    return say("outcome.wins_because", name=name, reason=reason) if reason else say("outcome.wins", name=name)


def game_result(game: PastGame) -> str:
    """How a game of a room ended, or that it goes on."""
    if game.result is not None and game.result.termination == "aborted":
        return say("outcome.aborted_short")
    if game.result is not None:
        return ended(game.result, game.seats, game.you)
    return say("outcome.playing") if game.goes_on else say("outcome.not_over")


def tally(counted: Tally) -> str:
    """How one's own games ended."""
    return say("outcome.tally", wins=counted.wins, losses=counted.losses, draws=counted.draws)


def head_to_head(view: RoomView, counted: Tally | None) -> str:
    """How all games against the other player at a table ended; empty where there are none."""
    if counted is None or view.you is None or not counted.wins + counted.losses + counted.draws:
        return ""
    name = name_of(view, other(view.you))
    return say(
        "outcome.head_to_head", name=name, wins=counted.wins, draws=counted.draws, losses=counted.losses
    )


def series(view: RoomView) -> str:
    """Which game of two bots' this is, and whether another one follows; empty where they play one."""
    if view.series is None:
        return ""
    number, of = view.series.number, view.series.of
    if view.phase == "finished" and view.series.goes_on:
        return say("table.series_next", number=number + 1, of=of)
    return say("table.series", number=number, of=of)


def score(view: RoomView) -> str:
    """The tally between these two; empty before their second game."""
    first, second = view.wins
    if first + second + view.draws < 2:
        return ""
    return say(
        "table.score_of_drawn" if view.draws else "table.score_of",
        first=name_of(view, 0),
        last=name_of(view, 1),
        first_wins=first,
        last_wins=second,
        drawn=say("count.drawn", count=view.draws),
    )


def step(moves: Sequence[str], ply: int) -> str:
    """Which board of a game this is: the one after so many moves."""
    if ply == 0:
        return say("table.step_start", count=len(moves))
    return say("table.step", ply=ply, of=len(moves), move=moves[ply - 1])


def winning_line(board: BoardView) -> str:
    """The cells that won, by the labels of their columns and rows; empty where rows have none."""
    if not any(board.rows):
        return ""
    width = len(board.columns)
    cells = [f"{board.columns[cell % width]}{board.rows[cell // width]}" for cell in board.line]
    return say("table.line", cells=" ".join(cells)) if cells else ""


def _right_moves(refused: Refused, said: str, moves: Sequence[str]) -> str:
    """What to play instead: the legal moves where they are few, else how one is written."""
    if len(moves) <= MOST_MOVES:
        return say("table.legal_moves", moves=", ".join(moves))
    # The game's own sentence may have one.
    shown = (refused.said and "example" in refused.said.args) or not set(said.strip(".").split()).isdisjoint(
        moves
    )
    return "" if shown else say("table.write_like", move=moves[len(moves) // 2])


def refusal(refused: Refused) -> str:
    """The server's sentence; after a wrong move the right ones, after a wrong time the right one."""
    said = translated(refused.said, refused.message, language())
    wrong_move = refused.code in (Code.ILLEGAL_MOVE, Code.INVALID_MOVE)
    if wrong_move and refused.legal:
        return f"{said} {_right_moves(refused, said, refused.legal)}".rstrip()
    if refused.retry_after:
        return f"{said} {try_again_in(refused.retry_after)}"
    return said


def try_again_in(number: float) -> str:
    """When to try again, in so many seconds."""
    return say("connection.try_again_in", span=seconds(number))


def rematch(view: RoomView) -> str:
    """How to ask for another game, where the viewer may and no one does so yet."""
    return say("plain.rematch") if "rematch" in view.open_actions() and not view.offers else ""


# ---------------------------------------------------------------- offers


def offers(view: RoomView) -> list[str]:
    """What is offered at this moment, and how to answer it."""
    return [offered(view, offer, seat, typing=True) for offer, seat in view.offers.items()]


def offered(view: RoomView, offer: Offer, seat: Seat, *, typing: bool = False) -> str:
    """Something is offered or asked for; with `typing`, which words answer that."""
    mine = offer in view.own_offers()
    spectator = view.asker if OFFERS[offer].to_owner else None
    made = say(
        f"offer.{offer}.made_{'you' if mine else 'them'}",
        name=spectator or name_of(view, seat),
        count=view.takes_back or 1,
    )
    if typing and mine:
        waits = "plain.offer.wait" if spectator is None else "plain.offer.wait_owner"
        return f"{made} {say(waits, name=name_of(view, other(seat)))}"
    if typing and offer in view.offers_to_answer():
        return f"{made} {say('plain.offer.answer', word=offer)}"
    return made


def declined(before: RoomView, seat: Seat, offer: Offer) -> str:
    """An offer was turned down, or withdrawn: `before` still has it."""
    return say(f"offer.{offer}.{'withdrawn' if before.offers.get(offer) == seat else 'declined'}")


def standing_offers(view: RoomView) -> list[Offer]:
    """The offers that a viewer's `no` could mean: those of others, or where there are none their own."""
    return view.offers_to_answer() or view.own_offers()


def taken_back(view: RoomView, seat: Seat, plies: int) -> str:
    """Moves are undone."""
    who = "you" if seat == view.you else "them"
    return say(f"event.moves_taken_back.{who}", count=plies, name=name_of(view, seat))


def claimable(view: RoomView) -> str:
    """That it may, and how."""
    assert view.you is not None
    return f"{presence(view, other(view.you))} {say('plain.claim')}"


# ---------------------------------------------------------------- talk


def said(line: ChatLine) -> str:
    """Something that was said."""
    return say("event.chat", name=line.name, text=localised(line.text, line.text_said))


# ---------------------------------------------------------------- the lobby


def room_waits(line: RoomLine) -> str:
    """That somebody waits in a room, and how to join them."""
    names = [seat_name(seat) for seat in line.seats if seat.kind != "open"]
    game = ", ".join([game_name(line.game), *([line.clock] if line.clock else [])])
    return say("table.room_waits", name=names, game=game, room=line.room)


def others_waiting(rooms: Iterable[RoomLine], game: str) -> str:
    """How many people wait in these rooms to play a game, and with which clocks; empty where nobody does."""
    waits = [line for line in rooms if line.game == game and line.standing == "waiting"]
    clocks = Counter(line.clock for line in waits if any(seat.kind == "human" for seat in line.seats))
    waiting = [
        say("table.others_with" if clock else "table.others_without", count=count, clock=clock or "")
        for clock, count in clocks.items()
    ]
    return say("table.others_waiting", clocks=", ".join(waiting)) if waiting else ""


# ---------------------------------------------------------------- ways to a table


def invitation(server: str, code: str) -> list[str]:
    """How a friend takes the free seat: the link, and the very command. The lines are not to be broken."""
    link = room_link(server, code)
    here = is_loopback(server)
    target, name = code if server == usual_server() else link, " --as NAME" if here else ""
    first = say(f"table.invite.{'here' if here else 'anywhere'}")
    lines = [first, f"  {link}", say("table.invite.terminal"), f"  parlour join {target}{name}"]
    if not here:
        return lines
    number = urlsplit(link).port
    port = f" --port {number}" if number else ""
    return [*lines, say("share.only_here"), f"  {say('share.open', port=port)}"]


def carry_sentence(seat: "CarriedSeat") -> str:
    """What to do with a link that carries a player to another device."""
    way = "open" if seat.rows is None else "scan"
    return say(f"table.carry.{way}", span=durations.span(seat.seconds))


def come_back(place: ServerTarget, code: str, name: str | None, *, seated: bool) -> str:
    """How to return to a table; `name` where it was chosen with --as."""
    verb = "join" if seated else "watch"
    target = room_link(place.server, code) if place.named and place.server != usual_server() else code
    chosen = f" --as {_quoted(name)}" if name and seated else ""
    return f"parlour {verb} {target}{chosen}"


def typing(names: list[str]) -> str:
    """Who writes in the chat; empty where no one does."""
    if len(names) == 1:
        return say("notice.typing", name=names[0])
    return say("notice.several_typing", count=len(names)) if names else ""


def announced(notice: Announcement) -> str:
    """What the host of the server has to say to everybody."""
    text = translated(notice.text_said, notice.text, language())
    return say("connection.host_says", text=text)


def farewell(
    place: ServerTarget | None, view: RoomView | None, name: str | None, closing: Closing | None = None
) -> list[str]:
    """What is said to somebody who leaves a table (None: there was none), and how to come back.

    `closing` is what a shared server answered before.
    """
    said = [say("plain.goodbye"), *_closing(closing)]
    if place is None or view is None or view.phase == "closed" or _is_lost(closing):
        return [" ".join(said)]
    seated = view.acting is not None
    kept = say("plain.come_back") if seated else say("plain.watch_again")
    # The sentence on the server is long enough for a line of its own.
    above = [" ".join(said), kept] if len(said) > 1 else [f"{said[0]} {kept}"]
    return [*above, f"  {come_back(place, view.room, name, seated=seated)}"]


def _closing(closing: Closing | None) -> list[str]:
    """What becomes of a shared server; nothing where another terminal of the same player keeps it."""
    if closing is None:
        return []
    if not closing.closing:
        return [say("plain.server_stays", names=people(closing.others))] if closing.others else []
    if closing.saved_in is None:
        return [say("plain.server_ended")]
    return [say("plain.server_saved", file=closing.saved_in)]


def _is_lost(closing: Closing | None) -> bool:
    return closing is not None and closing.closing and closing.saved_in is None


def people(names: Sequence[str]) -> str:
    """Some names in a sentence: `Bo`, `Bo and Cy`, `Bo, Cy and 3 more`."""
    shown = list(names[:MOST_NAMES])
    if len(names) > MOST_NAMES:
        shown.append(say("count.more", count=len(names) - MOST_NAMES))
    return language().listed(shown)


def still_connected(names: Sequence[str]) -> str:
    """Who would lose their game if the server were closed."""
    return say("connection.still_here", count=len(names), names=people(names))


def _quoted(name: str) -> str:
    """As a shell takes it, and no terminal anything else for it: people paste this."""
    return shlex.quote("".join(filter(str.isprintable, name)))


def seconds(number: float) -> str:
    """A waiting time, rounded up to something that one would say: nobody is to come back too early."""
    tenths = math.ceil(10 * number - 1e-9)
    return say("span.seconds", number=max(tenths, 1) / 10 if tenths < 10 else math.ceil(number - 1e-9))


def review_of(
    answer: answers.Review,
    names: tuple[str, str],
    reports: dict[int, Report],
    result: ResultView | None = None,
) -> Review:
    """A review with the names of those who played; the sides' marks where nobody is known.

    `result` is what only the caller knows of how the game ended, its winner a side.
    """
    if answer.seats is not None:
        names = (seat_name(answer.seats[0]), seat_name(answer.seats[1]))
    elif not any(names):
        names = side_names(answer.position)
    return Review(
        answer.game,
        names,
        answer.moves,
        answer.result if result is None else result,
        answer.bot,
        reports,
        answer.grades,
        answer.notes,
    )


def going_on(moves: Sequence[str]) -> str:
    """The moves of which one is half chosen, and the way back."""
    some = [*moves[: MOST_LISTED - 1], "…"] if len(moves) > MOST_LISTED else moves
    return say("screen.table.going_on", moves=language().listed(some, last="list.or"))
