"""Ratings in words. Pure."""

from collections.abc import Iterator, Sequence

from parlour_client.text.names import game_name
from parlour_client.text.sparkline import sparkline
from parlour_client.text.wording import name_of
from parlour_protocol.answers import PlayerRating
from parlour_protocol.ids import SEATS
from parlour_protocol.views.ratings import RatingLine, SeatRating
from parlour_protocol.views.rooms import RoomView
from parlour_protocol.words import language, say

Rated = Sequence[SeatRating | None]
"""How a room's two players are rated."""


def figure(rating: SeatRating) -> str:
    """A rating, with a mark where it says little."""
    return f"{rating.rating}{'?' if rating.provisional else ''}"


def now(view: RoomView, ratings: Rated) -> str:
    """Whose ratings are known, and what the last game changed; empty where none are."""
    players = []
    for seat in SEATS:
        if (one := ratings[seat]) is not None:
            shown = figure(one)
            shown = say("rated.changed", rating=shown, change=one.change) if one.change else shown
            players.append(f"{name_of(view, seat)} {shown}")
    return say("rated.now", players=language().listed(players)) if players else ""


def choice(view: RoomView) -> str:
    """Whether a room's games count, where the server rates; empty where it doesn't."""
    return say("rated.rated") if view.rated else "" if view.settings.rated else say("rated.casual")


def groups(lines: Sequence[RatingLine]) -> Iterator[tuple[str, list[RatingLine]]]:
    """People, and those that are none, each under their heading; without those of whom there are none."""
    people = [line for line in lines if line.kind == "person"]
    bots = [line for line in lines if line.kind != "person"]
    for heading, found in (("ratings.people", people), ("ratings.bots", bots)):
        if found:
            yield say(heading), found


def headline(found: PlayerRating) -> str:
    """Whose rating it is, and how sure."""
    line = found.line
    rating = f"{line.rating}{'?' if line.provisional else ''}"
    return say(
        "ratings.headline",
        name=line.name,
        game=game_name(found.game),
        rating=rating,
        deviation=line.deviation,
        games=say("count.game", count=line.games),
    )


def curve(found: PlayerRating, width: int) -> str:
    """The course of the rating as bars between its lowest and its highest, which stand beside them."""
    low, high = min(found.curve), max(found.curve)
    # The lowest is a bar as well.
    bars = sparkline([point - low + max(1, (high - low) / 8) for point in found.curve], width)
    return f"{bars.lstrip()}  {low} – {high}"
