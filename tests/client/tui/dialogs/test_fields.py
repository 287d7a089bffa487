from textual.app import App, ComposeResult

from parlour_client.tui.dialogs.fields import Choice
from parlour_client.tui.themes import STYLESHEET, THEMES


class Fields(App[None]):
    CSS_PATH = STYLESHEET

    def __init__(self) -> None:
        super().__init__()
        self.register_theme(THEMES[0])
        self.theme = THEMES[0].name
        self.received: list[str] = []

    def compose(self) -> ComposeResult:
        yield Choice([("a", "one"), ("b", "[b]two[/b]"), ("c", "three")], "b", id="choice")
        yield Choice([("a", "one")], "unknown", id="alone")
        yield Choice([], id="none")

    def on_choice_changed(self, event: Choice.Changed) -> None:
        self.received.append(f"{event.control.id}={event.choice.value}")

    def on_choice_entered(self) -> None:
        self.received.append("entered")


async def test_arrows_turn_it_round_and_enter_is_for_the_dialog() -> None:
    app = Fields()
    async with app.run_test() as pilot:
        choice = app.query_one("#choice", Choice)
        choice.focus()
        assert str(choice.render()) == "‹ [b]two[/b] ›"
        await pilot.press("right", "right", "left", "enter", "space")
        assert app.received == ["choice=c", "choice=a", "choice=c", "entered", "choice=a"]
        await pilot.click("#choice", offset=(0, 0))
        await pilot.click("#choice", offset=(5, 0))
        assert app.received[-2:] == ["choice=c", "choice=a"]


async def test_where_there_is_nothing_to_choose_nothing_happens() -> None:
    app = Fields()
    async with app.run_test() as pilot:
        assert (app.query_one("#alone", Choice).value, app.query_one("#none", Choice).value) == ("a", "")
        app.query_one("#none", Choice).focus()
        await pilot.press("right", "left")
        assert app.received == []
