"""The line of keys."""

from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import BindingType

from parlour_client.tui.widgets.footer import Footer
from tests.client.tui.quiet import SECONDS
from tests.support.waiting import within


class Keyed(App[None]):
    BINDINGS: ClassVar[list[BindingType]] = [
        ("a", "note('a')", "First"),
        ("b", "note('b')", "Second"),
        ("c", "note('c')", "Third"),
    ]

    def __init__(self, makes_way: str = "") -> None:
        super().__init__()
        self.makes_way = makes_way
        self.noted: list[str] = []
        self.gone = ""

    def compose(self) -> ComposeResult:
        yield Footer(self.makes_way)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        # None: shown, but not to be pressed now.
        return False if self.gone in parameters else None if parameters == ("c",) else True

    def action_note(self, key: str) -> None:
        self.noted.append(key)


async def test_keys_are_shown_and_clicked_and_come_and_go() -> None:
    app = Keyed()
    async with app.run_test(size=(40, 4)) as pilot:
        await pilot.pause()
        footer = app.query_one(Footer)
        assert footer.render().plain == " a First  b Second  c Third "
        for column in (1, 10, 22, 35):
            await pilot.click(Footer, offset=(column, 0))
        assert app.noted == ["a", "b"]
        app.gone = "b"
        app.screen.refresh_bindings()
        await pilot.pause()
        assert footer.render().plain == " a First  c Third "
        app.gone = ""
        app.screen.refresh_bindings()
        await pilot.resize_terminal(25, 4)
        await within(SECONDS, lambda: footer.render().plain == " b Second  c Third ")


async def test_where_not_all_fit_those_that_make_way_go_first() -> None:
    app = Keyed(makes_way="a")
    app.bind("d", "note('d')", description="Fourth")
    app.bind("e", "note('e')", description="Fifth")
    async with app.run_test(size=(50, 4)) as pilot:
        await pilot.pause()
        footer = app.query_one(Footer)
        for width, shown in [
            (50, " a First  b Second  c Third  d Fourth  e Fifth "),
            (46, " b Second  c Third  d Fourth  e Fifth "),
            (30, " b Second  d Fourth  e Fifth "),
        ]:
            await pilot.resize_terminal(width, 4)
            await within(SECONDS, lambda: footer.render().plain == shown)  # noqa: B023


async def test_the_key_to_all_keys_says_how_many_have_no_room() -> None:
    app = Keyed(makes_way="a")
    app.bind("question_mark", "note('?')", description="Keys", key_display="?")
    app.bind("q", "note('q')", description="Leave")
    async with app.run_test(size=(50, 4)) as pilot:
        await pilot.pause()
        footer = app.query_one(Footer)
        for width, shown in [
            (50, " a First  b Second  c Third  ? Keys  q Leave "),
            (44, " b Second  c Third  ? 1 more  q Leave "),
            (36, " b Second  ? 2 more  q Leave "),
            (20, " ? 3 more  q Leave "),
        ]:
            await pilot.resize_terminal(width, 4)
            await within(SECONDS, lambda: footer.render().plain == shown)  # noqa: B023
        await pilot.click(Footer, offset=(3, 0))
        assert app.noted == ["?"]
