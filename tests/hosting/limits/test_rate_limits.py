"""What each connection, player and address may do, and how much of the server's time queries may take."""

import itertools
from collections import Counter

import pytest

from parlour_protocol.commands import AskThoughts
from parlour_protocol.errors import Code
from parlour_protocol.events import MovePlayed
from parlour_protocol.views.reports import Candidate, Report, Score
from parlour_server.hosting.limits.rate_limits import QUERY_BURST_SECONDS, RateLimits, Subject
from parlour_server.hosting.rooms.histories import records_read
from parlour_server.log import LogRecord
from parlour_server.refusals import Refusal
from parlour_server.sessions import prices
from parlour_server.sessions.prices import PRICES
from parlour_server.settings import ServerLimits
from tests.hosting.harness import Clock, Person, found, open_harness, programs_game, seated

HERE, THERE = "192.0.2.2", "192.0.2.3"


def rates(**given: float) -> tuple[RateLimits, Clock, Counter[str]]:
    clock, refused = Clock(), Counter[str]()
    limits = ServerLimits(**{"player_milliseconds": 10.0, "address_milliseconds": 20.0, **given})
    return RateLimits(limits, refused, lambda: clock.seconds), clock, refused


def take(kept: RateLimits, player: str, address: str, cost: float = 1.0) -> None:
    kept.take("query", Subject(player, address), cost)


def refusal(kept: RateLimits, player: str, address: str, cost: float = 1.0) -> Refusal:
    with pytest.raises(Refusal) as caught:
        take(kept, player, address, cost)
    return caught.value


def test_a_player_has_a_budget_that_fills_again() -> None:
    kept, clock, refused = rates()
    take(kept, "ada", "192.0.2.1", 10.0 * QUERY_BURST_SECONDS)
    refusing = refusal(kept, "ada", "192.0.2.1", 5.0)
    assert (refusing.code, refused) == (Code.TOO_FAST, {"queries": 1})
    assert refusing.message == "You ask for more than this server can answer at once. Wait 1 s."
    assert refusing.retry_after is not None
    clock.advance(refusing.retry_after)
    take(kept, "ada", "192.0.2.1", 5.0)


def test_an_address_bounds_all_who_share_it_and_nobody_else() -> None:
    kept, _, _ = rates()
    for player in ("ada", "ben"):
        take(kept, player, HERE, 10.0 * QUERY_BURST_SECONDS)
    refusal(kept, "a new player", HERE)
    take(kept, "a new player", THERE, 1.0)
    # Where the address is not known, only players are counted.
    take(kept, "another", "", 1.0)


def test_what_is_refused_costs_nothing() -> None:
    kept, _, _ = rates()
    take(kept, "ada", HERE, 10.0 * QUERY_BURST_SECONDS)
    for _ in range(1_000):
        refusal(kept, "ada", HERE, 10.0)
    take(kept, "ben", HERE, 10.0 * QUERY_BURST_SECONDS)


def test_what_an_answer_cost_beyond_its_price_is_owed() -> None:
    kept, clock, _ = rates()
    take(kept, "ada", "192.0.2.1", 1.0)
    kept.charge("query", Subject("ada", "192.0.2.1"), 20.0 * QUERY_BURST_SECONDS)
    clock.advance(QUERY_BURST_SECONDS / 2)
    wait = refusal(kept, "ada", "192.0.2.1").retry_after
    assert wait == pytest.approx(QUERY_BURST_SECONDS / 2, abs=1.0)
    clock.advance(QUERY_BURST_SECONDS)
    take(kept, "ada", "192.0.2.1", 1.0)


def test_without_a_limit_all_is_free_and_nobody_is_kept() -> None:
    kept, _, _ = rates(player_milliseconds=0.0, address_milliseconds=0.0)
    for _ in range(100):
        take(kept, "ada", "192.0.2.1", 1e9)
        kept.charge("query", Subject("ada", "192.0.2.1"), 1e9)
    assert len(kept) == 0


def test_a_player_or_address_that_has_done_nothing_for_long_is_forgotten() -> None:
    kept, clock, _ = rates()
    kept.charge("query", Subject("ada", "192.0.2.1"), 10.0 * QUERY_BURST_SECONDS)
    kept.sweep()
    assert len(kept) == 2
    clock.advance(QUERY_BURST_SECONDS)
    kept.sweep()
    assert len(kept) == 0


def test_the_limit_with_the_longest_wait_refuses_and_is_counted() -> None:
    kept, clock, refused = rates(rooms_per_minute=1.0, address_rooms_per_minute=2.0)
    eve = Subject("eve", HERE)
    for player in ("ada", "ada", "ben", "ben"):
        kept.take("new_room", Subject(player, HERE))
    with pytest.raises(Refusal, match="from your address"):
        kept.take("new_room", eve)
    with pytest.raises(Refusal, match="You have made many rooms just now"):
        kept.take("new_room", Subject("ada", HERE))
    assert refused == {"address_rooms": 1, "rooms": 1}
    clock.advance(30.1)
    kept.take("new_room", eve)


def test_a_connection_keeps_its_own_buckets_and_this_machine_is_not_limited() -> None:
    kept, _, _ = rates(wrong_codes_per_minute=1.0, address_wrong_codes_per_minute=1.0)
    here, near = Subject("ada", HERE), Subject("ada", "127.0.0.1")
    kept.charge("wrong_code", here, 9.0)
    with pytest.raises(Refusal):
        kept.check("wrong_code", here)
    with pytest.raises(Refusal):
        kept.check("wrong_code", Subject("ben", HERE))
    kept.check("wrong_code", near)
    kept.charge("wrong_code", near, 2.0)
    with pytest.raises(Refusal, match="You have tried"):
        kept.check("wrong_code", near)
    kept.check("wrong_code", Subject("ada", "127.0.0.1"))
    assert len(kept) == 1


def test_the_first_action_is_taken_where_a_bucket_holds_one_alone() -> None:
    """By a clock that goes on between any two looks at it."""
    seconds = itertools.count(1_000.0, 1e-6)
    kept = RateLimits(ServerLimits(address_handshakes_per_minute=1.0), Counter(), lambda: next(seconds))
    kept.take("handshake", Subject(address=HERE))
    with pytest.raises(Refusal):
        kept.take("handshake", Subject(address=HERE))


async def spend(person: Person) -> int:
    """Ask until it is refused; how often it was answered."""
    for answered in range(10_000):
        answer = person.ask("board", game="tictactoe")
        if answer["type"] == "refused":
            assert (answer["code"], answer["retry_after"] > 0) == ("too_fast", True)
            return answered
    raise AssertionError("it is never refused")


async def test_a_connections_queries_are_paid_and_its_moves_are_not() -> None:
    async with open_harness(
        ServerLimits(messages_per_second=0, player_milliseconds=2.0, address_milliseconds=5.0)
    ) as harness:
        ada, ben, room = await seated(harness)
        assert await spend(ada) > 0
        # Another connection of the same player's changes nothing, another player's is another's.
        assert (await harness.person("Ada", ada.token)).ask("board", game="tictactoe")["code"] == "too_fast"
        assert ben.ask("games")["type"] == "games"
        assert ada.ask("play", room=room, version=4, move="b2")["type"] == "accepted"
        assert ada.ask("board", game="tictactoe")["code"] == "too_fast"
        harness.clock.advance(10.0)
        assert ada.ask("thoughts", room=room)["type"] == "thoughts"
        assert harness.context.counters.budgets_refused["queries"] == 3


async def test_an_address_has_one_budget_for_all_its_players() -> None:
    limits = ServerLimits(messages_per_second=0, player_milliseconds=2.0, address_milliseconds=5.0)
    async with open_harness(limits) as harness:
        people = [await harness.person(f"Ada {n}") for n in range(5)]
        for person in people:
            person.session.address = "192.0.2.2"
        answered = [await spend(person) for person in people]
        assert answered[0] > 0 == answered[-1]
        stranger = await harness.person("Eve")
        stranger.session.address = "192.0.2.3"
        assert await spend(stranger) == answered[0]


async def test_large_answers_are_charged_by_their_size() -> None:
    limits = ServerLimits(messages_per_second=0, player_milliseconds=2.0, address_milliseconds=0.0)
    async with open_harness(limits) as harness:
        room, _ = await programs_game(harness, 30)
        eve, joe = await harness.person("Eve"), await harness.person("Joe")

        def answered(person: Person, after: int) -> int:
            for parts in range(1_000):
                if person.ask("thoughts", room=room, after=after)["type"] == "refused":
                    return parts
            raise AssertionError("it is never refused")

        # Behind the last one there is nothing to pay for but the query itself.
        assert answered(joe, 30) == 2.0 * QUERY_BURST_SECONDS / PRICES[AskThoughts]
        assert 0 < answered(eve, 0) < 0.75 * 2.0 * QUERY_BURST_SECONDS / PRICES[AskThoughts]


@pytest.mark.parametrize("asked", ["record", "room_games", "history"])
async def test_what_is_read_from_a_log_is_charged(asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = ServerLimits(messages_per_second=0, player_milliseconds=2.0, address_milliseconds=0.0)
    async with open_harness(limits) as harness:
        ada, _ben, room = await seated(harness)
        monkeypatch.setattr(prices, "RECORD", 2.0 * QUERY_BURST_SECONDS)
        fields = {} if asked == "history" else {"room": room}
        assert (await ada.ask_store(asked, **fields))["type"] == asked
        assert ada.ask("games")["code"] == "too_fast"


def test_reports_count_where_a_log_is_read() -> None:
    """A move with a report on 64 others takes eight times as long to read as one without."""
    plain = LogRecord(MovePlayed(0, "a1"), 1_000, "p-ada", "c1")
    report = Report("perfect", [Candidate(f"a{number}", Score(1.5)) for number in range(64)])
    thought = LogRecord(MovePlayed(0, "a1", report), 1_000, "p-ada", "c2")
    assert records_read([plain] * 10) == 10
    assert records_read([plain] * 10 + [thought] * 9) == 10 + 9 + 64


async def test_a_room_that_is_fetched_from_the_store_is_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = ServerLimits(
        messages_per_second=0, player_milliseconds=2.0, address_milliseconds=0.0, idle_room_seconds=1.0
    )
    async with open_harness(limits) as harness:
        ada, ben, room = await seated(harness)
        for person in (ada, ben):
            person.ask("resign", room=room)
            person.hang_up()
        harness.clock.advance(10.0)
        assert len(harness.directory) == 0
        # Its five records cost 35 of 40.
        monkeypatch.setattr(prices, "RECORD", 7.0)
        eve = await harness.person("Eve")
        assert (await eve.ask_store("subscribe", room=room))["type"] == "accepted"
        assert eve.ask("rooms")["code"] == "too_fast"


async def test_a_long_search_is_charged_by_what_it_took() -> None:
    limits = ServerLimits(messages_per_second=0, player_milliseconds=2.0, address_milliseconds=0.0)
    async with open_harness(limits) as harness:
        ada = await harness.person("Ada")
        asked = ada.say("analyse", game="tictactoe")
        search = harness.scheduler.take()
        report = found(search.job)
        report.seconds = 3_600.0
        search.on_done(report)
        assert ada.answers(asked)[0]["type"] == "analysis"
        assert ada.ask("games")["code"] == "too_fast"
        ben = await harness.person("Ben")
        asked = ben.say("tree", game="tictactoe", moves="a1 b2 c3")
        search = harness.scheduler.take()
        search.used = 3_600.0
        search.on_done(found(search.job))
        assert ben.answers(asked)[0]["type"] == "game_tree"
        assert ben.ask("games")["code"] == "too_fast"
