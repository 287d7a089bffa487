"""Queries answered in this process: as a server answers them, and without one."""

import asyncio
import importlib.util
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from parlour_client.sdk import in_process
from parlour_client.sdk.client import connect
from parlour_client.sdk.commands import command
from parlour_client.sdk.errors import ParlourError, Refused, ServerStartFailed
from parlour_client.sdk.in_process import InProcessClient
from parlour_client.sdk.queries import QueryClient
from parlour_client.sdk.requests import new_id
from parlour_client.sdk.review import review_game
from parlour_protocol import commands
from parlour_protocol.errors import Code
from parlour_protocol.notices import Progress
from parlour_protocol.views.reports import Report
from parlour_protocol.words import ENGLISH


@pytest.fixture
async def here() -> AsyncIterator[InProcessClient]:
    async with InProcessClient() as client:
        yield client


MIDDLE = {"game": "tictactoe", "moves": "a1 b2 c3"}

# Searches of a few hundred positions: however busy the machine is, no server's limit cuts them short.
QUERIES: list[tuple[type[commands.Command[Any]], dict[str, Any]]] = [
    (commands.ListGames, {}),
    (commands.CheckBot, {"bot": "minimax:depth=3"}),
    (commands.CheckBot, {"bot": "minimax", "game": "chess"}),
    (commands.AskBoard, MIDDLE),
    (commands.AskBoard, {"game": "connect4", "moves": "4455"}),
    (commands.AskBoard, {"game": "tictactoe", "moves": "a1 a1"}),
    (commands.Analyse, {**MIDDLE, "bot": "minimax"}),
    (commands.Analyse, {**MIDDLE, "bot": "alphabeta:seed=1", "played": "a3"}),
    (commands.Analyse, {"game": "tictactoe", "moves": "a1 b1 a2 b2 a3"}),
    (commands.Analyse, {**MIDDLE, "bot": "nobody"}),
    (commands.Analyse, {**MIDDLE, "bot": "perfect:depth=-1"}),
    (commands.AskTree, {**MIDDLE, "depth": 3, "prune": True, "limit": 200}),
    (commands.AskTree, {**MIDDLE, "depth": 6, "prune": False, "limit": 3}),
    (commands.AskTree, {**MIDDLE, "depth": 4, "levels": 1, "path": ["a3"], "alpha": -97, "beta": 0.5}),
    (commands.Race, {**MIDDLE, "entrant": "ordering", "depth": 4}),
    (commands.Race, {**MIDDLE, "entrant": "engine"}),
    (commands.AskReview, {**MIDDLE, "bot": "minimax:depth=2"}),
    (commands.AskReview, {"bot": "minimax"}),
]


async def asked(client: QueryClient, query: commands.Command[Any]) -> Any:
    """The answer, but for how long its search took; or what was refused."""
    try:
        answer = await client.request(query)
    except Refused as refused:
        return refused.refusal
    report = getattr(answer, "report", None)
    return replace(answer, report=replace(report, seconds=0.0)) if isinstance(report, Report) else answer


@pytest.mark.parametrize(("kind", "fields"), QUERIES)
async def test_it_answers_as_a_server_does(
    here: InProcessClient, server: str, kind: type[commands.Command[Any]], fields: dict[str, Any]
) -> None:
    query = command(kind, **fields)
    async with connect(server, "Ada") as there:
        assert await asked(here, query) == await asked(there, query)


async def test_what_needs_a_room_is_refused(here: InProcessClient) -> None:
    rooms: list[commands.Command[Any]] = [
        command(commands.ListRooms),
        command(commands.CreateRoom, game="tictactoe"),
        command(commands.Subscribe, room="KMRTQA"),
        command(commands.AskReview, room="KMRTQA"),
        command(commands.AskHistory),
    ]
    for query in rooms:
        with pytest.raises(Refused, match="needs a server with rooms") as refused:
            await here.request(query)
        assert (refused.value.code, str(refused.value)) == (
            Code.NOT_ALLOWED,
            ENGLISH.say("refusal.without_rooms"),
        )


async def test_a_review_shows_each_move_as_it_is_graded(here: InProcessClient) -> None:
    review = commands.AskReview(
        id=new_id(), game="tictactoe", moves="a1 b2 c3 a3", bot="alphabeta", progress=True
    )
    shown: list[tuple[int, int]] = []
    answer, reports = await review_game(here, review, lambda done, of: shown.append((done, of)))
    assert shown == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert sorted(reports) == [1, 2, 3, 4]
    assert [one.grade.grade for one in answer.moves if one.grade] == ["perfect"] * 3 + ["blunder"]


async def test_a_long_search_shows_what_it_has_found_and_ends_with_its_client() -> None:
    async with InProcessClient() as client:
        notices = client.notices()
        query = command(commands.Analyse, game="gomoku", moves="h8", bot="perfect", progress=True)
        searching = asyncio.create_task(client.request(query))
        notice = await anext(notices)
        assert isinstance(notice, Progress)
        assert notice.about == query.id
        with pytest.raises(Refused) as refused:
            await client.request(command(commands.Analyse, **MIDDLE))
        assert refused.value.code is Code.BUSY
        searching.cancel()
    # Its thread has ended, or this would have waited for ever.
    assert [notice async for notice in notices if not isinstance(notice, Progress)] == []


async def test_a_search_that_fails_is_a_refusal_and_a_line(
    here: InProcessClient, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(*given: object) -> None:
        raise ZeroDivisionError("no such luck")

    monkeypatch.setattr("parlour_server.analysis.worker.run", fails)
    with pytest.raises(ParlourError, match="The search failed: the log says why"):
        await here.analyse("tictactoe")
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == (
        "A search failed: bot perfect, game tictactoe, error ZeroDivisionError('no such luck').\n"
    )


async def test_a_client_without_a_server_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ServerStartFailed, match="name one with --server, or install it"):
        async with in_process.InProcessClient():
            pass
