"""200 tournaments by chance: people leave, come late and come back; games are forfeited and played again."""

import random
from collections import Counter
from contextlib import suppress

import pytest

from parlour_protocol.tournaments import Format
from parlour_server.refusals import Refusal
from parlour_server.tournament.commands import (
    SERVER,
    End,
    Enter,
    Forfeit,
    Join,
    NoteResult,
    NoteTable,
    Proceed,
    Replay,
    Start,
    TournamentCommand,
    Withdraw,
)
from parlour_server.tournament.standings import cross_table, standings
from parlour_server.tournament.state import Pair, TournamentState
from tests.tournament.hall import DRAWN, HOST, LOST, WON, Hall

FORMATS: tuple[Format, ...] = (
    "swiss",
    "round_robin",
    "swiss",
    "knockout",
    "swiss",
    "gauntlet",
    "arena",
    "double_round_robin",
)


@pytest.mark.parametrize("first", range(0, 200, 25))
def test_whatever_happens_a_tournament_keeps_its_promises(first: int) -> None:
    over = [play(seed) for seed in range(first, first + 25)]
    # They are no tournaments in which nothing happens.
    assert sum(len(state.rounds) for state in over) > 50


def play(seed: int) -> TournamentState:
    dice = random.Random(seed)
    hall = Hall(
        dice.randrange(2, 12),
        seed=seed,
        format=FORMATS[seed % len(FORMATS)],
        games=dice.choice((1, 1, 2)),
        minutes=4,
        pause=dice.choice((0, 15)),
    )
    hall.do(Start())
    for _ in range(3000):
        if hall.state.phase == "over":
            break
        hall.now += dice.randrange(5000)
        with suppress(Refusal):
            hall.do(*happens(hall, dice))
        hall.do(Proceed(), SERVER)
        check(hall)
    else:
        pytest.fail("it does not end")
    assert hall.replayed() == hall.state
    return hall.state


def happens(hall: Hall, dice: random.Random) -> tuple[TournamentCommand, str]:
    """What comes next; much of it is refused."""
    state, games = hall.state, hall.state.open_games()
    what = dice.random()
    if games and what < 0.8:
        running, game = dice.choice(games)
        key = running.round, running.board, game.number
        if not game.room and dice.random() < 0.7:
            return NoteTable(*key, "KMRTQA"), SERVER
        return NoteResult(*key, dice.choice((WON, DRAWN, LOST))), SERVER
    pair: Pair | None = dice.choice([None, *state.pairs()])
    if what < 0.83:
        return Join(f"Late {state.version}"), f"late{state.version}"
    if what < 0.85:
        return Enter("easy"), HOST
    if what < 0.88:
        return Join("Back"), dice.choice(state.entrants).player
    if what < 0.92:
        return Withdraw(), dice.choice(state.entrants).player
    if pair is not None and what < 0.95:
        return Replay(pair.round, pair.board), HOST
    if pair is not None and what < 0.995:
        return Forfeit(pair.round, pair.board, dice.choice((*pair.both, None))), HOST
    return (End() if what > 0.999 else Proceed()), (HOST if what > 0.999 else SERVER)


def check(hall: Hall) -> None:
    state = hall.state
    busy = Counter(number for pair, _ in state.open_games() for number in pair.both)
    assert not busy or max(busy.values()) == 1, "somebody plays two games at once"
    gone = {one.number for one in state.entrants if one.withdrawn}
    assert not gone & set(busy), "somebody plays who has gone"
    byes = Counter(number for one in state.rounds for number in one.byes)
    if state.settings.format == "swiss":
        met = Counter(frozenset(pair.both) for pair in state.pairs())
        assert not met or max(met.values()) == 1, "two meet twice"
        assert not byes or max(byes.values()) == 1, "somebody has two byes"
    for one in state.rounds:
        there = Counter([*one.byes, *(number for pair in one.pairs for number in pair.both)])
        assert max(there.values()) == 1, "somebody is paired twice in a round"
    lines = standings(state)
    assert sorted(line.number for line in lines) == list(range(1, len(state.entrants) + 1))
    if state.settings.format not in ("arena", "knockout"):
        # Each pairing gives one point, or none where both were forfeited.
        given = sum(sum(pair.points) for pair in state.pairs() if pair.done)
        given += sum(byes.values()) if state.settings.format == "swiss" else 0
        assert sum(line.points for line in lines) == given
    heads, rows = cross_table(state, lines)
    assert {len(row) for row in rows} <= {len(heads)}
