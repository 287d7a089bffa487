"""A player goes from one device to another: by a link with a code that is good once, for a short while."""

from dataclasses import dataclass

from parlour_client.sdk.client import Client
from parlour_client.sdk.commands import command
from parlour_client.sdk.connection import Connection
from parlour_client.sdk.dial import HEARTBEAT, open_socket, say_hello
from parlour_client.sdk.errors import ParlourError, Refused
from parlour_client.sdk.identity import GuestIdentity, is_loopback
from parlour_client.sdk.requests import new_id
from parlour_protocol import LONGEST_QR_LINK, PROTOCOL_VERSION, commands
from parlour_protocol.answers import Refused as RefusedMessage
from parlour_protocol.answers import Welcome
from parlour_protocol.ids import carry_link


@dataclass(frozen=True, slots=True)
class CarriedSeat:
    """The way from here to another device."""

    link: str
    """Opens the room there, as this player. Anyone who opens it becomes the player: a secret."""
    seconds: float
    """For so long it can be opened, once."""
    rows: list[str] | None
    """It as a QR code; None where no other machine can reach the server."""


async def carry_seat(client: Client, code: str) -> CarriedSeat:
    """Open the way for another device to play on in a room. Raises `Refused`."""
    carried = await client.carry()
    link = carry_link(client.public_url, code, carried.code)
    drawn = None
    if not is_loopback(client.public_url) and len(link) <= LONGEST_QR_LINK and link.isascii():
        drawn = (await client.request(command(commands.AskQrCode, text=link))).rows
    return CarriedSeat(link, carried.seconds, drawn)


async def player_of(server: str, name: str, token: str) -> str | None:
    """The id of the player whom a token stands for; None where the server doesn't know it, or doesn't say."""
    try:
        async with Client(Connection(server, GuestIdentity(name, token))) as client:
            return client.welcome.player
    except ParlourError:
        return None


async def take_over(server: str, carry: str, name: str = "") -> Welcome:
    """Become the player that a code leads to; the welcome holds the token. Without a name, the player's own.

    Raises `ConnectionFailed` and `Refused`.
    """
    socket = await open_socket(server, HEARTBEAT)
    try:
        hello = commands.Hello(
            id=new_id(), protocols=[PROTOCOL_VERSION], name=name, carry=carry, client="parlour-client"
        )
        answer = await say_hello(server, socket, hello, None)
    finally:
        await socket.close()
    if isinstance(answer, RefusedMessage):
        raise Refused(answer)
    return answer
