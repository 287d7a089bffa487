"""Tournaments that run: rooms for their games, results from the rooms' logs, over restarts and nodes."""

from typing import Any

import pytest

from parlour_server.hosting.cluster.node import BEAT_SECONDS as NODE_BEAT_SECONDS
from parlour_server.hosting.cluster.node import LEASE_SECONDS
from parlour_server.hosting.rooms.live_room import LiveRoom
from parlour_server.hosting.tournaments.live_tournament import BEAT_SECONDS, LiveTournament
from parlour_server.settings import ServerLimits
from tests.hosting.harness import GatedStore, HostingHarness, Person, open_harness, settle
from tests.hosting.nodes import Nodes

X_WINS = "b2 a1 b1 a2 b3"
"""Whoever moves first wins."""


SETTINGS = {"game": "tictactoe", "format": "round_robin", "pause": 0}


class Event:
    """A tournament with its people, at one server after the other."""

    def __init__(self, harness: HostingHarness, code: str) -> None:
        self.harness, self.code = harness, code

    @property
    def live(self) -> LiveTournament:
        found = self.harness.tournaments.get(f"tournament:{self.code}")
        assert found is not None
        return found

    async def beat(self, times: int = 1) -> None:
        for _ in range(times):
            self.harness.clock.advance(BEAT_SECONDS)
            await settle()

    async def room_of(self, number: int) -> LiveRoom:
        """Where the one with this number plays now."""
        (code,) = [game.room for pair, game in self.live.state.open_games() if number in pair.both]
        room = await self.harness.directory.fetch(code)
        assert room is not None
        return room

    async def play(self, people: dict[int, Person], number: int) -> None:
        """Play the game of this one: its first player wins."""
        (pair, game) = next(one for one in self.live.state.open_games() if number in one[0].both)
        order = (game.first, pair.second if game.first == pair.first else pair.first)
        for ply, move in enumerate(X_WINS.split()):
            room = await self.room_of(number)
            answer = people[order[ply % 2]].ask("play", room=room.code, version=room.state.version, move=move)
            assert answer["type"] == "accepted", answer
        await settle()


async def created(host: Person, **settings: Any) -> str:
    asked = {"game": "tictactoe", "format": "round_robin", "pause": 0, **settings}
    answer = await host.ask_store("create_tournament", title="Cup", settings=asked)
    assert answer["type"] == "accepted", answer
    return str(answer["room"])


async def begun(
    harness: HostingHarness, players: int, **settings: Any
) -> tuple[Event, Person, dict[int, Person]]:
    """A tournament that has begun, its host, and who takes part by number."""
    host = await harness.person("Hanna")
    event = Event(harness, await created(host, **settings))
    people = {number: await harness.person(f"Player {number}") for number in range(1, players + 1)}
    for person in people.values():
        assert (await person.ask_store("join_tournament", tournament=event.code))["type"] == "accepted"
    assert (await host.ask_store("start_tournament", tournament=event.code))["type"] == "accepted"
    await event.beat(2)
    return event, host, people


async def test_pairings_become_rooms_in_which_both_sit_and_results_come_back(harness: HostingHarness) -> None:
    event, host, people = await begun(harness, 3)
    room = await event.room_of(2)
    assert [seat and seat.name for seat in room.state.seats] == ["Player 2", "Player 3"]
    assert (room.state.phase, room.state.settings.clock, room.state.tournament) == (
        "playing",
        "5+3",
        event.code,
    )
    await event.play(people, 2)
    await event.beat()
    assert len(event.live.state.rounds) == 2
    await event.play(people, 1)
    await event.beat()
    await event.play(people, 3)
    await event.beat()
    answer = await host.ask_store("tournament", tournament=event.code)
    assert answer["view"]["phase"] == "over"
    assert [line["points"] for line in answer["view"]["entrants"]] == [1.0, 1.0, 1.0]
    assert [line["rank"] for line in answer["view"]["entrants"]] == [1, 1, 1]


async def test_at_its_table_nobody_leaves_aborts_claims_or_asks_for_a_rematch(
    harness: HostingHarness,
) -> None:
    event, _, people = await begun(harness, 2)
    room = (await event.room_of(1)).code
    for act in ("abort", "leave", "claim"):
        answer = people[1].ask(act, room=room)
        assert answer["message"].startswith("This game is one of a tournament's"), act
    await event.play(people, 1)
    for act in ("rematch", "leave"):
        assert people[1].ask(act, room=room)["message"].startswith("This game is one of a tournament's")


async def test_it_is_shown_to_those_who_subscribed_as_it_changes(harness: HostingHarness) -> None:
    event, host, people = await begun(harness, 2)
    shown = await people[1].ask_store("tournament", tournament=event.code.lower(), subscribe=True)
    assert (shown["view"]["you"], shown["view"]["may"]) == (1, ["withdraw"])
    assert shown["view"]["room"] == (await event.room_of(1)).code
    people[2].hang_up()
    await event.beat()
    last = people[1].of("tournament_changed")[-1]["view"]
    assert {line["name"]: line["here"] for line in last["entrants"]} == {"Player 1": True, "Player 2": False}
    await host.ask_store("forfeit_game", tournament=event.code, round=1, board=1, loser=2)
    await event.beat()
    last = people[1].of("tournament_changed")[-1]["view"]
    assert last["boards"][0]["score"] in ("1-0", "0-1")
    # Once it is over nobody is missed.
    assert (last["phase"], {line["here"] for line in last["entrants"]}) == ("over", {True})
    assert (await host.ask_store("tournaments"))["tournaments"][0]["title"] == "Cup"


async def test_those_that_are_over_stay_in_the_list(harness: HostingHarness) -> None:
    host = await harness.person("Hanna")
    over, still_open = [await created(host) for _ in range(2)]
    await host.ask_store("end_tournament", tournament=over)
    harness.tournaments.put_to_sleep(Event(harness, over).live)
    lines = (await host.ask_store("tournaments"))["tournaments"]
    assert [(line["tournament"], line["phase"]) for line in lines] == [
        (still_open, "joining"),
        (over, "over"),
    ]


async def test_who_never_comes_forfeits_after_so_long(harness: HostingHarness) -> None:
    event, _, people = await begun(harness, 2, forfeit_minutes=2)
    room = await event.room_of(1)
    pair = event.live.state.rounds[0].pairs[0]
    game = pair.games[0]
    # Who is to move is connected, but not at the table.
    other = pair.second if game.first == pair.first else pair.first
    people[other].ask("subscribe", room=room.code)
    await event.beat(2 * 60 - 5)
    assert room.state.phase == "playing"
    await event.beat(8)
    assert (pair.points, game.how) == ((0.0, 1.0) if game.first == pair.first else (1.0, 0.0), "no_show")
    assert room.state.result is not None
    assert room.state.result.reason == "forfeit (nobody came to play)"


async def test_a_bot_whose_search_has_to_wait_has_not_failed_to_come(harness: HostingHarness) -> None:
    host = await harness.person("Hanna")
    event = Event(harness, await created(host, forfeit_minutes=1))
    await host.ask_store("enter_bot", tournament=event.code, bot="random")
    await host.ask_store("join_tournament", tournament=event.code)
    await host.ask_store("start_tournament", tournament=event.code)
    await event.beat(2)
    room = await event.room_of(1)
    host.ask("subscribe", room=room.code)
    first = room.state.seats[room.state.to_move or 0]
    if first is not None and first.bot is None:
        host.ask("play", room=room.code, version=room.state.version, move="b2")
    await event.beat(90)
    assert room.state.is_early
    assert room.state.phase == "playing"
    harness.scheduler.answer()
    await event.beat()


async def test_where_neither_comes_both_lose(harness: HostingHarness) -> None:
    event, _, people = await begun(harness, 2, forfeit_minutes=1)
    for person in people.values():
        person.hang_up()
    await event.room_of(1)
    harness.clock.advance(80)
    await settle()
    await event.beat(3)
    assert event.live.state.rounds[0].pairs[0].points == (0.0, 0.0)


async def test_a_withdrawal_in_mid_game_ends_it_and_so_does_the_host(harness: HostingHarness) -> None:
    event, host, people = await begun(harness, 4)
    first, second = [await event.room_of(number) for number in (1, 2)]
    assert (await people[1].ask_store("withdraw", tournament=event.code))["type"] == "accepted"
    await event.beat()
    assert first.state.result is not None
    assert (first.state.result.termination, first.state.result.reason) == (
        "abandonment",
        "forfeit (by the tournament)",
    )
    loser = next(seat for seat in first.state.seats if seat and seat.name == "Player 1")
    assert first.state.seats.index(loser) != first.state.result.winner
    board = next(pair for pair in event.live.state.rounds[0].pairs if 2 in pair.both).board
    decided = await host.ask_store("forfeit_game", tournament=event.code, round=1, board=board, loser=2)
    assert decided["type"] == "accepted"
    await event.beat()
    assert second.state.phase == "finished"


async def test_a_game_is_played_again_in_a_room_of_its_own(harness: HostingHarness) -> None:
    event, host, people = await begun(harness, 2, pause=30)
    before = (await event.room_of(1)).code
    await event.play(people, 1)
    await event.beat()
    assert (await host.ask_store("replay_game", tournament=event.code, round=1, board=1))[
        "type"
    ] == "accepted"
    await event.beat(2)
    after = (await event.room_of(1)).code
    assert after != before
    await event.play(people, 1)
    await event.beat(40)
    assert event.live.is_over


async def test_bots_play_their_games(harness: HostingHarness) -> None:
    host = await harness.person("Hanna")
    event = Event(harness, await created(host, games=2))
    for bot in ("random", "random"):
        await host.ask_store("enter_bot", tournament=event.code, bot=bot)
    refused = await host.ask_store("enter_bot", tournament=event.code, bot="nosuch")
    assert refused["code"] == "unknown_bot"
    await host.ask_store("start_tournament", tournament=event.code)
    for _ in range(200):
        await event.beat()
        while harness.scheduler.wanted:
            harness.scheduler.answer()
            await settle()
        if event.live.is_over:
            break
    assert len(event.live.state.rounds[0].pairs[0].counted) == 2


@pytest.mark.parametrize("lost", ["nothing", "table", "result"])
async def test_it_goes_on_where_the_server_was_killed(lost: str) -> None:
    """Whatever of its last steps was not saved is done again, and nothing twice."""
    store = GatedStore()
    async with open_harness(store=store) as harness:
        event, _, people = await begun(harness, 2, games=2)
        tokens = {number: person.token for number, person in people.items()}
        if lost == "result":
            event.live.stop()
            await event.play(people, 1)
        if lost == "table":
            await event.play(people, 1)
        code, rooms = event.code, len(store._rooms)
    async with open_harness(store=store, name="again") as harness:
        event = Event(harness, code)
        people = {number: await harness.person(f"Player {number}", token=tokens[number]) for number in (1, 2)}
        await event.beat(3)
        games = 2 if lost == "nothing" else 1
        for _ in range(games):
            await event.play(people, 1)
            await event.beat(2)
        assert event.live.is_over
        assert len(event.live.state.rounds[0].pairs[0].counted) == 2
        # Two games, two rooms.
        assert len(store._rooms) == 2
        assert rooms <= 2


async def test_it_goes_on_at_another_node_where_its_own_is_killed(nodes: Nodes) -> None:
    first, second = await nodes.open(), await nodes.open()
    host = await second.person("Hanna")
    code = (await asked(nodes, host, "create_tournament", title="Cup", settings=SETTINGS))["room"]
    people = {number: await second.person(f"Player {number}") for number in (1, 2, 3, 4)}
    for person in people.values():
        assert (await asked(nodes, person, "join_tournament", tournament=code))["type"] == "accepted"
    await asked(nodes, host, "start_tournament", tournament=code)
    await nodes.advance(3.0)
    held = [
        one for one in (first, second) if (live := one.tournaments.get(f"tournament:{code}")) and live.leased
    ]
    assert held == [second]
    third = await nodes.open()
    nodes.kill(second)
    await nodes.advance(LEASE_SECONDS + 4 * NODE_BEAT_SECONDS)
    people = {
        number: await third.person(f"Player {number}", token=one.token) for number, one in people.items()
    }
    await nodes.advance(3.0)
    for _ in range(3):
        view = (await asked(nodes, people[1], "tournament", tournament=code))["view"]
        for board in [one for one in view["boards"] if one["round"] == view["round"]]:
            await finish(nodes, people, board)
        await nodes.advance(4.0)
    view = (await asked(nodes, people[1], "tournament", tournament=code))["view"]
    assert (view["phase"], view["round"]) == ("over", 3)
    assert sum(line["points"] for line in view["entrants"]) == 6
    assert sum(len(board["rooms"]) for board in view["boards"]) == 6
    # A room for each game, and no more.
    assert len(nodes.ground.log._rooms) == 6


async def asked(nodes: Nodes, person: Person, kind: str, **fields: Any) -> dict[str, Any]:
    name = person.say(kind, **fields)
    await nodes.advance(0.5)
    (answer,) = person.answers(name)
    return answer


async def finish(nodes: Nodes, people: dict[int, Person], board: dict[str, Any]) -> None:
    """Play a board's game: its first player wins."""
    order = (board["first"], board["second"])
    for person in (people[number] for number in order):
        await asked(nodes, person, "subscribe", room=board["rooms"][0])
    for ply, move in enumerate(X_WINS.split()):
        await nodes.play(people[order[ply % 2]], board["rooms"][0], move)


async def test_nobody_fills_a_server_with_the_games_of_bots() -> None:
    async with open_harness(ServerLimits(messages_per_second=0, player_milliseconds=0)) as harness:
        host = await harness.person("Hanna")
        code = await created(host)
        said = [await host.ask_store("enter_bot", tournament=code, bot="random") for _ in range(50)]
        assert said[0]["type"] == "accepted"
        assert (said[-1]["code"], said[-1]["retry_after"] > 0) == ("too_fast", True)
