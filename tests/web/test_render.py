"""Views: what a page shows follows from what it knows, and what was there stays."""

from typing import Any

from playwright.async_api import Page

from tests.web.browser import OpenPage


async def inside(page: Page, script: str) -> Any:
    """What a script gives that has the module `dom`, and `place` in the page to draw in."""
    return await page.evaluate(
        f"""async () => {{
            const dom = $modules["core/dom.js"];
            const place = document.body.appendChild(document.createElement("div"));
            {script}
        }}"""
    )


async def test_what_has_the_focus_keeps_it_wherever_its_list_goes(open_page: OpenPage) -> None:
    found = await inside(
        await open_page("/learn"),
        """
        const view = names => names.map(name => dom.button(`The ${name}`, () => {}, { key: name }));
        dom.render(place, view(["a", "b", "c"]));
        place.children[1].focus();
        const held = document.activeElement, seen = [];
        for (const names of [["b", "c"], ["x", "b"], ["b", "y"], ["b"]]) {
            dom.render(place, view(names));
            seen.push(place.innerText, document.activeElement === held);
        }
        dom.render(place, view(["z"]));
        return [...seen, document.activeElement === held];
        """,
    )
    assert found == ["The bThe c", True, "The xThe b", True, "The bThe y", True, "The b", True, False]


async def test_an_element_takes_what_is_new_and_leaves_the_rest(open_page: OpenPage) -> None:
    found = await inside(
        await open_page("/learn"),
        """
        const clicks = [], view = (label, more, kind) => dom.h("p", { class: ["one", kind], title: more }, [
            dom.button(label, () => clicks.push(label)), more && dom.h("i", null, more)]);
        dom.render(place, dom.h("input", { value: "as usual" }), view("go", "on"));
        const [input, line] = place.children, button = line.firstElementChild;
        input.value = "typed";
        dom.render(place, dom.h("input", { value: "as usual" }), view("stop", null, "two"));
        button.click();
        return [input === place.firstChild, input.value, line === place.children[1],
            button === line.firstElementChild, line.outerHTML, clicks];
        """,
    )
    line = '<p class="one two"><button type="button">stop</button></p>'
    assert found == [True, "typed", True, True, line, ["stop"]]


async def test_what_a_page_shows_already_is_taken_as_it_is(open_page: OpenPage) -> None:
    found = await inside(
        await open_page("/learn"),
        """
        const [one, other] = ["one", "other"].map(name => dom.h("p", null, name));
        dom.put(place, one, other);
        dom.render(place, other, one);
        return [place.firstChild === other, place.lastChild === one, place.innerText];
        """,
    )
    assert found == [True, True, "other\n\none"]
