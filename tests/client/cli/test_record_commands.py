"""Games that were played: written down, stepped through, played on."""

import json
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image

from parlour_client.cli.replay import step
from parlour_client.cli.reports import changes
from parlour_client.render import transcript
from parlour_client.sdk import records
from parlour_client.sdk.errors import UsageError
from parlour_client.sdk.room_list import Listing
from parlour_client.sdk.source import Source
from parlour_protocol.notices import Lobby
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views.records import GameRecord, RecordedMove
from parlour_protocol.views.rooms import ChatLine, ResultView, SeatView
from tests.client.rooms import board, line

# ---------------------------------------------------------------- pure


def record(*moves: RecordedMove, starter: int = 0) -> GameRecord:
    return GameRecord(
        room="KMRTQA",
        game="tictactoe",
        title="Tic-tac-toe",
        number=2,
        seats=[SeatView("human", "Ada"), SeatView("bot", "easy", "easy")],
        starter=1 if starter else 0,
        settings=RoomSettings(clock="5+3"),
        started=1_795_278_954_409,
        moves=list(moves),
    )


def test_a_game_as_text() -> None:
    played = record(
        RecordedMove(1, "b2", 1, 300_000),
        RecordedMove(0, "a1", 2, 298_000),
        RecordedMove(1, "c3", 3, 9_400),
        starter=1,
    )
    played.result = ResultView("time", "timeout", 0)
    played.chat = [ChatLine("players", "Ada", "good luck", 1)]
    reported = transcript.text(played, [("The last board:", board("..O", ".O.", "X.."))])
    assert reported == (
        "Tic-tac-toe, game 2 in room KMRTQA\n"
        "easy (bot) against Ada\n"
        "2026-11-21 16:35 UTC, clock 5+3\n"
        "\n"
        "   easy (bot)    Ada\n"
        "1. b2      5:00  a1      4:58\n"
        "2. c3       9.4\n"
        "\n"
        "Ada wins by timeout.\n"
        "\n"
        "Talk:\n"
        "  Ada: good luck\n"
        "\n"
        "The last board:\n"
        "\n"
        " 3 .  .  O\n"
        " 2 .  O  .\n"
        " 1 X  .  .\n"
        "   a  b  c\n"
    )


@pytest.mark.parametrize(
    ("typed", "leads"),
    [("", 3), ("n", 3), (" N ", 3), ("p", 1), ("0", 0), ("5", 5), ("q", None), ("quit", None)],
)
def test_steps(typed: str, leads: int | None) -> None:
    assert step(typed, 2, 5) == leads


@pytest.mark.parametrize(
    ("typed", "ply", "words"),
    [("p", 0, "beginning"), ("", 5, "5 moves"), ("6", 0, "5 moves"), ("-1", 0, "Type"), ("next", 0, "Type")],
)
def test_steps_that_lead_nowhere(typed: str, ply: int, words: str) -> None:
    said = step(typed, ply, 5)
    assert isinstance(said, str)
    assert words in said


def test_what_a_side_plays_twice_running_stands_on_one_line() -> None:
    moves = [RecordedMove(0, "a3", 1), RecordedMove(0, "a6", 1), RecordedMove(1, "b2", 1)]
    moves.append(RecordedMove(0, "a1", 1))
    assert "\n1. a3  a6  b2\n2. a1\n" in transcript.text(record(*moves), [])
    # One that begins elsewhere may begin with the second side's.
    assert "\n1.      b2\n2. a1\n" in transcript.text(record(*moves[2:]), [])


def test_a_list_follows_what_changes() -> None:
    ada, ben = line("Ada"), line("Ben")
    ben.room = "AAAAAA"
    listing = Listing([ada], 1).after(Lobby([ben], [], 2))
    assert ([one.room for one in listing.rooms], listing.players) == (["KMRTQA", "AAAAAA"], 2)
    moved = line("Ada")
    moved.moves = 4
    listing = listing.after(Lobby([moved], ["AAAAAA", "ZZZZZZ"], 2))
    assert list(listing.rooms) == [moved]
    assert changes(Lobby([moved], ["AAAAAA"], 2)) == [
        "KMRTQA: Ada, Ada – minimax (bot), in progress, 4 moves, 1 watching",
        "AAAAAA is gone",
    ]
    moved.watching = 0
    assert changes(Lobby([moved])) == ["KMRTQA: Ada, Ada – minimax (bot), in progress, 4 moves"]


def test_a_position_that_is_not_there_is_an_error() -> None:
    played = record(RecordedMove(0, "b2", 1))
    records.check_ply(played, Source(None, game="tictactoe", ply=1))
    with pytest.raises(
        UsageError, match=r"^That game has 1 move: after the @ belongs a number from 0 to 1, not 99\.$"
    ):
        records.check_ply(played, Source(None, game="tictactoe", ply=99))


# ---------------------------------------------------------------- real

if sys.platform == "win32":
    pytest.skip("Windows has no ptys", allow_module_level=True)

from tests.client.terminal import Served, Terminal, piped, run  # noqa: E402 - it needs ptys


@pytest.fixture(scope="module")
def played(server: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A state folder, and the room of the game that was played with it."""
    state = tmp_path_factory.mktemp("state")
    options = ["--vs", "random:seed=1", "--clock", "5+3", "--server", server]
    _, err = piped(state, "play", *options, typed="b2\nsay hello\nresign\ny\n")
    code = re.search(r"/([A-Z0-9]{6})\b", err)
    assert code is not None
    return state, code[1]


def test_a_game_is_exported_replayed_reviewed_and_played_on(
    played: tuple[Path, str], server: str, tmp_path: Path
) -> None:
    state, code = played
    file = tmp_path / "game.json"
    out, err = run(state, "export", code, "--out", str(file), "--server", server)
    assert (out, "2 moves written to" in err) == ("", True)
    again = ("export", code, "--format", "text", "--out", str(file), "--server", server)
    assert "exists already" in run(state, *again, code=2)[1]
    assert json.loads(file.read_text())["room"] == code
    run(state, *again, "--force")
    assert file.read_text().startswith("Tic-tac-toe, game 1")
    run(state, "export", code, "--out", str(file), "--force", "--server", server)
    kept = json.loads(file.read_text())
    assert json.loads(run(state, "export", code, "--server", server)[0]) == kept
    assert kept["moves"][0]["move"] == "b2"
    assert kept["moves"][1]["report"]["bot"] == "random"
    assert 0 < kept["moves"][0]["left"] <= 300_000
    assert kept["result"]["reason"]
    text = run(state, "export", code, "--format", "text", "--server", server)[0]
    assert "Ada against random (bot)" in text
    assert "Ada: hello" in text
    assert "The last board:" in text
    # With no server named, none is needed.
    shown = run(state, "replay", str(file))[0]
    assert [f"Move {ply} of 2" in shown for ply in (1, 2, 3)] == [True, True, False]
    assert "random (bot) wins" in shown
    assert shown == run(state, "replay", code, "--server", server)[0]
    out, _ = run(state, "replay", str(file), "--json", "--server", server)
    boards = [json.loads(row) for row in out.splitlines()]
    assert [(one["ply"], one["move"]) for one in boards][:2] == [(0, None), (1, "b2")]
    bot = ["--bot", "minimax:depth=2", "--server", server]
    assert "1. b2" in run(state, "review", str(file), *bot)[0]
    out, _ = piped(state, "play", "--from", f"{file}@1", "--vs", "random:seed=3", "--side", "second")
    assert "Moves: b2" in out
    assert "Your turn (O)." in out


def test_a_game_is_exported_as_text_with_tags_and_read_back(
    played: tuple[Path, str], server: str, tmp_path: Path
) -> None:
    state, code = played
    file = tmp_path / "game.pgn"
    run(state, "export", code, "--out", str(file), "--server", server)
    tagged = file.read_text()
    assert '[First "Ada"]\n[Second "random (bot)"]\n[Result "0-1"]\n[Game "tictactoe"]\n' in tagged
    assert tagged == run(state, "export", code, "--format", "pgn", "--server", server)[0]
    shown = run(state, "replay", str(file))[0]
    assert "Move 1 of 2: b2, by Ada" in shown
    assert "random (bot) wins" in shown
    assert "1. b2" in run(state, "review", str(file), "--bot", "minimax:depth=2")[0]
    assert "Moves: b2" in piped(state, "play", "--from", f"{file}@1", "--vs", "random:seed=3")[0]
    begun = run(state, "export", f"{file}@1", "--format", "pgn")[0]
    assert begun.endswith("\n\n1. b2 *\n")
    assert '[Result "*"]' in begun
    file.write_text('[Event "x"]\n\n1. b2')
    assert "holds no game" in run(state, "replay", str(file), code=2)[1]
    file.write_text(tagged * 2)
    assert "one is read at a time" in run(state, "replay", str(file), code=2)[1]


def test_a_game_is_exported_as_pictures(played: tuple[Path, str], server: str, tmp_path: Path) -> None:
    state, code = played
    frames = {}
    for suffix in ("svg", "png", "gif"):
        file = tmp_path / f"game.{suffix}"
        run(state, "export", code, "--out", str(file), "--server", server)
        if suffix != "svg":
            with Image.open(file) as image:
                frames[suffix] = getattr(image, "n_frames", 1)
    assert frames == {"png": 1, "gif": 3}
    # In a file they are drawn in this process, and up to any position.
    kept = tmp_path / "game.json"
    run(state, "export", code, "--out", str(kept), "--server", server)
    drawn = run(state, "export", str(kept), "--format", "svg")[0]
    assert drawn == (tmp_path / "game.svg").read_text()
    assert ElementTree.fromstring(drawn).tag == "{http://www.w3.org/2000/svg}svg"
    assert run(state, "export", f"{kept}@1", "--format", "svg")[0] != drawn
    wrong = run(state, "export", str(kept), "--format", "gif", code=2)[1]
    assert wrong == "A gif can't go to standard output: name a file with --out.\n"
    assert "after the @" in run(state, "export", f"{kept}@9", code=2)[1]
    bitmap = tmp_path / "x.bmp"
    wrong = run(state, "export", str(kept), "--out", str(bitmap), code=2)[1]
    assert "end it with .json, .txt, .pgn, .svg, .png, .gif or .csv" in wrong
    assert not bitmap.exists()


def test_a_running_game_is_played_on_by_others(played: tuple[Path, str], server: str) -> None:
    state, code = played
    out, _ = piped(state, "play", "--from", f"{code}@1", "--vs", "random", "--server", server)
    assert "Moves: b2" in out
    assert "random (bot) to move" in out
    made = run(state, "create", "--from", code, "--server", server)[0].strip()
    joined, _ = piped(state, "join", made, "--server", server)
    assert "Waiting for a second player." in joined
    for wrong, words in {f"{code}@3": "has 2 moves", f"{code}@x": "number of moves"}.items():
        for how in (("play", "--from"), ("replay",)):
            assert words in piped(state, *how, wrong, "--server", server, code=2)[1]


def test_a_game_that_is_over_is_played_on_from_an_earlier_position(tmp_path: Path, server: str) -> None:
    file = tmp_path / "won.json"
    file.write_text(json.dumps({"game": "tictactoe", "moves": "a1 b1 a2 b2 a3"}))
    _, err = piped(tmp_path, "play", "--from", str(file), "--server", server, code=2)
    assert "over after 5 moves" in err
    assert "@3" in err


def test_one_steps_through_a_game(played: tuple[Path, str], server: str) -> None:
    state, code = played
    with Terminal(state, "replay", f"{code}@1", "--server", server) as ada:
        ada.until("Move 1 of 2: b2, by Ada")
        ada.until("quit > ")
        ada.type("p\n")
        ada.until("The beginning (of 2 moves)")
        ada.type("\n\n\n")
        ada.until("Move 2 of 2")
        ada.until("That is the end: the game has 2 moves.")
        ada.type("0\n")
        ada.until("The beginning")
        ada.type("q\n")
        assert ada.end() == 0


def test_ones_history(played: tuple[Path, str], server: str) -> None:
    state, code = played
    out, _ = run(state, "history", "--server", server)
    assert code in out
    assert all(len(row) <= 80 for row in out.splitlines())
    rooms = json.loads(run(state, "history", "--server", server, "--json")[0])
    (mine,) = [one for one in rooms if one["room"] == code]
    assert (mine["game"], mine["phase"], mine["you"]) == ("tictactoe", "finished", 0)
    assert "has not played here yet" in run(state, "history", "--server", server, "--as", "New")[0]


def test_a_room_is_removed_from_ones_own(tmp_path: Path, server: str) -> None:
    arguments = ("play", "tictactoe", "--vs", "random", "--server", server)
    piped(tmp_path, *arguments, typed="b2\nresign\ny\nquit\n")
    (mine,) = json.loads(run(tmp_path, "history", "--server", server, "--json")[0])
    code = mine["room"]
    out, _ = run(tmp_path, "history", code, "--remove", "--server", server)
    assert out == f"{code} is not in your list any more.\n"
    assert json.loads(run(tmp_path, "history", "--server", server, "--json")[0]) == []
    # Only the list has changed.
    assert code in run(tmp_path, "history", code, "--server", server)[0]
    _, said = run(tmp_path, "history", "--remove", "--server", server, code=2)
    assert "Name the room that is to be removed" in said


@pytest.fixture(scope="module")
def series(server: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A state folder, and a room in which its player lost a game, and aborted the next."""
    state = tmp_path_factory.mktemp("series")
    options = ["--vs", "random:seed=1", "--starts", "first", "--server", server]
    typed = "b2\nsay first talk\nresign\ny\nrematch\nsay second talk\nabort\ny\n"
    _, err = piped(state, "play", *options, typed=typed)
    code = re.search(r"/([A-Z0-9]{6})\b", err)
    assert code is not None
    return state, code[1]


def test_a_rooms_games_are_listed(series: tuple[Path, str], server: str) -> None:
    state, code = series
    out, err = run(state, "history", code, "--server", server)
    rows = [re.split(r" {2,}", row.strip()) for row in out.splitlines()]
    assert rows[0] == [f"Tic-tac-toe in room {code}"]
    assert rows[2] == ["game", "how it ended", "moves", "who began", "when"]
    assert rows[3][:4] == ["1", "random (bot) wins by resignation.", "2", "Ada"]
    assert rows[4][:4] == ["2", "Aborted.", "0", "Ada"]
    assert "You won 0, lost 1 and drew 0." in out
    assert f"parlour replay {code} --game 1" in err
    assert all(len(row) <= 80 for row in out.splitlines())
    history = json.loads(run(state, "history", code, "--json", "--server", server)[0])
    assert (history["default"], [one["number"] for one in history["games"]]) == (1, [1, 2])
    assert "There is no such room" in run(state, "history", "ZZZZZZ", "--server", server, code=1)[1]


def test_an_earlier_game_is_reached_by_its_number(series: tuple[Path, str], server: str) -> None:
    state, code = series
    where = ("--server", server)
    assert "game 1 in room" in run(state, "replay", code, *where)[0]
    assert "game 2 in room" in run(state, "replay", code, "--game", "2", *where)[0]
    assert json.loads(run(state, "export", code, *where)[0])["number"] == 1
    texts = [run(state, "export", code, "--game", str(one), "--format", "text", *where)[0] for one in (1, 2)]
    assert [("first talk" in text, "second talk" in text) for text in texts] == [(True, False), (False, True)]
    review = ["review", code, "--bot", "minimax:depth=2", *where]
    assert "b2" in run(state, *review)[0]
    assert "No move has been played in game 2" in run(state, *review, "--game", "2", code=1)[1]
    wrong = run(state, *review, "--game", "3", code=1)[1]
    assert wrong == "This room has no game 3: its last one is game 2.\n"
    run(state, *review, "--game", "0", code=2)


def test_one_position_is_printed_where_it_is_named(
    played: tuple[Path, str], server: str, tmp_path: Path
) -> None:
    state, code = played
    file = tmp_path / "game.json"
    run(state, "export", code, "--out", str(file), "--server", server)
    for source in (str(file), code):
        out, _ = run(state, "replay", f"{source}@1", "--server", server)
        assert "Move 1 of 2: b2" in out
        assert "Move 2" not in out
        assert "The beginning" not in out
        shown = run(state, "replay", f"{source}@0", "--json", "--server", server)[0].splitlines()
        assert [json.loads(row)["ply"] for row in shown] == [0]
        wrong = run(state, "replay", f"{source}@50", "--server", server, code=2)[1]
        assert wrong == "That game has 2 moves: after the @ belongs a number from 0 to 2, not 50.\n"


def test_two_bots_play_several_games(tmp_path: Path, server: str) -> None:
    bots = ["--bot", "random:seed=1", "--bot", "random:seed=2"]
    made = ["create", *bots, "--games", "3", "--pace", "0.01", "--server", server]
    out, err = run(tmp_path, *made)
    code = out.strip()
    assert "parlour join" not in err
    out, _ = piped(tmp_path, "watch", code, "--server", server)
    assert "Game 3 of 3" in out
    history = json.loads(run(tmp_path, "history", code, "--json", "--server", server)[0])
    assert [game["number"] for game in history["games"]] == [1, 2, 3]
    assert [game["starter"] for game in history["games"]] == [0, 1, 0]
    assert all(game["result"] for game in history["games"])
    # To its end, where standard input has none.
    assert out.count("Score: ") >= 1


def test_the_list_of_rooms_comes_back_after_a_restart(tmp_path: Path) -> None:
    first = Served(tmp_path)
    address = f"ws://127.0.0.1:{first.port}"
    try:
        with Terminal(tmp_path, "rooms", "--follow", "--server", address) as eve:
            eve.until("1 player is here.")
            first.kill()
            eve.until("Connection lost. Trying again now.")
            second = Served(tmp_path, first.port)
            try:
                eve.until("1 player is here.")
                eve.until(run(tmp_path, "create", "connect4", "--server", address)[0].strip())
            finally:
                second.kill()
    finally:
        first.kill()
