"""One person is one player in every terminal: whoever writes first decides."""

import stat
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from parlour_client.sdk.errors import UsageError
from parlour_client.sdk.identity import (
    GuestIdentity,
    StoredIdentity,
    chosen_name,
    is_loopback,
    state_folder,
)

SERVER = "ws://127.0.0.1:8765"


def kept(
    folder: Path, name: str = "Ada", server: str = SERVER, said: list[str] | None = None
) -> StoredIdentity:
    say: Callable[[str], None] = (said if said is not None else []).append
    return StoredIdentity(folder, server, name, say)


def test_a_token_is_kept_for_every_terminal(tmp_path: Path) -> None:
    assert kept(tmp_path).token() is None
    assert kept(tmp_path).keep("secret") == "secret"
    assert kept(tmp_path).token() == "secret"


def test_names_and_servers_are_apart(tmp_path: Path) -> None:
    kept(tmp_path).keep("secret")
    assert kept(tmp_path, "ada").token() is None
    assert kept(tmp_path, "../Ada").token() is None
    assert kept(tmp_path, server="ws://127.0.0.1:8766").token() is None
    assert kept(tmp_path, server="wss://127.0.0.1:8765").token() == "secret"
    assert kept(tmp_path, server="ws://localhost:8765").token() == "secret"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_nobody_else_can_read_it(tmp_path: Path) -> None:
    identity = kept(tmp_path / "state")
    identity.keep("secret")
    assert stat.S_IMODE(identity.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(identity.path.parent.stat().st_mode) == 0o700


def test_the_first_terminal_wins_every_race(tmp_path: Path) -> None:
    terminals = 8
    with ThreadPoolExecutor(terminals) as pool:
        for race in range(25):
            start = Barrier(terminals)

            def write(number: int, race: int = race, start: Barrier = start) -> str:
                start.wait()
                return kept(tmp_path, f"racer {race}").keep(f"token {number}")

            held = set(pool.map(write, range(terminals)))
            assert held == {kept(tmp_path, f"racer {race}").token()}
    assert {path.suffix for path in (tmp_path / "players").iterdir()} == {".json"}


def test_a_stale_token_goes_and_is_reported(tmp_path: Path) -> None:
    said: list[str] = []
    identity = kept(tmp_path, said=said)
    identity.keep("old")
    identity.forget("old")
    assert identity.token() is None
    assert "new player" in said[0]
    assert identity.keep("new") == "new"


def test_servers_may_take_turns_at_one_address(tmp_path: Path) -> None:
    """A token that one of them does not know is the other's."""
    said: list[str] = []

    def come_back(*known: str) -> str | None:
        """Say hello with what is kept, as often as it takes."""
        identity = kept(tmp_path, said=said)
        while (token := identity.token()) is not None and token not in known:
            identity.forget(token)
        return token

    kept(tmp_path).keep("first's")
    assert come_back("second's") is None
    assert len(said) == 1
    assert kept(tmp_path).keep("second's") == "second's"
    for _ in range(2):
        assert come_back("first's") == "first's"
        assert come_back("second's") == "second's"
    assert len(said) == 1
    # A terminal that stays finds its way, too.
    identity = kept(tmp_path, said=said)
    for mine, other in (("second's", "first's"), ("first's", "second's")) * 2:
        assert identity.token() == mine
        identity.forget(mine)
        assert identity.token() == other
    assert len(said) == 1
    assert {path.suffix for path in (tmp_path / "players").iterdir()} == {".json", ".aside"}


def test_only_the_stale_token_goes(tmp_path: Path) -> None:
    kept(tmp_path).keep("newer")
    kept(tmp_path).forget("old")
    assert kept(tmp_path).token() == "newer"
    assert len(list((tmp_path / "players").iterdir())) == 1


@pytest.mark.parametrize("content", ["", "{", "[]", '{"token": 3}', "\x00\xff"])
def test_a_broken_file_is_nobodys(tmp_path: Path, content: str) -> None:
    identity = kept(tmp_path)
    identity.keep("old")
    identity.path.write_text(content, encoding="latin-1")
    assert identity.token() is None
    assert identity.keep("new") == "new"
    assert identity.token() == "new"


def test_without_a_place_to_write_one_still_plays(tmp_path: Path) -> None:
    said: list[str] = []
    (tmp_path / "file").write_text("")
    identity = kept(tmp_path / "file", said=said)
    assert identity.keep("secret") == "secret"
    assert identity.token() == "secret"
    assert "can't be remembered" in said[0]
    identity.put_aside("secret")
    assert identity.token() is None


def test_a_guest_leaves_nothing_behind() -> None:
    guest = GuestIdentity("Ada")
    assert guest.token() is None
    assert guest.keep("secret") == "secret" == guest.token()
    guest.forget("secret")
    assert guest.token() is None


def test_the_environment_names_folder_and_player(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PARLOUR_STATE", str(tmp_path))
    monkeypatch.setenv("PARLOUR_NAME", "  Ada  Lovelace ")
    assert state_folder() == tmp_path
    assert chosen_name(None) == "Ada Lovelace"
    monkeypatch.setenv("PARLOUR_NAME", "Ada\x1b Lovelace")
    with pytest.raises(UsageError, match=r"'Ada\\x1b Lovelace' has characters .* --as 'Ada Lovelace'$"):
        chosen_name(None)
    monkeypatch.setenv("PARLOUR_NAME", "Ada Lovelace, Countess of Lovelace")
    with pytest.raises(UsageError, match="'Ada Lovelace, Countess of Lovelace' can't be a name"):
        chosen_name(None)
    monkeypatch.delenv("PARLOUR_STATE")
    assert "parlour" in str(state_folder())


@pytest.mark.parametrize("name", ["", "   ", "\u200b", "x" * 25])
def test_what_is_no_name_is_a_usage_fault(name: str) -> None:
    with pytest.raises(UsageError):
        chosen_name(name)


@pytest.mark.parametrize(
    ("server", "here"),
    [("ws://127.0.0.1:1", True), ("ws://localhost", True), ("ws://[::1]:9", True), ("ws://10.0.0.1", False)],
)
def test_loopback_is_distinguished(server: str, here: bool) -> None:
    assert is_loopback(server) is here
