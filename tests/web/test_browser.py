"""That the browser's tests would notice."""

import re

from tests.support.waiting import within
from tests.web.browser import OpenPage


async def test_what_goes_wrong_in_a_page_is_noticed(open_page: OpenPage) -> None:
    page = await open_page("/")
    await page.evaluate("console.error('on purpose'); setTimeout(() => { throw Error('unhandled') })")
    await page.evaluate("fetch('/nothing').then(() => fetch('http://127.0.0.2:9/')).catch(() => {})")
    signs = ("on purpose", "unhandled", "404", "127.0.0.2")
    await within(20, lambda: all(any(sign in one for one in open_page.wrong) for sign in signs))
    for sign in (*signs, "/nothing"):
        open_page.expect(re.escape(sign))
