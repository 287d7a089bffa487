"""Scripts and style are served without their comments and blanks: they have to say what the sources say."""

import json
import subprocess
from pathlib import Path

from playwright.async_api import Browser

from parlour_server.net import site
from tests.support.needs import node

WEB = Path(site.__file__).parents[1] / "web"
_COMPARE = """
const acorn = require("internal/deps/acorn/acorn/dist/acorn");
const tree = source => JSON.stringify(acorn.parse(source, {ecmaVersion: "latest", sourceType: "module"}),
  (name, value) => ["start", "end"].includes(name) ? undefined : value);
const scripts = Object.entries(JSON.parse(require("fs").readFileSync(0, "utf8")));
const differ = scripts.filter(([, [source, served]]) => tree(source) !== tree(served));
console.log(JSON.stringify(differ.map(([name]) => name)));
"""


def different(scripts: dict[str, tuple[str, str]]) -> list[str]:
    """The names of those whose source and whose served form are not the same program."""
    # Node has the parser that it uses itself: none is to be installed.
    done = subprocess.run(
        [node(), "--expose-internals", "--eval", _COMPARE],
        input=json.dumps(scripts),
        capture_output=True,
        check=True,
        text=True,
    )
    found: list[str] = json.loads(done.stdout)
    return found


def compact(source: str, suffix: str = ".js") -> str:
    """A file as a browser gets it, alone or in a bundle."""
    return site.compact(suffix, source.encode()).decode()


def test_each_script_is_served_as_it_was_written() -> None:
    """A template in a template loses its blanks on the way: join strings by `+` there."""
    sources = {
        path.relative_to(WEB).as_posix(): path.read_text(encoding="utf-8") for path in WEB.rglob("*.js")
    }
    assert different({name: (source, compact(source)) for name, source in sources.items()}) == []


def test_a_difference_would_be_noticed() -> None:
    source = "export const it = n => `a${n ? ` in ${n} s` : ''}`;"
    assert different({"same": (source, source), "other": (source, source.replace(" in ", " on "))}) == [
        "other"
    ]


async def test_the_style_is_served_as_it_was_written(browser: Browser) -> None:
    page = await browser.new_page()
    rules = """given => given.map(text => {
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(text);
        // The values of variables are kept as they are written.
        return [...sheet.cssRules].map(rule => rule.cssText.replaceAll(", ", ","));
    })"""
    for path in WEB.rglob("*.css"):
        style = path.read_text(encoding="utf-8")
        written, read = await page.evaluate(rules, [style, compact(style, ".css")])
        assert written
        assert read == written
    await page.close()
