"""A hint for the player to move, with the progress of its search."""

from collections.abc import Callable
from contextlib import suppress

from parlour_client.sdk.client import Client
from parlour_client.sdk.commands import command
from parlour_client.sdk.errors import ParlourError
from parlour_client.sdk.tasks import first_done
from parlour_protocol import answers, commands
from parlour_protocol.notices import Progress
from parlour_protocol.views.reports import Report


async def fetch_hint(client: Client, room: str, progress: Callable[[Report], None]) -> answers.Hint:
    """Have the moves of a room's present position scored; `progress` gets what is known meanwhile.

    Cancel it to stop the search. Raises `Refused`.
    """
    asked = command(commands.AskHint, room=room, progress=True)
    notices = client.notices()

    async def follow() -> None:
        # What ends the stream is raised by the answer that does not come.
        with suppress(ParlourError):
            async for notice in notices:
                if isinstance(notice, Progress) and notice.about == asked.id:
                    progress(notice.report)

    return await first_done(client.request(asked), beside=[follow()])
