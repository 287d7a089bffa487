"""A table's link handed on, and its game kept, in a real browser."""

import io
import json
import re
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest
from PIL import Image
from playwright.async_api import Page, expect

from parlour_protocol.words import ENGLISH
from tests.support.client import player
from tests.support.server import serving
from tests.web.browser import OpenPage
from tests.web.table import Table

SHEET = """
globalThis.handed = [];
navigator.share = data => (handed.push(data), %s);
"""
"""The system's sheet, which a browser without a screen doesn't have; what it does once it was asked."""


async def share_dialog(table: Table) -> None:
    await table.button("More").click()
    await table.button("Share this table").click()


async def room(url: str, **fields: object) -> str:
    async with player(url.replace("http", "ws", 1), "Merry Hare") as ada:
        return str(
            (await ada.ask("create", **{"game": "connect4", "seats": ["me", "open"], **fields}))["room"]
        )


async def test_the_systems_sheet_gets_the_link_and_an_invitation(open_page: OpenPage, server: str) -> None:
    code = await room(server)
    page = await open_page("/offline")
    await page.add_init_script(SHEET % "Promise.resolve()")
    await page.goto(f"{server}/{code}")
    more = page.locator(".table button[aria-haspopup=dialog]").last
    await more.click()
    await page.locator("dialog button").first.click()
    await page.locator("dialog .row button").last.click()
    handed = await page.evaluate("handed")
    assert [one["url"] for one in handed] == [f"{server}/{code}"]
    assert handed[0]["text"] == "Merry Hare invites you to Connect Four"


async def test_where_there_is_no_sheet_or_it_fails_the_link_is_copied(
    open_page: OpenPage, server: str
) -> None:
    code = await room(server)
    page = await open_page(f"/{code}")
    await share_dialog(Table(page))
    await expect(page.locator("dialog").get_by_role("button", name="Share", exact=True)).to_have_count(0)
    await page.locator("dialog").get_by_role("button", name="Copy", exact=True).click()
    await expect(page.locator(".toasts")).to_have_text("Copied.")
    for error, copied in (("AbortError", False), ("NotAllowedError", True)):
        page = await open_page("/learn")
        await page.add_init_script(SHEET % f"Promise.reject(new DOMException('', '{error}'))")
        await page.goto(f"{server}/{code}")
        await share_dialog(Table(page))
        await page.locator("dialog").get_by_role("button", name="Share", exact=True).click()
        await expect(page.locator("dialog").get_by_role("button", name="Copy", exact=True)).to_be_visible()
        if copied:
            await expect(page.locator(".toasts")).to_have_text("Copied.")
        else:
            await expect(page.locator(".toasts p")).to_have_count(0)


async def test_where_only_this_machine_reaches_the_server_the_page_says_so(
    open_page: OpenPage, server: str
) -> None:
    code = await room(server)
    page = await open_page(f"/{code}")
    table = Table(page)
    await share_dialog(table)
    dialog = page.locator("dialog")
    await expect(dialog).to_contain_text("Only this machine can open that.")
    port = urlsplit(server).port
    await expect(dialog.locator("code")).to_have_text(
        f"parlour serve --host 0.0.0.0 --port {port} --insecure"
    )
    # A phone that scans it would look for the server in itself.
    await expect(dialog.locator(".qr")).to_have_count(0)


async def test_where_others_reach_it_the_link_can_be_scanned(open_page: OpenPage) -> None:
    async with serving(host="0.0.0.0", insecure=True) as url:
        here = url.replace("ws", "http", 1)
        code = await room(here)
        page = await open_page(f"{here}/{code}")
        field = page.get_by_label("Link", exact=True)
        await share_dialog(Table(page))
        if "127.0.0.1" in await field.input_value():
            pytest.skip("this machine is on no network")
        await expect(page.locator("dialog .qr")).to_be_visible()
        await expect(page.locator("dialog")).not_to_contain_text("Only this machine")


async def kept(page: Page, label: str, tmp_path: Path) -> Path:
    """Choose a form, and get the file."""
    async with page.expect_download() as started:
        await page.locator("dialog").get_by_role("button", name=re.compile(re.escape(label))).click()
    download = await started.value
    file = tmp_path / download.suggested_filename
    await download.save_as(file)
    await expect(page.locator("dialog")).to_have_count(0)
    return file


async def export_menu(page: Page) -> None:
    more = Table(page).button("More")
    if await more.count():
        await more.click()
    await Table(page).button("Export").click()


async def test_a_tables_game_is_kept_in_each_form(open_page: OpenPage, server: str, tmp_path: Path) -> None:
    bots = [{"bot": "random:seed=1"}, {"bot": "random:seed=2"}]
    code = await room(server, game="tictactoe", seats=bots, settings={"pace": 0.0})
    page = await open_page(f"/{code}")
    await expect(Table(page).status).to_have_text(re.compile("wins|draw", re.IGNORECASE))
    files = {}
    for label in ("PNG", "SVG", "GIF", "PGN", "JSON"):
        await export_menu(page)
        file = await kept(page, f"({label})", tmp_path)
        assert file.name == f"tictactoe-{code.lower()}-1.{label.lower()}"
        files[label] = file.read_bytes()
    record = json.loads(files["JSON"])
    moves = [one["move"] for one in record["moves"]]
    assert Image.open(io.BytesIO(files["PNG"])).format == "PNG"
    assert Image.open(io.BytesIO(files["GIF"])).n_frames == len(moves) + 1  # type: ignore[attr-defined]
    assert ElementTree.fromstring(files["SVG"]).tag == "{http://www.w3.org/2000/svg}svg"
    text = files["PGN"].decode()
    assert f'[Site "{code}"]' in text and '[First "random (bot)"]' in text
    assert [word for word in text.rpartition("\n\n")[2].split() if not re.search(r"\.|-|\*", word)] == moves


async def test_a_position_looked_back_at_is_kept_as_it_is_shown(open_page: OpenPage, tmp_path: Path) -> None:
    page = await open_page("/review#connect4=4,4,3,3")
    drawn = []
    for key, shown in (("End", "4. 3"), ("Home", ENGLISH.say("page.table.beginning"))):
        await page.keyboard.press(key)
        await expect(Table(page).status).to_contain_text(shown)
        await export_menu(page)
        await expect(page.locator("dialog")).not_to_contain_text("JSON")
        drawn.append((await kept(page, "(SVG)", tmp_path)).read_text())
    assert len(drawn[0]) > len(drawn[1])
    await export_menu(page)
    text = (await kept(page, "(PGN)", tmp_path)).read_text()
    assert text.endswith("\n\n1. 4 4 2. 3 3 *\n")
