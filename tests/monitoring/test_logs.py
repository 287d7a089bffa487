"""The log: how it is written, what is left out of it, and what must never be in it."""

import asyncio
import json
import logging
import signal
from pathlib import Path
from typing import Any

import pytest
import structlog
from structlog.testing import capture_logs

from parlour_server.monitoring import logs
from parlour_server.monitoring.logs import MINUTE, MOST_EVENTS, Repeats
from parlour_server.store.port import NotReadable
from tests.server.process import Started, started
from tests.support.client import RawClient, player, raw
from tests.support.waiting import within


class Log:
    """What gets past `Repeats`, on a clock that moves by hand."""

    def __init__(self, most: int) -> None:
        self.seconds = 100.0
        self.repeats = Repeats(most, lambda: self.seconds)

    def write(self, event: str, times: int = 1) -> list[dict[str, Any]]:
        written = []
        for _ in range(times):
            try:
                written.append(dict(self.repeats(None, "info", {"event": event})))
            except structlog.DropEvent:
                continue
        return written


def test_an_event_is_written_so_often_a_minute_and_then_counted() -> None:
    log = Log(3)
    assert log.write("lost", 10) == [{"event": "lost"}] * 3
    assert log.write("found", 2) == [{"event": "found"}] * 2
    log.seconds += MINUTE - 0.1
    assert log.write("lost") == []
    log.seconds += 0.1
    assert log.write("lost", 2) == [{"event": "lost", "left_out": 8}, {"event": "lost"}]
    log.seconds += MINUTE
    assert log.write("lost") == [{"event": "lost"}]


def test_what_a_store_can_not_do_is_a_sentence_without_a_traceback() -> None:
    facts = {"event": "a room can't be read", "exc_info": NotReadable("It does not answer.")}
    assert logs._say_reason(None, "error", facts) == {
        "event": "a room can't be read",
        "reason": "It does not answer.",
    }
    fault = {"event": "a room can't be read", "exc_info": RuntimeError("ours")}
    assert logs._say_reason(None, "error", fault) == fault


def test_events_that_differ_each_time_take_no_more_memory_than_so() -> None:
    log = Log(3)
    for number in range(3 * MOST_EVENTS):
        log.write(f"number {number}")
    assert len(log.repeats._seen) <= MOST_EVENTS


async def test_what_the_loop_catches_is_logged_without_the_call_and_its_arguments() -> None:
    loop = asyncio.get_running_loop()
    logs.watch_loop(loop)
    with capture_logs() as written:
        loop.call_soon(lambda secret: 1 // 0, "canary")
        await within(10, lambda: bool(written))
    (line,) = written
    assert line["log_level"] == "error"
    assert isinstance(line["exc_info"], ZeroDivisionError)
    assert "canary" not in str(line)


def test_what_libraries_log_comes_into_ours() -> None:
    with capture_logs() as written:
        logs._Forward().emit(logging.makeLogRecord({"name": "asyncio", "levelno": 40, "msg": "no handles"}))
    assert written == [{"event": "no handles", "logger": "asyncio", "exc_info": None, "log_level": "error"}]


# ---------------------------------------------------------------- of a process


async def connected_and_gone(server: Started) -> str:
    async with player(server.url) as ada:
        await ada.ask("rooms")
    return (await server.end(signal.SIGTERM)).complained


async def test_json_lines_name_the_connection_its_address_and_player() -> None:
    async with started("--log-format", "json", "--log-level", "debug") as server:
        lines = [json.loads(line) for line in (await connected_and_gone(server)).splitlines()]
    (came,) = [line for line in lines if line["event"] == "connected"]
    (went,) = [line for line in lines if line["event"] == "disconnected"]
    assert came["address"] == went["address"] == "127.0.0.1"
    assert "stopping" in {line["event"] for line in lines}
    assert came["connection"] == went["connection"] == "c1"
    assert went["player"].startswith("p")
    assert came["level"] == "debug"
    assert came["timestamp"].endswith("Z")


@pytest.mark.parametrize(("form", "start"), [("logfmt", "timestamp="), ("console", "20")])
async def test_other_forms_are_lines_of_text(form: str, start: str) -> None:
    async with started("--log-format", form, "--log-level", "debug") as server:
        lines = (await connected_and_gone(server)).splitlines()
    assert any("disconnected" in line and "c1" in line for line in lines)
    assert all(line.startswith(start) and "\x1b" not in line for line in lines)


async def test_less_is_logged_where_less_is_asked_for() -> None:
    async with started() as server:
        assert await connected_and_gone(server) == ""


CANARIES = ("canary-token-4242", "canary-chat-4242", "canary-junk-4242")


async def test_no_token_and_nothing_that_people_say_is_in_the_log(tmp_path: Path) -> None:
    data = tmp_path / "rooms.db"
    token, chat, junk = CANARIES
    async with started("--data", str(data), "--log-level", "debug", "--log-repeats", "0") as server:
        async with player(server.url) as ada, raw(server.url) as thief:
            own = ada.received[0]["token"]
            await thief.hello(token=token)
            await thief.ask(junk)
            for text in (junk, f'{{"id": "x", "type": "say", "text": "{junk}"', f'{{"id": 7, "{junk}": 1}}'):
                await thief.socket.send(text)
            await thief.socket.send(junk.encode())
            await say_something(ada, chat)
        async with player(server.url, token=own):
            pass
        log = (await server.end(signal.SIGTERM)).complained
    assert "disconnected" in log
    for secret in (own, *CANARIES):
        assert secret not in log
    kept = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert chat.encode() in kept, "the file was looked at"
    assert own.encode() not in kept
    assert token.encode() not in kept


async def say_something(ada: RawClient, text: str) -> None:
    room = (await ada.ask("create", game="tictactoe"))["room"]
    await ada.ask("sit", room=room)
    assert (await ada.ask("say", room=room, text=text))["type"] == "accepted"
