"""What people write is only ever text: no script runs, nothing else appears, and the page keeps its shape."""

from contextlib import AsyncExitStack
from itertools import cycle
from typing import Any
from urllib.parse import quote

import pytest
from playwright.async_api import Page, expect

import parlour_server.games as registry
from parlour_client import Candidate, Client, Report, Score, connect
from parlour_client.sdk.sanitize import clean
from parlour_protocol import LONGEST_CHAT, LONGEST_NAME
from parlour_protocol.views.boards import BoardView, Count
from parlour_server.net.site import PAGES
from tests.client.sdk.test_sanitize import CORPUS
from tests.support.mancala import Mancala
from tests.web.browser import OpenPage, shoot
from tests.web.table import Table

NAMES = [
    "<img src=x onerror=a()>",
    "<script>a()</script>",
    '"><svg onload=a()>',
    "' onfocus=a() x='",
    "javascript:a()",
    "{{a()}} ${a()} %{a()}",
    "</p><h1>&lt;h1&gt;",
    "%3Cscript%3Ea()%3C/scri",
    "אבגדה וזח",
    "W" * LONGEST_NAME,
    "vé " + "e\u0301\u0302\u0303" * 5,
]
"""As bad as a server lets them be."""
WORDS = [
    *CORPUS.values(),
    *NAMES,
    "<iframe srcdoc='<script>parent.a()</script>'></iframe>",
    "<a href='javascript:a()' onclick=a()>click me</a>",
    "<style>*{display:none}</style><base href='http://evil.example/'>",
    "</script><script>a()</script><!-- <textarea> ]]>",
    "http://evil.example/?q=<b>",
    "data:text/html,<script>a()</script>",
    "👩‍👩‍👧‍👦" * 20,
    "x" * LONGEST_CHAT,
    "e" + "\u0301" * (LONGEST_CHAT - 1),
    "\u202e" + "abc " * 60,
]
WATCH = """
window.ran = []
window.a = () => ran.push('a')
window.alert = window.prompt = window.confirm = words => ran.push(words)
void 0
"""


FOREIGN = """iframe, body style, base, textarea, [onclick], [onerror], [onload], body > * script,
body script:not([type='application/json'], #words + script), img:not([src*='/assets/'])"""
"""The page's own module stands right behind its words."""


async def stands(page: Page) -> None:
    """No script has run, nothing has come that is not the page's own, nor is wider than the screen."""
    assert await page.evaluate("ran") == []
    assert await page.locator(FOREIGN).count() == 0
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def test_names_and_words(ada: Client, open_page: OpenPage) -> None:
    room = await ada.create("tictactoe", seat=None, starts="first")
    eve = Table(await open_page(f"/{room.code}", size="phone"))
    await eve.page.evaluate(WATCH)
    await expect(eve.button("Sit down")).to_be_visible()
    async with AsyncExitStack() as stack:
        for name in NAMES:
            one = await stack.enter_async_context(connect(ada.url, name))
            talking = await one.watch(room.code)
            for words in WORDS[NAMES.index(name) :: len(NAMES)]:
                await talking.say(words)
        lines = [f"{line.name}: {line.text}" for line in room.view.chat]
        assert len(lines) == len(WORDS)
        await expect(eve.chat.locator("p")).to_have_count(len(lines))
        # What Python's client reads is harmless in a terminal, too.
        assert [clean(one) for one in await eve.chat.locator("p").all_text_contents()] == lines
        assert await eve.chat.locator("p *").evaluate_all(
            "all => all.every(one => /^(STRONG|BDI)$/.test(one.tagName))"
        )
    await stands(eve.page)
    await shoot(eve.page, "hostile-chat")


@pytest.mark.parametrize("names", [(NAMES[0], "W" * LONGEST_NAME), ("אבגדה וזח", '"><svg onload=a()>')])
async def test_players(ada: Client, open_page: OpenPage, names: tuple[str, str]) -> None:
    room = await ada.create("tictactoe", seat=None, starts="first", stand_in="easy")
    async with connect(ada.url, names[0]) as one, connect(ada.url, names[1]) as two:
        first, second = await one.join(room.code), await two.join(room.code, program=True)
        await first.wait_for_turn()
        await first.play("b2")
        await second.wait_for_turn()
        bad = "<img src=x>"
        await second.play(
            "a1", Report([Candidate(bad, Score(1)), Candidate("{{a()}}", Score(2))], [bad] * 40)
        )
        eve = Table(await open_page(f"/{room.code}", size="phone"))
        await eve.page.evaluate(WATCH)
        await eve.has("a1", "O")
        for player, name, mark in ((eve.players.last, one.name, ""), (eve.players.first, two.name, " (bot)")):
            await expect(player.locator(".name")).to_have_text(f"{name}{mark}", use_inner_text=True)
            # Nobody's name pushes what else is said of them off the screen.
            assert await player.evaluate("one => one.scrollWidth <= one.clientWidth")
        await stands(eve.page)
        await first.resign()
        await expect(eve.status).to_contain_text(f"{two.name} (bot) wins")
        await stands(eve.page)


async def test_an_offered_game_is_hostile(
    ada: Client, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    games, broken = registry._registry()
    monkeypatch.setattr(registry, "_registry", lambda: ({**games, "mancala": Hostile()}, broken))
    room = await ada.create("mancala", starts="second")
    ben = Table(await open_page(f"/{room.code}", size="phone"))
    await ben.page.evaluate(WATCH)
    await ben.button("Sit down").click()
    await ben.my_turn()
    await expect(ben.page.get_by_role("heading", level=1)).to_contain_text(Hostile.title)
    await stands(ben.page)
    await shoot(ben.page, "hostile-game")


class Hostile(Mancala):
    """A game whose every word is markup."""

    title = "<img src=x onerror=a()>" + "W" * 40

    def view(self, position: Any, last: int | None = None) -> BoardView:
        view = super().view(position, last)
        view.note = "<script>a()</script>" + "W" * 200
        view.counts = [Count("<svg onload=a()>", [1, 2])]
        view.columns = ["<b>", '"><i>', "{{a()}}"]
        view.marks = [["<b>"], ["\"'"]]
        view.cells = [["<img onerror=a()>" for _ in row] for row in view.cells]
        return view


async def test_addresses(open_page: OpenPage) -> None:
    page = await open_page("/QQQQQQ", size="phone")
    await page.evaluate(WATCH)
    # One page after the other, each with two of them.
    for path, bad in zip(2 * sorted(PAGES), cycle(FRAGMENTS)):
        await page.evaluate(GO, f"{path}#{bad}")
        await expect(page.locator(f"body[data-page='{path}']")).to_be_attached()
        await expect(page.get_by_role("heading", level=1)).to_be_visible()
        await stands(page)


FRAGMENTS = [
    *map(quote, ["<img src=x onerror=a()>", "new=<script>a()</script>", "tictactoe=\0,<b>"]),
    "%",
    "mnk:9,9,4=" + "z" * 4000,
]
GO = """path => {
    history.pushState(null, '', path)
    dispatchEvent(new PopStateEvent('popstate'))
}"""
