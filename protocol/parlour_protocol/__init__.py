"""What Parlour's server and clients say to each other: JSON text frames, subprotocol ``parlour.v1``.

:mod:`commands` is what a client may send, :mod:`answers`, :mod:`events` and :mod:`notices` what a server
may say. :mod:`codec` is the only way from text to a message and back.
"""

SUBPROTOCOL = "parlour.v1"
PROTOCOL_VERSION = 1
DEFAULT_PORT = 8765
"""Where `parlour serve` listens, and where a client looks for a server on its own machine."""

LONGEST_NAME = 24
"""The most characters of a player's name, as others see it."""
LONGEST_CHAT = 300
TYPING_SECONDS = 6.0
"""For how long a `typing` notice holds. Who goes on writing says so every half of it."""
LONGEST_WORD = 100
"""The most characters of a bot's name with its settings, and of one move."""
LONGEST_GAME = 600
"""The most characters of a game's name, with the position in which it begins."""
LONGEST_MOVES = 4000
"""The most characters of a game's moves, written one after the other."""
LONGEST_SEEK = 3600
"""For how many seconds at most a quick match waits for a player before it seats a bot."""
LONGEST_RACE = 60
"""For how many seconds at most one of the searches that are raced goes on."""
LONGEST_QR_LINK = 200
"""The most characters of a link that a server draws as a QR code."""
LECTURE = "{lecture}"
"""In the file that a server sends for a lecture: where a client is to put what it is about."""
MOST_NODES = 1000
"""The most boards of a game tree that a server shows."""
MOST_REPORTED = 64
"""The most candidates, and the longest line, in what a program says of its own thinking."""
MOST_POINTS = 1_000_000
"""No score in it is beyond this, either way."""
UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode's categories without a glyph: controls (C0, DEL, C1), formats (bidi, zero width), and the rest.
No name holds one, and no screen shows one."""
RESERVED_NAMES = frozenset(
    {
        "admin",
        "administrator",
        "alphabeta",
        "bot",
        "easy",
        "engine",
        "free",
        "hard",
        "mcts",
        "medium",
        "minimax",
        "moderator",
        "nobody",
        "parlour",
        "perfect",
        "random",
        "server",
        "system",
        "you",
    }
)
"""In lower case: what a player is not called, nor anything that looks like it. The bots are among them."""
