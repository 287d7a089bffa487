"""Ratings as they follow from finished games, one after the other.

A period is one game, of the two who play it. So a rating needs no clock and no end of a day, nobody waits
for theirs, and the order of the list of finished games, which is the same at every node and for good, decides
alone: a rebuild gives the same to the last digit. The price is a deviation that does not fall below some 60
points. For each week in between a player is known a little less.

What is computed is rounded, so that no mathematical library's last bit shows, and the state is short.
"""

from dataclasses import dataclass, field
from hashlib import sha256

from parlour_protocol.events import PlayerSummary
from parlour_protocol.ids import SEATS
from parlour_server.ratings.glicko2 import Rating, rated, rested
from parlour_server.store.finished_games import FinishedGame

RECENT = 30
"""Of so many games a player's page tells."""
PROVISIONAL_ABOVE = 110.0
"""A deviation that is larger says little: ten even games bring it down so far."""
WEEK = 7 * 86_400_000


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's rating in a game. It holds no name: that stands with the games."""

    rating: float = 1500.0
    deviation: float = 350.0
    volatility: float = 0.06
    at: int = 0
    """When the last game ended: milliseconds since 1970."""
    games: int = 0
    numbers: list[int] = field(default_factory=list)
    """Of the last `RECENT` games, as the store counts them."""
    curve: list[int] = field(default_factory=list)
    """The rating after each of these."""

    @property
    def is_provisional(self) -> bool:
        """Is little known of the player?"""
        return self.deviation > PROVISIONAL_ABOVE


Players = dict[str, Standing]
"""By their keys."""
Table = dict[str, Players]
"""By the names of the games."""


def key_of(player: PlayerSummary) -> str:
    """What a player is known by: a person by their id, a program too, a bot by its settings."""
    if player.bot is not None:
        return f"bot {player.bot}"
    return f"program {player.player}" if player.program else player.player


def is_bot(key: str) -> bool:
    """Is it a bot, or a program, and no person?"""
    return " " in key


def handle_of(key: str) -> str:
    """What others know a player by who has not the only one of a name. It does not tell an id."""
    return sha256(f"rating {key}".encode()).hexdigest()[:8]


def counted(table: Table, number: int, game: FinishedGame) -> Table:
    """The ratings after one more game, of this number. The table stays as it is."""
    if not game.summary.rated:
        return table
    name = game.summary.game
    players = table.get(name, {})
    keys = [key_of(one) for one in game.summary.players]
    before = [players.get(key, Standing()) for key in keys]
    ratings = [_as_of(one, game.at) for one in before]
    after = dict(players)
    for seat in SEATS:
        score = 0.5 if game.winner is None else float(game.winner == seat)
        found = rated(ratings[seat], [(ratings[1 - seat], score)])
        one, points = before[seat], round(found.rating, 6)
        after[keys[seat]] = Standing(
            points,
            round(found.deviation, 6),
            round(found.volatility, 9),
            max(one.at, game.at),
            one.games + 1,
            [*one.numbers, number][-RECENT:],
            [*one.curve, round(points)][-RECENT:],
        )
    return {**table, name: after}


def _as_of(one: Standing, at: int) -> Rating:
    rating = Rating(one.rating, one.deviation, one.volatility)
    return rested(rating, max(0, at - one.at) / WEEK) if one.games else rating


def ranked(players: Players, *, bots: bool) -> list[str]:
    """The keys of people, or of bots, the best first; those who are hardly known come last."""
    found = [key for key in players if is_bot(key) == bots]
    return sorted(found, key=lambda key: (players[key].is_provisional, -players[key].rating, key))
