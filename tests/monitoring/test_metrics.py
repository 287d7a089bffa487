"""What /metrics says, and whether it is so."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.support.client import player, raw
from tests.support.server import serving

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]
SECONDS = 20


async def get(url: str, path: str, **headers: str) -> tuple[int, str]:
    """A plain HTTP request: status and body."""
    host, port = url.removeprefix("ws://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    lines = {"Host": f"{host}:{port}", **headers}
    request = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in lines.items())
    writer.write(f"GET {path} HTTP/1.1\r\n{request}\r\n".encode())
    async with asyncio.timeout(SECONDS):
        head, _, body = (await reader.read()).decode().partition("\r\n\r\n")
    writer.close()
    return int(head.split()[1]), body


async def scrape(url: str) -> Samples:
    status, body = await get(url, "/metrics")
    assert status == 200
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(body)
        for sample in family.samples
    }


def value(samples: Samples, name: str, **labels: str) -> float:
    return samples.get((f"parlour_{name}", frozenset(labels.items())), 0.0)


@pytest.fixture
async def url() -> AsyncIterator[str]:
    async with serving() as url:
        yield url


async def test_a_game_is_counted(url: str) -> None:
    before = await scrape(url)
    assert value(before, "rooms", phase="playing") == value(before, "moves_total") == 0
    async with player(url) as ada, player(url, "Ben") as ben:
        room = (await ada.ask("create", game="tictactoe"))["room"]
        for person in (ada, ben):
            await person.ask("sit", room=room)
        assert (await ben.ask("play", room=room, version=4, move="a1"))["code"] == "not_your_turn"
        await ada.ask("play", room=room, version=4, move="b2")
        await ben.ask("play", room=room, version=5, move="a1")
        now = await scrape(url)
        assert value(now, "sessions") == value(now, "players") == 2
        # The scrape is a connection itself.
        assert value(now, "connections") == 3
        assert value(now, "rooms", phase="playing") == 1
        assert value(now, "moves_total") == value(now, "events_total", kind="move_played") == 2
        assert value(now, "events_total", kind="seat_taken") == 2
        assert value(now, "commands_total", type="play") == 3
        assert value(now, "refusals_total", code="not_your_turn") == 1
        assert value(now, "players_created_total") == value(now, "sessions_welcomed_total") == 2
        assert value(now, "received_bytes_total") > value(before, "received_bytes_total")
        assert value(now, "sent_bytes_total") > 500
        assert now["process_resident_memory_bytes", frozenset()] > 0
    while value(await scrape(url), "sessions"):  # noqa: ASYNC110
        await asyncio.sleep(0.01)


async def test_bytes_are_counted_on_both_ways() -> None:
    async with serving() as url, player(url) as ada:
        before = await scrape(url)
        answer = await ada.ask("rooms")
        now = await scrape(url)
        sent, received = (
            value(now, name) - value(before, name) for name in ("sent_bytes_total", "received_bytes_total")
        )
        assert sent >= len(json.dumps(answer, separators=(",", ":")))
        # The second scrape's request is among them.
        assert received >= len('{"id": "id1", "type": "rooms"}') + len("GET /metrics HTTP/1.1")


async def test_a_search_and_a_commit_are_timed(tmp_path: Any) -> None:
    async with serving(data=str(tmp_path / "rooms.db")) as url, player(url) as ada:
        room = (await ada.ask("create", game="tictactoe"))["room"]
        await ada.ask("sit", room=room)
        await ada.ask("subscribe", room=room)
        await ada.ask("add_bot", room=room, bot="minimax")
        await ada.ask("play", room=room, version=4, move="b2")
        await ada.until(lambda message: message.get("version") == 6)
        now = await scrape(url)
        assert value(now, "searches_total", kind="seat", outcome="done") == 1
        assert value(now, "search_seconds_count") == value(now, "search_wait_seconds_count") == 1
        assert value(now, "searches_running") == value(now, "search_queue") == 0
        assert value(now, "commit_seconds_count") == value(now, "commit_records_count") >= 4
        assert value(now, "commit_records_sum") >= 6
        assert value(now, "commits_failed_total") == 0


async def test_the_data_file_is_measured_beside_its_limit(tmp_path: Any) -> None:
    async with serving(data=str(tmp_path / "rooms.db"), data_limit="10M") as url:
        before = await scrape(url)
        async with player(url) as ada:
            for _ in range(50):
                await ada.ask("create", game="tictactoe")
        now = await scrape(url)
    assert value(now, "data_bytes") > value(before, "data_bytes") > 0
    assert value(now, "data_limit_bytes") == 10 << 20


async def test_what_a_rate_limit_refuses_is_counted() -> None:
    async with serving(messages_per_second=0.001, burst=2) as url, player(url) as ada:
        await ada.ask("rooms")
        assert (await ada.ask("rooms"))["code"] == "too_fast"
        now = await scrape(url)
        assert value(now, "budget_refusals_total", budget="messages") == 1
        assert value(now, "refusals_total", code="too_fast") == 1


async def test_who_never_says_hello_is_counted_as_cut() -> None:
    async with serving(hello_seconds=0.01) as url, raw(url) as silent:
        await silent.socket.wait_closed()
        assert value(await scrape(url), "connections_cut_total", reason="no_hello") == 1


async def test_a_foreign_page_is_counted(url: str) -> None:
    status, _ = await get(
        url, "/", Upgrade="websocket", Connection="Upgrade", Origin="https://evil.example",
        Sec_WebSocket_Version="13", Sec_WebSocket_Key="AAAAAAAAAAAAAAAAAAAAAA==",
    )  # fmt: skip
    assert status == 403
    assert value(await scrape(url), "connections_refused_total", reason="origin") == 1


async def test_two_servers_in_one_process_count_apart(url: str) -> None:
    async with serving() as other, player(other):
        assert value(await scrape(url), "players") == 0
        assert value(await scrape(other), "players") == 1


async def test_strangers_find_nothing_there(url: str) -> None:
    assert (await get(url, "/metrics", Host="games.example"))[0] == 404
    assert (await get(url, "/metrics", X_Forwarded_For="192.0.2.7"))[0] == 404
