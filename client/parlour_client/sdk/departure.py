"""Leaving a server: a shared one ends with its last player."""

import asyncio
from contextlib import suppress
from pathlib import Path

from parlour_client.sdk.client import Client
from parlour_client.sdk.data_file import wait_until_free
from parlour_client.sdk.errors import ParlourError
from parlour_client.sdk.local_server import STOP_SECONDS
from parlour_protocol.answers import Closing
from parlour_protocol.local.server_info import read_note

ANSWER_SECONDS = 2.0


async def depart(client: Client, *, force: bool = False) -> Closing | None:
    """End a shared server if nobody else is there, or by `force`; disconnect after that.

    Returns when its data file is free. None where the server is not shared, or is not there any more.
    """
    if not client.connected:
        return None
    with suppress(ParlourError, TimeoutError):
        async with asyncio.timeout(ANSWER_SECONDS):
            answer = await client.close_server(force=force)
        if answer is not None and answer.closing and answer.saved_in is not None:
            # Only on the same machine is there a note.
            note = read_note(Path(answer.saved_in))
            if note is not None:
                await asyncio.to_thread(wait_until_free, answer.saved_in, note, STOP_SECONDS)
        return answer
    return None
