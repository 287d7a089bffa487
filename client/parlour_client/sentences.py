"""What a table says in words. Pure: from a room's view to sentences."""

from collections.abc import Sequence

from parlour_client.clean import clean
from parlour_client.identity import is_loopback
from parlour_client.localserver import DEFAULT_SERVER
from parlour_protocol.errors import Code
from parlour_protocol.ids import Seat, other, room_link
from parlour_protocol.to_client import Refused
from parlour_protocol.views import BoardView, RoomView

MOST_MOVES = 24
"""So many free moves are named; of more, nobody would find the one that was meant."""

HELP = """\
  a move       as the board names it: {example}
  hint         what each move is worth, drawn on the board
  thoughts     how the bots thought in this game
  board        draw the board again
  resign       give the game up
  rematch      ask for another game
  quit         leave; your seat is kept"""


def name_of(view: RoomView, seat: Seat) -> str:
    """A seat's player; a bot is always marked as one."""
    who = view.seats[seat]
    match who.kind:
        case "open":
            return "the free seat"
        case "bot":
            return f"{clean(who.name)} (bot)"
        case "human":
            return clean(who.name)


def mark_of(view: RoomView, seat: Seat) -> str:
    """The sign that a seat plays with in the present game: side 0 is the starter's."""
    marks = view.position.marks if view.position is not None else []
    side = 0 if seat == view.starter else 1
    return clean(marks[side]) if side < len(marks) else ""


def turn(view: RoomView) -> str:
    """Whose turn it is."""
    if view.to_move is None:
        return ""
    mark = mark_of(view, view.to_move)
    shown = f" ({mark})" if mark else ""
    if view.to_move == view.you:
        return f"Your turn{shown}."
    away = "" if view.online[view.to_move] else ", who is away"
    return f"{name_of(view, view.to_move)} is to move{shown}{away}."


def moved(view: RoomView, seat: Seat, move: str) -> str:
    """Who played what."""
    return f"{'You' if seat == view.you else name_of(view, seat)} played {clean(move)}."


def players(view: RoomView) -> str:
    """Who plays against whom."""
    shown = []
    seats: tuple[Seat, Seat] = (0, 1)
    for seat in seats:
        mark = mark_of(view, seat)
        you = ", you" if seat == view.you else ""
        shown.append(name_of(view, seat) + (f" ({mark}{you})" if mark else ""))
    return " against ".join(shown)


def result(view: RoomView) -> str:
    """How the game ended."""
    if view.result is None:
        return ""
    reason = clean(view.result.reason)
    because = f": {reason}" if reason else ""
    winner = view.result.winner
    if winner is None:
        return f"A draw{'' if reason.casefold() == 'draw' else because}.".replace("..", ".")
    who = "You win" if winner == view.you else f"{name_of(view, winner)} wins"
    return f"{who}{because}.".replace("..", ".")


def score(view: RoomView) -> str:
    """The tally between these two; empty before their second game."""
    first, second = view.wins
    if first + second + view.draws < 2:
        return ""
    draws = f", {view.draws} drawn" if view.draws else ""
    return f"Score: {name_of(view, 0)} {first}, {name_of(view, 1)} {second}{draws}."


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
    return "Type rematch for another game, or quit."


def invitation(server: str, code: str) -> str:
    """How a friend takes the free seat: the very command, and the link."""
    link = room_link(server, code)
    if server == DEFAULT_SERVER:
        return f"In another terminal: parlour join {code} --as NAME   (or, as a link, {link})"
    name = " --as NAME" if is_loopback(server) else ""
    return f"A friend joins with: parlour join {link}{name}"


def come_back(server: str, code: str, name: str | None, *, seated: bool) -> str:
    """How to return to a table; `name` where it was chosen with --as."""
    verb = "join" if seated else "watch"
    target = code if server == DEFAULT_SERVER else room_link(server, code)
    chosen = f" --as {_quoted(name)}" if name and seated else ""
    return f"parlour {verb} {target}{chosen}"


def _quoted(name: str) -> str:
    return name if name.isalnum() else '"' + name.replace('"', "") + '"'


def seconds(number: float) -> str:
    """A waiting time, rounded up to something that one would say."""
    return f"{number:.1f} s" if number < 1 else f"{number:.0f} s"
