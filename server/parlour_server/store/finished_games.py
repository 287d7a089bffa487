"""Finished games as a store lists them: they follow from the log, and outlive their rooms."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pydantic import TypeAdapter

from parlour_protocol.events import GameFinished, GameSummary
from parlour_protocol.ids import Seat, Version
from parlour_protocol.views.records import Tally
from parlour_protocol.views.rooms import Termination
from parlour_server.log import AnyRecord
from parlour_server.store.anonymise import anonymous_summary


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """A game that has ended, with or without a result: aborted ones are listed, too."""

    room: str
    version: Version
    """At which its room stood by then."""
    at: int
    """Milliseconds since 1970."""
    termination: Termination
    winner: Seat | None
    summary: GameSummary

    def count_for(self, player: str, tally: Tally) -> None:
        """Add how it ended for one of its players."""
        tally.count(self.termination, self.winner, 0 if self.summary.players[0].player == player else 1)

    def is_between(self, player: str, other: str | None) -> bool:
        """Did these two play it? None: the first one and any other person."""
        players = {one.player for one in self.summary.players}
        if other is None:
            return player in players and len(players) == 2 and not any(map(is_bot, players))
        return players == {player, other}


def is_bot(player: str) -> bool:
    """Is that the name by which a bot's seat acts?"""
    return ":" in player


_games = TypeAdapter(FinishedGame)


def finished_in(room: str, expected: Version, records: Sequence[AnyRecord]) -> Iterator[FinishedGame]:
    """The games that a room's records end which follow the version `expected`."""
    for version, record in enumerate(records, expected + 1):
        event = record.event
        # Earlier versions of the server summed nothing up.
        if isinstance(event, GameFinished) and event.summary is not None:
            yield FinishedGame(room, version, record.at, event.termination, event.winner, event.summary)


def write_game(game: FinishedGame) -> str:
    """A game as JSON."""
    return _games.dump_json(game).decode()


def read_game(text: str) -> FinishedGame:
    """The game of its JSON. Raises `ValueError`."""
    return _games.validate_json(text)


def without_player(game: FinishedGame, player: str) -> FinishedGame:
    """A game without a player's name; the same one where it is not there."""
    summary = anonymous_summary(game.summary, player)
    return game if summary is game.summary else replace(game, summary=summary)
