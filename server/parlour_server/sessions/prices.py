"""What each command costs: see `hosting.limits.rate_limits`. A price is in milliseconds of the server's time.

Commands of a room's inbox cost nothing here: the limit of messages bounds them.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import get_args

from parlour_protocol import commands

PRICES: Mapping[type, float] = MappingProxyType(
    {
        **dict.fromkeys(commands.TABLE_COMMANDS, 0.0),
        commands.Hello: 0.0,
        commands.Unsubscribe: 0.0,
        commands.Cancel: 0.0,
        commands.CloseServer: 0.0,
        commands.CarryPlayer: 1.0,
        # An event in each of the rooms where they sit.
        commands.RenamePlayer: 50.0,
        # The longest link takes two milliseconds to draw.
        commands.AskQrCode: 2.0,
        commands.ListGames: 1.0,
        commands.ListBots: 1.0,
        # New rules for a large board take two milliseconds to make; and their moves are replayed.
        commands.CheckBot: 2.0,
        commands.AskLecture: 2.0,
        commands.AskBoard: 2.0,
        # Some positions of one are drawn.
        commands.AskRules: 5.0,
        commands.CreateRoom: 3.0,
        commands.QuickMatch: 3.0,
        commands.ListRooms: 3.0,
        commands.CreateTournament: 3.0,
        # Each is folded, where it is not in memory.
        commands.ListTournaments: 10.0,
        # Standings of 200 are worked out anew.
        commands.AskTournament: 10.0,
        **dict.fromkeys(get_args(commands.InTournament), 2.0),
        # A snapshot is as large as a page.
        commands.Subscribe: 2.0,
        commands.AskThoughts: 1.0,
        # Beside what is charged for what was read.
        commands.AskRecord: 1.0,
        commands.AskRoomGames: 1.0,
        commands.AskHistory: 3.0,
        commands.RemoveRoom: 3.0,
        commands.AskHeadToHead: 1.0,
        commands.AskRoomRatings: 1.0,
        # Each name is read.
        commands.AskRatings: 10.0,
        commands.AskRating: 10.0,
        # Beside their searches.
        commands.AskHint: 3.0,
        commands.Analyse: 5.0,
        commands.AskReview: 10.0,
        commands.AskExport: 5.0,
        commands.AskPuzzle: 5.0,
        commands.AskTree: 10.0,
        commands.AskPlayouts: 10.0,
        commands.AskExercise: 2.0,
        commands.Race: 5.0,
    }
)
"""What a command costs before it is answered."""

REFUSAL = 0.2
"""A refusal before anything is looked into."""
FETCH = 1.0
"""To look for a room that is not in memory."""
RECORD = 0.01
"""Each record of a log that is read."""
KIBIBYTE = 1 / 64
"""Each 1,024 bytes of an answer."""
SEARCH_SECOND = 5.0
"""A worker searches beside the loop: this is the price of keeping it from others."""
