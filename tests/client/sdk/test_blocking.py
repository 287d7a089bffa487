"""Playing from a plain script: the same without asyncio."""

import asyncio
import inspect
import threading
import time
from collections.abc import Iterator

import pytest

from parlour_client import (
    BlockingClient,
    BlockingRoom,
    Client,
    ConnectionFailed,
    ConnectionLost,
    Refused,
    Room,
    connect_blocking,
)
from parlour_client.sdk.blocking import _Thread
from parlour_protocol.events import Event, GameFinished, Snapshot
from tests.support.server_process import serving_in_thread


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving_in_thread() as address:
        yield address


def test_a_game_in_five_lines(url: str) -> None:
    with connect_blocking(url, "Ada") as parlour:
        room = parlour.create("connect4", opponent="random:seed=1")
        while room.wait():
            room.play(room.legal_moves[0])
        assert room.over
        assert room.result is not None
        assert [line.room for line in parlour.history()] == [room.code]
        assert len(parlour.record(room.code).moves) == len(room.view.moves)


def test_a_room_is_read_like_a_list(url: str) -> None:
    with connect_blocking(url, "Ada") as ada, connect_blocking(url, "Ben") as ben:
        room = ada.create("tictactoe")
        there = ben.join(ada.link(room))
        for mine, theirs in zip(["a1", "a2", "a3"], ["b1", "b2", None], strict=True):
            assert room.wait(10)
            room.play(mine)
            if theirs is not None:
                assert there.wait(10)
                there.play(theirs)
        assert room.over
        there.say("again?")
        there.rematch()
        room.close()
        received = list(there)
        assert isinstance(received[0], Snapshot)
        assert not any(isinstance(one, Event) and isinstance(one.event, GameFinished) for one in received)


def test_a_wait_may_have_an_end_and_a_refusal_is_raised(url: str) -> None:
    with connect_blocking(url, "Ada") as parlour:
        room = parlour.create("tictactoe")
        with pytest.raises(TimeoutError):
            room.wait(0.01)
        with pytest.raises(Refused):
            room.play("b2")


def test_it_is_opened_and_closed_by_hand_too(url: str) -> None:
    before = threading.active_count()
    parlour = connect_blocking(url, "Ada")
    with pytest.raises(ConnectionLost, match="Not connected"):
        parlour.games()
    parlour.open()
    assert parlour.games()
    assert parlour.connected
    room = parlour.create("tictactoe")
    parlour.close()
    parlour.close()
    with pytest.raises(ConnectionLost):
        parlour.games()
    with pytest.raises(ConnectionLost):
        room.wait()
    with pytest.raises(ConnectionFailed), connect_blocking("127.0.0.1:1", "Ada"):
        pass
    assert threading.active_count() == before


def test_closing_ends_whoever_waits_in_another_thread(url: str) -> None:
    ended: list[BaseException] = []
    parlour = connect_blocking(url, "Ada").open()
    room = parlour.create("tictactoe")

    def wait() -> None:
        try:
            room.wait()
        except ConnectionLost as error:
            ended.append(error)

    waiting = threading.Thread(target=wait, daemon=True)
    waiting.start()
    parlour.close()
    waiting.join(10)
    assert ended
    with pytest.raises(ConnectionLost):
        room.wait()


def test_it_does_all_that_the_asynchronous_client_does() -> None:
    apart = {
        "notices",
        "request",
        "welcome",
        "limits",
        "until",
        "wait_for_turn",
        "changes",
        "do",
        "subscribe_by",
        "fresh",
        "from_record",
        "follow_tournament",
        "tournaments_under_way",
        "signal",
    }
    for theirs, ours in ((Client, BlockingClient), (Room, BlockingRoom)):
        public = {name for name in dir(theirs) if not name.startswith("_")} - apart
        assert public - set(dir(ours)) <= {"take", "end", "ended", "now", "is_fresh", "show_typing"}


def test_a_method_reads_as_the_one_that_it_is_made_from() -> None:
    parlour = connect_blocking("127.0.0.1:1", "Ada")
    assert parlour.join.__doc__ == Client.join.__doc__
    assert list(inspect.signature(parlour.join).parameters) == ["code", "seat", "program"]


def test_what_comes_while_the_thread_ends_is_refused() -> None:
    thread, ended = _Thread(), threading.Event()

    def ask() -> None:
        with pytest.raises(ConnectionLost):
            thread.wait_for(asyncio.sleep(3600))
        ended.set()

    def close_slowly() -> None:
        # It runs no more, and takes things up still.
        threading.Thread(target=ask, daemon=True).start()
        time.sleep(0.1)
        close()

    close, thread._loop.close = thread._loop.close, close_slowly  # type: ignore[method-assign]
    thread.stop()
    assert ended.wait(10)
