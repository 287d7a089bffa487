"""Looks at a server that never was."""

from dataclasses import replace

from parlour_client.tui.top.history import Look
from parlour_protocol.local.admin import AddressRow, PlayerRow, RoomRow, SearchNumbers, ServerStatus, Timing

STATUS = ServerStatus(
    url="wss://games.example:8765",
    version="0.1.0",
    pid=4711,
    uptime=10_000.0,
    data="/var/lib/parlour/rooms.db",
    data_bytes=734_003_200,
    connections=952,
    players=871,
    rooms=318,
    most_rooms=2000,
    phases={"playing": 211, "waiting": 77, "finished": 30},
    spectators=140,
    events=100_000,
    moves=90_000,
    refusals={"too_fast": 100, "not_your_turn": 20},
    searches=SearchNumbers(2, 12, 2),
    cpu_seconds=500.0,
    memory_bytes=312_475_648,
    commits=Timing(10_000, 8.0, 0.005),
    lag=Timing(10_000, 1.0, 0.002),
    bans=3,
)
ROOMS = [
    RoomRow("KMRTQA", "connect4", "playing", ["Ada", "hard (bot)"], ["203.0.113.7"], 12, 41, 300, 1, False),
    RoomRow(
        "W8KVYY",
        "reversi",
        "playing",
        ["Zoë", "Ben"],
        ["203.0.113.7", "198.51.100.4"],
        90,
        60,
        900,
        0.2,
        True,
    ),
    RoomRow("C9WMTE", "tictactoe", "waiting", ["Cleo", ""], ["2001:db8::/64"], 0, 3, 44, 40, False),
]
PLAYERS = [
    PlayerRow("p0123456789abcdef", "Ada", ["203.0.113.7"], 2, 310, ["KMRTQA"], {}),
    PlayerRow("pfedcba9876543210", "Mallory", ["192.0.2.66"], 9, 20, [], {"too_fast": 90, "unknown_room": 7}),
]
ADDRESSES = [AddressRow("203.0.113.7", 40, 38, 2), AddressRow("192.0.2.66", 312, 1, 97)]


def look(number: int = 0) -> Look:
    """The number of the look, two seconds after the one before: twice as many moves in each."""
    moves = 500 * number * (number + 1) // 2
    status = replace(
        STATUS,
        uptime=STATUS.uptime + 2 * number,
        moves=STATUS.moves + moves,
        cpu_seconds=STATUS.cpu_seconds + 1.1 * number,
        refusals={"too_fast": 100 + 7 * number, "not_your_turn": 20, "busy": number},
        searches=SearchNumbers(2, 12 + number % 5, 2),
        memory_bytes=STATUS.memory_bytes + 10**6 * number,
        commits=Timing(10_000 + 400 * number, 8.0 + 0.32 * number, 0.005),
        lag=Timing(10_000 + 20 * number, 1.0 + 0.03 * number, 0.002),
    )
    rooms = [replace(row, events=row.events + number * at) for at, row in enumerate(ROOMS)]
    return Look(2.0 * number, status, rooms, list(PLAYERS), list(ADDRESSES))
