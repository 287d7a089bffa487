"""What a table says in words. Pure: from a room's view to sentences."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from parlour_client.sdk.data_file import usual_server
from parlour_client.sdk.identity import is_loopback
from parlour_client.sdk.local_server import Place
from parlour_client.sdk.review import Review
from parlour_client.text import durations
from parlour_client.text.sanitize import clean
from parlour_protocol import answers
from parlour_protocol.actions import Offer
from parlour_protocol.answers import Closing, Refused
from parlour_protocol.errors import Code
from parlour_protocol.ids import SEATS, Seat, other, room_link
from parlour_protocol.notices import Lobby
from parlour_protocol.views.boards import BoardView
from parlour_protocol.views.records import PastGame, RoomHistory, Tally
from parlour_protocol.views.reports import Report
from parlour_protocol.views.rooms import ChatLine, ResultView, RoomLine, RoomView, SeatView

if TYPE_CHECKING:  # which knows the wire
    from parlour_client.sdk.carrying import CarriedSeat

MOST_MOVES = 24
"""So many free moves are named; of more, nobody would find the one that was meant."""

MOST_NAMES = 3
"""So many people are named in one sentence."""

NOTHING_RUNS = "No game is being played. The next one is shown as soon as it begins."

LAST_SAID = 5
"""So many of the last chat messages are shown to somebody who enters a room."""


def name_of(view: RoomView, seat: Seat) -> str:
    """A seat's player; a bot is always marked as one."""
    return seat_name(view.seats[seat])


def seat_name(who: SeatView) -> str:
    """A player's name as it is shown, where there is no room."""
    match who.kind:
        case "open":
            return "the free seat"
        case "bot":
            return f"{clean(who.name)} (bot)"
        case "human":
            # A player's own program plays as players do, and is shown for what it is.
            return f"{clean(who.name)} (bot)" if who.program else clean(who.name)


def mark_of(view: RoomView, seat: Seat) -> str:
    """The sign that a seat plays with in the present game: side 0 is the starter's."""
    side = 0 if seat == view.starter else 1
    return clean(view.position.marks[side][0]) if view.position is not None else ""


def mover_of(view: RoomView, seat: Seat) -> str:
    """Who makes a seat's moves now: its player, or the bot that stands in."""
    who = view.seats[seat]
    if who.stand_in is None:
        return name_of(view, seat)
    return f"{clean(who.stand_in)} (bot), for {seat_name(who)},"


def waits_to_think(view: RoomView, seat: Seat, queued: int) -> str:
    """That a bot waits for its turn to search, and how many are before it."""
    place = f"{queued} before it" if queued else "it is next"
    return f"{mover_of(view, seat)} waits for a turn to think: {place}."


def turn(view: RoomView) -> str:
    """Whose turn it is."""
    if view.to_move is None:
        return ""
    mark = mark_of(view, view.to_move)
    shown = f" ({mark})" if mark else ""
    if view.to_move == view.you:
        return f"Your turn{shown}."
    stood_in = view.seats[view.to_move].stand_in is not None
    away = "" if stood_in else _away(view, view.to_move)
    return f"{mover_of(view, view.to_move)} is to move{shown}{away and f', who is {away}'}."


def _away(view: RoomView, seat: Seat) -> str:
    """Empty while a seat's player is here, and until it is known whether one who has just sat down is."""
    since = view.away_for(seat)
    if since is None:
        return ""
    return "away" if since < 1 else f"away (for {durations.span(since)})"


def presence(view: RoomView, seat: Seat) -> str:
    """Whether a seat's player is here, and since when not."""
    return f"{name_of(view, seat)} is {_away(view, seat) or 'back'}."


def watching(number: int) -> str:
    """How many spectators there are."""
    return f"{number or 'Nobody'} {'are' if number > 1 else 'is'} watching"


def times(view: RoomView) -> str:
    """The players' time; empty in games without a clock."""
    if view.clock is None:
        return ""
    shown = [
        f"{name_of(view, seat)} {durations.clock(view.clock.left[seat])}"
        + (" (running)" if view.clock.running == seat else "")
        for seat in SEATS
    ]
    return f"Time: {', '.join(shown)}."


def short_times(view: RoomView) -> str:
    """The same, to stand before a prompt: by the players' marks."""
    if view.clock is None or view.phase != "playing":
        return ""
    return "  ".join(f"{mark_of(view, seat)} {durations.clock(view.clock.left[seat])}" for seat in SEATS)


def moved(view: RoomView, seat: Seat, move: str) -> str:
    """Who played what."""
    themselves = seat == view.you and view.seats[seat].stand_in is None
    return f"{'You' if themselves else mover_of(view, seat)} played {clean(move)}."


def players(view: RoomView) -> str:
    """Who plays against whom."""
    shown = []
    for seat in SEATS:
        mark = mark_of(view, seat)
        you = ", you" if seat == view.you else ""
        shown.append(name_of(view, seat) + (f" ({mark}{you})" if mark else ""))
    return " against ".join(shown)


def result(view: RoomView) -> str:
    """How the game ended."""
    return "" if view.result is None else ended(view.result, view.seats, view.you)


def ended(result: ResultView, seats: Sequence[SeatView], you: Seat | None = None) -> str:
    """The same, where there is no room."""
    if result.termination == "aborted":
        return "The game was aborted. It doesn't count."
    reason = clean(result.reason)
    because = f": {reason}" if reason else ""
    winner = result.winner
    if result.termination == "agreement":
        return "A draw was agreed."
    if winner is None:
        return f"A draw{'' if reason.casefold() == 'draw' else because}.".replace("..", ".")
    who = "You win" if winner == you else f"{seat_name(seats[winner])} wins"
    return f"{who}{because}.".replace("..", ".")


def game_result(history: RoomHistory, game: PastGame) -> str:
    """How a game of a room ended, or that it goes on."""
    if game.result is not None and game.result.termination == "aborted":
        return "Aborted."
    if game.result is not None:
        return ended(game.result, game.seats, game.you)
    goes_on = game is history.games[-1] and history.phase == "playing"
    return "It is being played." if goes_on else "It was not played to its end."


def tally(counted: Tally) -> str:
    """How one's own games ended."""
    return f"You won {counted.wins}, lost {counted.losses} and drew {counted.draws}."


def series(view: RoomView) -> str:
    """Which game of two bots' this is, and whether another one follows; empty where they play one."""
    if view.series is None:
        return ""
    number, of = view.series.number, view.series.of
    if view.phase == "finished" and view.series.goes_on:
        return f"Game {number + 1} of {of} begins in a moment."
    return f"Game {number} of {of}."


def score(view: RoomView) -> str:
    """The tally between these two; empty before their second game."""
    first, second = view.wins
    if first + second + view.draws < 2:
        return ""
    draws = f", {view.draws} drawn" if view.draws else ""
    return f"Score: {name_of(view, 0)} {first}, {name_of(view, 1)} {second}{draws}."


def so_many_moves(count: int) -> str:
    """A number of moves."""
    return f"{count} {'move' if count == 1 else 'moves'}"


def step(moves: Sequence[str], ply: int) -> str:
    """Which board of a game this is: the one after so many moves."""
    if ply == 0:
        return f"The beginning (of {so_many_moves(len(moves))})"
    return f"Move {ply} of {len(moves)}: {clean(moves[ply - 1])}"


def winning_line(board: BoardView) -> str:
    """The cells that won, by the labels of their columns and rows; empty where rows have none."""
    if not any(board.rows):
        return ""
    width = len(board.columns)
    cells = [f"{board.columns[cell % width]}{board.rows[cell // width]}" for cell in board.line]
    return f"The line: {clean(' '.join(cells))}." if cells else ""


def right_moves(said: str, moves: Sequence[str]) -> str:
    """What to play instead: the free moves where they are few, else how one is written."""
    if len(moves) <= MOST_MOVES:
        return f"Free: {', '.join(clean(move) for move in moves)}."
    # The game's own sentence may have an example.
    return "" if "such as" in said else f"Write a move like {clean(moves[len(moves) // 2])}."


def refusal(refused: Refused) -> str:
    """The server's sentence; after a wrong move the right ones, after a wrong time the right one."""
    said = clean(refused.message)
    if refused.code in (Code.ILLEGAL_MOVE, Code.INVALID_MOVE) and refused.legal and "Free:" not in said:
        return f"{said} {right_moves(said, refused.legal)}".rstrip()
    if refused.retry_after:
        return f"{said} Try again in {seconds(refused.retry_after)}."
    return said


def rematch(view: RoomView) -> str:
    """What there is to say about another game, when one is over."""
    if view.you is None:
        bots = all(seat.kind == "bot" for seat in view.seats)
        return "Type rematch for another game, or quit." if view.owner and bots else ""
    them = other(view.you)
    if them in view.rematch:
        return f"{name_of(view, them)} asks for a rematch: type rematch to agree, or quit."
    if view.you in view.rematch:
        return f"You asked for a rematch. Waiting for {name_of(view, them)}."
    return "Type rematch for another game, or quit." if "rematch" in view.open_actions() else ""


# ---------------------------------------------------------------- offers


def offers(view: RoomView) -> list[str]:
    """What is offered at this moment, and how to answer it."""
    said = []
    if view.draw_offer is not None:
        said.append(draw_offered(view, view.draw_offer))
    if view.takeback_offer is not None:
        said.append(takeback_offered(view, view.takeback_offer))
    return said


def draw_offered(view: RoomView, seat: Seat, *, typing: bool = True) -> str:
    """A draw is offered; with `typing`, which words answer that."""
    if seat == view.you:
        waiting = f" Waiting for {name_of(view, other(seat))} (`no` takes the offer back)." if typing else ""
        return f"You offer a draw.{waiting}"
    answer = ": `draw` takes it, `no` declines." if typing and view.you is not None else "."
    return f"{name_of(view, seat)} offers a draw{answer}"


def takeback_offered(view: RoomView, seat: Seat, *, typing: bool = True) -> str:
    """A takeback is asked for; with `typing`, which words answer that."""
    if seat == view.you:
        waiting = f" Waiting for {name_of(view, other(seat))}." if typing else ""
        return f"You ask to take your move back.{waiting}"
    answer = ": `takeback` allows it, `no` declines." if typing and view.you is not None else "."
    return f"{name_of(view, seat)} asks to take a move back{answer}"


def rematch_offered(view: RoomView, seat: Seat) -> str:
    """A rematch is asked for."""
    return "You ask for a rematch." if seat == view.you else f"{name_of(view, seat)} asks for a rematch."


_DECLINED: dict[Offer, tuple[str, str]] = {
    "draw": ("declines the draw", "takes the offer of a draw back"),
    "takeback": ("does not give the move back", "asks for no move back any more"),
    "rematch": ("does not want another game", "asks for no rematch any more"),
}
_YOU_DECLINED: dict[Offer, tuple[str, str]] = {
    "draw": ("decline the draw", "take your offer of a draw back"),
    "takeback": ("do not give the move back", "ask for no move back any more"),
    "rematch": ("do not want another game", "ask for no rematch any more"),
}


def declined(before: RoomView, seat: Seat, offer: Offer) -> str:
    """An offer was turned down, or taken back: `before` still has it."""
    own = {
        "draw": before.draw_offer == seat,
        "takeback": before.takeback_offer == seat,
        "rematch": before.rematch == [seat],
    }[offer]
    if seat != before.you:
        return f"{name_of(before, seat)} {_DECLINED[offer][own]}."
    return f"You {_YOU_DECLINED[offer][own]}."


def standing_offers(view: RoomView) -> list[Offer]:
    """The offers that a player's `no` could mean: the other's, or where there is none their own."""
    if view.you is None:
        return []
    return _offers_of(view, other(view.you)) or _offers_of(view, view.you)


def all_offers(view: RoomView) -> list[Offer]:
    """Every offer that stands, of either player."""
    return [*_offers_of(view, 0), *_offers_of(view, 1)]


def _offers_of(view: RoomView, seat: Seat) -> list[Offer]:
    offers: dict[Offer, bool] = {
        "draw": view.draw_offer == seat,
        "takeback": view.takeback_offer == seat,
        "rematch": seat in view.rematch,
    }
    return [offer for offer, stands in offers.items() if stands]


def taken_back(view: RoomView, seat: Seat, plies: int) -> str:
    """Moves are undone."""
    who = "You take" if seat == view.you else f"{name_of(view, seat)} takes"
    return f"{who} {'a move' if plies == 1 else f'{plies} moves'} back."


def may_claim(view: RoomView) -> bool:
    """Has the other player been away for so long that the game may be claimed?"""
    if view.you is None or "claim" not in view.open_actions():
        return False
    opens = view.claim_from[view.you]
    return opens is not None and opens <= view.at


def claimable(view: RoomView) -> str:
    """That it may, and how."""
    assert view.you is not None
    who = presence(view, other(view.you))
    return f"{who} Wait on, or type `claim win`, `claim draw`, or `claim bot` to have a bot play on."


# ---------------------------------------------------------------- talk


def said(line: ChatLine) -> str:
    """Something that was said."""
    return f"{clean(line.name)}: {clean(line.text)}"


# ---------------------------------------------------------------- the lobby


def room_changes(notice: Lobby) -> list[str]:
    """What a notice tells, one line for each room."""
    lines = [
        f"{clean(line.room)}: {clean(line.game)}, {line.phase}, {_opponents(line)}, {moves_made(line.moves)}"
        + (f", {watching(line.watching)}" if line.watching else "")
        for line in notice.rooms
    ]
    return [*lines, *(f"{clean(room)} is gone" for room in notice.gone)]


def moves_made(count: int) -> str:
    """How many moves a game has: as many in each list."""
    return "no moves yet" if count == 0 else "1 move" if count == 1 else f"{count} moves"


def room_facts(line: RoomLine) -> list[str]:
    """How a room in the list stands, in a few words each: its clock, its moves, the score, who watches."""
    facts = [line.clock] if line.clock else []
    if line.phase == "playing":
        facts.append(moves_made(line.moves))
    if line.series is not None:
        facts.append(f"game {line.series.number} of {line.series.of}")
    if any(line.wins) or line.draws:
        drawn = f", {line.draws} drawn" if line.draws else ""
        facts.append(f"score {line.wins[0]}–{line.wins[1]}{drawn}")
    if line.watching:
        facts.append(f"{line.watching} watching")
    return facts


def room_waits(line: RoomLine) -> str:
    """That somebody waits in a room, and how to join them."""
    who = " and ".join(seat_name(seat) for seat in line.seats if seat.kind != "open")
    what = ", ".join([clean(line.game), *([line.clock] if line.clock else [])])
    return f"{who} waits to play {what}: type {clean(line.room)} to join."


def others_waiting(rooms: Iterable[RoomLine], game: str) -> str:
    """How many people wait in these rooms to play a game, and with which clocks; empty where nobody does."""
    waits = [line for line in rooms if line.game == game and line.standing == "waiting"]
    clocks = Counter(line.clock for line in waits if any(seat.kind == "human" for seat in line.seats))
    waiting = [
        f"{count} with {clean(clock)}" if clock else f"{count} without a clock"
        for clock, count in clocks.items()
    ]
    return f"Others waiting: {', '.join(waiting)}." if waiting else ""


def _opponents(line: RoomLine) -> str:
    return " against ".join(seat_name(seat) for seat in line.seats)


def players_here(players: int) -> str:
    """How many players are connected."""
    return f"{players} {'player is' if players == 1 else 'players are'} here."


# ---------------------------------------------------------------- ways to a table


def invitation(server: str, code: str) -> list[str]:
    """How a friend takes the free seat: the link, and the very command. The lines are not to be broken."""
    link = room_link(server, code)
    here = is_loopback(server)
    target, name = code if server == usual_server() else link, " --as NAME" if here else ""
    first = "A friend opens this link, on this machine:" if here else "Send a friend this link:"
    return [first, f"  {link}", "or joins in a terminal:", f"  parlour join {target}{name}"]


def carry_sentence(seat: "CarriedSeat") -> str:
    """What to do with a link that carries a player to another device."""
    within = durations.span(seat.seconds)
    if seat.rows is None:
        return f"Open this link in a browser on this machine within {within}, to play on there:"
    return f"Scan this within {within}, or open the link in a browser, to play on there."


def come_back(place: Place, code: str, name: str | None, *, seated: bool) -> str:
    """How to return to a table; `name` where it was chosen with --as."""
    verb = "join" if seated else "watch"
    target = room_link(place.server, code) if place.named and place.server != usual_server() else code
    chosen = f" --as {_quoted(name)}" if name and seated else ""
    return f"parlour {verb} {target}{chosen}"


def announced(text: str) -> str:
    """What the host of the server has to say to everybody."""
    return f"The host says: {text}"


def farewell(
    place: Place | None, view: RoomView | None, name: str | None, closing: Closing | None = None
) -> list[str]:
    """What is said to somebody who leaves a table (None: there was none), and how to come back.

    `closing` is what a shared server answered before.
    """
    said = ["Goodbye.", *_closing(closing)]
    if place is None or view is None or view.phase == "closed" or _is_lost(closing):
        return [" ".join(said)]
    seated = view.you is not None
    kept = "Your seat is kept. Come back with:" if seated else "Watch again with:"
    # The sentence on the server is long enough for a line of its own.
    above = [" ".join(said), kept] if len(said) > 1 else [f"Goodbye. {kept}"]
    return [*above, f"  {come_back(place, view.room, name, seated=seated)}"]


def _closing(closing: Closing | None) -> list[str]:
    """What becomes of a shared server; nothing where another terminal of the same player keeps it."""
    if closing is None:
        return []
    if not closing.closing:
        return [f"The server stays open for {people(closing.others)}."] if closing.others else []
    if closing.saved_in is None:
        return ["The server has ended, and its games with it."]
    return [f"The server has ended; your games are kept in {clean(closing.saved_in)}."]


def _is_lost(closing: Closing | None) -> bool:
    return closing is not None and closing.closing and closing.saved_in is None


def people(names: Sequence[str]) -> str:
    """Some names in a sentence: `Bo`, `Bo and Cy`, `Bo, Cy and 3 more`."""
    shown = [clean(name) for name in names[:MOST_NAMES]]
    if len(names) > MOST_NAMES:
        shown.append(f"{len(names) - MOST_NAMES} more")
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))


def still_connected(names: Sequence[str]) -> str:
    """Who would lose their game if the server were closed."""
    return f"{people(names)} {'is' if len(names) == 1 else 'are'} still connected."


def _quoted(name: str) -> str:
    return name if name.isalnum() else '"' + name.replace('"', "") + '"'


def seconds(number: float) -> str:
    """A waiting time, rounded up to something that one would say: nobody is to come back too early."""
    tenths = math.ceil(10 * number - 1e-9)
    return f"{max(tenths, 1) / 10} s" if tenths < 10 else f"{math.ceil(number - 1e-9)} s"


def review_of(answer: answers.Review, names: tuple[str, str], reports: dict[int, Report]) -> Review:
    """A review with the names of those who played; the sides' marks where nobody is known."""
    if answer.seats is not None:
        names = (seat_name(answer.seats[0]), seat_name(answer.seats[1]))
    elif not any(names):
        first_mark, second_mark = (marks[0] for marks in answer.position.marks)
        names = (f"the first side ({first_mark})", f"the second side ({second_mark})")
    return Review(answer.game, names, answer.moves, answer.winner, answer.bot, reports)
