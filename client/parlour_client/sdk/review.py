"""A game's review, as a server makes it: a grade for each move, a score for each position."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal

from parlour_client.sdk.errors import ParlourError
from parlour_client.sdk.queries import QueryClient
from parlour_client.sdk.requests import new_id
from parlour_client.sdk.retry import with_retries
from parlour_client.sdk.tasks import first_done
from parlour_protocol import answers, commands
from parlour_protocol.ids import Both
from parlour_protocol.notices import Progress
from parlour_protocol.views.reports import GradeCounts, Note, Report, ReviewedMove, Score
from parlour_protocol.views.rooms import ResultView

LATE_SECONDS = 1.0
"""How long the last reports are waited for: a notice may be dropped where the connection is behind."""


@dataclass(frozen=True, slots=True)
class Review:
    """A whole game's."""

    game: str
    names: tuple[str, str]
    """Who played the sides."""
    moves: Sequence[ReviewedMove]
    result: ResultView | None
    """How the game ended, its winner a side; None while it goes on."""
    bot: str
    reports: dict[int, Report] = field(default_factory=dict)
    """The report on the position before each move, by ply from 1."""
    grades: Both[GradeCounts] = field(default_factory=lambda: [GradeCounts(), GradeCounts()])
    """How often each side was given each grade."""
    notes: Sequence[Note] = ()
    """Whether there were mistakes, and how far the grades can be trusted."""

    @property
    def outcome(self) -> Literal["first", "second", "draw"] | None:
        """The side that won; None where the game goes on, or was called off."""
        if self.result is None or self.result.termination == "aborted":
            return None
        return "draw" if self.result.winner is None else ("second" if self.result.winner else "first")

    @property
    def points(self) -> list[Score | None]:
        """What each position was worth to the side that moved first; None where nobody knows."""
        return [*(one.before for one in self.moves[:1]), *(one.after for one in self.moves)]


async def review_game(
    client: QueryClient,
    asked: commands.AskReview,
    progress: Callable[[int, int], None],
    waiting: Callable[[Report], None] = lambda report: None,
) -> tuple[answers.Review, dict[int, Report]]:
    """Have a game reviewed: the answer, and the reports by ply as far as their notices came.

    `progress` gets how many moves are graded, and of how many; `waiting` a report that says what a search
    waits for: its turn, or compiled code.
    Raises `Refused`.
    """
    reports: dict[int, Report] = {}
    more = asyncio.Event()

    async def collect() -> None:
        # What ends the stream is raised by the answer that does not come.
        with suppress(ParlourError):
            async for notice in client.notices():
                if not isinstance(notice, Progress) or notice.about != asked.id:
                    continue
                if notice.report.compiling is not None or notice.report.queued is not None:
                    waiting(notice.report)
                if notice.move is not None:
                    reports[notice.move.ply] = notice.report
                    progress(notice.move.ply, notice.of or 0)
                    more.set()

    async def ask() -> answers.Review:
        # Each time under another id: what was refused stays refused under the first one.
        nonlocal asked
        asked = asked.model_copy(update={"id": new_id()})
        return await client.request(asked)

    async def reviewed() -> answers.Review:
        answer = await with_retries(ask)
        with suppress(TimeoutError):
            async with asyncio.timeout(LATE_SECONDS):
                while len(reports) < len(answer.moves):
                    more.clear()
                    await more.wait()
        return answer

    return await first_done(reviewed(), beside=[collect()]), reports
