"""What was meant by a name that there is not."""

from parlour_protocol.nearest import nearest

OPTIONS = ["--bot", "--time", "--clock", "--quick", "--as"]
COMMANDS = ["play", "replay", "export", "review"]


def test_only_what_is_as_near_as_the_nearest_is_offered() -> None:
    assert nearest("--bt", OPTIONS) == ["--bot"]
    assert nearest("--cluck", OPTIONS) == ["--clock"]
    assert nearest("plya", COMMANDS) == ["play"]
    assert nearest("Conect4", ["connect4", "gomoku"]) == ["connect4"]


def test_what_is_like_none_gets_no_advice() -> None:
    assert nearest("chess", ["connect4", "gomoku", "mnk", "reversi"]) == []
    assert nearest("", OPTIONS) == []
    assert nearest("play", []) == []
