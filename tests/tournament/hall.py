"""A tournament without a server: commands given one by one, time and chance by hand."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import TypeAdapter

from parlour_protocol.tournaments import TournamentSettings
from parlour_server.aggregate import Moment
from parlour_server.log import LogRecord
from parlour_server.refusals import Refusal
from parlour_server.tournament.commands import (
    SERVER,
    Create,
    Join,
    NoteResult,
    NoteTable,
    Proceed,
    Start,
    TournamentCommand,
)
from parlour_server.tournament.decide import apply
from parlour_server.tournament.events import TournamentEvent
from parlour_server.tournament.state import Game, Pair, TournamentState, evolve

HOST = "host"
EVENTS = TypeAdapter[TournamentEvent](TournamentEvent)
Points = tuple[float, float]
WON, DRAWN, LOST = (1.0, 0.0), (0.5, 0.5), (0.0, 1.0)


class Hall:
    """A tournament of so many, `p1` to `pN`."""

    def __init__(self, players: int = 0, seed: int = 0, **settings: Any) -> None:
        self.state = TournamentState("tournament:KMRTQA")
        self.now = 1_000_000
        self.log: list[LogRecord[TournamentEvent]] = []
        self.dice = random.Random(seed)
        self.do(Create("Cup", TournamentSettings(game="tictactoe", **settings), "Hanna", seed), HOST)
        for number in range(1, players + 1):
            self.join(number)

    def join(self, number: int) -> None:
        self.do(Join(f"Player {number}"), f"p{number}")

    def do(self, command: TournamentCommand, by: str = HOST) -> list[Any]:
        events = apply(self.state, command, Moment(by, self.now, self.dice.randrange))
        # What a store would give back.
        read = [EVENTS.validate_json(EVENTS.dump_json(event)) for event in events]
        self.log += [LogRecord(event, self.now, by) for event in read]
        return list(events)

    def replayed(self) -> TournamentState:
        """The state to which its log leads."""
        state = TournamentState(self.state.key)
        for record in self.log:
            evolve(state, record)
        return state

    def refused(self, command: TournamentCommand, by: str = HOST) -> str:
        """The sentence with which a command is refused, which changes nothing."""
        version = self.state.version
        with pytest.raises(Refusal) as caught:
            self.do(command, by)
        assert self.state.version == version
        return str(caught.value)

    def start(self) -> None:
        self.do(Start())
        self.proceed()

    def proceed(self) -> list[Any]:
        """Let the server do what is due, after the pause between two rounds."""
        self.now += round(1000 * self.state.settings.pause)
        return self.do(Proceed(), SERVER)

    def seat(self, pair: Pair, game: Game) -> None:
        self.do(NoteTable(pair.round, pair.board, game.number, f"R{pair.round}{pair.board}"), SERVER)

    def decide(self, pair: Pair, points: Points) -> list[Any]:
        game = pair.open
        assert game is not None
        return self.do(NoteResult(pair.round, pair.board, game.number, points), SERVER)

    def play_round(self, result: Callable[[Pair], Points]) -> None:
        """Decide all open games, those that follow in a pair among them."""
        while games := self.state.open_games():
            for pair, game in games:
                self.seat(pair, game)
                self.decide(pair, result(pair))

    def play(self, result: Callable[[Pair], Points]) -> None:
        """Play it to its end."""
        if self.state.phase == "joining":
            self.start()
        while self.state.phase == "playing":
            self.play_round(result)
            self.proceed()


def better(pair: Pair) -> Points:
    """Who entered first wins."""
    return WON if pair.first < pair.second else LOST
