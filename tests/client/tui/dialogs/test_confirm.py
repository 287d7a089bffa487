from parlour_client.tui.dialogs.confirm import ConfirmDialog
from tests.client.tui.house import Nowhere, house


async def test_a_slip_of_the_finger_is_no_yes() -> None:
    answers: list[bool | None] = []
    with Nowhere() as opening:
        async with house(opening) as at:
            for keys in ("y", "n", "enter", "right enter", "escape"):
                at.app.push_screen(ConfirmDialog("Give this game [b]up[/b]?"), answers.append)
                await at.shows("Give this game [b]up[/b]?")
                await at.press(*keys.split())
    assert answers == [True, False, False, True, None]
