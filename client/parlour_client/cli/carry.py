"""Taking a player over from another device, before a command does what it is for."""

import asyncio
from collections.abc import Callable

from parlour_client.sdk.carrying import player_of, take_over
from parlour_client.sdk.data_file import player_realm
from parlour_client.sdk.errors import UsageError
from parlour_client.sdk.identity import StoredIdentity, chosen_name, state_folder
from parlour_protocol.words import say


def take_over_here(server: str, carry: str, name: str | None, tell: Callable[[str], None]) -> None:
    """Become the player whom a link carries, and stay so on that server.

    It takes the place of the player that this terminal is there, unless another name was chosen with --as.
    Nothing changes where it is that player already. Raises `UsageError`, before the code is used up, where a
    player of that name is kept; and `ParlourError`.
    """
    identity = StoredIdentity(state_folder(), player_realm(server), chosen_name(name), tell)
    before = identity.token()
    if before is not None and name is not None:
        raise UsageError(say("error.name_kept", name=identity.name))
    welcome = asyncio.run(take_over(server, carry, "" if name is None else identity.name))
    assert welcome.token is not None
    if before is not None:
        if asyncio.run(player_of(server, identity.name, before)) == welcome.player:
            return
        identity.put_aside(before)
        tell(say("command.join.taken_over", name=welcome.name))
    identity.name = welcome.name
    identity.keep(welcome.token)
