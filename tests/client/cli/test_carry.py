"""A terminal takes a player over: who it is on that server from then on, and what becomes of who it was."""

import asyncio
from pathlib import Path

import pytest

from parlour_client import Refused, connect
from parlour_client.cli.carry import take_over_here
from parlour_client.sdk.data_file import player_realm
from parlour_client.sdk.errors import UsageError
from parlour_client.sdk.identity import StoredIdentity


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a terminal whose person is called Bob says."""
    monkeypatch.setenv("PARLOUR_STATE", str(tmp_path))
    monkeypatch.setenv("PARLOUR_NAME", "Bob")
    return []


def carried(server: str) -> tuple[str, str]:
    """A code for a new player called Ada, and the player's id."""

    async def open_code() -> tuple[str, str]:
        async with connect(server, "Ada") as ada:
            return (await ada.carry()).code, ada.welcome.player

    return asyncio.run(open_code())


def who(server: str, identity: StoredIdentity) -> tuple[str, str]:
    """The name, and the id of the player whose token is kept here."""

    async def back() -> tuple[str, str]:
        async with connect(server, identity=identity) as client:
            return client.name, client.welcome.player

    assert identity.token() is not None
    return asyncio.run(back())


def kept(folder: Path, server: str, name: str) -> StoredIdentity:
    return StoredIdentity(folder, player_realm(server), name, lambda _: None)


def test_a_terminal_without_a_player_there_becomes_the_carried_one(
    tmp_path: Path, server: str, said: list[str]
) -> None:
    code, player = carried(server)
    take_over_here(server, code, None, said.append)
    identity = kept(tmp_path, server, "Bob")
    assert (identity.name, said) == ("Ada", [])
    assert who(server, identity) == ("Ada", player)


def test_the_player_who_was_there_is_put_aside_and_that_is_said(
    tmp_path: Path, server: str, said: list[str]
) -> None:
    kept(tmp_path, server, "Bob").keep("bobs-token")
    code, player = carried(server)
    take_over_here(server, code, None, said.append)
    identity = kept(tmp_path, server, "Bob")
    assert who(server, identity) == ("Ada", player)
    (sentence,) = said
    assert "as Ada from now on" in sentence and "kept in its file" in sentence
    assert sorted(path.suffix for path in identity.path.parent.iterdir()) == [".aside", ".json"]


def test_a_terminal_that_is_that_player_already_stays_so_and_says_nothing(
    tmp_path: Path, server: str, said: list[str]
) -> None:
    async def come_and_carry() -> tuple[str, str]:
        async with connect(server, identity=kept(tmp_path, server, "Bob")) as bob:
            return (await bob.carry()).code, bob.welcome.player

    code, player = asyncio.run(come_and_carry())
    token = kept(tmp_path, server, "Bob").token()
    take_over_here(server, code, None, said.append)
    identity = kept(tmp_path, server, "Bob")
    assert (identity.token(), said) == (token, [])
    assert who(server, identity) == ("Bob", player)
    assert [path.suffix for path in identity.path.parent.iterdir()] == [".json"]


def test_with_a_name_of_its_own_it_stands_beside_the_other(
    tmp_path: Path, server: str, said: list[str]
) -> None:
    kept(tmp_path, server, "Bob").keep("bobs-token")
    code, player = carried(server)
    take_over_here(server, code, "Cleo", said.append)
    assert kept(tmp_path, server, "Bob").token() == "bobs-token"
    cleo = kept(tmp_path, server, "Cleo")
    assert (who(server, cleo), said) == (("Cleo", player), [])


def test_a_name_that_is_taken_here_is_refused_before_the_code_is_used(
    tmp_path: Path, server: str, said: list[str]
) -> None:
    kept(tmp_path, server, "Cleo").keep("cleos-token")
    code, player = carried(server)
    with pytest.raises(UsageError, match="as Cleo on that server already"):
        take_over_here(server, code, "Cleo", said.append)
    take_over_here(server, code, None, said.append)
    assert who(server, kept(tmp_path, server, "Bob")) == ("Ada", player)


def test_a_code_that_is_used_up_changes_nothing(tmp_path: Path, server: str, said: list[str]) -> None:
    kept(tmp_path, server, "Bob").keep("bobs-token")
    with pytest.raises(Refused, match="Ask the other device for a new one"):
        take_over_here(server, "AAAAAAAAAA", None, said.append)
    assert (kept(tmp_path, server, "Bob").token(), said) == ("bobs-token", [])
