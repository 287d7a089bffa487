"""What a room's link shows where it is sent to somebody, over real sockets: words, a picture, at a price."""

import asyncio
import io
import json
import re
import threading
from collections.abc import AsyncIterator
from html.parser import HTMLParser
from typing import Any

import pytest
from PIL import Image

from parlour_protocol.ids import CODE_ALPHABET
from parlour_protocol.pictures.board import card
from parlour_server.hosting.limits import rate_limits
from parlour_server.pictures import card_job
from parlour_server.sessions import previews
from tests.support.client import RawClient, player
from tests.support.server import serving

HOSTILE = ['"><script>alert(1)//', "'><img src=x onerror=1>", "</title>&quot;&#34;</a"]
FAR = "X-Forwarded-For: 203.0.113.9"


async def asked(url: str, path: str, *headers: str, host: str = "127.0.0.1") -> tuple[str, bytes]:
    """The head and the body of the answer to this request."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
    async with asyncio.timeout(30):
        writer.write("\r\n".join([f"GET {path} HTTP/1.1", f"Host: {host}", *headers, "", ""]).encode())
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    return head.decode(), body


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: dict[str, str] = {}
        self.elements: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.elements.append(tag)
        name = given.get("property") or given.get("name")
        if tag == "meta" and name:
            assert name not in self.found
            self.found[name] = given.get("content") or ""


def tags(body: bytes) -> dict[str, str]:
    parsed = _Tags()
    parsed.feed(body.decode())
    return {name: value for name, value in parsed.found.items() if name.startswith(("og:", "twitter:"))}


async def shown(url: str, path: str, *headers: str, host: str = "127.0.0.1") -> dict[str, str]:
    head, body = await asked(url, path, *headers, host=host)
    assert " 200 " in head
    return tags(body)


async def made(client: RawClient, **fields: Any) -> str:
    """A room in which its player waits."""
    answer = await client.ask("create", **{"game": "connect4", "seats": ["me", "open"], **fields})
    code = answer["room"]
    assert isinstance(code, str)
    return code


@pytest.fixture
async def url() -> AsyncIterator[str]:
    async with serving(trusted_proxy=["127.0.0.1"], origins=["https://play.example.org"]) as found:
        yield found


async def test_a_link_says_who_invites_to_what_in_the_language_that_is_asked_for(url: str) -> None:
    async with player(url, "Merry Hare") as ada, player(url, "Ben") as ben:
        code = await made(ada)
        found = await shown(url, f"/{code}")
        assert found["og:title"] == "Merry Hare invites you to Connect Four"
        assert found["og:description"].startswith("Open the link and play")
        assert found["og:type"] == "website" and found["twitter:card"] == "summary_large_image"
        assert (found["og:image:width"], found["og:image:height"]) == ("1200", "630")
        german = await shown(url, f"/{code.lower()}", "Accept-Language: de")
        assert german["og:title"] == "Merry Hare lädt dich ein: Vier gewinnt"
        await ben.ask("sit", room=code)
        found = await shown(url, f"/{code}")
        assert found["og:title"] == "Merry Hare against Ben: Connect Four"
        assert found["og:description"] == "0 moves so far. Open the link to watch."
        await ben.ask("resign", room=code)
        assert (await shown(url, f"/{code}"))["og:description"] == "The game is over: Merry Hare wins."
        free = (await ada.ask("create", game="tictactoe"))["room"]
        assert (await shown(url, f"/{free}"))["og:title"] == "A free table: Tic-tac-toe"


def room_of(body: bytes) -> dict[str, Any]:
    """The room that came with its page."""
    found = re.search(rb'<script type="application/json" id="room">(.*?)</script>', body)
    assert found is not None
    snapshot: dict[str, Any] = json.loads(found[1])
    return snapshot


async def test_a_link_brings_the_room_as_one_sees_it_who_has_just_come(url: str) -> None:
    async with player(url, "Merry Hare") as ada, player(url, "Ben") as ben, player(url, "Cy") as cy:
        code = await made(ada, moves="4 4")
        await cy.ask("subscribe", room=code)
        await cy.ask("say", room=code, text="not for those who come later")
        for begun in (False, True):
            if begun:
                await ben.ask("sit", room=code)
            sent = room_of((await asked(url, f"/{code}"))[1])
            async with player(url) as late:
                await late.ask("subscribe", room=code)
                usual = await late.until(lambda message: message["type"] == "snapshot")
            board = sent["view"].pop("position")
            assert [cell for row in board["cells"] for cell in row].count("\u00b7") == 40
            assert usual["view"].pop("position", None) == (board if begun else None)
            # Who has just come watches, too, once they are connected.
            assert (sent["view"].pop("watching"), usual["view"].pop("watching")) == (1, 2)
            assert {**sent, "at": 0} == {**usual, "at": 0}
            assert not sent["view"]["chat"]


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_hostile_name_is_text_and_nothing_else(url: str, name: str) -> None:
    async with player(url, name) as ada:
        code = await made(ada)
        _, plain = await asked(url, "/")
        head, body = await asked(url, f"/{code}")
        parsed, usual = _Tags(), _Tags()
        parsed.feed(body.decode())
        usual.feed(plain.decode())
        assert parsed.found["og:title"] == f"{name} invites you to Connect Four"
        assert {*parsed.elements} == {*usual.elements}
        assert parsed.elements.count("script") == usual.elements.count("script") + 1
        assert room_of(body)["view"]["seats"][0]["name"] == name
        policy = re.search("content-security-policy: (.*)\r", head, re.IGNORECASE)
        assert policy is not None
        assert "unsafe" not in policy[1] and "default-src 'none'" in policy[1]


async def test_a_hostile_host_and_path_are_text_too(url: str) -> None:
    async with player(url) as ada:
        code = await made(ada)
        found = await shown(url, f"/{code}", host="[::1]")
        assert found["og:url"] == f"http://[::1]/{code}"
        for host in ('play.example.org"><b>', "evil.example"):
            head, body = await asked(url, f"/{code}", host=host)
            assert " 200 " not in head
            assert b"<b>" not in body


@pytest.mark.parametrize(
    ("host", "origin"),
    [("127.0.0.1:8765", "http://127.0.0.1:8765"), ("play.example.org", "https://play.example.org")],
)
async def test_its_picture_has_an_address_that_others_reach(url: str, host: str, origin: str) -> None:
    async with player(url) as ada:
        code = await made(ada)
        found = await shown(url, f"/{code}", host=host)
        assert found["og:url"] == f"{origin}/{code}"
        image = found["og:image"]
        assert re.fullmatch(re.escape(f"{origin}/{code}.png?v=") + "[0-9]+", image)
        head, body = await asked(url, image.removeprefix(origin), host=host)
        assert " 200 " in head and "content-type: image/png" in head.lower()
        assert "cache-control: public, max-age=60" in head.lower()
        painted = Image.open(io.BytesIO(body))
        assert (painted.format, painted.size) == ("PNG", (1200, 630))


async def test_the_picture_follows_the_game_and_is_painted_once_for_all(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    painted: list[str] = []

    def counted(game: str, moves: list[str]) -> Any:
        painted.append(" ".join(moves))
        return card_job(game, moves)

    monkeypatch.setattr("parlour_server.sessions.previews.card_job", counted)
    async with player(url) as ada, player(url, "Ben") as ben:
        code = await made(ada)
        pictures = {(await asked(url, f"/{code}.png"))[1]}
        version = (await ben.ask("sit", room=code))["version"]
        seat = (await ben.until(lambda m: m["type"] == "snapshot"))["view"]["turn"]["seat"]
        mover = ada if seat == 0 else ben
        await mover.ask("play", room=code, version=version, move="4")
        several = await asyncio.gather(*(asked(url, f"/{code}.png") for _ in range(8)))
        pictures |= {body for _, body in several}
        assert len(pictures) == 2
        assert painted == ["", "4"]
        monkeypatch.setattr(previews, "CARDS_KEPT", 1)
        other = await made(ada, moves="7")
        for one in (other, code, other):
            await asked(url, f"/{one}.png")
        assert painted == ["", "4", "7", "4", "7"]


async def test_the_event_loop_paints_nothing(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here searches run in threads, else in processes of their own."""
    threads: list[str] = []

    def noted(*given: Any) -> Any:
        threads.append(threading.current_thread().name)
        return card(*given)

    monkeypatch.setattr("parlour_server.pictures.card", noted)
    async with player(url) as ada:
        code = await made(ada)
        assert " 200 " in (await asked(url, f"/{code}.png"))[0]
    assert [name.rpartition("_")[0] for name in threads] == ["parlour-search"]


async def test_where_there_is_no_room_nothing_is_shown(url: str) -> None:
    _, usual = await asked(url, "/ZZZZZZ")
    assert tags(usual) == {}
    assert " 404 " in (await asked(url, "/ZZZZZZ.png"))[0]
    assert " 404 " in (await asked(url, "/nothing.png"))[0]
    async with player(url) as ada:
        code = await made(ada)
        await ada.ask("close", room=code)
        assert await shown(url, f"/{code}") == {}
        assert " 404 " in (await asked(url, f"/{code}.png"))[0]


async def test_a_private_room_is_shown_to_those_who_have_its_code(url: str) -> None:
    async with player(url, "Ada") as ada:
        code = await made(ada, settings={"visibility": "private"})
        assert (await shown(url, f"/{code}", FAR))["og:title"] == "Ada invites you to Connect Four"


async def test_after_many_wrong_codes_a_right_one_is_not_told_from_another() -> None:
    """The address's limit holds; a burst of it is two minutes' worth."""
    guesses = 4
    limits: dict[str, Any] = {
        "trusted_proxy": ["127.0.0.1"],
        "address_wrong_codes_per_minute": guesses / rate_limits.BURST_MINUTES,
    }
    async with serving(**limits) as url, player(url, "Ada") as ada:
        for settings in ({}, {"visibility": "private"}):
            code = await made(ada, settings=settings)
            for one in CODE_ALPHABET[:guesses]:
                assert await shown(url, f"/AAAAA{one}", FAR) == {}
            wrong, right = [await asked(url, path, FAR) for path in ("/AAAAAZ", f"/{code}")]
            same = [re.sub("date: .*\r\n", "", head, flags=re.IGNORECASE) for head, _ in (wrong, right)]
            assert (same[0], wrong[1]) == (same[1], right[1])
            pictures = [await asked(url, f"/{one}.png", FAR) for one in ("AAAAAZ", code)]
            assert {" 429 " in head and "retry-after" in head.lower() for head, _ in pictures} == {True}
            # Others have guesses of their own.
            assert await shown(url, f"/{code}", "X-Forwarded-For: 203.0.113.77") != {}


async def test_who_has_no_limits_as_an_address_has_those_of_one_player(url: str) -> None:
    async with serving(wrong_codes_per_minute=2, trusted_proxy=["192.0.2.1"]) as url, player(url) as ada:
        code = await made(ada)
        assert await shown(url, f"/{code}") != {}
        for one in "ABCD":
            assert await shown(url, f"/AAAAA{one}") == {}
        assert await shown(url, f"/{code}") == {}


async def test_pictures_cost_their_address_and_the_page_is_always_there() -> None:
    async with serving(trusted_proxy=["127.0.0.1"], address_milliseconds=0.2) as url, player(url) as ada:
        code = await made(ada)
        heads = [(await asked(url, f"/{code}.png", FAR))[0] for _ in range(8)]
        assert " 200 " in heads[0] and " 429 " in heads[-1]
        assert await shown(url, f"/{code}", FAR) == {}
        assert await shown(url, f"/{code}", "X-Forwarded-For: 203.0.113.77") != {}


async def test_a_room_that_sleeps_is_woken_for_it(tmp_path: Any) -> None:
    data = str(tmp_path / "rooms.db")
    async with serving(data=data) as url, player(url, "Ada") as ada:
        code = await made(ada, moves="4 4")
    async with serving(data=data) as url:
        assert (await shown(url, f"/{code}"))["og:title"] == "Ada invites you to Connect Four"
        head, body = await asked(url, f"/{code}.png")
        assert " 200 " in head and Image.open(io.BytesIO(body)).size == (1200, 630)
