"""`parlour ratings`: lists for people and for programs, and what it refuses."""

import json
from collections.abc import AsyncIterator

import pytest

from parlour_client import Client, connect
from parlour_client.cli import ratings
from parlour_client.render.console import Screen
from parlour_client.sdk.errors import Refused
from tests.support.rated import play_rated, some_ratings, until_rated
from tests.support.server import serving

Capture = pytest.CaptureFixture[str]


@pytest.fixture
async def ada() -> AsyncIterator[Client]:
    async with serving(rated=True) as url, connect(url, "Ada") as ada, connect(url, "Ben") as ben:
        await some_ratings(ada, ben)
        yield ada


async def test_people_and_bots_are_listed_apart(ada: Client, capsys: Capture) -> None:
    await ratings.games(ada, Screen())
    assert capsys.readouterr().out.splitlines()[1].split() == ["tictactoe", "2", "2", "3"]
    await ratings.board(ada, Screen(), "tictactoe")
    said = capsys.readouterr().out
    people, bots = said.split("\nBots\n")
    assert [line.split()[1] for line in people.splitlines()[3:5]] == ["Ada", "Ben"]
    assert "(bot)" not in people and bots.count("(bot)") == 2
    assert "? – not sure yet" in bots
    await ratings.board(ada, Screen(), "hex")
    assert capsys.readouterr().out == "Nobody is rated in hex yet.\n"


async def test_a_players_way_is_shown(ada: Client, capsys: Capture) -> None:
    await ratings.player(ada, Screen(), "tictactoe", "ada")
    said = capsys.readouterr().out
    assert said.startswith("Ada in tictactoe: 1")
    assert "Ben          2    1      1     0" in said
    assert said.splitlines()[-1].split()[-2:] == ["+162", "1662"]
    await ratings.player(ada, Screen(), "tictactoe", "easy")
    assert "easy (bot) in tictactoe" in capsys.readouterr().out


async def test_programs_get_rows(ada: Client, capsys: Capture) -> None:
    await ratings.board(ada, Screen(as_json=True), "tictactoe")
    lines = json.loads(capsys.readouterr().out)
    assert [line["kind"] for line in lines] == ["person", "person", "bot", "bot"]
    assert (lines[0]["you"], lines[1]["you"], lines[0]["provisional"]) == (True, None, True)
    await ratings.player(ada, Screen(as_json=True), "tictactoe", lines[0]["key"])
    found = json.loads(capsys.readouterr().out)
    assert (found["line"], found["curve"][0]) == (lines[0], 1662)
    await ratings.board(ada, Screen(as_csv=True), "tictactoe")
    assert capsys.readouterr().out.splitlines()[:2] == [
        "place,name,rating,deviation,games",
        f"1,Ada,{lines[0]['rating']},{lines[0]['deviation']},2",
    ]
    await ratings.player(ada, Screen(as_csv=True), "tictactoe", "Ada")
    assert capsys.readouterr().out.splitlines()[0] == "at,opponent,standing,change,rating"


async def test_who_is_not_there_and_who_is_there_twice_is_said(ada: Client) -> None:
    with pytest.raises(Refused, match="Nobody listed in tictactoe is called Cyd"):
        await ada.rating("tictactoe", "Cyd")
    with pytest.raises(Refused, match="chess"):
        await ada.ratings("chess")
    async with connect(ada.url, "Ben") as other:
        await play_rated(other, ada)
        await until_rated(ada, 4)
    with pytest.raises(Refused, match="Several are called Ben") as caught:
        await ada.rating("tictactoe", "Ben")
    key = caught.value.refusal.message.removesuffix(".").split()[-1]
    assert (await ada.rating("tictactoe", key)).line.name == "Ben"


async def test_a_server_may_rate_nobody() -> None:
    async with serving() as url, connect(url, "Ada") as ada:
        assert not ada.welcome.rated
        with pytest.raises(Refused, match="This server rates nobody"):
            await ada.ratings()
