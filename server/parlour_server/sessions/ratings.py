"""What a session answers about ratings."""

from collections.abc import Callable

from parlour_protocol import answers, commands
from parlour_protocol.errors import Code
from parlour_protocol.events import PlayerSummary
from parlour_protocol.ids import Seat, other
from parlour_protocol.views.ratings import PastRated, RatedAgainst, RatedGame, RatingLine, SeatRating
from parlour_protocol.views.rooms import ResultView, SeatView
from parlour_protocol.words import Sentence
from parlour_server.hosting.ratings import Ratings
from parlour_server.ratings.table import Players, handle_of, is_bot, key_of, ranked
from parlour_server.refusals import Refusal
from parlour_server.room.decide import player_summary
from parlour_server.room.state import RoomState
from parlour_server.sessions.queries import read_game
from parlour_server.store.anonymise import SOMEONE
from parlour_server.store.finished_games import FinishedGame

LISTED = 100
"""People of a game, and bots, that are listed."""

UNPLAYED = 1500
"""The rating before the first game."""

Charge = Callable[[int], None]
"""Called with how many records were read."""


async def ratings(
    kept: Ratings, message: commands.AskRatings, viewer: str, charge: Charge
) -> answers.Ratings:
    """Who is rated. Raises `Refusal` and `StoreError`."""
    table = await kept.table()
    games = [
        RatedGame(
            name,
            sum(not is_bot(key) for key in players),
            sum(map(is_bot, players)),
            # Each is two players'.
            sum(one.games for one in players.values()) // 2,
        )
        for name, players in table.items()
    ]
    games.sort(key=lambda one: (-one.games, one.game))
    if message.game is None:
        return answers.Ratings(message.id, games)
    game = read_game(message.game).name
    lines = await _lines(kept, table.get(game, {}), viewer, charge)
    return answers.Ratings(message.id, games, game, lines)


async def rating(
    kept: Ratings, message: commands.AskRating, viewer: str, charge: Charge
) -> answers.PlayerRating:
    """A player's rating and last games. Raises `Refusal` and `StoreError`."""
    game = read_game(message.game).name
    players = (await kept.table()).get(game, {})
    lines = await _lines(kept, players, viewer, charge)
    key = _meant(players, lines, message.player, game)
    line = next((one for one in lines if one.key == handle_of(key)), None)
    if line is None:
        place = ranked(players, bots=is_bot(key)).index(key) + 1
        line = await _line(kept, players, key, place, viewer)
    one = players[key]
    charge(len(one.numbers))
    games = [await kept.game(number) for number in one.numbers]
    played = []
    opponents: dict[str, RatedAgainst] = {}
    before: int | None = UNPLAYED if one.games == len(games) else None
    for ended, after in zip(games, one.curve, strict=True):
        seat = _seat_of(ended, key)
        past = PastRated(
            [_seat_view(player) for player in ended.summary.players],
            seat,
            other(seat),
            ResultView(ended.termination, "", ended.winner),
            after,
            "" if before is None else f"{after - before:+}",
            ended.at,
        )
        opponent = ended.summary.players[other(seat)]
        met = opponents.setdefault(key_of(opponent), RatedAgainst("", handle_of(key_of(opponent)), 0))
        met.name, met.games = _shown(opponent), met.games + 1
        met.wins += ended.winner == seat
        met.draws += ended.winner is None
        met.losses += ended.winner == other(seat)
        played.append(past)
        before = after
    met_most = sorted(opponents.values(), key=lambda one: -one.games)
    return answers.PlayerRating(message.id, game, line, one.curve, played[::-1], met_most)


async def room_ratings(
    kept: Ratings, message: commands.AskRoomRatings, state: RoomState, charge: Charge
) -> answers.RoomRatings:
    """How a room's players are rated, and what its last game changed. Raises `Refusal` and `StoreError`."""
    summaries = [None if one is None else player_summary(one) for one in state.seats]
    over = (state.code, state.finished_at) if state.phase == "finished" else None
    players = (await kept.table()).get(state.rules.name, {})
    found: list[SeatRating | None] = []
    for summary in summaries:
        one = None if summary is None else players.get(key_of(summary))
        if one is None:
            found.append(None)
            continue
        charge(1)
        last = await kept.game(one.numbers[-1])
        change = None
        if (last.room, last.version) == over:
            before = one.curve[-2] if len(one.curve) > 1 else UNPLAYED
            change = f"{one.curve[-1] - before:+}"
        found.append(SeatRating(round(one.rating), True if one.is_provisional else None, change))
    return answers.RoomRatings(message.id, state.code, found)


async def _lines(kept: Ratings, players: Players, viewer: str, charge: Charge) -> list[RatingLine]:
    found = []
    for bots in (False, True):
        for place, key in enumerate(ranked(players, bots=bots), 1):
            if place > LISTED and not _is_own(key, viewer):
                continue
            line = await _line(kept, players, key, place, viewer)
            # Who was forgotten has a place and no name.
            if line.name != SOMEONE:
                found.append(line)
    charge(len(found))
    return found


async def _line(kept: Ratings, players: Players, key: str, place: int, viewer: str) -> RatingLine:
    one = players[key]
    summary = _player(await kept.game(one.numbers[-1]), key)
    return RatingLine(
        place,
        _shown(summary),
        handle_of(key),
        "bot" if summary.bot is not None else "program" if summary.program else "person",
        round(one.rating),
        round(one.deviation),
        one.games,
        True if one.is_provisional else None,
        True if _is_own(key, viewer) else None,
    )


def _is_own(key: str, viewer: str) -> bool:
    return key in (viewer, f"program {viewer}")


def _meant(players: Players, lines: list[RatingLine], asked: str, game: str) -> str:
    """The key of who is meant. Raises `Refusal`."""
    handles = {handle_of(key): key for key in players}
    if asked in handles:
        return handles[asked]
    wanted = asked.casefold()
    found = [
        one for one in lines if wanted in (one.name.casefold(), one.name.casefold().removesuffix(" (bot)"))
    ]
    if len(found) > 1:
        keys = ", ".join(one.key for one in found)
        raise Refusal(Code.UNKNOWN_TARGET, Sentence("refusal.ratings.several", name=asked, keys=keys))
    if not found:
        raise Refusal(Code.UNKNOWN_TARGET, Sentence("refusal.ratings.nobody", name=asked, game=game))
    return handles[found[0].key]


def _seat_of(game: FinishedGame, key: str) -> Seat:
    return 0 if key_of(game.summary.players[0]) == key else 1


def _player(game: FinishedGame, key: str) -> PlayerSummary:
    return game.summary.players[_seat_of(game, key)]


def _shown(player: PlayerSummary) -> str:
    """Its name; a bot is known by its settings, and marked as one."""
    if player.bot is not None:
        return f"{player.bot} (bot)"
    return f"{player.name} (bot)" if player.program else player.name


def _seat_view(player: PlayerSummary) -> SeatView:
    if player.bot is not None:
        return SeatView("bot", player.bot, player.bot)
    return SeatView("human", player.name, program=True if player.program else None)
