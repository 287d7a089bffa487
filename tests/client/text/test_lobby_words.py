from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text

from parlour_client.render.console import Screen
from parlour_client.sdk.errors import UsageError
from parlour_client.sdk.seek import Seek
from parlour_client.text.lobby_words import BEFORE, Create, Enter, Meaning, Show, help_lines, read
from parlour_protocol.commands import AskedSettings
from parlour_protocol.settings import RoomSettings

HERE = "ws://127.0.0.1:8765"
LISTED = ["KMRTQA", "W8KVYY"]


@pytest.mark.parametrize(
    ("line", "meaning"),
    [
        ("2", Enter("W8KVYY")),
        ("kmr-tqa", Enter("KMRTQA")),
        ("join 1", Enter("KMRTQA")),
        ("HFR6ET", Enter("HFR6ET")),
        # A code may be of digits alone.
        ("234567", Enter("234567")),
        ("http://127.0.0.1:8765/KMRTQA", Enter("KMRTQA")),
        ("Watch 2", Enter("W8KVYY", sit=False)),
        ("watch HFR6ET", Enter("HFR6ET", sit=False)),
        ("new", Create("tictactoe")),
        ("new reversi:6", Create("reversi:6")),
        ("new vs=hard", Create("tictactoe", "hard")),
        (
            "new mnk:4,4,3 vs=minimax:depth=4 side=second",
            Create("mnk:4,4,3", "minimax:depth=4", 1),
        ),
        (
            "new connect4 clock=5+3 chat=no visibility=private patience=90 stand_in=easy",
            Create(
                "connect4",
                settings=AskedSettings(
                    clock="5+3", chat=False, visibility="private", patience=90, stand_in="easy"
                ),
            ),
        ),
        ("match", Seek("tictactoe", AskedSettings())),
        ("match gomoku clock=30/move", Seek("gomoku", AskedSettings(clock="30/move"))),
        ("match gomoku after=30", Seek("gomoku", AskedSettings(), "medium", 30)),
        ("match gomoku vs=hard after=0.5", Seek("gomoku", AskedSettings(), "hard", 0.5)),
        ("LIST", Show("list")),
        ("?", Show("help")),
        ("exit", Show("quit")),
    ],
)
def test_a_line_means_this(line: str, meaning: Meaning) -> None:
    assert read(line, LISTED, HERE) == meaning


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("3", "no room number 3. The list ends with 2"),
        ("0", "no room number 0"),
        ("foo", "'foo' is not a room's number or code, nor a command. Type a number"),
        ("neww tictactoe", "Did you mean new? Type help"),
        ("list all", "Type list alone."),
        ("watch", "watch which room?"),
        ("http://games.example/KMRTQA", "That room is on ws://games.example"),
        ("new connect4 clok=1", "no setting 'clok' here. There are: vs, side, starts"),
        ("new connect4 fast", "'fast' is not understood"),
        ("new connect4 chat=", "'chat=' is not understood"),
        ("new connect4 side=third", "side is first or second, not 'third'"),
        ("new connect4 chat=maybe", "chat is yes or no, not 'maybe'"),
        ("new connect4 clock=soon", "clock is wrong"),
        ("new connect4 pace=61", "pace is wrong"),
        ("new connect4 after=3", "no setting 'after'"),
        ("match connect4 hints=never", "no setting 'hints' here. There are: vs, after, clock"),
        ("match connect4 vs=hard", "match connect4 vs=hard after=30"),
        ("match connect4 after=x", "after is wrong: A number of seconds from 0 to 3,600 is needed, not 'x'."),
    ],
)
def test_what_means_nothing_says_what_does(line: str, words: str) -> None:
    with pytest.raises(UsageError) as raised:
        read(line, LISTED, HERE)
    assert words in str(raised.value)


def test_where_no_room_is_listed_no_number_means_one() -> None:
    with pytest.raises(UsageError, match="No room is listed"):
        read("1", [], HERE)


WORDS = st.sampled_from(
    [
        "new",
        "match",
        "watch",
        "join",
        "list",
        "vs=x",
        "clock=5+3",
        "chat=no",
        "=",
        "1",
        "99",
        "KMRTQA",
        "²",
        "after=1",
    ]
)


@given(st.one_of(st.lists(WORDS, min_size=1).map(" ".join), st.text(min_size=1).map(str.split).map(" ".join)))
def test_every_line_has_a_meaning_or_a_sentence(line: str) -> None:
    if not line:
        return
    try:
        read(line, LISTED, HERE)
    except UsageError as error:
        assert str(error).endswith((".", "?", "!")) or ": " in str(error)


def test_the_help_names_every_setting() -> None:
    text = "\n".join(help_lines())
    assert all(f"  {name}=…" in text for name in RoomSettings.model_fields)


def test_what_a_narrow_terminal_has_no_line_for_hangs_below_what_it_explains() -> None:
    screen = Screen()
    screen.err = Console(file=StringIO(), force_terminal=True, width=60, no_color=True)
    for line in help_lines():
        screen.note(line, hang=BEFORE)
    assert isinstance(screen.err.file, StringIO)
    lines = Text.from_ansi(screen.err.file.getvalue()).plain.splitlines()
    assert max(map(len, lines)) < 60
    assert sum(line.startswith(" " * BEFORE) for line in lines) > len(help_lines()) / 3
