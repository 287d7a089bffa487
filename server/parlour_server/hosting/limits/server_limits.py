"""Every limit of a server, with its default."""

from dataclasses import dataclass


@dataclass(slots=True)
class ServerLimits:
    """How much one connection, one address, and all of them may ask for. Zero: no limit, where it may be."""

    message_bytes: int = 16 * 1024
    messages_per_second: float = 20.0
    burst: int = 40
    heartbeat_seconds: float = 6.0
    hello_seconds: float = 10.0
    rooms: int = 2000
    rooms_per_minute: float = 5.0
    """What one player may make in the long run; 0: no limit."""
    wrong_codes_per_minute: float = 20.0
    """How many codes that lead nowhere one connection may try in the long run."""
    address_connections: int = 400
    address_handshakes_per_minute: float = 600.0
    address_players_per_minute: float = 60.0
    address_rooms_per_minute: float = 100.0
    address_rooms: int = 200
    """How many rooms that one address made, or woke, may be awake."""
    kept_room_seconds: float = 300.0
    """For so long an empty room where somebody sits makes place for no other."""
    address_wrong_codes_per_minute: float = 200.0
    carry_seconds: float = 120.0
    """For so long a code that carries a player to another device can be used."""
    player_milliseconds: float = 50.0
    """Milliseconds of the server's time that one player's queries may take in a second: see `Budgets`."""
    address_milliseconds: float = 200.0
    """The same for all who share an address."""
    spectators: int = 200
    idle_room_seconds: float = 3600.0
    away_room_seconds: float = 7 * 86400.0
    keep_seconds: float = 0.0
    """How long a room is kept in which nothing happens; 0: for ever."""
    keep_visitors_seconds: float = 86400.0
    """How long a player is kept who never did anything; 0: for ever."""

    @property
    def rooms_of_an_address(self) -> int:
        """How many rooms of one address may be awake: never more than half of all; 0: no limit."""
        return min(self.address_rooms, max(1, self.rooms // 2))
