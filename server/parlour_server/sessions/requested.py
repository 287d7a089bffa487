"""What commands for new rooms and bots ask for, checked. Each function raises `Refusal`."""

from dataclasses import replace
from typing import Any

from parlour_protocol import commands
from parlour_protocol.errors import Code
from parlour_protocol.ids import Seat
from parlour_protocol.settings import RoomSettings
from parlour_protocol.words import Sentence
from parlour_server.games.game import Game, MoveError
from parlour_server.hosting.context import Context
from parlour_server.hosting.rooms.requests import MatchRequest
from parlour_server.refusals import Refusal
from parlour_server.room.commands import Create, Guest, SeatPlan
from parlour_server.room.look_alikes import look_alike
from parlour_server.room.state import Bot
from parlour_server.sessions.names import clean_name
from parlour_server.sessions.queries import read_bot, read_game


def requested_room(message: commands.CreateRoom, context: Context, name: str) -> Create:
    """A room with its settings, those who sit in it, and the moves that its games begin after.

    `name`: who asks is called so.
    """
    game, settings = _game_and_settings(message)
    try:
        moves = tuple(game.read(message.moves))
        position = game.replay(message.moves)[0]
    except MoveError as error:
        raise Refusal(Code.INVALID_MOVE, str(error), field="moves") from None
    if game.outcome(position) is not None:
        raise Refusal(Code.GAME_OVER, Sentence("refusal.over_after_moves"), field="moves")
    choices: list[commands.SeatChoice] = message.seats or ["open", "open"]
    if choices.count("me") > 1:
        raise Refusal(Code.BAD_MESSAGE, Sentence("refusal.two_own_seats"), field="seats")
    if any(isinstance(one, commands.AskedGuest) for one in choices) and "me" not in choices:
        raise Refusal(Code.BAD_MESSAGE, Sentence("refusal.guest_alone"), field="seats")
    seats = _seat_plan(choices[0], 0, context), _seat_plan(choices[1], 1, context)
    for seat, one in enumerate(seats):
        if isinstance(one, Guest) and look_alike(one.name, name):
            raise Refusal(Code.BAD_NAME, Sentence("refusal.guest_is_you"), field=f"seats.{seat}.guest")
    return Create(game.name, settings, moves, seats, message.program)


def _seat_plan(choice: commands.SeatChoice, seat: Seat, context: Context) -> SeatPlan:
    if isinstance(choice, commands.AskedBot):
        return requested_bot(choice.bot, context, f"seats.{seat}.bot")
    if isinstance(choice, commands.AskedGuest):
        try:
            return Guest(clean_name(choice.guest))
        except Refusal as refusal:
            refusal.field = f"seats.{seat}.guest"
            raise
    return "me" if choice == "me" else None


def requested_match(message: commands.QuickMatch) -> MatchRequest:
    """What the other player has to want as well."""
    game, settings = _game_and_settings(message)
    if settings.visibility != "public":
        raise Refusal(Code.BAD_SETTING, Sentence("refusal.quick_is_public"), field="settings.visibility")
    return MatchRequest(game.name, settings)


def requested_bot(text: str, context: Context, field: str = "bot") -> Bot:
    """A bot with a seed of its own, drawn now and kept in the log, so that a restart changes no choice."""
    spec = read_bot(text, field)
    seed = context.chance(2**31) if spec.seed is None else spec.seed
    return Bot(str(replace(spec, seed=None)), seed)


def _game_and_settings(message: commands.CreateRoom | commands.QuickMatch) -> tuple[Game[Any], RoomSettings]:
    game = read_game(message.game)
    if message.settings.stand_in is not None:
        read_bot(message.settings.stand_in, "settings.stand_in")
    return game, RoomSettings(**message.settings.model_dump())
