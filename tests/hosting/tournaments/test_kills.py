"""A server that is killed at each step of a tournament: each game is played once, and counts once."""

from collections.abc import Sequence

import pytest

from parlour_protocol.ids import Version
from parlour_server.hosting.tournaments.live_tournament import BEAT_SECONDS
from parlour_server.log import LogRecord
from parlour_server.store.port import Done
from parlour_server.tournament import TOURNAMENT
from parlour_server.tournament.state import TournamentState
from tests.hosting.harness import GatedStore, HostingHarness, found, open_harness, settle

SETTINGS = {"game": "tictactoe", "format": "round_robin", "pause": 0, "clock": "180+180"}
PLAYERS = 3


class Mortal(GatedStore):
    """Its server is killed with an append: before that is saved, or before anybody hears that it is."""

    def __init__(self) -> None:
        super().__init__()
        self.until = -1
        self.saves = False
        self.dead = False
        self.appends = 0

    def append(self, room: str, expected: Version, records: Sequence[LogRecord], done: Done) -> None:
        if self.dead:
            return
        self.appends += 1
        if self.appends != self.until:
            super().append(room, expected, records, done)
            return
        self.dead = True
        if self.saves:
            super().append(room, expected, records, lambda error: None)


async def live(harness: HostingHarness, store: Mortal) -> bool:
    """Let it go on until it is over, or the server is dead; false: it is dead."""
    for _ in range(120):
        harness.clock.advance(BEAT_SECONDS)
        await settle()
        while harness.scheduler.wanted and not store.dead:
            for search in harness.scheduler.wanted:
                harness.scheduler.asked.remove(search)
                search.on_done(found(search.job))
            await settle()
        if store.dead or all(one.is_over for one in harness.tournaments.awake()):
            return not store.dead
    pytest.fail("it does not go on")


async def evening(store: Mortal) -> TournamentState:
    """A tournament of bots, at one life of a server after the other."""
    async with open_harness(store=store) as harness:
        host = await harness.person("Hanna")
        made = await host.ask_store("create_tournament", title="Cup", settings=SETTINGS)
        code = made["room"]
        for _ in range(PLAYERS):
            await host.ask_store("enter_bot", tournament=code, bot="random")
        await host.ask_store("start_tournament", tournament=code)
        over = await live(harness, store)
    lives = 0
    while not over:
        lives += 1
        store.dead, store.until = False, -1
        async with open_harness(store=store, name=f"life {lives}") as harness:
            over = await live(harness, store)
    key = f"tournament:{code}"
    state = TOURNAMENT.initial(key)
    for record in await store.read(key):
        TOURNAMENT.evolve(state, record)
    return state


def check(state: TournamentState, store: Mortal) -> None:
    assert state.phase == "over"
    assert len(state.rounds) == PLAYERS
    games = [game for pair in state.pairs() for game in pair.games]
    assert len(games) == PLAYERS
    assert {game.how for game in games} == {"played"}
    # A room for each game, and no other; what it says is what counts.
    assert sorted(game.room for game in games) == sorted(store._rooms)
    for pair in state.pairs():
        (game,) = pair.games
        (result,) = [one.event for one in store._rooms[game.room] if one.event.kind == "game_finished"]
        points = (0.5, 0.5) if result.winner is None else ((1.0, 0.0), (0.0, 1.0))[result.winner]
        assert game.points == (points if game.first == pair.first else points[::-1])


async def test_killed_at_every_step_each_game_is_played_once_and_counts_once() -> None:
    calm = Mortal()
    check(await evening(calm), calm)
    # The first appends are the host's: who is killed there has no answer, and asks again.
    first = PLAYERS + 3
    assert calm.appends > 30
    for saves in (False, True):
        for step in range(first, calm.appends + 1):
            store = Mortal()
            store.until, store.saves = step, saves
            check(await evening(store), store)
            assert not store.dead
