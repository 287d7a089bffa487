"""How much of the server's time queries may take."""

import pytest

from parlour_protocol.commands import AskThoughts
from parlour_protocol.errors import Code
from parlour_server.hosting.limits.budgets import SECONDS_AT_ONCE, Budgets
from parlour_server.hosting.limits.server_limits import ServerLimits
from parlour_server.room.refusals import Refusal
from parlour_server.sessions import prices
from parlour_server.sessions.prices import PRICES
from tests.hosting.house import Clock, Person, found, open_house, programs_game, table


def budgets(per_player: float = 10.0, per_address: float = 20.0) -> tuple[Budgets, Clock]:
    clock = Clock()
    return Budgets(per_player, per_address, lambda: clock.seconds), clock


def refusal(kept: Budgets, player: str, address: str, cost: float = 1.0) -> Refusal:
    with pytest.raises(Refusal) as caught:
        kept.take(player, address, cost)
    return caught.value


def test_a_player_has_a_budget_that_fills_again() -> None:
    kept, clock = budgets()
    kept.take("ada", "192.0.2.1", 10.0 * SECONDS_AT_ONCE)
    refused = refusal(kept, "ada", "192.0.2.1", 5.0)
    assert refused.code is Code.TOO_FAST
    assert refused.retry_after is not None
    clock.advance(refused.retry_after)
    kept.take("ada", "192.0.2.1", 5.0)


def test_an_address_bounds_all_who_share_it_and_nobody_else() -> None:
    kept, _ = budgets()
    for player in ("ada", "ben"):
        kept.take(player, "192.0.2.2", 10.0 * SECONDS_AT_ONCE)
    refusal(kept, "a new player", "192.0.2.2")
    kept.take("a new player", "192.0.2.3", 1.0)
    # Where the address is not known, only players are counted.
    kept.take("another", "", 1.0)


def test_what_is_refused_costs_nothing() -> None:
    kept, _ = budgets()
    kept.take("ada", "192.0.2.2", 10.0 * SECONDS_AT_ONCE)
    for _ in range(1_000):
        refusal(kept, "ada", "192.0.2.2", 10.0)
    kept.take("ben", "192.0.2.2", 10.0 * SECONDS_AT_ONCE)


def test_what_an_answer_cost_beyond_its_price_is_owed() -> None:
    kept, clock = budgets()
    kept.take("ada", "192.0.2.1", 1.0)
    kept.charge("ada", "192.0.2.1", 20.0 * SECONDS_AT_ONCE)
    clock.advance(SECONDS_AT_ONCE / 2)
    assert refusal(kept, "ada", "192.0.2.1").retry_after == pytest.approx(SECONDS_AT_ONCE / 2, abs=1.0)
    clock.advance(SECONDS_AT_ONCE)
    kept.take("ada", "192.0.2.1", 1.0)


def test_without_a_limit_all_is_free_and_nobody_is_kept() -> None:
    kept, _ = budgets(0.0, 0.0)
    for _ in range(100):
        kept.take("ada", "192.0.2.1", 1e9)
        kept.charge("ada", "192.0.2.1", 1e9)
    kept.sweep()
    assert len(kept) == 0


def test_who_has_asked_for_nothing_for_long_is_forgotten() -> None:
    kept, clock = budgets()
    kept.charge("ada", "192.0.2.1", 10.0 * SECONDS_AT_ONCE)
    kept.sweep()
    assert len(kept) == 2
    clock.advance(SECONDS_AT_ONCE)
    kept.sweep()
    assert len(kept) == 0


async def spend(person: Person) -> int:
    """Ask until it is refused; how often it was answered."""
    for answered in range(10_000):
        answer = person.ask("board", game="tictactoe")
        if answer["type"] == "refused":
            assert (answer["code"], answer["retry_after"] > 0) == ("too_fast", True)
            return answered
    raise AssertionError("it is never refused")


async def test_a_connections_queries_are_paid_and_its_moves_are_not() -> None:
    async with open_house(
        ServerLimits(messages_per_second=0, player_milliseconds=2.0, address_milliseconds=5.0)
    ) as house:
        ada, ben = await house.person("Ada"), await house.person("Ben")
        room = await table(house, ada, ben)
        assert await spend(ada) > 0
        # Another connection of the same player's changes nothing, another player's is another's.
        assert (await house.person("Ada", ada.token)).ask("board", game="tictactoe")["code"] == "too_fast"
        assert ben.ask("games")["type"] == "games"
        assert ada.ask("play", room=room, version=4, move="b2")["type"] == "accepted"
        assert ada.ask("board", game="tictactoe")["code"] == "too_fast"
        house.clock.advance(10.0)
        assert ada.ask("thoughts", room=room)["type"] == "thoughts"
        assert house.context.counters.budgets_refused["queries"] == 3


async def test_an_address_has_one_budget_for_all_its_players() -> None:
    limits = ServerLimits(messages_per_second=0, player_milliseconds=2.0, address_milliseconds=5.0)
    async with open_house(limits) as house:
        people = [await house.person(f"Ada {n}") for n in range(5)]
        for person in people:
            person.session.address = "192.0.2.2"
        answered = [await spend(person) for person in people]
        assert answered[0] > 0 == answered[-1]
        stranger = await house.person("Eve")
        stranger.session.address = "192.0.2.3"
        assert await spend(stranger) == answered[0]


async def test_large_answers_are_charged_by_their_size() -> None:
    limits = ServerLimits(messages_per_second=0, player_milliseconds=2.0, address_milliseconds=0.0)
    async with open_house(limits) as house:
        room, _ = await programs_game(house, 30)
        eve, joe = await house.person("Eve"), await house.person("Joe")

        def answered(person: Person, after: int) -> int:
            for parts in range(1_000):
                if person.ask("thoughts", room=room, after=after)["type"] == "refused":
                    return parts
            raise AssertionError("it is never refused")

        # Behind the last one there is nothing to pay for but the query itself.
        assert answered(joe, 30) == 2.0 * SECONDS_AT_ONCE / PRICES[AskThoughts]
        assert 0 < answered(eve, 0) < 0.75 * 2.0 * SECONDS_AT_ONCE / PRICES[AskThoughts]


@pytest.mark.parametrize("asked", ["record", "room_games", "history"])
async def test_what_is_read_from_a_log_is_charged(asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = ServerLimits(messages_per_second=0, player_milliseconds=2.0, address_milliseconds=0.0)
    async with open_house(limits) as house:
        ada, ben = await house.person("Ada"), await house.person("Ben")
        room = await table(house, ada, ben)
        monkeypatch.setattr(prices, "RECORD", 2.0 * SECONDS_AT_ONCE)
        fields = {} if asked == "history" else {"room": room}
        assert (await ada.ask_store(asked, **fields))["type"] == asked
        assert ada.ask("games")["code"] == "too_fast"


async def test_a_room_that_is_fetched_from_the_store_is_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = ServerLimits(
        messages_per_second=0, player_milliseconds=2.0, address_milliseconds=0.0, idle_room_seconds=1.0
    )
    async with open_house(limits) as house:
        ada, ben = await house.person("Ada"), await house.person("Ben")
        room = await table(house, ada, ben)
        for person in (ada, ben):
            person.ask("resign", room=room)
            person.hang_up()
        house.clock.advance(10.0)
        assert len(house.directory) == 0
        # Its five records cost 35 of 40.
        monkeypatch.setattr(prices, "RECORD", 7.0)
        eve = await house.person("Eve")
        assert (await eve.ask_store("subscribe", room=room))["type"] == "accepted"
        assert eve.ask("rooms")["code"] == "too_fast"


async def test_a_long_search_is_charged_by_what_it_took() -> None:
    limits = ServerLimits(messages_per_second=0, player_milliseconds=2.0, address_milliseconds=0.0)
    async with open_house(limits) as house:
        ada = await house.person("Ada")
        asked = ada.say("analyse", game="tictactoe")
        search = house.scheduler.take()
        report = found(search.job)
        report.seconds = 3_600.0
        search.on_done(report)
        assert ada.answers(asked)[0]["type"] == "analysis"
        assert ada.ask("games")["code"] == "too_fast"
        ben = await house.person("Ben")
        asked = ben.say("tree", game="tictactoe", moves="a1 b2 c3")
        search = house.scheduler.take()
        search.used = 3_600.0
        search.on_done(found(search.job))
        assert ben.answers(asked)[0]["type"] == "game_tree"
        assert ben.ask("games")["code"] == "too_fast"
