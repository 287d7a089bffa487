"""Lists as data: columns over rows, described once for every face.

A face draws any of them with one function: `render.tables` in a terminal and as plain text,
`render.list_csv` as CSV, `tui.widgets.room_list` on the full screen, `web/panels/list.js` on the page. A row
is any object; what a list's `--json` gives are its rows. Here are the lists that the page shows too:
`make types` writes them down for it, so they name fields and hold no functions.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

RowT = TypeVar("RowT")

Tone = Literal["", "strong", "first", "second", "past", "win", "loss", "notice"]

Kind = Literal[
    "text",
    "key",
    "sentence",
    "game",
    "number",
    "figure",
    "tally",
    "bytes",
    "share",
    "bar",
    "span",
    "moment",
    "names",
    "counts",
    "phase",
    "side",
    "seat",
    "seats",
    "others",
    "series",
    "score",
    "standing",
    "outcome",
    "rating",
]
"""What a column holds, and so how it is drawn:

    text, key     a text; the one by which a row is known
    sentence      a server's text, with what it is made of in the field beside it (`title_said`)
    game          the name of a game
    number        a count
    figure        a text that is a number
    tally         a count of which 0 is past
    bytes         the size of a file, or of memory
    share, bar    a part of 1, in percent or as a length
    span, moment  seconds that something took; milliseconds since 1970
    names         some texts
    counts        how many there are of each, the most first
    phase         a room's
    side          the row's `name`, in the colour of its `side`
    seat, seats   the player of the row's `seats` with that number; both of them
    others        the row's `seats` but the viewer's own
    series        a game's number, of how many
    score         the row's `wins` and `draws`
    standing      how a room stands, or stood for the viewer
    outcome       how a game ended
    rating        the row's `rating`, with a mark where it is `provisional`
"""

OF_ROWS = frozenset(("side", "others", "score", "standing", "outcome", "rating"))
"""Kinds that look at more than one field of the row."""
RIGHT = frozenset(("number", "figure", "tally", "bytes", "share", "span", "rating"))
"""Kinds that are aligned to the right."""


@dataclass(frozen=True, slots=True)
class Column(Generic[RowT]):
    """A column of a list."""

    name: str
    """The row's field; of its heading the id is `table_head.NAME`, and where it is empty there is none."""
    kind: Kind = "text"
    said: str = ""
    """The sentence that says the value where there is no heading: with a number as its `count`, a moment as
    its `moment`, else with the value's parts. Nothing is said of none."""
    line: Literal[1, 2] = 1
    """On which line it stands where a row is an item of two."""
    head: str = ""
    """The heading's id, where it is another."""
    above: int = 0
    """A number that is no larger is not said."""
    from_width: int = 0
    """How many characters wide a screen is that has room for it."""
    of: Callable[[RowT], Any] | None = None
    """Its value, where that is more than the field of that name."""
    raw: Callable[[RowT], Any] | None = None
    """Its value for programs (CSV), where `of` is put in words for people, or shows them nothing."""
    tone: Tone | Callable[[RowT], Tone] = ""
    """What its colour says, the same for all rows or not."""

    @property
    def heading(self) -> str:
        """The id of its heading; empty: there is none."""
        return self.head or (self.name and f"table_head.{self.name}")

    @property
    def is_fact(self) -> bool:
        """Does it stand beside what matters more?"""
        return bool(self.said) or self.kind == "text"

    def value(self, row: RowT) -> Any:
        """What stands in it: for the kinds of `OF_ROWS` the row."""
        if self.of is not None:
            return self.of(row)
        if self.kind in OF_ROWS:
            return row
        value = getattr(row, self.name)
        return row.seats[value] if self.kind == "seat" else value  # type: ignore[attr-defined]


Columns = Sequence[Column[RowT]]

ROOMS: Columns[Any] = (
    Column("room", "key"),
    Column("game", "game"),
    Column("seats", "seats", line=2),
    Column("standing", "standing"),
    Column("clock"),
    Column("moves", "number", "count.move"),
    Column("series", "series", "table.fact.series"),
    Column("score", "score", "table.fact.score"),
    Column("watching", "number", "count.watching"),
)
"""Of `RoomLine`: what is being played."""

OWN_ROOMS: Columns[Any] = (
    Column("room", "key"),
    Column("game", "game"),
    Column("seats", "others", "table.fact.against", line=2),
    Column("standing", "standing"),
    Column("games", "number", "count.game", above=1),
    Column("moves", "number", "count.move"),
    Column("score", "score", "table.fact.score"),
    Column("at", "moment", line=2),
)
"""Of `PastRoom`: where the viewer has played."""

MET: Columns[Any] = (
    Column("name", head="table_head.player", tone="strong"),
    Column("wins", "number", "count.won", head="table_head.won"),
    Column("losses", "number", "count.lost", head="table_head.lost"),
    Column("draws", "number", "count.drawn", head="table_head.drawn"),
    Column("at", "moment", line=2),
)
"""Of `Opponent`: the people whom the viewer has met."""

ROOM_GAMES: Columns[Any] = (
    Column("number", "key", head="table_head.game"),
    Column("outcome", "outcome"),
    Column("seats", "seats", line=2, from_width=100),
    Column("moves", "number", "count.move", line=2),
    Column("starter", "seat", "table.fact.began", line=2),
    Column("started", "moment", line=2, head="table_head.when"),
)
"""Of `PastGame`: the games of a room."""

GRADES: Columns[Any] = (
    Column("name", "side", head="page.review.side"),
    Column("perfect", "tally", head="grade.perfect", tone="win"),
    Column("good", "tally", head="grade.good"),
    Column("inaccuracy", "tally", head="grade.inaccuracy", tone="notice"),
    Column("mistake", "tally", head="grade.mistake", tone="notice"),
    Column("blunder", "tally", head="grade.blunder", tone="loss"),
)
"""Of a review: how often each side was given each grade."""

RATED: Columns[Any] = (
    Column("game", "game"),
    Column("people", "number"),
    Column("bots", "number"),
    Column("games", "number"),
)
"""Of `RatedGame`: in which games players are rated."""

RATINGS: Columns[Any] = (
    Column("place", "number", head="table_head.number"),
    Column("name", head="table_head.player"),
    Column("rating", "rating", head="table_head.rating"),
    Column("deviation", "figure", head="table_head.deviation"),
    Column("games", "number", head="table_head.games"),
)
"""Of `RatingLine`: a game's players, the best first."""

RATED_GAMES: Columns[Any] = (
    Column("at", "moment", head="table_head.when"),
    Column("opponent", "seat", head="table_head.against"),
    Column("standing", "standing", head="table_head.result"),
    Column("change", "figure", head="table_head.change"),
    Column("rating", "figure", head="table_head.rating"),
)
"""Of `PastRated`: a player's last games."""

RATED_AGAINST: Columns[Any] = (
    Column("name", head="table_head.against"),
    Column("games", "number", head="table_head.games"),
    Column("wins", "tally", head="table_head.won"),
    Column("draws", "tally", head="table_head.drawn"),
    Column("losses", "tally", head="table_head.lost"),
)
"""Of `RatedAgainst`."""

PAGE = {
    "ROOMS": ROOMS,
    "OWN_ROOMS": OWN_ROOMS,
    "MET": MET,
    "ROOM_GAMES": ROOM_GAMES,
    "GRADES": GRADES,
    "RATED": RATED,
    "RATINGS": RATINGS,
    "RATED_GAMES": RATED_GAMES,
    "RATED_AGAINST": RATED_AGAINST,
}
