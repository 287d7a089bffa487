"""The guides for those who add something: who follows one to the letter has what it promises."""

from pathlib import Path

from tests.docs.guide import Guide


def test_a_setting_of_a_room_is_described_once(tmp_path: Path) -> None:
    guide = Guide("docs/adding-a-setting.md", tmp_path)
    guide.run("scripts/room_options.py")
    guide.run("scripts/page_types.py")
    guide.check()
    guide.test(
        "hosting/rooms/test_spectators.py",
        "client/cli/test_room_options.py",
        "protocol/test_settings.py",
        "protocol/words",
        "docs/test_protocol.py",
        "web/test_page_types.py",
    )


def test_a_notice_is_a_class_a_call_and_a_sentence(tmp_path: Path) -> None:
    guide = Guide("docs/adding-a-notice.md", tmp_path)
    guide.run("scripts/page_types.py")
    guide.check()
    guide.test(
        "hosting/rooms/test_notices.py",
        "client/text/test_events.py",
        "protocol/test_schema.py",
        "protocol/words",
        "docs/test_protocol.py",
        "web/core",
        "web/test_page_types.py",
    )
    assert guide.by_hand <= 15


def test_a_column_of_the_lobby_is_a_field_and_a_row(tmp_path: Path) -> None:
    guide = Guide("docs/adding-a-list.md", tmp_path)
    guide.run("scripts/page_types.py")
    guide.check()
    guide.test(
        "client/render/test_lists.py",
        "client/tui/widgets/test_game_cards.py",
        "hosting/rooms/test_lobby.py",
        "web/core/test_views.py",
        "web/test_page_types.py",
    )
    assert guide.by_hand <= 5
